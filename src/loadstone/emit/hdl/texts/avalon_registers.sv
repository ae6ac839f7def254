
  task automatic write_register(input [{offset_high}:0] offset, input [31:0] value);
    s_address = offset[{offset_high}:2];
    s_writedata = value;
    s_byteenable = 15;
    s_write = 1;
    while (s_waitrequest) @(negedge clk);
    @(negedge clk);
    s_write = 0;
  endtask

  task automatic read_register(input [{offset_high}:0] offset, output [31:0] value);
    s_address = offset[{offset_high}:2];
    s_read = 1;
    while (s_waitrequest) @(negedge clk);
    @(negedge clk);
    s_read = 0;
    while (!s_readdatavalid) @(negedge clk);
    value = s_readdata;
    @(negedge clk);
  endtask
