"""The syntax tree that the C and the Python front ends share: names unresolved, every node knows where it stands."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal as OneOf

from loadstone.errors import Diagnostic, Span
from loadstone.model.hls_pragma import HlsPragma
from loadstone.model.kernel import Original
from loadstone.model.record import Record
from loadstone.model.types import Number, ScalarType


@dataclass(frozen=True, slots=True)
class Name:
    """A name used as a value."""

    id: str
    span: Span


@dataclass(frozen=True, slots=True)
class Literal:
    """A number."""

    value: Number
    type: ScalarType
    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Subscript:
    """`base[indices...]`."""

    base: str
    indices: tuple[Expr, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class UnaryOp:
    """A unary operation."""

    op: str
    operand: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class BinaryOp:
    """A binary operation, with the operators of `model.expression.Binary`."""

    op: str
    left: Expr
    right: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class Conditional:
    """`condition ? then : otherwise`."""

    condition: Expr
    then: Expr
    otherwise: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class Invocation:
    """A call."""

    function: str
    arguments: tuple[Expr, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Conversion:
    """A cast."""

    type: ScalarType
    operand: Expr
    span: Span


Expr = Name | Literal | Subscript | UnaryOp | BinaryOp | Conditional | Invocation | Conversion


@dataclass(frozen=True, slots=True)
class Assign:
    """`target = value`."""

    target: Name | Subscript
    value: Expr
    span: Span
    label: str = ""


@dataclass(frozen=True, slots=True)
class Declare:
    """A declaration inside the kernel; its initialiser, if any, follows as an assignment."""

    symbol: Symbol


FirstStep = OneOf["after", "before test", "behind test"]


@dataclass(frozen=True, slots=True)
class For:
    """A loop `for (iterator = start; condition; iterator += step)`.

    `declared` is the iterator's type when the loop declares it. `first_step`: where the first step stands, if not after
    the first iteration. In `for (i = a; ++i < n;)` it stands before the test, in `for (j = m; j-- > 0;)` behind it;
    `condition` is on the values that the body sees.
    """

    iterator: str
    declared: ScalarType | None
    start: Expr
    condition: Expr
    step: int
    body: Block
    span: Span
    first_step: FirstStep = "after"


@dataclass(frozen=True, slots=True)
class If:
    """A conditional statement."""

    condition: Expr
    then: Block
    otherwise: Block
    span: Span


@dataclass(frozen=True, slots=True)
class Block:
    """Statements in a scope of their own."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Jump:
    """Leaves the loop around it (`break`), or only its iteration (`continue`)."""

    leaves_loop: bool
    span: Span


Node = Assign | Declare | For | If | Block | Jump


@dataclass(frozen=True, slots=True)
class Symbol:
    """A declared scalar or array.

    `extents` holds None where the declaration leaves an extent open (`double a[]`, `double *a`). `initialised`: it
    may hold a value before the kernel starts. `live_out`: somebody may read it when the kernel has ended if it is
    written. `values`: the contents of a constant. `constant`: the value never changes. `local`: declared inside the
    kernel. `record`: the structures that hold its elements.
    """

    name: str
    type: ScalarType
    extents: tuple[Expr | None, ...]
    initialised: bool
    live_out: bool
    span: Span
    constant: bool = False
    values: tuple[Number, ...] | None = None
    local: bool = False
    record: Record | None = None


@dataclass(frozen=True, slots=True)
class Function:
    """A function without side effects that can be inlined: its parameters and the expression that it returns."""

    name: str
    parameters: tuple[tuple[str, ScalarType], ...]
    result: Expr
    type: ScalarType


@dataclass(frozen=True, slots=True)
class Tiling:
    """A tiling of the source; without a schedule, of the loops of the nest."""

    schedule: tuple[tuple[Name, tuple[Expr, ...]], ...]
    sizes: tuple[int, ...]
    strip: int
    span: Span


@dataclass(frozen=True, slots=True)
class Directives:
    """What the source tells us beside the program: default parameter values, assumptions, a tiling.

    `hints` are conditions that statements state: what is no affine condition on parameters says nothing. `killed` are
    variables that nobody reads behind the kernel.
    """

    defaults: tuple[tuple[Name, int | Expr], ...] = ()
    assumptions: tuple[Expr, ...] = ()
    tiling: Tiling | None = None
    killed: tuple[str, ...] = ()
    hints: tuple[Expr, ...] = ()


@dataclass(frozen=True, slots=True)
class Program:
    """A kernel as the source states it; with `infer_symbols`, names without declaration are given one.

    `unsupported` holds what is wrong with the declarations of names that cannot be used, `problems` what was found
    so far, `formats` types of C and what values of them become, `pragmas` those for HLS tools. `externals` are the
    functions without definition that have no effects, with the types of their results, `open_ends` loops whose ends
    depend on data and that a parameter bounds, as far as they `may_be_open`. `results` are scalars that are
    kept, though nothing reads them.
    """

    name: str
    symbols: tuple[Symbol, ...]
    functions: tuple[Function, ...]
    body: Block
    directives: Directives
    original: Original | None
    span: Span
    infer_symbols: bool = False
    unsupported: Mapping[str, Diagnostic] = field(default_factory=dict[str, Diagnostic])
    problems: tuple[Diagnostic, ...] = ()
    formats: Mapping[ScalarType, ScalarType] = field(default_factory=dict[ScalarType, ScalarType])
    pragmas: tuple[HlsPragma, ...] = ()
    externals: Mapping[str, ScalarType] = field(default_factory=dict[str, ScalarType])
    open_ends: tuple[Diagnostic, ...] = ()
    may_be_open: bool = False
    results: frozenset[str] = frozenset()
