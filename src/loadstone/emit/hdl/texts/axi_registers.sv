
  task automatic write_register(input [{offset_high}:0] offset, input [31:0] value);
    logic takes_address, takes_data;
    s_axil_awaddr = offset;
    s_axil_wdata = value;
    s_axil_wstrb = 15;
    s_axil_awvalid = 1;
    s_axil_wvalid = 1;
    while (s_axil_awvalid || s_axil_wvalid) begin
      takes_address = s_axil_awready;
      takes_data = s_axil_wready;
      @(negedge clk);
      if (takes_address) s_axil_awvalid = 0;
      if (takes_data) s_axil_wvalid = 0;
    end
    s_axil_bready = 1;
    while (!s_axil_bvalid) @(negedge clk);
    @(negedge clk);
    s_axil_bready = 0;
  endtask

  task automatic read_register(input [{offset_high}:0] offset, output [31:0] value);
    s_axil_araddr = offset;
    s_axil_arvalid = 1;
    while (!s_axil_arready) @(negedge clk);
    @(negedge clk);
    s_axil_arvalid = 0;
    s_axil_rready = 1;
    while (!s_axil_rvalid) @(negedge clk);
    value = s_axil_rdata;
    @(negedge clk);
    s_axil_rready = 0;
  endtask
