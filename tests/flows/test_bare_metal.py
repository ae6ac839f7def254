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


SUMS = """
struct pair { char tag; long value; };
void sums(int n, const struct pair p[n], const long a[n], long scale, long total[n])
{
  for (int i = 0; i < n; i++)
    total[i] = p[i].value + scale * a[i];
}
"""
CALLER = """
#include "sums_driver.h"
uint32_t call(volatile uint32_t *registers, const struct pair *p, const int64_t *a, int64_t *total) {
  return sums_run(registers, 5, p, a, 7, total);
}
"""


def test_types_do_not_depend_on_the_processor(tmp_path: Path) -> None:
    """Where `long` has 32 bits, arrays still have elements of 64, and structures of another size are refused."""
    made = ls.accelerator(ls.parse(SUMS), ls.Tiling((4,)), parameters={"n": 5}, bus="axi")
    folder = ls.build(made, target="verilog", flows=("vivado",)).write(tmp_path / "out") / "verilog"
    (folder / "caller.c").write_text(CALLER)
    (tmp_path / "string.h").write_text("void *memcpy(void *, const void *, __SIZE_TYPE__);\n")
    strict = ["gcc", "-std=c99", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-pedantic", f"-I{tmp_path}"]
    header = (folder / "sums_driver.h").read_text()

    def compiled(*flags: str) -> str:
        command = [*strict, *flags, "caller.c"]
        return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False).stderr

    assert compiled() == ""
    assert "sums_base_p_items" in compiled("-m32", "-ffreestanding")
    (folder / "sums_driver.h").write_text(header.replace("long value", "char pad[7]; int64_t value"))
    assert compiled("-m32", "-ffreestanding") == ""


SCRATCH = """
void smooth(int n, const int a[n], int b[n])
{
  int c[n];
  for (int i = 0; i < n; i++)
    c[i] = 3 * a[i];
  for (int i = 0; i < n; i++)
    b[i] = c[i] - c[n - 1 - i];
}
"""


def test_all_memory_is_flushed(tmp_path: Path) -> None:
    """A dirty line of scratch memory, written back during a run, would be taken for what the accelerator wrote."""
    made = ls.accelerator(ls.parse(SCRATCH), ls.Tiling((4,)), parameters={"n": 9}, bus="axi")
    header = ls.build(made, target="verilog", flows=("vivado",)).files["verilog/smooth_driver.h"]
    for name in "abc":
        assert f"SMOOTH_FLUSH({name}, sizeof(int) * (size_t)(n))" in header
