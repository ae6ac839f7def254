"""Whole accelerators as folders for hardware people: sources, lists of files, registers, and testbenches."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import Any

from loadstone.bus.ports import Protocol
from loadstone.dram.timing import Timing
from loadstone.emit.hdl.accelerator_bench import Bench, emit_bench
from loadstone.emit.hdl.accelerator_description import accelerator_info, emit_accelerator_readme
from loadstone.emit.hdl.cocotb_bench import emit_cocotb_bench
from loadstone.emit.hdl.core_file import Sources, emit_core, emit_script
from loadstone.emit.hdl.folder import TOOLS, Language, emit_file_list, emit_makefile, make_project
from loadstone.emit.hdl.image import Trial, image_files, make_trial
from loadstone.emit.hdl.origin import origin_of
from loadstone.emit.hdl.register_page import emit_register_header, emit_register_page
from loadstone.emit.hdl.vectors import Vectors
from loadstone.emit.project import Project
from loadstone.hardware.accelerator.registers import RegisterMap, register_map
from loadstone.hardware.accelerator.shell import make_top
from loadstone.hardware.design import AcceleratorDesign
from loadstone.hardware.harness.bench import make_bench
from loadstone.hardware.harness.cycle_limits import cycle_limit
from loadstone.loops.accelerator import Accelerator, predicted_words
from loadstone.options import IntegrationOptions
from loadstone.rtl.prefix import joined, with_prefix
from loadstone.rtl.shell import Shell

_USAGES: dict[Language, str] = {
    "verilog": """\
`make run` runs the testbench in Icarus Verilog, `make run-verilator` in Verilator 5, `make cocotb` the one in Python;
`make waves` leaves a waveform, and `make lint` shows the warnings of Verilator.
""",
    "vhdl": """\
`make run` runs the testbench in GHDL, `make cocotb` the one in Python; `make waves` leaves a waveform. The language is
VHDL-2008; the ports of the top are `std_logic` and `std_logic_vector`.
""",
}


@dataclass(frozen=True, slots=True, eq=False)
class AcceleratorFolder:
    """The folder of an accelerator in one language: its files, and what those describe who package it for others.

    `sources` are the files of the hardware in the order of compilation, `control` is the protocol of the registers,
    `trial` the run of its testbenches.
    """

    language: Language
    name: str
    top: Shell
    design: AcceleratorDesign
    control: Protocol
    registers: RegisterMap
    trial: Trial
    sources: tuple[str, ...]
    files: Mapping[str, str]


Finish = Callable[[AcceleratorFolder], Mapping[str, str]]
"""The files of a folder, some of them added or changed."""
AS_IT_IS: Finish = attrgetter("files")


def accelerator_project(
    accelerator: Accelerator,
    design: AcceleratorDesign,
    targets: Sequence[str],
    vectors: Vectors,
    timing: Timing,
    control: Protocol,
    chosen: IntegrationOptions,
    command: str = "",
    finish: Finish = AS_IT_IS,
) -> Project:
    """The files of an accelerator behind registers for hardware targets, and its description.

    The testbenches run it on a memory of some timing; `vectors` say what they give and expect. Each folder goes through
    `finish`.
    """
    kernel, registers, prefix = accelerator.kernel, register_map(design), chosen.prefix
    top = with_prefix(make_top(design, control, chosen.reset), prefix)
    moved = predicted_words(accelerator, vectors.parameters)
    trial = make_trial(design, registers, vectors, accelerator.stored, moved)
    module = with_prefix(make_bench(design, control, timing, trial.depth, chosen.reset), prefix)
    bench = Bench(module, design, control, registers, trial, cycle_limit(kernel, vectors.parameters))
    info = accelerator_info(kernel.name, top, design, registers, control, vectors.parameters)
    origin = origin_of(kernel, command)
    return make_project(
        info, origin, targets, lambda language: finish(_folder(bench, prefix, top, timing, info, language))
    )


def _folder(
    bench: Bench, prefix: str, top: Shell, timing: Timing, info: Mapping[str, Any], language: Language
) -> AcceleratorFolder:
    """The folder of a target, with files by their paths in it."""
    tools, name = TOOLS[language], joined(prefix, bench.design.kernel.name)
    script = f"test_{name}.py"
    hardware, whole = tools.printed(top, prefix), tools.printed(bench.module, prefix)
    benches = {f"tb/{path}": text for path, text in whole.items() if path not in hardware}
    benches[f"tb/testbench.{tools.ending}"] = emit_bench(bench, language)
    data = image_files(bench.design, bench.trial)
    listed = Sources(language, name, top.name, tuple(hardware), tuple(benches), tuple(data))
    files = {
        **hardware,
        **benches,
        **data,
        "files.f": emit_file_list(hardware),
        "tb/files.f": emit_file_list(benches),
        "files.tcl": emit_script(listed),
        f"{name}.core": emit_core(listed),
        f"{name}_registers.h": emit_register_header(name, bench.design, bench.registers),
        "registers.md": emit_register_page(name, bench.registers),
        script: emit_cocotb_bench(bench, top, script, language),
        "Makefile": emit_makefile(language, top.name, script),
        "README.md": emit_accelerator_readme(info, timing.name, _files(listed), _USAGES[language]),
    }
    return AcceleratorFolder(
        language, name, top, bench.design, bench.protocol, bench.registers, bench.trial, tuple(hardware), files
    )


def _files(sources: Sources) -> dict[str, str]:
    """What the files of a folder are for."""
    return {
        sources.hardware[-1]: "the top module; the other modules lie beside it",
        "files.f": "the sources in the order of compilation; simulators take it with `-f`",
        "files.tcl": "adds the sources to a project of Vivado or Quartus",
        f"{sources.name}.core": "the same for FuseSoC, with the targets `default`, `sim` and `lint`",
        "registers.md": "the registers, and how software drives them",
        f"{sources.name}_registers.h": "the registers for C",
        "tb/": "a testbench with external memory; `tb/files.f` lists its files",
        f"test_{sources.name}.py": "a testbench for cocotb",
        "data/": "memory before and after a run, and which bits of it are compared",
    }
