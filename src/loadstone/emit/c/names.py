"""Names in generated programs: those of the source, unless the program needs them for something else.

In the program of a network, processes and channels have names, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from loadstone.emit.c.code import type_name
from loadstone.frontend.c.headers import MACROS
from loadstone.loops.accelerator import Accelerator
from loadstone.loops.model import For, Node, mapped, walk, with_children
from loadstone.loops.process_points import equal_coordinates
from loadstone.loops.scan import Scan
from loadstone.model.expression import Cast, Expression, Variable, rebuilt
from loadstone.model.kernel import Access, Kernel, Statement
from loadstone.model.types import INT, ScalarType
from loadstone.networks.model import Network, Process
from loadstone.poly.spaces import Dim

_C = """auto break case char const continue default do double else enum extern float for goto if inline int long
register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while bool true
false main"""
_CPP = """alignas alignof and and_eq asm bitand bitor catch class compl concept const_cast constexpr decltype delete
dynamic_cast explicit export friend mutable namespace new noexcept not not_eq nullptr operator or or_eq private
protected public reinterpret_cast requires static_assert static_cast template this thread_local throw try typeid
typename using virtual wchar_t xor xor_eq std hls ihc component"""
_OWN = """load compute store load_tile load_early load_late take_tile compute_tile store_tile loaded computed stored
strip_computed words loaded_words stored_words at more point p run in_flight is_first is_next tiles copy cell state
argument k_ min max floord modulo sequential tokens send receive abs size_t overrun DEPTH accelerate loading computing
queue ORDERED WORDS LOCAL gate runs threads threads_ran shared done open_state close_state run_load run_compute
run_store load_words store_words run_processes each first_x last_x row_words row_at first_beat beat_count x_beat x_
lane_ bank_ bus_words is_filled head_words tail_words banked bool_stream bool_open bool_close bool_get bool_put"""
_TESTBENCH = """memory parameters status moved expected ignored known wrong way first argc argv counts sizes fill
reference allocate place array count limit given next_random"""
_HOST = "card Card"
_GUARDS = " ".join(f"guard_{number}" for number in range(1, 33))
RESERVED = frozenset(f"{_C} {_CPP} {_OWN} {_TESTBENCH} {_HOST} {_GUARDS} loop_first loop_last".split()) | MACROS
_OF_NETWORKS = ("result", "turn", "value", "initial")
_OF_ARRAYS = ("@", "@_out", "@_at", "@_structure", "@_get", "@_set", "@_host", "@_port", "@_out_host", "@_out_port")
_OF_PROCESSES = ("@", "@_words", "@_words_host", "@_words_port", "run_@")
_OF_CHANNELS = (
    *("@", "@_word", "@_words", "@_words_host", "@_words_port", "@_cell", "@_kept"),
    *("@_filled", "@_freed", "@_full", "@_busy", "@_first", "@_last"),
)
_OF_TYPES = ("stream", "open", "close", "get", "put")
SUFFIXES = (
    *("_local", "_cell", "_bank", "_at", "_structure", "_get", "_set", "_tag", "_read", "_write", "_words", "_host"),
    "_place",
)


@dataclass(frozen=True, slots=True)
class Names:
    """What the kernel's parameters, arrays and loops are called in a generated program."""

    names: dict[str, str]
    types: dict[str, ScalarType]

    def __getitem__(self, name: str) -> str:
        return self.names.get(name, name)

    def written(self, expression: Expression) -> Expression:
        """The expression of a statement with the names of the program."""
        if isinstance(expression, Variable):
            return replace(expression, name=self[expression.name])
        return rebuilt(expression, self.written)

    def counted(self, expression: Expression) -> Expression:
        """The expression of a loop with the names of the program, computed in signed integers."""
        if isinstance(expression, Variable):
            named = replace(expression, name=self[expression.name])
            kind = self.types.get(expression.name, INT)
            return named if kind.signed else Cast(replace(named, type=kind), INT)
        return rebuilt(expression, self.counted)

    def loops(self, node: Node) -> Node:
        """The loop tree with the names of the program."""
        return self._with_iterators(mapped(node, self.counted))

    def _with_iterators(self, node: Node) -> Node:
        named = replace(node, iterator=self[node.iterator]) if isinstance(node, For) else node
        return with_children(named, self._with_iterators)


def names_of(
    accelerator: Accelerator, loops: Iterable[Node], counters: Iterable[str] = (), scans: Iterable[Scan] = ()
) -> Names:
    """Names for all that the source names, the iterators of the loops of a tile, and counters of lanes.

    And for the coordinates of elements of scans, which are members of a point.
    """
    kernel = accelerator.kernel
    given = [*kernel.parameters, *kernel.arrays, *structure_variables(kernel)]
    iterators = [*(part.iterator for node in loops for part in walk(node) if isinstance(part, For)), *counters]
    subscripts = {f"x{k}" for k in range(max((array.rank for array in kernel.arrays.values()), default=0))}
    taken = {*RESERVED, *accelerator.plan.tiles.coordinates, *(subscripts & set(kernel.parameters))}
    names: dict[str, str] = {}
    for name in (*given, *iterators):
        safe = name
        while safe in taken or any(f"{safe}{suffix}" in given for suffix in SUFFIXES) or safe in names.values():
            safe += "_"
        names.setdefault(name, safe)
    for scan in scans:
        names.update({step.variable: f"p->x{position}" for position, step in enumerate(scan.steps)})
    return Names(names, dict(kernel.parameter_types))


def renamed(statement: Statement, names: Names) -> Statement:
    """The statement with the names of the program for all but its iterators."""
    outside = replace(names, names={k: v for k, v in names.names.items() if k not in statement.iterators})
    return replace(
        statement,
        reads=tuple(_renamed_access(read, outside) for read in statement.reads),
        write=_renamed_access(statement.write, outside),
        value=outside.written(statement.value),
        condition=None if statement.condition is None else outside.written(statement.condition),
    )


def _renamed_access(access: Access, names: Names) -> Access:
    return replace(access, subscripts=tuple(map(names.written, access.subscripts)))


@dataclass(frozen=True, slots=True)
class ProcessNames:
    """Names inside of a process: the coordinates of its instances, of their dates, and the values that they read."""

    point: tuple[str, ...]
    dates: tuple[str, ...]
    operands: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class NetworkNames:
    """What parameters and arrays, processes and channels are called in a generated program."""

    source: Names
    processes: Mapping[str, str]
    channels: Mapping[str, str]
    inside: Mapping[str, ProcessNames]


def network_names(network: Network, parameters: Mapping[str, int]) -> NetworkNames:
    """Names for all that a program of a network names."""
    kernel = network.tiles.kernel
    scope = _Scope({*RESERVED, *_OF_NETWORKS, *_coordinates(network), *_stream_functions(kernel)})
    given = {name: scope.allot(name) for name in kernel.parameters}
    held = [*kernel.arrays, *structure_variables(kernel)]
    arrays = {name: scope.allot(name, _OF_ARRAYS) for name in held}
    scope.taken |= {*kernel.parameters, *held}
    processes = {name: scope.allot(name, _OF_PROCESSES) for name in network.processes}
    channels = {c.id: scope.allot(_identifier(c.id), _OF_CHANNELS) for c in network.channels}
    inside = {process.name: _inside(network, process, parameters, scope) for process in network.processes.values()}
    return NetworkNames(Names({**given, **arrays}, dict(kernel.parameter_types)), processes, channels, inside)


def structure_variables(kernel: Kernel) -> Iterator[str]:
    """The variables of the source whose members are arrays of the kernel."""
    return iter(dict.fromkeys(a.variable for a in kernel.arrays.values() if a.variable not in kernel.arrays))


class _Scope:
    """Names that are taken."""

    def __init__(self, taken: Iterable[str]) -> None:
        self.taken = set(taken)

    def allot(self, name: str, forms: Sequence[str] = ("@",)) -> str:
        """The name, with underscores behind it until it is free in all of its forms, which are taken then."""
        while any(form.replace("@", name) in self.taken for form in forms):
            name += "_"
        self.taken |= {form.replace("@", name) for form in forms}
        return name


def _identifier(text: str) -> str:
    return "".join(letter if letter.isalnum() else "_" for letter in text)


def _coordinates(network: Network) -> Iterator[str]:
    """The parameters of functions of a point."""
    ranks = [process.domain.dim(Dim.set) for process in network.processes.values()]
    return (f"x{k}" for k in range(max(ranks, default=0)))


def _stream_functions(kernel: Kernel) -> Iterator[str]:
    kinds = {INT, *(array.type for array in kernel.arrays.values())}
    return (f"{type_name(kind)}_{form}" for kind in kinds for form in _OF_TYPES)


def _inside(network: Network, process: Process, parameters: Mapping[str, int], outside: _Scope) -> ProcessNames:
    scope = _Scope(outside.taken)
    if process.kind != "compute":
        point = tuple(scope.allot(f"i{k}") for k in range(process.domain.dim(Dim.set)))
        return ProcessNames(point, _date_names(network, process, parameters, point, scope), ("value",))
    statement = network.tiles.kernel.statement(process.name)
    point = tuple(map(scope.allot, statement.iterators))
    dates = _date_names(network, process, parameters, point, scope)
    operands = tuple(scope.allot(f"{read.array}{k}") for k, read in enumerate(statement.reads))
    return ProcessNames(point, dates, operands)


def _date_names(
    network: Network, process: Process, parameters: Mapping[str, int], point: Sequence[str], scope: _Scope
) -> tuple[str, ...]:
    """Names for the components of dates that order instances: those of coordinates of instances or tiles they equal."""
    known = [*point, *map(scope.allot, network.tiles.coordinates)]
    names: list[str] = []
    for position, equal in enumerate(equal_coordinates(process, len(network.tiles.sizes), parameters)):
        free = (known[k] for k in equal if known[k] not in names)
        names.append(next(free, None) or scope.allot(f"t{position}"))
    return tuple(names)
