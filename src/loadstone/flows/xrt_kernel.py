"""A host program for XRT that runs a kernel of HLS: XRT manages it by its arguments [UG1702, `xrt::kernel`]."""

from __future__ import annotations

from loadstone.emit.c.code import External, Value
from loadstone.emit.c.printer import helpers_used
from loadstone.emit.c.program import Program
from loadstone.emit.c.targets import reference_rule
from loadstone.flows.argument_sizes import size_of
from loadstone.flows.vitis_versions import Vitis
from loadstone.texts import text_of

_HOST, _MAKEFILE = text_of(__name__, "xrt_kernel.cpp"), text_of(__name__, "xrt_kernel.mk")


def kernel_host_files(program: Program, vitis: Vitis) -> dict[str, str]:
    """The files of the flow by their paths; testbench and original are those of the folder above."""
    name, kernel = program.name, program.kernel
    package = "CONFIG=xo_config.cfg sh ../run_vitis.sh package"
    by_tcl = f"cd .. && FLOW=vitis STEP=package {vitis.runs_tcl}"
    files = {
        "host.cpp": _emit_host(program),
        "link.cfg": f"[connectivity]\nnk={name}_top:1:{name}_top_1\n",
        "Makefile": _MAKEFILE.format(
            name=name,
            order=" ".join(kernel.parameters) or "(none)",
            reference=reference_rule(kernel).replace(": reference.", ": ../reference."),
            package=package if vitis.has_config else by_tcl,
        ),
    }
    return {f"xrt/{path}": text for path, text in files.items()}


def _emit_host(program: Program) -> str:
    given = program.given
    extents = (extent for external in program.arrays for extent in external.extents[0])
    values = [f"card.run.set_arg({k}, {each.name});" for k, each in enumerate(given) if isinstance(each, Value)]
    placed = [_placed(program, k, each) for k, each in enumerate(given) if isinstance(each, External)]
    written = [each for each in program.arrays if each.written]
    taken = [f"card.take({each.name}_place, {each.name}, {size_of(program, each)});" for each in written]
    return _HOST.format(
        name=program.name,
        helpers="".join(f"{line}\n" for line in helpers_used(extents)),
        signature=program.signature('extern "C" void', "top"),
        given="".join(f"  {line}\n" for line in (*values, *placed)),
        taken="".join(f"  {line}\n" for line in taken),
        loaded=len(given),
        stored=len(given) + 1,
    )


def _placed(program: Program, argument: int, external: External) -> str:
    kept = f"const size_t {external.name}_place = " if external.written else ""
    return f"{kept}card.place({argument}, {external.name}, {size_of(program, external)});"
