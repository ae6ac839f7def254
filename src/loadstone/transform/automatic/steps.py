"""Steps from isl's scheduler: a script to read, edit and replay."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Literal

import islpy as isl

from loadstone.analysis import Dependences
from loadstone.errors import Diagnostic, UnsupportedError
from loadstone.model.kernel import Kernel, Statement
from loadstone.poly.limits import LimitReached
from loadstone.poly.linear import linear
from loadstone.poly.names import names_of
from loadstone.poly.spaces import values_of
from loadstone.transform.automatic.scheduler import isl_schedule
from loadstone.transform.steps.schedule import Schedule

Goal = Literal["locality", "parallel"]


@dataclass(frozen=True, slots=True)
class _Vector:
    """A schedule vector that is being built: the texts of loops, and the positions in sequences around and between."""

    positions: tuple[tuple[int, ...], ...] = ((),)
    loops: tuple[str, ...] = ()

    def within(self, loop: str) -> _Vector:
        return _Vector((*self.positions, ()), (*self.loops, loop))

    def at(self, position: int) -> _Vector:
        return replace(self, positions=(*self.positions[:-1], (*self.positions[-1], position)))


def _text_of(vector: _Vector, others: Iterable[_Vector]) -> str:
    """The vector as text; positions in sequences are numbered in their order at each level."""
    entries: list[str] = []
    for level, (positions, loop) in enumerate(zip(vector.positions, (*vector.loops, ""), strict=True)):
        known = sorted({other.positions[level] for other in others if len(other.positions) > level})
        entries += [str(known.index(positions)), loop]
    return ", ".join(entries[:-1])


def found_steps(kernel: Kernel, dependences: Dependences, goal: Goal) -> tuple[Schedule, ...]:
    """A schedule for each statement: `locality` brings uses of values together, `parallel` keeps outer loops free."""
    schedule = _schedule_for(kernel, dependences, goal)
    vectors = dict(_vectors(schedule.get_root(), kernel, {s.name: _Vector() for s in kernel.statements}))
    found = list(vectors.values())
    return tuple(Schedule(s.name, _text_of(vectors[s.name], found)) for s in kernel.statements if s.name in vectors)


def _schedule_for(kernel: Kernel, dependences: Dependences, goal: Goal) -> isl.Schedule:
    parallel = goal == "parallel"
    near = dependences.flow if parallel else dependences.flow.union(_shared_reads(kernel))
    try:
        found = isl_schedule(kernel, dependences, near, fused=not parallel, outer_parallel=parallel)
    except LimitReached:
        found = None
    if found is None:
        hint = "write the steps yourself: loadstone transform KERNEL --script FILE"
        raise UnsupportedError(Diagnostic("no schedule was found automatically", None, hint))
    return found


def _shared_reads(kernel: Kernel) -> isl.UnionMap:
    """Pairs of instances that read the same element."""
    return kernel.reads.apply_range(kernel.reads.reverse())


def _vectors(node: isl.ScheduleNode, kernel: Kernel, so_far: dict[str, _Vector]) -> Iterator[tuple[str, _Vector]]:
    """The schedule vectors of the statements below a node of the schedule tree."""
    kind = isl.schedule_node_type
    match node.get_type():
        case kind.band:
            yield from _vectors(node.get_child(0), kernel, dict(_within_band(node, kernel, so_far)))
        case kind.sequence | kind.set:
            for position in range(node.n_children()):
                inside = {name: vector.at(position) for name, vector in so_far.items()}
                yield from _vectors(node.get_child(position), kernel, inside)
        case kind.leaf:
            yield from ((s.name, so_far[s.name]) for s in _present(node, kernel))
        case _:
            yield from _vectors(node.get_child(0), kernel, so_far)


def _within_band(node: isl.ScheduleNode, kernel: Kernel, so_far: dict[str, _Vector]) -> Iterator[tuple[str, _Vector]]:
    partial = node.band_get_partial_schedule_union_map()
    for statement in _present(node, kernel):
        space = statement.domain.get_space().map_from_domain_and_range(_band_space(node, statement))
        vector = so_far[statement.name]
        for value in values_of(partial.extract_map(space)):
            vector = vector.within(_text(value, statement))
        yield statement.name, vector


def _band_space(node: isl.ScheduleNode, statement: Statement) -> isl.Space:
    return node.band_get_space().align_params(statement.domain.get_space())


def _present(node: isl.ScheduleNode, kernel: Kernel) -> list[Statement]:
    """The statements with instances below a node."""
    domain = node.get_domain()
    return [s for s in kernel.statements if not domain.extract_set(s.domain.get_space()).is_empty()]


def _text(value: isl.PwAff, statement: Statement) -> str:
    """An affine function of the iterators as C."""
    found: list[isl.Aff] = []
    value.foreach_piece(lambda _, function: found.append(function))
    params = names_of(value.get_space())
    parts = linear(found[0], (*params, *statement.iterators))
    if len(found) > 1 or parts.floors or parts.divisor != 1:
        raise UnsupportedError(Diagnostic(f"isl's schedule of {statement.name} is not affine"))
    terms = [f"{'-' if factor < 0 else '+'} {_multiple(abs(factor), name)}" for factor, name in parts.variables]
    if parts.constant or not terms:
        terms.append(f"{'-' if parts.constant < 0 else '+'} {abs(parts.constant)}")
    return " ".join(terms).removeprefix("+ ").replace("- ", "-", int(terms[0].startswith("-")))


def _multiple(factor: int, name: str) -> str:
    return name if factor == 1 else f"{factor} * {name}"
