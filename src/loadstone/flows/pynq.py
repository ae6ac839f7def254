"""A driver of an accelerator for PYNQ, and a script for Vivado that builds its overlay."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from keyword import iskeyword

from loadstone.emit.hdl.accelerator import AcceleratorFolder
from loadstone.errors import Diagnostic, UnsupportedError
from loadstone.flows.class_name import class_name
from loadstone.flows.ipxact import vlnv
from loadstone.flows.signature import InMemory, InRegister, Signature
from loadstone.hardware.accelerator.registers import DONE, READY, START, STOP_RUN
from loadstone.hardware.supervisor import ErrorKind
from loadstone.model.expression import Binary, Cast, Constant, Expression, Unary, Variable
from loadstone.model.types import BOOL, ScalarType
from loadstone.texts import text_of

_DRIVER, _OVERLAY = text_of(__name__, "pynq_driver.txt"), text_of(__name__, "pynq_overlay.tcl")
_QUOTIENT = '''

def _quotient(x, y):
    """The quotient as C rounds it."""
    return abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
'''
_STRUCTURE = '''

def _structure(array, size):
    """The type of structures that a caller gives, which have some bytes."""
    kind = np.asarray(array).dtype
    if kind.itemsize != size:
        raise ValueError(f"expected structures of {size} bytes, not {kind} of {kind.itemsize}")
    return kind
'''
_TAKEN = frozenset(
    {"self", "timeout", "buffers", "np", "time", "name", "buffer", "min", "max", "abs", "int", "Results"}
)
_CALLS = {"min": "min", "max": "max", "/": "_quotient"}
_OPERATORS = {"+": "+", "-": "-", "*": "*", "floordiv": "//", "mod": "%"}


def pynq_files(folder: AcceleratorFolder) -> dict[str, str]:
    """The driver, and the script that makes an overlay, by their paths."""
    return {
        f"pynq/{folder.name}_driver.py": emit_driver(folder),
        "pynq/overlay.tcl": _OVERLAY.format(name=folder.name, vlnv=vlnv(folder)),
    }


def call_text(folder: AcceleratorFolder) -> str:
    """The arguments of a call, as the driver names them."""
    signature = Signature(folder.design, folder.registers)
    names = _python_names(signature)
    return ", ".join(names[each.name] for each in signature.arguments)


def emit_driver(folder: AcceleratorFolder) -> str:
    """The driver: a class that PYNQ binds to the accelerator of an overlay."""
    signature = Signature(folder.design, folder.registers)
    names = _python_names(signature)
    text = _DRIVER.format(
        kernel=folder.design.kernel.name,
        name=folder.name,
        module=f"{folder.name}_driver",
        driver=class_name(folder.name, {"Results"}),
        vlnv=vlnv(folder),
        call=call_text(folder),
        arguments=call_text(folder),
        identity=folder.registers.identity,
        registers=_lines(4, (f'"{each.name}": 0x{each.offset:02x},' for each in folder.registers.registers)),
        failures=_lines(4, (f'{kind.value}: "{kind.described}",' for kind in ErrorKind)),
        start=START,
        ready=READY,
        done=DONE,
        abort=STOP_RUN,
        fields=_lines(4, (f"{name}: {kind}" for name, kind in _fields(signature, names))),
        numbers=_lines(8, _numbers(signature, names)),
        buffers=_lines(12, _buffers(signature, names)),
        results=_lines(16, _results(signature, names)),
        address_bytes=4 * -(-folder.design.bus.address_width // 32),
    )
    helpers = {"_quotient(": _QUOTIENT, "_structure(": _STRUCTURE}
    return text + "".join(helper for call, helper in helpers.items() if call in text)


def _lines(indent: int, lines: Iterator[str]) -> str:
    return "\n".join(" " * indent + line for line in lines)


def _python_names(signature: Signature) -> dict[str, str]:
    """What arguments are called: as in the source, unless Python or the driver needs the name."""
    given = [each.name for each in (*signature.arguments, *signature.results)]
    names: dict[str, str] = {}
    for name in given:
        safe = name.lstrip("_") or "x"
        while iskeyword(safe) or safe in _TAKEN or safe in names.values() or (safe != name and safe in given):
            safe += "_"
        names.setdefault(name, safe)
    return names


def _fields(signature: Signature, names: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    yield from ((names[each.name], "np.ndarray") for each in signature.arguments if _is_result(each))
    yield from ((f"{names[each.name]}_after", numpy_type(each.type)) for each in signature.results)


def _is_result(argument: InRegister | InMemory) -> bool:
    return isinstance(argument, InMemory) and argument.is_result


def _numbers(signature: Signature, names: Mapping[str, str]) -> Iterator[str]:
    """Lines that write parameters and scalars."""
    for each in signature.numbers:
        name, size = names[each.name], 4 * each.register.words
        if each.register.group == "parameter":
            yield f"{name} = int({name})"
            yield f'self._write("{each.register.name}", {name}, {size}, signed={each.register.type.signed})'
        else:
            yield f'self._write("{each.register.name}", _bits({name}, {numpy_type(each.type)}), {size})'


def _buffers(signature: Signature, names: Mapping[str, str]) -> Iterator[str]:
    """Lines that allocate memory and fill it."""
    for each in signature.variables:
        content = f", {names[each.name]}" if each.is_given else ""
        yield f'buffers["{each.register.name}"] = _memory({_shape(each, names)}, {_item(each, names)}{content})'


def _results(signature: Signature, names: Mapping[str, str]) -> Iterator[str]:
    for each in signature.arguments:
        if isinstance(each, InMemory) and each.is_result:
            yield f'_contents(buffers["{each.register.name}"], {_shape(each, names)}),'
    for each in signature.results:
        yield f'_number(self._read("{each.register.name}", {4 * each.register.words}), {numpy_type(each.type)}),'


def _shape(variable: InMemory, names: Mapping[str, str]) -> str:
    return f"({''.join(f'{python_text(extent, names)}, ' for extent in variable.extents).rstrip()})"


def _item(variable: InMemory, names: Mapping[str, str]) -> str:
    """The type of the items of a variable; structures have the one that the caller gives them."""
    if variable.type is not None:
        return numpy_type(variable.type)
    return f"_structure({names[variable.name]}, {variable.item_bytes})"


def numpy_type(kind: ScalarType) -> str:
    """The type of numpy that holds the values of a type.

    >>> from loadstone.model.types import BOOL, DOUBLE, INT
    >>> numpy_type(INT), numpy_type(DOUBLE), numpy_type(BOOL)
    ('np.int32', 'np.float64', 'np.bool_')
    """
    if kind == BOOL:
        return "np.bool_"
    stored = kind.storage
    if stored.kind == "float":
        return f"np.float{stored.bits}"
    return f"np.{'' if stored.signed else 'u'}int{stored.bits}"


def python_text(expression: Expression, names: Mapping[str, str]) -> str:
    """The size of a dimension in Python.

    >>> from loadstone.model.expression import binary, integer
    >>> python_text(binary("*", binary("+", integer(1), integer(2)), integer(3)), {})
    '(1 + 2) * 3'
    """
    match expression:
        case Constant(value=value):
            return str(value)
        case Variable(name=name):
            return names.get(name, name)
        case Cast(operand=operand):
            return python_text(operand, names)
        case Unary(op="-", operand=operand):
            return f"-{_inner(operand, names)}"
        case Binary(op=op, left=left, right=right) if op in _OPERATORS:
            return f"{_inner(left, names)} {_OPERATORS[op]} {_inner(right, names)}"
        case Binary(op=op, left=left, right=right) if op in _CALLS:
            return f"{_CALLS[op]}({python_text(left, names)}, {python_text(right, names)})"
        case _:
            raise UnsupportedError(Diagnostic("the size of an array cannot be written in Python"))


def _inner(expression: Expression, names: Mapping[str, str]) -> str:
    text = python_text(expression, names)
    return text if text.isidentifier() or text.isdigit() else f"({text})"
