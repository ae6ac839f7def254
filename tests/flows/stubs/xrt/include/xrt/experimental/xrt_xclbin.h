#include "xrt/xrt_device.h"
