"""The registers of an accelerator for those who write software: a page, and a header in C."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from loadstone.hardware.accelerator.registers import FIELDS, FIRST_ADDRESS, Register, RegisterMap
from loadstone.hardware.design import AcceleratorDesign
from loadstone.hardware.supervisor import ErrorKind
from loadstone.texts import text_of

_PAGE = text_of(__name__, "registers.md")


def emit_register_page(name: str, registers: RegisterMap) -> str:
    """The page of the registers of a kernel's accelerator."""
    rows = [("offset", "name", "access", "bits", "meaning"), ("---",) * 5, *map(_row, registers.registers)]
    calls = "".join(f"{name}_set_{each.name.lower()}(registers, ...);\n" for each in registers.values)
    table = "".join(f"| {' | '.join(row)} |\n" for row in rows)
    kinds = ", ".join(f"{kind.value}: {kind.described}" for kind in ErrorKind)
    identity = registers.identity
    return _PAGE.format(name=name, prefix=name.upper(), table=table, identity=identity, calls=calls, kinds=kinds)


def _row(register: Register) -> tuple[str, ...]:
    last = register.offset + 4 * register.words - 4
    place = f"0x{register.offset:02X}" + (f" to 0x{last:02X}" if register.words > 1 else "")
    sign = ", signed" if register.type.signed else ""
    return place, register.name, register.access, f"{register.type.width}{sign}", register.meaning


_HEADER = text_of(__name__, "registers.h")

_SET = """
/* {meaning} */
static inline void {name}_set_{value}(volatile uint32_t *registers, {type} value) {{
{body}
}}
"""

_GET = """
/* {meaning} */
static inline {type} {name}_get_{value}(volatile uint32_t *registers) {{
{body}
}}
"""


def emit_register_header(name: str, design: AcceleratorDesign, registers: RegisterMap) -> str:
    """The header for C and C++."""
    prefix = name.upper()
    functions = [_setter(name, design, each) for each in registers.values]
    functions += [_getter(name, design, each) for each in registers.results]
    bits = {field.name: field.mask for fields in FIELDS.values() for field in fields}
    bits |= {f"KIND_{kind.name}": kind.value for kind in ErrorKind}
    address = registers.by_name[FIRST_ADDRESS]
    offsets = {each.name: each.offset for each in registers.registers}
    lines = [*_defined(prefix, offsets), f"#define {prefix}_EXPECTED_IDENTITY 0x{registers.identity:08x}u"]
    return _HEADER.format(
        name=name,
        prefix=prefix,
        offsets="\n".join(lines),
        bits="\n".join(_defined(prefix, bits)),
        functions="".join(functions),
        address=c_type(design, address),
        address_read=_read(name, address),
    )


def _defined(prefix: str, numbers: dict[str, int]) -> Iterator[str]:
    for name, number in numbers.items():
        yield f"#define {prefix}_{name} 0x{number:02x}u"


def c_type(design: AcceleratorDesign, register: Register) -> str:
    """The type of a value in C: that of the kernel for scalars that have no point, or a floating one."""
    width = 32 * register.words
    if _is_float(design, register):
        return "float" if width == 32 else "double"
    return f"{'' if register.type.signed else 'u'}int{width}_t"


def _is_float(design: AcceleratorDesign, register: Register) -> bool:
    is_scalar = register.group in ("scalar in", "scalar out")
    return is_scalar and design.external[register.subject].element.kind == "float"


def _setter(name: str, design: AcceleratorDesign, register: Register) -> str:
    words = f"uint{32 * register.words}_t"
    taken = _copied("word", "value") if _is_float(design, register) else f"  {words} word = ({words})value;"
    lines = [f"  {words} word;" if _is_float(design, register) else "", taken, *_written(name, register)]
    return _function(_SET, name, design, register, lines)


def _written(name: str, register: Register) -> Iterator[str]:
    for number in range(register.words):
        offset = _offset(name, register, number)
        word = "word" if register.words == 1 else f"(uint32_t)({_shifted('word', '>>', number)})"
        yield f"  {name}_write(registers, {offset}, {word});"


def _getter(name: str, design: AcceleratorDesign, register: Register) -> str:
    words, type = f"uint{32 * register.words}_t", c_type(design, register)
    lines = [f"  {words} word = {_read(name, register)};"]
    if _is_float(design, register):
        lines += [f"  {type} value;", _copied("value", "word"), "  return value;"]
    else:
        lines.append(f"  return ({type})word;")
    return _function(_GET, name, design, register, lines)


def _read(name: str, register: Register) -> str:
    """An expression for the words of a register, side by side."""
    reads = [f"{name}_read(registers, {_offset(name, register, k)})" for k in range(register.words)]
    words = f"uint{32 * register.words}_t"
    return " | ".join(_shifted(f"({words}){read}", "<<", k) for k, read in enumerate(reads))


def _offset(name: str, register: Register, number: int) -> str:
    return f"{name.upper()}_{register.name}" + (f" + {4 * number}u" if number else "")


def _shifted(word: str, operator: str, number: int) -> str:
    return f"{word} {operator} {32 * number}" if number else word


def _copied(target: str, source: str) -> str:
    return f"  memcpy(&{target}, &{source}, sizeof {target});"


def _function(form: str, name: str, design: AcceleratorDesign, register: Register, lines: Iterable[str]) -> str:
    body = "\n".join(line for line in lines if line)
    type = c_type(design, register)
    return form.format(meaning=register.meaning, name=name, value=register.name.lower(), type=type, body=body)
