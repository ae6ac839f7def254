"""Top modules as those expect them who integrate them: all signals of a bus, names by convention, attributes."""

from __future__ import annotations

import re
import subprocess
from functools import cache
from pathlib import Path

import pytest

import loadstone as ls
from kernels import ROOT
from loadstone.bus.ports import Bus, Protocol
from loadstone.dram.timing import preset
from loadstone.emit.hdl.register_page import emit_register_header
from loadstone.errors import LoadstoneError
from loadstone.hardware.accelerator.registers import register_map
from loadstone.hardware.accelerator.shell import make_top
from loadstone.hardware.accelerator.top import make_accelerator_design
from loadstone.hardware.design import AcceleratorDesign
from loadstone.hardware.harness.bench import make_bench
from loadstone.hardware.harness.fence import ASTRAY
from loadstone.hardware.harness.system import make_system
from loadstone.loops.ranges import parameter_limits
from loadstone.options import Reset
from loadstone.rtl import Simulation
from loadstone.rtl.programs import ghdl, verilator
from loadstone.rtl.verilog import verilog_files
from loadstone.rtl.vhdl import vhdl_files
from ready import accelerator_of, run_system

PAPER = preset("paper")
ADDRESS = "id addr len size burst lock cache prot qos region valid ready"
AXI4 = {
    **{f"a{way}": ADDRESS.split() for way in "rw"},
    "r": ["id", "data", "resp", "last", "valid", "ready"],
    "w": ["data", "strb", "last", "valid", "ready"],
    "b": ["id", "resp", "valid", "ready"],
}
"""The signals of AXI4 but for those of users [AMBA AXI and ACE Protocol Specification, A2]."""
LITE = {
    **{f"a{way}": ["addr", "prot", "valid", "ready"] for way in "rw"},
    "r": ["data", "resp", "valid", "ready"],
    "w": ["data", "strb", "valid", "ready"],
    "b": ["resp", "valid", "ready"],
}
DRIVER = """
#include <stdio.h>
#include "vector_sum_registers.h"

int main(void) {
  volatile uint32_t registers[64] = {0};
  vector_sum_set_base_b(registers, UINT64_C(0x6789ABCDE0));
  for (unsigned k = 0; k < 64; k++)
    if (registers[k] || k == 8 || k == 9)
      printf("%x=%x\\n", 4 * k, (unsigned)registers[k]);
  return vector_sum_error_address(registers) != 0;
}
"""
WIDTHS = {"id": 1, "len": 8, "size": 3, "burst": 2, "lock": 1, "cache": 4, "prot": 3, "qos": 4, "region": 4, "resp": 2}


@cache
def vector_sum(protocol: Protocol) -> AcceleratorDesign:
    kernel = ls.parse(ROOT / "examples/vector_sum.c")
    return make_accelerator_design(accelerator_of(kernel, (8,)), parameter_limits(kernel, {"n": 20}), Bus(protocol))


def test_all_signals_of_axi() -> None:
    top = make_top(vector_sum("axi"), "axi")
    ports = {port.name: port for port in top.of_kind("input", "output")}
    wanted = {f"{prefix}_{channel}{field}" for prefix, channels in (("axi", AXI4), ("s_axil", LITE))
              for channel, fields in channels.items() for field in fields}  # fmt: skip
    assert set(ports) == {*wanted, "irq"}
    for name, port in ports.items():
        field = re.sub(r"^(axi|s_axil)_(ar|aw|r|w|b)", "", name)
        assert port.bits.width == WIDTHS.get(field, port.bits.width), name
        of_master = (re.match(r"(axi|s_axil)_(ar|aw|w)", name) is not None) != (field == "ready")
        assert name == "irq" or port.kind == ("output" if of_master == name.startswith("axi") else "input"), name


def test_bursts_are_modifiable_and_bufferable() -> None:
    simulation = Simulation(make_top(vector_sum("axi"), "axi"))
    simulation.step(3)
    for way in "rw":
        found = {
            field: simulation.get(f"axi_a{way}{field}") for field in ("id", "lock", "cache", "prot", "qos", "region")
        }
        assert found == {"id": 0, "lock": 0, "cache": 0b0011, "prot": 0, "qos": 0, "region": 0}


@pytest.mark.parametrize(
    ("protocol", "reset", "clock", "name", "low"),
    [
        ("axi", None, "aclk", "aresetn", True),
        ("axi", "high", "aclk", "areset", False),
        ("avalon", None, "clk", "reset", False),
        ("avalon", "low", "clk", "reset_n", True),
    ],
)
def test_clock_and_reset(protocol: Protocol, reset: Reset | None, clock: str, name: str, low: bool) -> None:
    top = make_top(vector_sum(protocol), protocol, reset)
    verilog, vhdl = verilog_files(top)[f"{top.name}.sv"], vhdl_files(top)[f"{top.name}.vhd"]
    for port in (clock, name):
        assert re.search(rf"^ +input +logic {port},$", verilog, re.MULTILINE)
        assert re.search(rf"^ +{port} : in std_logic;$", vhdl, re.MULTILINE)
    assert f".clk({clock})" in verilog
    assert f".rst({'!' if low else ''}{name})" in verilog
    assert f"rst => {'not ' if low else ''}{name}," in vhdl


def test_vivado_finds_the_interfaces() -> None:
    top = make_top(vector_sum("axi"), "axi")
    verilog, vhdl = verilog_files(top)[f"{top.name}.sv"], vhdl_files(top)[f"{top.name}.vhd"]
    for port in top.of_kind("input", "output"):
        prefix, _, signal = port.name.rpartition("_")
        info = f"xilinx.com:interface:aximm:1.0 {prefix} {signal.upper()}"
        info = info if prefix else "xilinx.com:signal:interrupt:1.0 irq INTERRUPT"
        shown = rf'\(\* X_INTERFACE_INFO = "{info}" \*\)\n( +\(\*.*\*\)\n)? +{port.kind} +logic .*\b{port.name}\b'
        assert re.search(shown, verilog), port.name
        assert f'attribute X_INTERFACE_INFO of {port.name} : signal is "{info}";' in vhdl
    parameter = "ASSOCIATED_BUSIF axi:s_axil, ASSOCIATED_RESET aresetn"
    assert f'X_INTERFACE_PARAMETER = "{parameter}"' in verilog
    assert f'attribute X_INTERFACE_PARAMETER of aclk : signal is "{parameter}";' in vhdl
    assert 'attribute X_INTERFACE_PARAMETER of aresetn : signal is "POLARITY ACTIVE_LOW";' in vhdl


def test_the_top_of_vhdl_has_plain_vectors() -> None:
    for protocol in ("axi", "avalon"):
        top = make_top(vector_sum(protocol), protocol)
        entity = vhdl_files(top)[f"{top.name}.vhd"].partition("end entity")[0]
        assert "std_logic_vector(31 downto 0)" in entity
        assert "signed(" not in entity


@pytest.mark.parametrize(
    ("protocol", "bits", "outstanding"), [("axi", 33, 1), ("avalon", 48, 3), ("axi", 64, None), ("avalon", 64, 8)]
)
def test_wide_addresses_and_bounded_bursts(protocol: Protocol, bits: int, outstanding: int | None) -> None:
    kernel = ls.parse(ROOT / "examples/matmul.c")
    bus = Bus(protocol, address_width=bits, burst=8, outstanding=outstanding)
    outcome = run_system(accelerator_of(kernel, (4, 4, 4)), {"n": 7}, PAPER, bus=bus)
    assert outcome.as_json()["match"]
    design = make_accelerator_design(accelerator_of(kernel, (4, 4, 4)), parameter_limits(kernel, {"n": 7}), bus)
    bases = [each for each in register_map(design).registers if each.group == "base"]
    assert [each.words for each in bases] == [2, 2, 2]
    assert {each.offset % 8 for each in bases} == {bases[0].offset % 8}


def test_addresses_outside_of_the_memory_are_noticed() -> None:
    design = vector_sum("axi")
    for base, error in ((0, 0), (4096, ASTRAY)):
        simulation = Simulation(make_system(design, PAPER, 1024))
        given = {"n": 8, "start": 1} | dict.fromkeys(design.bases.values(), base)
        for name, value in given.items():
            simulation.set(name, value)
        simulation.step()
        simulation.set("start", 0)
        simulation.run_until("done", 2000)
        assert simulation.get("bus_error") == error


def test_the_driver_takes_wide_addresses(tmp_path: Path) -> None:
    kernel = ls.parse(ROOT / "examples/vector_sum.c")
    design = make_accelerator_design(
        accelerator_of(kernel, (8,)), parameter_limits(kernel, {"n": 20}), Bus(address_width=40)
    )
    registers = register_map(design)
    (tmp_path / "vector_sum_registers.h").write_text(emit_register_header("vector_sum", design, registers))
    (tmp_path / "driver.c").write_text(DRIVER)
    subprocess.run(["gcc", "-Wall", "-Werror", "driver.c", "-o", "driver"], cwd=tmp_path, check=True)
    printed = subprocess.run([tmp_path / "driver"], capture_output=True, text=True, check=True).stdout.split()
    words = {int(offset, 16): int(word, 16) for offset, word in (line.split("=") for line in printed)}
    base = registers.of("base", "b").offset
    assert words == {base: 0x89ABCDE0, base + 4: 0x67, 0x20: 0, 0x24: 0}


@pytest.mark.parametrize("reset", ["low", "high"])
@pytest.mark.parametrize("protocol", ["axi", "avalon"])
def test_tops_have_no_warnings(protocol: Protocol, reset: Reset) -> None:
    design = vector_sum(protocol)
    for module in (make_top(design, protocol, reset), make_bench(design, protocol, PAPER, 1024, reset)):
        assert verilator.lint(module) == ""
        try:
            assert ghdl.lint(module) == ""
        except LoadstoneError as error:
            pytest.skip(str(error))
