"""The host program for XRT runs kernels on simulated hardware through a stand-in of XRT, like the original."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from flow_devices import KERNELS, STUBS, Device, device_of, needs_simulator, packaged

pytestmark = needs_simulator


def made(device: Device) -> Path:
    """The host program, compiled by the Makefile of its folder."""
    folder = device.folder / "xrt"
    variables = [f"XILINX_XRT={STUBS / 'xrt'}", f"XRT_LIBRARIES={device.library} -Wl,-rpath,{device.library.parent}"]
    result = subprocess.run(
        ["make", "-s", "-C", str(folder), "host", *variables], capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
    assert "warning" not in result.stderr
    return next(folder.glob("*_host"))


def run(program: Path, binary: str = "present.xclbin") -> subprocess.CompletedProcess[str]:
    known = {**os.environ, "XCLBIN": binary}
    return subprocess.run([str(program)], env=known, capture_output=True, text=True, check=False)


@pytest.mark.sweep
@pytest.mark.parametrize("name", KERNELS)
def test_the_host_program_agrees_with_the_original(name: str, tmp_path: Path) -> None:
    program = made(device_of(packaged(name), tmp_path / "out"))
    result = run(program)
    assert result.returncode == 0, result.stdout + result.stderr
    assert re.match(r"accelerator: 0 words differ; loaded [1-9]\d*, stored [1-9]\d*\n$", result.stdout)


@pytest.mark.sweep
def test_the_host_program_sees_what_is_wrong(tmp_path: Path) -> None:
    device = device_of(packaged("vector_sum"), tmp_path / "out")
    missing = run(made(device), "missing.xclbin")
    assert missing.returncode != 0
    assert "no file missing.xclbin" in missing.stderr
    reference = device.folder / "xrt/reference.c"
    reference.write_text(reference.read_text().replace("a[i] + b[i]", "a[i] - b[i]"))
    for path in device.folder.glob("xrt/*_host"):
        path.unlink()
    wrong = run(made(device))
    assert wrong.returncode != 0
    assert re.match(r"accelerator: [1-9]\d* words differ", wrong.stdout)


def test_the_script_packages_all_sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tkinter = pytest.importorskip("tkinter")
    folder = packaged("vector_sum").write(tmp_path / "out") / "verilog"
    monkeypatch.chdir(tmp_path)
    tcl = tkinter.Tcl()
    tcl.eval("namespace eval ipx { proc open_core path { return $path } }")
    tcl.eval("foreach name {ipx::update_checksums ipx::save_core} { proc $name args {} }")
    tcl.eval("proc set_property args { lappend ::properties $args }; proc package_xo args { set ::packaged $args }")
    tcl.eval(f"source {{{folder / 'xrt/package_kernel.tcl'}}}")
    words = tcl.splitlist(tcl.eval("set ::packaged"))
    options = dict(zip(words[1::2], words[2::2], strict=True))
    assert words[0] == "-force"
    assert (options["-ctrl_protocol"], options["-kernel_name"]) == ("user_managed", "vector_sum")
    sources = (folder / "files.f").read_text().split()
    assert {path.name for path in Path(options["-ip_directory"]).iterdir()} == {"component.xml", *sources}
    names = [tcl.splitlist(each)[0] for each in tcl.splitlist(tcl.eval("set ::properties"))]
    assert names == ["sdx_kernel", "sdx_kernel_type", "ipi_drc", "vitis_drc"]
