"""Flows: wrong combinations are refused with the reason, and each chosen flow has its files and its page."""

from __future__ import annotations

from pathlib import Path

import pytest

import loadstone as ls
from flow_devices import packaged
from kernels import ROOT
from loadstone.cli.main import main
from loadstone.errors import InputError

VECTOR_SUM = str(ROOT / "examples/vector_sum.c")
REFUSED = {
    "--target verilog --flow pynq": "PYNQ takes hardware with registers and a bus to memory",
    "--target c --flow vivado": "Vivado takes hardware with registers and a bus to memory",
    "--target verilog --bus axi --flow vitis": "Vitis takes HLS C++ of its own dialect",
    "--target hls --flavour intel --flow vitis": "Vitis takes HLS C++ of its own dialect",
    "--target verilog --bus avalon --flow vivado": "Vivado has no Avalon interfaces",
    "--target verilog --bus avalon --flow pynq": "PYNQ has no Avalon interfaces",
    "--target verilog --bus axi --flow xrt": "kernels of XRT have addresses of 64 bits",
    "--target verilog --bus axi --address-width 64 --reset high --flow xrt": "a reset that is active when low",
    "--target hls --flow xrt": "XRT takes hardware with registers and a bus to memory, or kernels of Vitis HLS",
    "--target vhdl --bus axi --flow litex": "LiteX builds Verilog",
    "--target hls --vitis 2022.2": "--vitis has no effect without --flow vitis",
    "--target hls --flow fusesoc": "FuseSoC takes hardware with registers and a bus to memory",
    "--target hls --flow vivid": "'vivid' is not one of vitis, vivado, quartus, pynq, xrt, litex, fusesoc",
}


def test_wrong_combinations_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for words, reason in REFUSED.items():
        assert main(["build", VECTOR_SUM, *words.split(), "-o", str(tmp_path / "out")]) == 2
        assert reason in capsys.readouterr().err
        assert not (tmp_path / "out").exists()


def test_the_api_refuses_them_too() -> None:
    with pytest.raises(InputError, match="Vitis takes HLS"):
        ls.build(ls.parse(VECTOR_SUM), target="verilog", bus="axi", flows=("vitis",))


FILES = {
    "vivado": ("component.xml",),
    "quartus": ("component.xml", "vector_sum_hw.tcl"),
    "pynq": ("component.xml", "pynq/vector_sum_driver.py", "pynq/overlay.tcl"),
    "xrt": ("component.xml", "xrt/host.cpp", "xrt/testbench.cpp", "xrt/Makefile", "xrt/package_kernel.tcl"),
    "litex": ("litex/vector_sum_litex.py", "litex/vector_sum_soc.py", "litex/host.cpp", "litex/host.txt"),
    "fusesoc": ("vector_sum.core",),
}


def test_each_flow_has_its_files() -> None:
    files = set(packaged("vector_sum").files)
    assert {f"verilog/{path}" for paths in FILES.values() for path in paths} <= files


@pytest.mark.parametrize("flow", ["quartus", "litex", "fusesoc"])
def test_a_flow_writes_its_files_alone(flow: str) -> None:
    made = ls.accelerator(ls.parse(VECTOR_SUM), ls.Tiling((8,)), parameters={"n": 20}, bus="axi")
    files = {path.removeprefix("verilog/") for path in ls.build(made, target="verilog", flows=(flow,)).files}
    others = {path for each in FILES.values() for path in each} - {*FILES[flow], "vector_sum.core"}
    assert set(FILES[flow]) <= files
    assert not others & files
    assert "vector_sum_driver.h" in files


def test_the_page_tells_of_all_flows() -> None:
    page = packaged("vector_sum").files["verilog/README.md"]
    for title in ("Vivado", "Quartus", "PYNQ", "XRT", "LiteX", "FuseSoC"):
        assert f"### {title}\n" in page
    assert "| 0x28 | PARAMETER_N | rw | parameter n |" in page
    assert "For n = 20, a run moves 240 bytes" in page
    assert "| a | 4 | 20 | 0 | 80 |" in page
    assert "| a | 16 | 1 | 16 | 512 |" in page
    assert "60 beats at least" in page
    assert page.index("## Flows") < page.index("## Not run") < page.index("- a board; tests simulate")


def test_packages_are_the_same_each_time() -> None:
    first = packaged("vector_sum").files
    packaged.cache_clear()
    assert packaged("vector_sum").files == first


DOT = """
void dot(int n, int a[n], int b[n], int scale, int *result)
{
  int sum = *result;
#pragma scop
  for (int i = 0; i < n; i++)
    sum += scale * a[i] * b[i];
#pragma endscop
  *result = sum;
}
"""


def test_scalars_that_lie_in_memory_are_given_once(tmp_path: Path) -> None:
    (tmp_path / "dot.c").write_text(DOT)
    made = ls.accelerator(ls.parse(tmp_path / "dot.c"), ls.Tiling((4,)), parameters={"n": 9}, bus="axi")
    assert set(made.design.scalars_in) == {"scale"}
    files = ls.build(made, target="verilog", flows=("pynq",)).files
    compile(files["verilog/pynq/dot_driver.py"], "dot_driver.py", "exec")
    assert "dot_run(volatile uint32_t *registers, int n, int *a, int *b, int scale, int *sum)" in (
        files["verilog/dot_driver.h"].replace("const ", "")
    )
