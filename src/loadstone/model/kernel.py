"""The kernel: statements with domain, schedule, accesses and body; arrays; parameters and what is known of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import reduce
from typing import Literal

import islpy as isl

from loadstone.errors import Diagnostic, Span
from loadstone.markup import table
from loadstone.model.expression import Expression
from loadstone.model.hls_pragma import HlsPragma
from loadstone.model.record import Record
from loadstone.model.types import Number, ScalarType
from loadstone.poly.dimensions import padded
from loadstone.poly.spaces import Dim

WRITE = -1
"""The position of the write among the accesses of a statement."""


@dataclass(frozen=True, slots=True)
class Array:
    """An array, or a scalar when it has no extents.

    `extents` are expressions over the parameters. `initialised`: its contents are defined when the kernel starts.
    `live_out`: somebody may look at it when the kernel has ended. `values`: the contents, where the source states
    them (row by row). `local`: declared inside of the kernel. `flat`: how many of the first
    dimensions the source subscripts by one address, `a[i * n + k]`; its layout stays as it is, row by row. `record`:
    the structures of the source that hold its elements in external memory.
    """

    name: str
    type: ScalarType
    extents: tuple[Expression, ...]
    initialised: bool
    live_out: bool
    values: tuple[Number, ...] | None = None
    local: bool = False
    span: Span | None = None
    flat: int = 0
    record: Record | None = None

    @property
    def rank(self) -> int:
        """Number of subscripts."""
        return len(self.extents)

    @property
    def variable(self) -> str:
        """The variable of the source that holds its elements."""
        return self.record.variable if self.record else self.name

    @property
    def outer_rank(self) -> int:
        """The number of subscripts that tell the structure of an element, or all."""
        return self.rank - len(self.record.inner_strides(0)) if self.record else self.rank


@dataclass(frozen=True, slots=True, eq=False)
class Access:
    """A reference to an array in a statement.

    `relation` maps instances to elements. When `exact`, every instance surely touches that element (a read that is
    evaluated only sometimes is exact too, if another one of the statement always reads the element); otherwise it may
    touch any of the elements, or none. `certain`: every instance touches some element.
    """

    array: str
    subscripts: tuple[Expression, ...]
    relation: isl.Map
    exact: bool
    span: Span | None = None
    certain: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class Statement:
    """One assignment `write = value`, executed for each point of `domain` at the time that `schedule` says.

    `schedule` dates the points of `domain` and no others: tilings are made from it. All reads happen before the write.
    `condition`, when there is one, depends on data: the instance evaluates it first and does nothing else where it is
    zero; the reads that it needs come first in `reads`.
    """

    name: str
    iterators: tuple[str, ...]
    domain: isl.Set
    schedule: isl.Map
    reads: tuple[Access, ...]
    write: Access
    value: Expression
    condition: Expression | None = None
    span: Span | None = None

    @property
    def depth(self) -> int:
        """The number of loops around it in the order of execution."""
        return self.schedule.dim(Dim.out) // 2

    def times(self, length: int) -> isl.Map:
        """The instances to their dates, with zeros behind them up to a length."""
        return padded(self.schedule, length).intersect_domain(self.domain)

    @property
    def may(self) -> bool:
        """Whether an instance may leave its element unwritten."""
        return not self.write.exact

    @property
    def exact(self) -> bool:
        """Whether all its accesses are known exactly."""
        return self.write.exact and all(read.exact for read in self.reads)


AccessChoice = Callable[[Statement], tuple[Access, ...]]
"""Some of the accesses of each statement."""


@dataclass(frozen=True, slots=True)
class TilingRequest:
    """A tiling given by a pragma of the source: theta per statement (or the loops), sizes, strip depth."""

    schedule: tuple[tuple[str, tuple[Expression, ...]], ...]
    sizes: tuple[int, ...]
    strip: int
    span: Span | None = None


@dataclass(frozen=True, slots=True)
class Original:
    """The kernel as the user's text in C or C++, ready for a compiler.

    `preamble` holds the definitions that the text leans on, `scalars` the loop counters and other scalars (type and
    name) that it sets and uses without declaring them, and that are no arrays of the kernel. In C++, `elements` are the
    types of variables as the text spells them, `streams` the arrays that it takes for streams, and `globals` those that
    the preamble defines. `records` defines the types of structures in external memory.
    """

    preamble: str
    text: str
    scalars: tuple[tuple[ScalarType, str], ...]
    language: Literal["c", "c++"] = "c"
    elements: Mapping[str, str] = field(default_factory=dict[str, str])
    streams: frozenset[str] = frozenset()
    globals: frozenset[str] = frozenset()
    records: str = ""


@dataclass(frozen=True, slots=True)
class Privatised:
    """What became of a temporary of the source: `element` of another array holds its values, or `array` does.

    `array` has the values of the temporary along loops: each iteration of these has a value of its own.
    """

    temporary: str
    array: str
    element: str = ""
    loops: tuple[str, ...] = ()

    def text(self) -> str:
        """The change in words."""
        if self.element:
            return f"{self.temporary} is kept in {self.element}"
        return f"{self.temporary} is expanded along {', '.join(self.loops)}"


@dataclass(frozen=True, slots=True, eq=False)
class Assumption:
    """A condition on parameters that the source does not state, and what holds only under it.

    It is part of the context. Every generated program refuses parameters that violate it.
    """

    condition: isl.Set
    reason: str


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Kernel:
    """A static-control program part, understood completely.

    `parameter_types` names the parameters in order. `context` holds what is known of them, `assumptions` the part of it
    that is not stated by the source. `remarks` say what could be declared better. `privatised` says which temporaries
    of the source have been given places of their own. `pragmas` are those of the source for HLS tools.
    `open_ends` are loops whose ends depend on data: a parameter bounds each. `declared` are the variables of the
    source in the order of their declarations.
    """

    name: str
    parameter_types: Mapping[str, ScalarType]
    context: isl.Set
    statements: tuple[Statement, ...]
    arrays: Mapping[str, Array]
    defaults: Mapping[str, int]
    tiling: TilingRequest | None = None
    original: Original | None = None
    privatised: tuple[Privatised, ...] = ()
    assumptions: tuple[Assumption, ...] = ()
    remarks: tuple[str, ...] = ()
    pragmas: tuple[HlsPragma, ...] = ()
    open_ends: tuple[Diagnostic, ...] = ()
    declared: tuple[str, ...] = ()

    def __repr__(self) -> str:
        statements = ", ".join(f"{s.name}[{', '.join(s.iterators)}]" for s in self.statements)
        return f"<kernel {self.name}({', '.join(self.parameters)}): {statements}; arrays {', '.join(self.arrays)}>"

    def _repr_html_(self) -> str:
        rows = [
            (s.name, s.domain, "; ".join(str(each.relation) for each in s.reads), s.write.relation)
            for s in self.statements
        ]
        return table(f"kernel {self.name}", ("statement", "domain", "reads", "writes"), rows)

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of the parameters."""
        return tuple(self.parameter_types)

    def options_for(self, names: Iterable[str]) -> str:
        """Options that give parameters values of their types, to show in hints."""
        return " ".join(f"-p {name}={min(8, self.parameter_types[name].greatest)}" for name in names)

    @property
    def exact(self) -> bool:
        """Whether every access of every statement is known exactly."""
        return all(statement.exact for statement in self.statements)

    def statement(self, name: str) -> Statement:
        """The statement with this name."""
        return next(s for s in self.statements if s.name == name)

    @property
    def domain(self) -> isl.UnionSet:
        """All statement instances."""
        return union_of_sets(self, (s.domain for s in self.statements))

    @property
    def schedule(self) -> isl.UnionMap:
        """Original execution order: instances to times of one common length (2d+1 form, padded with zeros)."""
        length = max((s.schedule.dim(Dim.out) for s in self.statements), default=1)
        return union_of_maps(self, (s.times(length) for s in self.statements))

    @property
    def reads(self) -> isl.UnionMap:
        """Instances to the elements that they may read."""
        return self.accesses(lambda s: s.reads)

    @property
    def may_writes(self) -> isl.UnionMap:
        """Instances to the elements that they may write (an over-approximation, exact when `exact`)."""
        return self.accesses(lambda s: (s.write,))

    @property
    def must_writes(self) -> isl.UnionMap:
        """Instances to the elements that they certainly write."""
        return self.accesses(lambda s: (s.write,) if s.write.exact else ())

    def accesses(self, choose: AccessChoice) -> isl.UnionMap:
        """The union of the relations of the chosen accesses."""
        return union_of_maps(self, (a.relation for s in self.statements for a in choose(s)))


def renamed(statement: Statement, name: str, domain: isl.Set) -> Statement:
    """The statement under another name, with the instances of a domain."""
    domain = domain.set_tuple_name(name)

    def access(value: Access) -> Access:
        return replace(value, relation=value.relation.set_tuple_name(Dim.in_, name).intersect_domain(domain))

    return replace(
        statement,
        name=name,
        domain=domain,
        schedule=statement.schedule.set_tuple_name(Dim.in_, name).intersect_domain(domain),
        reads=tuple(map(access, statement.reads)),
        write=access(statement.write),
    )


def union_of_maps(kernel: Kernel, maps: Iterator[isl.Map]) -> isl.UnionMap:
    """The union of maps, within the kernel's context."""
    empty = isl.UnionMap.empty(kernel.context.get_space())
    return reduce(lambda union, value: union.union(value.to_union_map()), maps, empty)


def union_of_sets(kernel: Kernel, sets: Iterator[isl.Set]) -> isl.UnionSet:
    """The union of sets, within the kernel's context."""
    empty = isl.UnionSet.empty(kernel.context.get_space())
    return reduce(lambda union, value: union.union(value.to_union_set()), sets, empty)
