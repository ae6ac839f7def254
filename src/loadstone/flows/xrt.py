"""A host program for XRT that drives an accelerator through its registers, and scripts that package and link it.

The kernel is user-managed [UG1393, Creating User-Managed RTL Kernels; XD099, Specify the Control Protocol]: XRT gives
access to registers (`xrt::ip`) and to memory (`xrt::bo`). The API is the native one of C++; the older `xcl` functions
are gone since XRT 2023.2.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from loadstone.emit.c.comparison.reference import emit_reference, reference_suffix
from loadstone.emit.c.comparison.testbench import Callee, emit_testbench
from loadstone.emit.c.hls import header
from loadstone.emit.c.of_accelerator import called_program
from loadstone.emit.c.printer import helpers_used
from loadstone.emit.c.program import Program
from loadstone.emit.c.targets import reference_rule
from loadstone.emit.hdl.accelerator import AcceleratorFolder
from loadstone.emit.hdl.register_page import c_type
from loadstone.flows.argument_sizes import size_of
from loadstone.loops.accelerator import Accelerator
from loadstone.model.expression import Expression
from loadstone.texts import text_of

_HOST, _PACKAGE = text_of(__name__, "xrt_host.cpp"), text_of(__name__, "package_kernel.tcl")
_MAKEFILE = text_of(__name__, "xrt.mk")


def xrt_files(
    folder: AcceleratorFolder, accelerator: Accelerator, parameters: Mapping[str, int], predicted: tuple[int, int]
) -> dict[str, str]:
    """The files of the flow by their paths; `parameters` are those of the testbench, which expects words moved."""
    program = called_program(accelerator)
    kernel = program.kernel
    files = {
        "host.cpp": _emit_host(folder, program),
        f"{kernel.name}.hpp": header(program, []),
        "testbench.cpp": emit_testbench(Callee(program, "vitis"), parameters, predicted),
        f"reference.{reference_suffix(kernel)}": emit_reference(kernel, "reference"),
        "package_kernel.tcl": _PACKAGE.format(name=folder.name, sources=" ".join(folder.sources)),
        "link.cfg": f"[connectivity]\nnk={folder.name}:1:{folder.name}_1\n",
        "Makefile": _MAKEFILE.format(
            name=folder.name,
            kernel=kernel.name,
            order=" ".join(kernel.parameters) or "(none)",
            reference=reference_rule(kernel),
            libraries="-lm -lpthread",
        ),
    }
    return {f"xrt/{path}": text for path, text in files.items()}


def _emit_host(folder: AcceleratorFolder, program: Program) -> str:
    limit = program.limit
    refused = (
        f'  if ({limit.refused.text})\n    throw std::runtime_error("parameters out of range");\n' if limit else ""
    )
    return _HOST.format(
        kernel=program.name,
        name=folder.name,
        prefix=folder.name.upper(),
        signature=program.signature('extern "C" void', "top"),
        helpers="".join(f"{line}\n" for line in helpers_used(_sizes(program))),
        refused=refused,
        given="".join(f"  {line}\n" for line in _given(folder, program)),
        taken="".join(f"  {line}\n" for line in _taken(program)),
    )


def _sizes(program: Program) -> Iterator[Expression]:
    return (extent for external in program.arrays for extent in external.extents[0])


def _given(folder: AcceleratorFolder, program: Program) -> Iterator[str]:
    """Lines that hand over arguments."""
    registers, design, prefix = folder.registers, folder.design, folder.name.upper()
    sources = {program.names[name]: name for name in (*design.parameters, *design.scalars_in)}
    for value in (*program.parameters, *program.scalars):
        group = "parameter" if sources[value.name] in design.parameters else "scalar in"
        register = registers.of(group, sources[value.name])
        yield f"card.put<{c_type(design, register)}>({prefix}_{register.name}, {value.name});"
    for external in program.arrays:
        register = registers.of("base", design.variable(external.arrays[0]))
        size = size_of(program, external)
        kept = f"const size_t {external.name}_place = " if external.written else ""
        yield f"{kept}card.place({prefix}_{register.name}, {external.name}, {size});"


def _taken(program: Program) -> Iterator[str]:
    """Lines that take results."""
    for external in program.arrays:
        if external.written:
            yield f"card.take({external.name}_place, {external.name}, {size_of(program, external)});"
