extern "C" void device_write(uint32_t offset, uint32_t word) {
  Top &top = device();
  top.s_address = offset / 4;
  top.s_writedata = word;
  top.s_byteenable = 15;
  top.s_write = 1;
  settle();
  edge();
  top.s_write = 0;
}

extern "C" uint32_t device_read(uint32_t offset) {
  Top &top = device();
  top.s_address = offset / 4;
  top.s_read = 1;
  settle();
  edge();
  top.s_read = 0;
  settle();
  return top.s_readdata;
}
