module testbench;
  logic clk;
  logic [{inputs}:0] taken;
  logic [{outputs}:0] given;
  integer source, sink, rows, waited;
  {module} dut (
{ports}
  );
{padding}  initial begin
    clk = 0;
    source = $fopen("inputs.hex", "r");
    sink = $fopen("outputs.hex", "w");
    rows = 0;
    waited = 0;
{dump}    while ($fscanf(source, "%h\n", taken) == 1) begin
      #1 $fdisplay(sink, "%h", given);
      #1 clk = 1;
      #1 clk = 0;
      rows = rows + 1;
      if (rows == {before}) begin
        #1;
        while (!{done} && waited < {limit}) begin
          #1 clk = 1;
          #1 clk = 0;
          #1 waited = waited + 1;
        end
      end
    end
    $fclose(sink);
    sink = $fopen("waited.txt", "w");
    $fdisplay(sink, "%0d", waited);
    $fclose(sink);
    $finish;
  end
endmodule
