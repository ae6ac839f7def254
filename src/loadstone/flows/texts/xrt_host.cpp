/* {kernel} on a card with XRT, as the function that the testbench calls.
   XCLBIN names the binary (default: {name}.xclbin), XRT_DEVICE the number of the card (default: 0). */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include <xrt/xrt_bo.h>
#include <xrt/xrt_device.h>
#if __has_include(<xrt/experimental/xrt_ip.h>)
#include <xrt/experimental/xrt_ip.h>
#include <xrt/experimental/xrt_xclbin.h>
#else
#include <experimental/xrt_ip.h>
#include <experimental/xrt_xclbin.h>
#endif

#include "{kernel}.hpp"
#include "{name}_registers.h"

static std::string setting(const char *name, const char *otherwise)
{{
  const char *value = std::getenv(name);
  return value ? value : otherwise;
}}

/* The card, with the binary in it; the kernel manages itself through its registers. */
struct Card {{
  xrt::xclbin binary{{setting("XCLBIN", "{name}.xclbin")}};
  xrt::device device{{static_cast<unsigned>(std::stoul(setting("XRT_DEVICE", "0")))}};
  xrt::ip ip{{device, device.load_xclbin(binary), "{name}"}};
  std::vector<xrt::bo> buffers;

  int bank() const
  {{
    for (const auto &memory : binary.get_mems())
      if (memory.get_used())
        return memory.get_index();
    throw std::runtime_error("no memory is connected to the kernel");
  }}

  template <typename T> void put(uint32_t offset, T value)
  {{
    uint32_t words[sizeof(T) / 4];
    std::memcpy(words, &value, sizeof value);
    for (size_t k = 0; k < sizeof(T) / 4; k++)
      ip.write_register(offset + 4 * k, words[k]);
  }}

  size_t place(uint32_t offset, const void *data, size_t bytes)
  {{
    buffers.emplace_back(device, bytes ? bytes : 1, xrt::bo::flags::normal, bank());
    xrt::bo &buffer = buffers.back();
    buffer.write(data, bytes, 0);
    buffer.sync(XCL_BO_SYNC_BO_TO_DEVICE);
    put<uint64_t>(offset, buffer.address());
    return buffers.size() - 1;
  }}

  void take(size_t number, void *data, size_t bytes)
  {{
    buffers[number].sync(XCL_BO_SYNC_BO_FROM_DEVICE);
    buffers[number].read(data, bytes, 0);
  }}

  void run()
  {{
    if (ip.read_register({prefix}_IDENTITY) != {prefix}_EXPECTED_IDENTITY)
      throw std::runtime_error("the binary holds another design");
    ip.write_register({prefix}_CONTROL, {prefix}_START);
    while (!(ip.read_register({prefix}_STATUS) & {prefix}_DONE))
      ;
    if (uint32_t failure = ip.read_register({prefix}_ERROR))
      throw std::runtime_error("the run failed with error " + std::to_string(failure));
  }}
}};

{helpers}{signature}
try {{
{refused}  Card card;
{given}  card.run();
{taken}  *loaded_words = card.ip.read_register({prefix}_LOADED);
  *stored_words = card.ip.read_register({prefix}_STORED);
}} catch (const std::exception &wrong) {{
  std::fprintf(stderr, "%s\n", wrong.what());
  *loaded_words = *stored_words = -1;
}}
