"""The driver for software without an operating system runs kernels on simulated hardware, over both buses."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

import loadstone as ls
from flow_devices import device_of, kernel_of, needs_simulator, packaged
from loadstone.emit.project import Project

pytestmark = needs_simulator

PROGRAM = """
#include <stdint.h>
#include <stdio.h>
uint32_t device_read(uint32_t offset);
void device_write(uint32_t offset, uint32_t word);
void *device_memory(void);
uint64_t device_base(void);
static long flushed = 0, invalidated = 0;
#define VECTOR_SUM_LOAD(place) device_read((uint32_t)(uintptr_t)(place))
#define VECTOR_SUM_STORE(place, word) device_write((uint32_t)(uintptr_t)(place), (word))
#define VECTOR_SUM_ADDRESS(place) (device_base() + (uint64_t)((const char *)(place) - (const char *)device_memory()))
#define VECTOR_SUM_FLUSH(place, bytes) (flushed += (long)(bytes))
#define VECTOR_SUM_INVALIDATE(place, bytes) (invalidated += (long)(bytes))
#include "vector_sum_driver.h"
int main(void) {
  int *a = device_memory(), *b = a + 1024, *c = b + 1024;
  for (int k = 0; k < 20; k++) {
    a[k] = 3 * k - 7;
    b[k] = 1000 * k;
    c[k] = -1;
  }
  uint32_t failure = vector_sum_run(0, 19, a, b, c);
  for (int k = 0; k < 20; k++)
    if (c[k] != (k < 19 ? 1003 * k - 7 : -1))
      return 1;
  printf("%u %ld %ld ", (unsigned)failure, flushed, invalidated);
  printf("%u", (unsigned)vector_sum_run(0, 21, a, b, c));
  return 0;
}
"""


def on_avalon() -> Project:
    made = ls.accelerator(kernel_of("vector_sum"), ls.Tiling((8,)), parameters={"n": 20}, bus="avalon")
    return ls.build(made, target="verilog", flows=("quartus",))


@pytest.mark.sweep
@pytest.mark.parametrize("bus", ["axi", "avalon"])
def test_the_driver_runs_the_kernel(bus: str, tmp_path: Path) -> None:
    device = device_of(packaged("vector_sum") if bus == "axi" else on_avalon(), tmp_path / "out")
    (tmp_path / "program.c").write_text(PROGRAM)
    strict = ["-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", f"-I{device.folder}"]
    command = ["gcc", *strict, "program.c", str(device.library), f"-Wl,-rpath,{device.library.parent}", "-o", "program"]
    compiled = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert compiled.returncode == 0, compiled.stderr
    result = subprocess.run([str(tmp_path / "program")], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout) == (0, "0 228 76 1")
