"""Hardware of kernels as folders: sources, file list, testbench with its words, Makefile, and a page on its use."""

from __future__ import annotations

from collections.abc import Sequence

from loadstone.emit.hdl.description import emit_readme, hardware_info
from loadstone.emit.hdl.folder import TOOLS, Language, emit_file_list, emit_makefile, make_project
from loadstone.emit.hdl.on_chip_bench import BenchSyntax
from loadstone.emit.hdl.origin import origin_of
from loadstone.emit.hdl.vectors import Vectors, data_files
from loadstone.emit.hdl.verilog_bench import VERILOG_BENCH
from loadstone.emit.hdl.vhdl_bench import VHDL_BENCH
from loadstone.emit.project import Project
from loadstone.hardware.on_chip import OnChipDesign, on_chip_top
from loadstone.options import IntegrationOptions
from loadstone.rtl.prefix import with_prefix

_BENCHES: dict[Language, BenchSyntax] = {"verilog": VERILOG_BENCH, "vhdl": VHDL_BENCH}
_USAGES: dict[Language, str] = {
    "verilog": """\
`make run` runs the testbench in Icarus Verilog, `make run-verilator` in Verilator 5; `make waves` leaves a waveform,
and `make lint` shows the warnings of Verilator. `files.f` lists the sources in the order in which they are compiled:
simulators take it with `-f` in this folder, and for Quartus or Vivado they are added to a project with `{top}` as top.
`data/` has the words that the testbench writes to the ports, and the expected ones.
""",
    "vhdl": """\
`make run` runs the testbench in GHDL; `make waves` leaves a waveform. The language is VHDL-2008; the ports of
the top are `std_logic` and `std_logic_vector`. `files.f` lists the sources in the order in which they are compiled;
for Quartus or Vivado they are added to a project with `{top}` as top.
`data/` has the words that the testbench writes to the ports, and the expected ones.
""",
}


def hardware_project(
    design: OnChipDesign, targets: Sequence[str], vectors: Vectors, chosen: IntegrationOptions, command: str = ""
) -> Project:
    """The files for hardware targets, each in a folder of its own, and the description of the hardware."""
    top = with_prefix(on_chip_top(design, chosen.reset), chosen.prefix)
    info = hardware_info(design, top, vectors.parameters)

    def files(language: Language) -> dict[str, str]:
        sources = TOOLS[language].printed(top, chosen.prefix)
        return {
            **sources,
            "files.f": emit_file_list(sources),
            f"testbench.{TOOLS[language].ending}": _BENCHES[language].emit(design, top, vectors),
            **dict(data_files(design, vectors)),
            "Makefile": emit_makefile(language, top.name),
            "README.md": emit_readme(design, top, vectors.parameters, _USAGES[language].format(top=top.name)),
        }

    return make_project(info, origin_of(design.kernel, command), targets, files)
