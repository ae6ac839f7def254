// Fills the memory of {top}, runs it once through its registers, and compares what it leaves with what is expected.
// +vcd writes a waveform, +limit=CYCLES is how long a run may take.
module testbench;
  localparam integer DEPTH = {depth};  // words of memory

  logic clk = 0;
  logic rst = 1;
{signals}
  logic fill = 0;
  logic fill_valid = 0;
  logic fill_ready;
  logic [{high}:0] fill_data = 0;
  logic look = 0;
  logic word_valid;
  logic [{high}:0] word;
  logic irq;
  logic [{error_high}:0] bus_error;

  logic [{high}:0] given [0:DEPTH-1];
  logic [{high}:0] expected [0:DEPTH-1];
  logic [{high}:0] compared [0:DEPTH-1];
  logic [31:0] status = 0;
  logic [31:0] cycles = 0;
  logic [31:0] error = 0;
  logic [31:0] error_address = 0;
  logic [31:0] error_address_high = 0;
  integer place = 0;
  integer limit = {limit};
  integer words = 0;
  integer mismatches = 0;

  {top} bench (
{ports}
  );

  always #5 clk = !clk;
{tasks}
  task automatic check_register(input [{offset_high}:0] offset, input [31:0] value, input [31:0] mask);
    logic [31:0] found;
    read_register(offset, found);
    words = words + 1;
    if (((found ^ value) & mask) !== 0) begin
      mismatches = mismatches + 1;
      $display("register %h is %h, expected %h", offset, found, value);
    end
  endtask

  task automatic pulse_reset;
    rst = 1;
    repeat (2) @(negedge clk);
    rst = 0;
    @(negedge clk);
  endtask

  task automatic fill_memory;
    fill = 1;
    fill_valid = 1;
    place = 0;
    while (place < DEPTH) begin
      fill_data = given[place];
      #1;
      if (fill_ready) place = place + 1;
      @(negedge clk);
    end
    fill_valid = 0;
    fill = 0;
  endtask

  task automatic compare_memory;
    look = 1;
    place = 0;
    while (place < DEPTH) begin
      @(negedge clk);
      if (word_valid) begin
        words = words + 1;
        if (((word ^ expected[place]) & compared[place]) !== 0) begin
          mismatches = mismatches + 1;
          if (mismatches <= 10) $display("word %0d of memory is %h, expected %h", place, word, expected[place]);
        end
        place = place + 1;
      end
    end
    look = 0;
  endtask

  initial begin
    if ($test$plusargs("vcd")) begin
      $dumpfile("testbench.vcd");
      $dumpvars(0, testbench);
    end
    if ($value$plusargs("limit=%d", limit)) $display("at most %0d cycles", limit);
    $readmemh("data/memory.hex", given);
    $readmemh("data/expected.hex", expected);
    $readmemh("data/compared.hex", compared);

    pulse_reset;
    fill_memory;
    pulse_reset;
    read_register({status}, status);
    if (status !== 1) $fatal(1, "FAIL: not ready after reset");
{writes}
    write_register({control}, {start});
    while (!status[1] && cycles < limit) begin
      read_register({status}, status);
      read_register({cycles}, cycles);
    end
    if (!status[1]) $fatal(1, "FAIL: not done after %0d cycles", limit);
    read_register({error}, error);
    read_register({error_address}, error_address);
    read_register({error_address_high}, error_address_high);
    if (error !== 0) $fatal(1, "FAIL: error %0d at address %h%h", error, error_address_high, error_address);
    read_register({cycles}, cycles);
    if (irq !== 1) $fatal(1, "FAIL: no interrupt");
    write_register({status}, {done});
    if (irq !== 0) $fatal(1, "FAIL: the interrupt was not cleared");
{results}
    compare_memory;
    if (bus_error !== 0) $fatal(1, "FAIL: rule %0d of the bus was broken", bus_error);
    else if (mismatches != 0) $fatal(1, "FAIL: %0d of %0d words differ, %0d cycles", mismatches, words, cycles);
    else $display("PASS: %0d words, %0d cycles", words, cycles);
    $finish;
  end
endmodule
