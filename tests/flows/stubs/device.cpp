// An accelerator with its memory in Verilator, as software sees a device: registers over their bus, and bytes of memory.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "V@TOP@.h"
#include "verilated.h"
#include "verilated_syms.h"

typedef V@TOP@ Top;

static Top &device() {
  static VerilatedContext context;
  static Top *top = nullptr;
  if (!top) {
    top = new Top(&context);
    top->rst = 1;
    for (int k = 0; k < 8; k++) {
      top->clk = k & 1;
      top->eval();
    }
    top->rst = 0;
  }
  return *top;
}

static void settle() {
  device().clk = 0;
  device().eval();
}

static void edge() {
  device().clk = 1;
  device().eval();
  if (device().bus_error) {
    fprintf(stderr, "the bus reports error %d\n", (int)device().bus_error);
    exit(3);
  }
}

@REGISTERS@

extern "C" void *device_memory() {
  static void *place = nullptr;
  if (!place) {
    device();
    const VerilatedScope *scope = Verilated::threadContextp()->scopeFind("TOP.@TOP@.memory");
    const VerilatedVar *found = scope ? scope->varFind("words") : nullptr;
    if (!found) {
      fprintf(stderr, "the memory was not found\n");
      exit(3);
    }
    place = found->datap();
  }
  return place;
}

extern "C" uint64_t device_bytes() { return @BYTES@ull; }
extern "C" uint64_t device_base() { return @BASE@ull; }
