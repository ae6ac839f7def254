// Fills the memories of {top}, runs it once, and compares what it leaves with the words that are expected.
// +vcd writes a waveform, +limit=CYCLES is how long a run may take.
module testbench;
  logic clk = 0;
  logic rst = 1;
{signals}
{words}

  integer address;
  integer limit = {limit};
  integer cycles = 0;
  integer words = 0;
  integer mismatches = 0;

  {top} dut (
{ports}
  );

  always #5 clk = !clk;
{functions}
  initial begin
    if ($test$plusargs("vcd")) begin
      $dumpfile("testbench.vcd");
      $dumpvars(0, testbench);
    end
    if ($value$plusargs("limit=%d", limit)) $display("at most %0d cycles", limit);
{reading}

    repeat (2) @(negedge clk);
    rst = 0;
    @(negedge clk);
    if (dut_ready !== 1) $fatal(1, "FAIL: not ready after reset");
{filling}

{inputs}
    dut_start = 1;
    @(negedge clk);
    dut_start = 0;
    while (dut_done !== 1 && cycles < limit) begin
      @(negedge clk);
      cycles = cycles + 1;
    end
{comparing}

    if (dut_done !== 1) $fatal(1, "FAIL: not done after %0d cycles", limit);
    else if (dut_error !== 0) $fatal(1, "FAIL: the start was refused: a parameter is out of range");
    else if (mismatches != 0) $fatal(1, "FAIL: %0d of %0d words differ, %0d cycles", mismatches, words, cycles);
    else $display("PASS: %0d words, %0d cycles", words, cycles);
    $finish;
  end
endmodule
