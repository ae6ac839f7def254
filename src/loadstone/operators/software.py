"""Operators as functions in C that give the same bits: what a pipeline computes, without its registers.

Every value is an unsigned number of 128 bits; one of a signed type has its sign repeated up to the top.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from graphlib import TopologicalSorter
from typing import assert_never

from loadstone.operators.pipeline import Operator
from loadstone.rtl import Bits, RtlError, Signal, Value, expressions
from loadstone.rtl.memory import Memory
from loadstone.rtl.module import Drive, Instance, Item, Module, Process, Section
from loadstone.rtl.statements import Assign, If, Statement, leaves

MOST_BITS = 128
"""The widest values that C computes with."""

HELPERS = """typedef unsigned __int128 wide;

static inline wide loadstone_unsigned(wide value, int bits) { return value << (128 - bits) >> (128 - bits); }
static inline wide loadstone_signed(wide value, int bits)
{
  return (wide)((__int128)(value << (128 - bits)) >> (128 - bits));
}
static inline wide loadstone_left(wide value, wide amount) { return amount < 128 ? value << amount : 0; }
static inline wide loadstone_right(wide value, wide amount) { return amount < 128 ? value >> amount : 0; }
static inline wide loadstone_right_signed(wide value, wide amount)
{
  return (wide)((__int128)value >> (amount < 128 ? amount : 127));
}
"""
"""What functions of operators call."""

_OPERATORS = {"add": "+", "sub": "-", "mul": "*", "and": "&", "or": "|", "xor": "^"}
_COMPARISONS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}


def emit_function(operator: Operator, name: str) -> str:
    """A C function on the bits of operands that returns the bits of the result."""
    module = operator.module
    operands = [port for port in module.of_kind("input") if port.name != "ce"]
    sources = dict(_sources(module.items))
    tables = [_table(item) for item in module.items if isinstance(item, Memory)]
    lines = [f"  const wide {_name(target)} = {_found(sources[target])};" for target in _in_order(module, sources)]
    head = f"static wide {name}({', '.join(f'wide {_name(operand)}' for operand in operands)})"
    return "\n".join([head, "{", *tables, *lines, f"  return {_name(module['result'])};", "}", ""])


@dataclass(frozen=True, slots=True, eq=False)
class _Word:
    """A word of a table."""

    table: str
    address: Value


def _sources(items: Iterable[Item]) -> Iterator[tuple[Signal, Value | _Word]]:
    """What a pipeline computes; its registers take their values at once."""
    for item in items:
        match item:
            case Section():
                pass
            case Drive():
                yield item.target, item.value
            case Process():
                yield from _assigned(item.body)
            case Memory():
                yield from (
                    (port.output, _Word(item.name, port.address)) for port in item.ports if port.output is not None
                )
            case Instance():
                raise RtlError(f"'{item.name}' is no part of a pipeline")
            case _:
                assert_never(item)


def _assigned(body: Iterable[Statement]) -> Iterator[tuple[Signal, Value]]:
    """What a process assigns while the pipeline moves."""
    for statement in body:
        match statement:
            case Assign():
                yield statement.target, statement.value
            case If():
                yield from _assigned(statement.branches[0][1])
            case _:
                raise RtlError("a pipeline has no cases")


def _in_order(module: Module, sources: Mapping[Signal, Value | _Word]) -> Iterator[Signal]:
    """The signals that a result is made from, after what they are made from themselves."""
    graph = {target: _read(source) & sources.keys() for target, source in sources.items()}
    wanted, waiting = {module["result"]}, [module["result"]]
    while waiting:
        new = graph[waiting.pop()] - wanted
        wanted |= new
        waiting += new
    yield from (signal for signal in TopologicalSorter(graph).static_order() if signal in wanted)


def _read(source: Value | _Word) -> set[Signal]:
    return set(leaves([source.address if isinstance(source, _Word) else source]))


def _table(memory: Memory) -> str:
    """The words of a table as an array."""
    words = ", ".join(map(_number, memory.initial))
    return f"  static const wide t_{memory.name}[] = {{{words}}};"


def _found(source: Value | _Word) -> str:
    return f"t_{source.table}[(int){_text(source.address)}]" if isinstance(source, _Word) else _text(source)


def _name(signal: Signal) -> str:
    return f"v_{signal.name}"


def _text(value: Value) -> str:
    """An expression in C; every part of it gives a value of its type."""
    if value.width > MOST_BITS:
        raise RtlError(f"C computes with {MOST_BITS} bits at most, not {value.width}")
    match value:
        case expressions.Const():
            return _number(value.value)
        case Signal():
            return _name(value)
        case expressions.Unary():
            return _wrapped(f"{'(wide)-1 ^ ' if value.operator == 'not' else '-'}{_text(value.operand)}", value.bits)
        case expressions.Binary():
            return _wrapped(f"{_text(value.left)} {_OPERATORS[value.operator]} {_text(value.right)}", value.bits)
        case expressions.Compare():
            return _compared(value)
        case expressions.Mux():
            return f"({_text(value.condition)} ? {_text(value.left)} : {_text(value.right)})"
        case _:
            return _rearranged(value)


def _rearranged(value: Value) -> str:
    """An expression that moves bits."""
    match value:
        case expressions.Shift(direction="left"):
            return _wrapped(f"loadstone_left({_text(value.operand)}, {_text(value.amount)})", value.bits)
        case expressions.Shift():
            sign = "_signed" if value.bits.signed else ""
            return f"loadstone_right{sign}({_text(value.operand)}, {_text(value.amount)})"
        case expressions.Extend():
            return _text(value.operand)
        case expressions.Reinterpret():
            return _wrapped(_text(value.operand), value.bits)
        case expressions.Slice():
            return _wrapped(f"{_text(value.operand)} >> {value.low}", value.bits)
        case expressions.Concat():
            return _concat(value)
        case expressions.Reduce():
            return _reduced(value)
        case _:
            raise AssertionError(value)


def _number(value: int) -> str:
    """A number of 128 bits."""
    high, low = divmod(value % (1 << MOST_BITS), 1 << 64)
    return f"((wide){high:#x}u << 64 | {low:#x}u)" if high else f"(wide){low:#x}u"


def _wrapped(text: str, target: Bits) -> str:
    """A number modulo 2^width."""
    if target.width == MOST_BITS:
        return f"({text})"
    return f"loadstone_{'signed' if target.signed else 'unsigned'}({text}, {target.width})"


def _compared(value: expressions.Compare) -> str:
    sign = "(__int128)" if value.left.bits.signed else ""
    return f"(wide)({sign}{_text(value.left)} {_COMPARISONS[value.operator]} {sign}{_text(value.right)})"


def _concat(value: expressions.Concat) -> str:
    """Parts shifted to their places."""
    low = value.width
    texts: list[str] = []
    for part in value.parts:
        low -= part.width
        texts.append(f"{_text(part)} << {low}" if low else _text(part))
    return f"({' | '.join(texts)})"


def _reduced(value: expressions.Reduce) -> str:
    """One bit from all bits of a value."""
    bits = _wrapped(_text(value.operand), Bits(value.operand.width))
    match value.operator:
        case "any":
            return f"(wide)({bits} != 0)"
        case "all":
            return f"(wide)({bits} == {_number((1 << value.operand.width) - 1)})"
        case "parity":
            half = f"({bits} ^ {bits} >> 64)"
            return f"(wide)__builtin_parityll((unsigned long long){half})"
