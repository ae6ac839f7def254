"""Packages for Vitis HLS: configuration files, a script for all steps, and Tcl, for a version of the tool."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from loadstone.emit.c.comparison.reference import reference_suffix
from loadstone.emit.c.program import Program
from loadstone.emit.c.targets import Packaged
from loadstone.emit.c.vitis import VitisStyle
from loadstone.flows.figures import Figures
from loadstone.flows.readme import emit_figures, emit_flow_section, emit_not_run
from loadstone.flows.vitis_ports import Runs, port_options
from loadstone.flows.vitis_versions import CPP, VERSIONS, Vitis
from loadstone.flows.xrt_kernel import kernel_host_files
from loadstone.options import Flow, VitisVersion
from loadstone.texts import markdown_table, text_of

_SCRIPT, _TCL = text_of(__name__, "run_vitis.sh"), text_of(__name__, "run_hls.tcl")
_PART, _CLOCK = "xczu7ev-ffvc1156-2-e", "5ns"
_ARITHMETIC = "-fwrapv -ffp-contract=off"
_FLAGS = f"-Isim {_ARITHMETIC}"
"""How programs are compiled for a computer; `sim` has streams that block."""
_TARGETS = {"hls_config.cfg": ("vivado", "ip_catalog", "zip"), "xo_config.cfg": ("vitis", "xo", "xo")}
"""Configurations: the flow that the result is for, its format, and how its name ends."""


@dataclass(frozen=True, slots=True, eq=False)
class VitisFlow:
    """Packages programs for a version; their testbenches run with the parameters of the figures, if there are any."""

    version: VitisVersion
    flows: Sequence[Flow]
    parameters: Mapping[str, int]
    runs: Runs
    figures: Figures | None

    def __call__(self, program: Program) -> Packaged:
        """How a program is printed, and the files of the flow."""
        vitis = VERSIONS[self.version]
        style = VitisStyle(vitis.fence, port_options(program, self.runs, self.parameters))
        host = kernel_host_files(program, vitis) if "xrt" in self.flows else {}
        scripts = _scripts(program, vitis, self.version)
        return Packaged(style, {**scripts, **host, "README.md": self._readme(program, style)})

    def _readme(self, program: Program, style: VitisStyle) -> str:
        vitis = VERSIONS[self.version]
        known = {"name": program.name, "version": self.version, "tcl": vitis.runs_tcl}
        flows: list[Flow] = [flow for flow in self.flows if flow in ("vitis", "xrt")]
        pages = (
            f"# {program.name} for Vitis HLS {self.version}\n\n{program.summary}\n",
            emit_flow_section("hls" if vitis.has_config else "hls_tcl", flows, known),
            _arguments(program, style),
            emit_figures(self.figures) if self.figures else "",
            emit_not_run(flows),
        )
        return "\n".join(page for page in pages if page)


def _scripts(program: Program, vitis: Vitis, version: VitisVersion) -> dict[str, str]:
    name, reference = program.name, f"reference.{reference_suffix(program.kernel)}"
    known = {
        "name": name,
        "reference": reference,
        "flags": f"-I[pwd]/sim {_ARITHMETIC}",
        "standard": CPP,
        "part": _PART,
        "clock": _CLOCK,
    }
    configurations = _TARGETS if vitis.has_config else {}
    return {
        **{path: _emit_config(name, reference, *each) for path, each in configurations.items()},
        "run_hls.tcl": _TCL.format(**known),
        "run_vitis.sh": _SCRIPT.format(version=version, steps=_steps(vitis)),
    }


def _emit_config(name: str, reference: str, flow: str, form: str, ending: str) -> str:
    """A configuration for `v++` and `vitis-run`."""
    lines = (
        *(f"part={_PART}", "", "[hls]", f"flow_target={flow}", f"clock={_CLOCK}"),
        *(f"syn.file={name}.cpp", f"syn.top={name}_top", f"syn.cflags={CPP}", f"syn.csimflags={_FLAGS}"),
        *("tb.file=testbench.cpp", f"tb.file={reference}", f"tb.cflags={_FLAGS}"),
        *("csim.code_analyzer=0", "csim.ldflags=-lpthread", "cosim.ldflags=-lpthread"),
        *(f"package.output.format={form}", f"package.output.file={name}_top.{ending}", "vivado.flow=impl"),
    )
    return "".join(f"{line}\n" for line in lines)


def _steps(vitis: Vitis) -> str:
    """The cases of the script."""
    known = {
        "csim": ("csim",),
        "synthesis": ("synthesis",),
        "cosim": ("synthesis", "cosim"),
        "package": ("synthesis", "package"),
        "implementation": ("synthesis", "implementation"),
    }
    cases = (("  " + step + ")", *_indented(vitis, step, needed), "    ;;") for step, needed in known.items())
    return "".join(f"{line}\n" for case in cases for line in case)


def _indented(vitis: Vitis, step: str, needed: tuple[str, ...]) -> Iterator[str]:
    """The commands of a step."""
    if vitis.has_config:
        yield from (f"    {vitis.steps[each]}" for each in needed)
    else:
        yield f"    STEP={step} {vitis.runs_tcl}"


def _arguments(program: Program, style: VitisStyle) -> str:
    """The arguments of the top function, and where they are."""
    values = (*program.parameters, *program.scalars)
    rows = [(f"`{each.name}`", str(each.type), "register, written by the host") for each in values]
    for each in program.arrays:
        options = ", ".join(f"{key} {value}" for key, value in style.ports[each.name].items())
        rows.append((f"`{each.name}`", f"{each.word} *", f"AXI4 master, address in a register; {options}"))
    rows += [(f"`{name}`", "long", "register, read by the host") for name in ("loaded_words", "stored_words")]
    return (
        f"## Arguments of `{program.name}_top`\n\nOffsets of registers are in the driver that the tool writes.\n\n"
        + markdown_table(("argument", "type", "place"), rows)
    )
