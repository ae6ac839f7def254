"""Top modules as those expect them who integrate them: all signals of a bus, names by convention, attributes."""

from __future__ import annotations

import re
from functools import cache

import pytest

import loadstone as ls
from kernels import ROOT
from loadstone.bus.ports import Bus, Protocol
from loadstone.dram.timing import preset
from loadstone.errors import LoadstoneError
from loadstone.hardware.accelerator.shell import make_top
from loadstone.hardware.accelerator.top import make_accelerator_design
from loadstone.hardware.design import AcceleratorDesign
from loadstone.hardware.harness.bench import make_bench
from loadstone.loops.ranges import parameter_limits
from loadstone.options import Reset
from loadstone.rtl import Simulation
from loadstone.rtl.programs import ghdl, verilator
from loadstone.rtl.verilog import verilog_files
from loadstone.rtl.vhdl import vhdl_files
from ready import accelerator_of

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
