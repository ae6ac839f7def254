#ifndef STUB_XRT_IP_H
#define STUB_XRT_IP_H

#include "xrt/xrt_device.h"

namespace xrt {

class ip {
public:
  ip(const device &, const uuid &, const std::string &) {}
  void write_register(uint32_t offset, uint32_t data) { device_write(offset, data); }
  uint32_t read_register(uint32_t offset) const { return device_read(offset); }
};

} // namespace xrt

#endif
