// A stand-in for XRT on simulated hardware: device, memory and registers are those of an accelerator in Verilator.
#ifndef STUB_XRT_DEVICE_H
#define STUB_XRT_DEVICE_H

#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

extern "C" uint32_t device_read(uint32_t offset);
extern "C" void device_write(uint32_t offset, uint32_t word);
extern "C" void *device_memory();
extern "C" uint64_t device_bytes();
extern "C" uint64_t device_base();

namespace xrt {

class uuid {};

class xclbin {
public:
  class mem {
  public:
    mem(int index, bool used) : index_(index), used_(used) {}
    int32_t get_index() const { return index_; }
    bool get_used() const { return used_; }

  private:
    int index_;
    bool used_;
  };

  explicit xclbin(const std::string &name)
  {
    if (name != "present.xclbin")
      throw std::runtime_error("no file " + name);
  }

  std::vector<mem> get_mems() const { return {mem(0, false), mem(3, true)}; }
};

class device {
public:
  explicit device(unsigned int number)
  {
    if (number != 0)
      throw std::runtime_error("no such device");
  }
  uuid load_xclbin(const xclbin &) { return {}; }
  uuid load_xclbin(const std::string &name) { return load_xclbin(xclbin(name)); }
};

} // namespace xrt

#endif
