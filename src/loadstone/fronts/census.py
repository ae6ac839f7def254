"""What a module consists of, counted before synthesis: bits of registers and operators, products, memories.

An expression that is used several times counts once, a module as often as it has instances.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields

from loadstone.rtl import expressions as expr
from loadstone.rtl.memory import Memory
from loadstone.rtl.module import Drive, Module, Process
from loadstone.rtl.statements import Assign, Statement, bodies, children, expressions

Shape = tuple[int, int, int, int]
"""A memory: the bits of a word, its words, its read ports, and their latency."""
Product = tuple[int, int, int]
"""A product of two values that change: the bits of both, and of the result."""


@dataclass(frozen=True, slots=True)
class Census:
    """Bits of registers and of operators by kind, products by their widths, memories by their shapes.

    Registers at the outputs of memories belong to these.
    """

    registers: int
    adders: int
    comparisons: int
    choices: int
    logic: int
    shifters: int
    products: Counter[Product]
    memories: Counter[Shape]

    def __add__(self, other: Census) -> Census:
        return Census(*(getattr(self, each.name) + getattr(other, each.name) for each in fields(Census)))


def census(top: Module) -> Census:
    """What a module and all modules inside consist of."""
    known: dict[int, Census] = {}

    def counted(module: Module) -> Census:
        if id(module) not in known:
            total = _own(module)
            for instance in module.instances:
                total = total + counted(instance.module)
            known[id(module)] = total
        return known[id(module)]

    return counted(top)


def _own(module: Module) -> Census:
    bits: Counter[str] = Counter()
    products: Counter[Product] = Counter()
    for value in _values(module):
        match value:
            case expr.Binary(operator="mul", left=left, right=right):
                if isinstance(left, expr.Const) or isinstance(right, expr.Const):
                    bits["adders"] += value.width
                else:
                    products[left.width, right.width, value.width] += 1
            case _:
                bits[_kind(value)] += _bits(value)
    bits["choices"] += sum(map(_chosen_bits, _processes(module)))
    fetched = {id(signal) for memory in module.memories for port in memory.ports for signal in port.outputs}
    registers = sum(signal.width for signal in module.of_kind("register") if id(signal) not in fetched)
    shapes = Counter(_shape(memory) for memory in module.memories)
    return Census(
        registers,
        bits["adders"],
        bits["comparisons"],
        bits["choices"],
        bits["logic"],
        bits["shifters"],
        products,
        shapes,
    )


def _shape(memory: Memory) -> Shape:
    reads = sum(port.output is not None for port in memory.ports)
    return memory.type.width, memory.depth, max(1, reads), memory.latency


def _processes(module: Module) -> Iterator[Statement]:
    for item in module.items:
        if isinstance(item, Process):
            yield from item.body


def _chosen_bits(statement: Statement) -> int:
    """The bits of signals that a condition decides about."""
    return sum(map(_written_bits, bodies(statement)))


def _written_bits(body: Iterable[Statement]) -> int:
    return sum(each.target.width if isinstance(each, Assign) else _chosen_bits(each) for each in body)


def _values(module: Module) -> Iterator[expr.Value]:
    """All expressions of a module, each once."""
    seen: set[int] = set()
    waiting = list(_roots(module))
    while waiting:
        value = waiting.pop()
        if id(value) not in seen:
            seen.add(id(value))
            yield value
            waiting.extend(children(value))


def _roots(module: Module) -> Iterator[expr.Value]:
    for item in module.items:
        match item:
            case Drive(value=value):
                yield value
            case Process(body=body):
                yield from expressions(body)
            case Memory():
                yield from (value for port in item.ports for value in port.inputs)
            case _:
                pass


def _kind(value: expr.Value) -> str:
    match value:
        case expr.Binary(operator="add" | "sub") | expr.Unary(operator="neg"):
            return "adders"
        case expr.Compare():
            return "comparisons"
        case expr.Mux():
            return "choices"
        case expr.Shift():
            return "shifters"
        case (
            expr.Signal()
            | expr.Const()
            | expr.Extend()
            | expr.Reinterpret()
            | expr.Slice()
            | expr.Concat()
            | expr.Unary()
        ):
            return "free"
        case _:
            return "logic"


def _bits(value: expr.Value) -> int:
    match value:
        case expr.Compare(left=left):
            return left.width
        case expr.Shift(operand=operand, amount=amount):
            return operand.width * amount.width
        case expr.Reduce(operand=operand):
            return operand.width
        case _:
            return value.width
