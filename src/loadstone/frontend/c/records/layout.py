"""Where the members of structures lie in memory: each aligned to its size, the structure to its largest member.

So have it the ABIs of x86-64, of 64-bit Arm and of RISC-V for numbers of up to eight bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import prod

from pycparser import c_ast

from loadstone.frontend.c.declarations import Environment, constant_number, shape_of
from loadstone.frontend.c.trees import innermost
from loadstone.model.record import Member, Step
from loadstone.model.types import ScalarType

StructureOf = Callable[[c_ast.Node], c_ast.Struct | None]
"""The structure at the bottom of a type, if there is one."""


class NotLaidOut(Exception):
    """A structure has a member that is no number: a pointer, a bit field, or an array whose extent is no constant."""


@dataclass(frozen=True, slots=True)
class Layout:
    """The bytes of a structure, their alignment, and its members with their types."""

    size: int
    alignment: int
    members: tuple[tuple[Member, ScalarType], ...]


def layout_of(structure: c_ast.Struct, structure_of: StructureOf, environment: Environment) -> Layout:
    """Where the members of a structure lie; raises `NotLaidOut`."""
    free, alignment = 0, 1
    members: list[tuple[Member, ScalarType]] = []
    for declared in structure.decls or ():
        inner, step = _declared(declared, structure_of, environment)
        start = _aligned(free, inner.alignment)
        members += [(_inside(member, step, start, inner.size), kind) for member, kind in inner.members]
        free = start + inner.size * prod(step.extents)
        alignment = max(alignment, inner.alignment)
    return Layout(_aligned(free, alignment), alignment, tuple(members))


def is_of_words(layout: Layout) -> bool:
    """Whether a structure has several members of one type, whose elements follow each other."""
    kinds = {kind for _, kind in layout.members}
    return len(kinds) == 1 < len(layout.members) and all(_is_dense(member, kind) for member, kind in layout.members)


def _is_dense(member: Member, kind: ScalarType) -> bool:
    extents, size = member.extents, kind.storage.bits // 8
    return member.strides == tuple(size * prod(extents[k + 1 :]) for k in range(len(extents)))


def _declared(declared: c_ast.Decl, structure_of: StructureOf, environment: Environment) -> tuple[Layout, Step]:
    """The layout of one element of a member, and the step to it."""
    if declared.bitsize is not None:
        raise NotLaidOut
    step = Step(declared.name, tuple(_extents(declared.type, environment)))
    structure = structure_of(declared.type)
    if structure is not None:
        return layout_of(structure, structure_of, environment), step
    shape = shape_of(innermost(declared.type), environment)
    if shape.element is None or shape.extents:
        raise NotLaidOut
    size = shape.element.storage.bits // 8
    return Layout(size, size, ((Member((), 0, ()), shape.element),)), step


def _extents(node: c_ast.Node, environment: Environment) -> Iterator[int]:
    while isinstance(node, c_ast.ArrayDecl | c_ast.PtrDecl):
        extent = constant_number(node.dim, environment.enumerators) if isinstance(node, c_ast.ArrayDecl) else None
        if not isinstance(extent, int):
            raise NotLaidOut
        yield extent
        node = node.type


def _inside(member: Member, step: Step, start: int, size: int) -> Member:
    """The member of something in a structure, whose elements have some bytes."""
    strides = tuple(size * prod(step.extents[k + 1 :]) for k in range(len(step.extents)))
    offset = start + member.offset
    return replace(member, steps=(step, *member.steps), offset=offset, strides=(*strides, *member.strides))


def _aligned(place: int, alignment: int) -> int:
    return -(-place // alignment) * alignment
