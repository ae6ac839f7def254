"""A driver of an accelerator for software without an operating system: a header in C beside that of the registers."""

from __future__ import annotations

from collections.abc import Iterator

from loadstone.emit.c.external.structures import record_definitions
from loadstone.emit.c.names import RESERVED
from loadstone.emit.c.printer import helpers_used
from loadstone.emit.hdl.accelerator import AcceleratorFolder
from loadstone.flows.c_arguments import CArguments
from loadstone.flows.signature import Signature
from loadstone.texts import text_of

_DRIVER = text_of(__name__, "driver.h")
_OWN = ("registers", "failure", "place", "bytes")


def emit_bare_metal_driver(folder: AcceleratorFolder) -> str:
    """The driver: a function with the signature of the kernel, behind the address of the registers."""
    signature = Signature(folder.design, folder.registers)
    arguments, kernel = CArguments(signature, _OWN), folder.design.kernel
    structures = any(array.record for array in kernel.arrays.values())
    extents = (extent for variable in signature.variables for extent in variable.extents)
    return _DRIVER.format(
        name=folder.name,
        prefix=folder.name.upper(),
        definitions="".join(f"{line}\n" for line in _definitions(folder, arguments)) if structures else "",
        helpers="".join(f"{line}\n" for line in helpers_used(extents)),
        arguments=arguments.declared(),
        scratch=_scratch(arguments),
        given="".join(f"  {line}\n" for line in _given(folder, arguments)),
        taken="".join(f"  {line}\n" for line in _taken(folder, arguments)),
    )


def _definitions(folder: AcceleratorFolder, arguments: CArguments) -> Iterator[str]:
    """The structures of the user, which must have the sizes that the hardware was made for."""
    yield from record_definitions(folder.design.kernel, RESERVED)
    for each in arguments.signature.variables:
        if each.type is None:
            check = f"{folder.name}_{each.register.name.lower()}_items"
            yield f"typedef char {check}[sizeof({each.structure}) == {each.item_bytes} ? 1 : -1];"
    yield ""


def _scratch(arguments: CArguments) -> str:
    names = [arguments.names[each.name] for each in arguments.signature.scratch]
    return f" The last arguments are scratch memory: {', '.join(names)}." if names else ""


def _given(folder: AcceleratorFolder, arguments: CArguments) -> Iterator[str]:
    """Lines that hand over arguments; what is not flushed could be written back later, over results."""
    for each in arguments.signature.numbers:
        yield f"{folder.name}_set_{each.register.name.lower()}(registers, {arguments.names[each.name]});"
    for each in arguments.signature.variables:
        name, prefix = arguments.names[each.name], folder.name.upper()
        yield f"{prefix}_FLUSH({name}, {arguments.size(each)});"
        yield f"{folder.name}_set_{each.register.name.lower()}(registers, {prefix}_ADDRESS({name}));"


def _taken(folder: AcceleratorFolder, arguments: CArguments) -> Iterator[str]:
    """Lines that take results."""
    for each in arguments.signature.variables:
        if each.is_result:
            yield f"{folder.name.upper()}_INVALIDATE({arguments.names[each.name]}, {arguments.size(each)});"
