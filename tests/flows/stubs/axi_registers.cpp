extern "C" void device_write(uint32_t offset, uint32_t word) {
  Top &top = device();
  top.s_axil_awaddr = offset;
  top.s_axil_wdata = word;
  top.s_axil_wstrb = 15;
  top.s_axil_awvalid = top.s_axil_wvalid = top.s_axil_bready = 1;
  for (bool done = false; !done;) {
    settle();
    bool address = top.s_axil_awvalid && top.s_axil_awready, data = top.s_axil_wvalid && top.s_axil_wready;
    done = top.s_axil_bvalid;
    edge();
    if (address) top.s_axil_awvalid = 0;
    if (data) top.s_axil_wvalid = 0;
  }
  top.s_axil_bready = 0;
}

extern "C" uint32_t device_read(uint32_t offset) {
  Top &top = device();
  top.s_axil_araddr = offset;
  top.s_axil_arvalid = top.s_axil_rready = 1;
  uint32_t word = 0;
  for (bool done = false; !done;) {
    settle();
    bool address = top.s_axil_arvalid && top.s_axil_arready;
    done = top.s_axil_rvalid;
    word = top.s_axil_rdata;
    edge();
    if (address) top.s_axil_arvalid = 0;
  }
  top.s_axil_rready = 0;
  return word;
}
