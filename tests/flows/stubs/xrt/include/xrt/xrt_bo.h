#ifndef STUB_XRT_BO_H
#define STUB_XRT_BO_H

#include <cstring>
#include <memory>

#include "xrt/xrt_device.h"

enum xclBOSyncDirection { XCL_BO_SYNC_BO_TO_DEVICE = 0, XCL_BO_SYNC_BO_FROM_DEVICE };

namespace xrt {

using memory_group = uint32_t;

/* A buffer: the host's copy, and a place in the memory of the device; only syncs carry contents between them. */
class bo {
public:
  enum class flags : uint32_t { normal = 0 };

  bo(const device &, size_t size, flags, memory_group group) : host_(std::make_shared<std::vector<char>>(size))
  {
    static uint64_t next = 0;
    place_ = next;
    next += (size + 4095) / 4096 * 4096;
    if (group != 3 || place_ + size > device_bytes())
      throw std::runtime_error("no such memory, or it is full");
  }

  void write(const void *data, size_t size, size_t seek) { std::memcpy(host_->data() + seek, data, size); }
  void read(void *data, size_t size, size_t skip) { std::memcpy(data, host_->data() + skip, size); }

  void sync(xclBOSyncDirection direction)
  {
    char *there = static_cast<char *>(device_memory()) + place_;
    if (direction == XCL_BO_SYNC_BO_TO_DEVICE)
      std::memcpy(there, host_->data(), host_->size());
    else
      std::memcpy(host_->data(), there, host_->size());
  }

  uint64_t address() const { return device_base() + place_; }

private:
  std::shared_ptr<std::vector<char>> host_;
  uint64_t place_;
};

} // namespace xrt

#endif
