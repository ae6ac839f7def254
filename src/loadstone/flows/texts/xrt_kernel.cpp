/* {name} of HLS on a card with XRT, as the function that the testbench calls.
   XCLBIN names the binary (default: {name}_top.xclbin), XRT_DEVICE the number of the card (default: 0). */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include <xrt/xrt_bo.h>
#include <xrt/xrt_device.h>
#include <xrt/xrt_kernel.h>

#include "{name}.hpp"

static std::string setting(const char *name, const char *otherwise)
{{
  const char *value = std::getenv(name);
  return value ? value : otherwise;
}}

/* The card, with the binary in it; nobody else uses the kernel, so that its registers can be read. */
struct Card {{
  xrt::device device{{static_cast<unsigned>(std::stoul(setting("XRT_DEVICE", "0")))}};
  xrt::kernel kernel{{device, device.load_xclbin(setting("XCLBIN", "{name}_top.xclbin")), "{name}_top",
                     xrt::kernel::cu_access_mode::exclusive}};
  xrt::run run{{kernel}};
  std::vector<xrt::bo> buffers;

  size_t place(int argument, const void *data, size_t bytes)
  {{
    buffers.emplace_back(device, bytes ? bytes : 1, xrt::bo::flags::normal, kernel.group_id(argument));
    xrt::bo &buffer = buffers.back();
    buffer.write(data, bytes, 0);
    buffer.sync(XCL_BO_SYNC_BO_TO_DEVICE);
    run.set_arg(argument, buffer);
    return buffers.size() - 1;
  }}

  void take(size_t number, void *data, size_t bytes)
  {{
    buffers[number].sync(XCL_BO_SYNC_BO_FROM_DEVICE);
    buffers[number].read(data, bytes, 0);
  }}

  long result(int argument)
  {{
    const uint32_t offset = kernel.offset(argument);
    const uint64_t high = kernel.read_register(offset + 4);
    return static_cast<long>(high << 32 | kernel.read_register(offset));
  }}
}};

{helpers}{signature}
try {{
  Card card;
{given}  card.run.start();
  card.run.wait();
{taken}  *loaded_words = card.result({loaded});
  *stored_words = card.result({stored});
}} catch (const std::exception &wrong) {{
  std::fprintf(stderr, "%s\n", wrong.what());
  *loaded_words = *stored_words = -1;
}}
