"""What makes a module wrong: signals without or with several drivers, latches, combinational loops."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from graphlib import CycleError, TopologicalSorter

from loadstone.rtl.expressions import Signal, Slice, Value
from loadstone.rtl.memory import Memory
from loadstone.rtl.module import Drive, External, Instance, Item, Module, Process, Section, hierarchy
from loadstone.rtl.statements import always_assigned, children, expressions, leaves, targets
from loadstone.rtl.types import Bits, RtlError

Paths = dict[str, set[str]]


def check(top: Module) -> None:
    """Raises `RtlError` where a module, or one inside of it, is wrong; those of others are taken to be right."""
    paths: dict[str, Paths] = {}
    for module in hierarchy(top):
        if isinstance(module, External):
            paths[module.name] = {port.name: set() for port in module.of_kind("output")}
            continue
        _check_ports(module)
        _check_reads(module)
        _check_drivers(module)
        _check_latches(module)
        paths[module.name] = _checked_paths(module, paths)


def evaluated(item: Item) -> tuple[Value, ...]:
    """The expressions that a part of a module evaluates."""
    match item:
        case Drive():
            return (item.value,)
        case Process():
            return tuple(expressions(item.body))
        case Memory():
            return tuple(value for port in item.ports for value in port.inputs)
        case Instance():
            return (*(signal for _, signal in item.inputs), *(() if item.clear is None else (item.clear,)))
        case Section():
            return ()


def driven(item: Item) -> tuple[Signal, ...]:
    """The signals that a part of a module drives."""
    match item:
        case Drive():
            return (item.target,)
        case Process():
            return targets(item.body)
        case Memory():
            return tuple(signal for port in item.ports for signal in port.outputs)
        case Instance():
            return tuple(signal for _, signal in item.outputs)
        case Section():
            return ()


def unread_bits(module: Module) -> Iterator[tuple[Signal, int, int]]:
    """Ranges of bits that nothing in a module reads: signal, first bit, number of bits."""
    read = dict.fromkeys(module.signals, 0)
    fetched = (port.fetched for memory in module.memories for port in memory.ports)
    read |= {signal: (1 << signal.width) - 1 for signal in fetched if signal is not None}
    for item in module.items:
        for value in evaluated(item):
            _mark(value, read)
    for signal, bits in read.items():
        if signal.kind != "output":
            yield from ((signal, low, count) for low, count in _gaps(bits, signal.width))


def _mark(root: Value, read: dict[Signal, int]) -> None:
    """Notes the bits that an expression reads."""
    pending, seen = [root], set[int]()
    while pending:
        value = pending.pop()
        if id(value) in seen:
            continue
        seen.add(id(value))
        match value:
            case Signal():
                read[value] |= (1 << value.width) - 1
            case Slice(operand=Signal() as signal):
                read[signal] |= ((1 << value.width) - 1) << value.low
            case _:
                pending.extend(children(value))


def _gaps(bits: int, width: int) -> Iterator[tuple[int, int]]:
    """The runs of zeros in a number: first bit and length."""
    start = 0
    while start < width:
        end = start
        while end < width and not bits >> end & 1:
            end += 1
        if end > start:
            yield start, end - start
        start = end + 1


def _check_ports(module: Module) -> None:
    for signal in module.of_kind("input", "output"):
        if not isinstance(signal.type, Bits):
            raise RtlError(f"{module.name}.{signal.name}: a port is no enumeration")
    if not module.of_kind("output"):
        raise RtlError(f"{module.name}: a module without output does nothing")


def _check_reads(module: Module) -> None:
    """Every signal that is read or driven belongs to the module."""
    own = set(module.signals)
    for item in module.items:
        for signal in (*leaves(evaluated(item)), *driven(item)):
            if signal not in own:
                raise RtlError(f"{module.name}: '{signal.name}' belongs to another module")


def _check_drivers(module: Module) -> None:
    """Every wire, register and output has one driver."""
    found: set[Signal] = set()
    for item in module.items:
        for signal in driven(item):
            if signal in found:
                raise RtlError(f"{module.name}.{signal.name}: driven from two places")
            found.add(signal)
    for signal in module.of_kind("wire", "register", "output"):
        if signal not in found:
            raise RtlError(f"{module.name}.{signal.name}: nothing drives it")


def _check_latches(module: Module) -> None:
    """Combinational processes give all their targets a value on every path."""
    for item in module.items:
        if isinstance(item, Process) and not item.clocked:
            assigned = always_assigned(item.body)
            for signal in targets(item.body):
                if signal not in assigned:
                    raise RtlError(f"{module.name}.{signal.name}: keeps its value on some path (a latch)")


def _checked_paths(module: Module, known: dict[str, Paths]) -> Paths:
    """The inputs that each output depends on without a register in between; a loop of such is an error."""
    graph = {target: set(sources) for target, sources in _edges(module, known)}
    try:
        order = tuple(TopologicalSorter(graph).static_order())
    except CycleError as error:
        loop = " <- ".join(signal.name for signal in reversed(error.args[1]))
        raise RtlError(f"{module.name}: combinational loop {loop}") from None
    reached: dict[Signal, set[str]] = {}
    for signal in order:
        own = {signal.name} if signal.kind == "input" else set[str]()
        reached[signal] = own.union(*(reached[source] for source in graph.get(signal, ())))
    return {signal.name: reached.get(signal, set()) for signal in module.of_kind("output")}


def _edges(module: Module, known: dict[str, Paths]) -> Iterator[tuple[Signal, Iterable[Signal]]]:
    """The signals driven without a register, each with its fan-in."""
    for item in module.items:
        match item:
            case Process() if item.clocked:
                continue
            case Memory():
                for port in item.ports if item.latency == 0 else ():
                    yield from ((output, leaves((port.address,))) for output in port.outputs)
            case Instance():
                sources = dict(item.inputs)
                for name, signal in item.outputs:
                    yield signal, [sources[port] for port in known[item.module.name][name]]
            case _:
                yield from ((signal, leaves(evaluated(item))) for signal in driven(item))
