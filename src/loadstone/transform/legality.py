"""Legality: an order of execution must keep the source of every dependence before its target.

A program may execute an instance several times, in copies, or not at all. Then it is right if each copy of a read finds
the value of its source in at least one copy of it that ran before, if all copies keep clear of writes that come later
or earlier in the original (anti and output dependences between all copies), and if the last writes of elements that
are seen after the kernel are executed. Copies of one instance write the same value, so that their order is free.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial, reduce

import islpy as isl

from loadstone.analysis import Dependences
from loadstone.model.kernel import Kernel, Statement
from loadstone.poly import spaces
from loadstone.poly.enumeration import fixed_input, points, sample_pair, sample_point
from loadstone.poly.names import fixed
from loadstone.poly.order import in_order_of_blocks, order_violations
from loadstone.poly.spaces import Dim
from loadstone.transform.program import Program
from loadstone.transform.tiling import TiledKernel

Instance = tuple[str, tuple[int, ...]]


@dataclass(frozen=True, slots=True, eq=False)
class Copy:
    """A statement that executes instances of one of the kernel's: its name, and the dates of these instances."""

    name: str
    order: isl.Map


@dataclass(frozen=True, slots=True)
class Violation:
    """Two instances that touch an element in the wrong order, and the dimension of the order that runs backwards."""

    kind: str
    parameters: Mapping[str, int]
    source: Instance
    target: Instance
    element: str
    dimension: str

    def text(self) -> str:
        """The violation in words."""
        return (
            f"{show(self.source)} must run before {show(self.target)}, because of {self.element} "
            f"({self.kind} dependence){_with_values(self.parameters)}, but {self.dimension} runs backwards"
        )


@dataclass(frozen=True, slots=True)
class Missing:
    """An instance that is not executed though its value is needed: by another one, or after the kernel."""

    parameters: Mapping[str, int]
    source: Instance
    target: Instance | None
    element: str

    def text(self) -> str:
        """The violation in words."""
        reader = "is seen after the kernel" if self.target is None else f"is read by {show(self.target)}"
        return (
            f"{show(self.source)} is not executed any more, but its value of {self.element} "
            f"{reader}{_with_values(self.parameters)}"
        )


def _with_values(parameters: Mapping[str, int]) -> str:
    values = ", ".join(f"{name} = {value}" for name, value in parameters.items())
    return f" (with {values})" if values else ""


def show(instance: Instance) -> str:
    """An instance in C terms."""
    name, point = instance
    return f"{name}({', '.join(map(str, point))})"


def violation(tiles: TiledKernel, dependences: Dependences) -> Violation | Missing | None:
    """A dependence that the order of a tiling breaks, if there is one (exact)."""
    dates = cache(partial(_total_dates, tiles))

    def copy(name: str) -> tuple[Copy, ...]:
        return (Copy(name, tiles.instance_to_order(name)),)

    def is_kept(part: isl.Map) -> bool:
        first, second = map(dates, _ends(part))
        return first is not None and second is not None and in_order_of_blocks(part, first, second, tiles.sizes)

    def dimension(position: int, _: str) -> str:
        return _tile_dimension(position, tiles)

    return next(_broken(tiles.kernel, dependences, cache(copy), dimension, is_kept), None)


def _total_dates(tiles: TiledKernel, name: str) -> isl.Map | None:
    """The dates of a statement inside of a tile, the schedule first; None where some instances may have none."""
    domain = tiles.kernel.statement(name).domain
    return tiles.instance_to_time(name) if domain.is_subset(tiles.theta[name].domain()) else None


def program_violation(
    program: Program, dependences: Dependences, legal: Program | None = None
) -> Violation | Missing | None:
    """A dependence that the order of a program breaks, or a result that it loses, if there is one (exact).

    `legal` is a program with the same dependences that is known to be legal: between statements whose copies are all
    the same as there, nothing can be broken.
    """
    trusted = frozenset[str]() if legal is None else _untouched(program, legal)
    copies: dict[str, tuple[Copy, ...]] = {statement.name: () for statement in program.base.statements}
    for part, order in program.orders():
        copies[part.base] = (*copies[part.base], Copy(part.name, order))

    def dimension(position: int, name: str) -> str:
        return _loop_dimension(position, name, program)

    broken = _broken(program.base, dependences, copies.__getitem__, dimension, lambda part: trusted >= set(_ends(part)))
    return next(broken, None) or next(_lost_results(program.base, dependences, copies), None)


def _untouched(program: Program, legal: Program) -> frozenset[str]:
    """The statements of the base whose copies are the same in both programs."""
    every = (statement.name for statement in program.base.statements)
    return frozenset(name for name in every if program.copies(name) == legal.copies(name))


def _broken(
    kernel: Kernel,
    dependences: Dependences,
    copies: Callable[[str], Sequence[Copy]],
    dimension: Callable[[int, str], str],
    is_kept: Callable[[isl.Map], bool],
) -> Iterator[Violation | Missing]:
    """What is broken among the dependences between two statements each that are not known to be kept."""
    for kind in ("flow", "anti", "output"):
        relation: isl.UnionMap = getattr(dependences, kind)
        for part in maps_of(relation.intersect_params(kernel.context)):
            if is_kept(part):
                continue
            first, second = _ends(part)
            sources = copies(first)
            for target in copies(second):
                read = part.intersect_range(target.order.domain())
                late = _never_before(read, sources, target) if kind == "flow" else read
                if not late.is_empty():
                    yield from _witnesses(kind, late, sources, target, kernel, dimension)


def _ends(part: isl.Map) -> tuple[str, str]:
    """The statements at both ends of a dependence."""
    return part.get_tuple_name(Dim.in_), part.get_tuple_name(Dim.out)


def _never_before(pairs: isl.Map, sources: Sequence[Copy], target: Copy) -> isl.Map:
    """The pairs whose source runs in no copy before the target."""
    if len(sources) == 1 and pairs.domain().is_subset(sources[0].order.domain()):
        return pairs
    for source in sources:
        present = pairs.intersect_domain(source.order.domain())
        broken = (part for _, part in order_violations(present, source.order, target.order))
        late = reduce(isl.Map.union, broken, isl.Map.empty(pairs.get_space()))
        pairs = pairs.subtract(present.subtract(late))
    return pairs


def _witnesses(
    kind: str,
    late: isl.Map,
    sources: Sequence[Copy],
    target: Copy,
    kernel: Kernel,
    dimension: Callable[[int, str], str],
) -> Iterator[Violation | Missing]:
    for source in sources:
        for position, broken in order_violations(late, source.order, target.order):
            parameters, first, second = sample_pair(broken)
            pair = (broken.get_tuple_name(Dim.in_), first), (broken.get_tuple_name(Dim.out), second)
            element = _common_element(kind, pair, parameters, kernel)
            yield Violation(
                kind, parameters, (source.name, first), (target.name, second), element, dimension(position, target.name)
            )
    executed = reduce(isl.Set.union, (s.order.domain() for s in sources), isl.Set.empty(late.domain().get_space()))
    unexecuted = late.subtract_domain(executed)
    if kind == "flow" and not unexecuted.is_empty():
        parameters, first, second = sample_pair(unexecuted)
        pair = (unexecuted.get_tuple_name(Dim.in_), first), (unexecuted.get_tuple_name(Dim.out), second)
        yield Missing(parameters, pair[0], (target.name, second), _common_element(kind, pair, parameters, kernel))


def _lost_results(kernel: Kernel, dependences: Dependences, copies: Mapping[str, Sequence[Copy]]) -> Iterator[Missing]:
    """Instances that are not executed though nothing overwrites what they write for those who look after the kernel."""
    for statement in kernel.statements:
        if not kernel.arrays[statement.write.array].live_out:
            continue
        executed = reduce(isl.Set.union, (c.order.domain() for c in copies[statement.name]), _no_instances(statement))
        lost = statement.domain.intersect_params(kernel.context).subtract(executed)
        lost = lost.subtract(_overwritten(kernel, dependences, statement))
        if not lost.is_empty():
            parameters, point = sample_point(lost)
            written = sorted(_elements(kernel.accesses(lambda s: (s.write,)), (statement.name, point), parameters))
            yield Missing(parameters, (statement.name, point), None, _element_text(*written[0]))


def _no_instances(statement: Statement) -> isl.Set:
    return isl.Set.empty(statement.domain.get_space())


def _overwritten(kernel: Kernel, dependences: Dependences, statement: Statement) -> isl.Set:
    """The instances whose element a later one surely writes."""
    sure = [s.domain.to_union_set() for s in kernel.statements if s.write.exact]
    after = dependences.output.intersect_range(reduce(isl.UnionSet.union, sure)) if sure else dependences.output
    domain = after.domain() if statement.write.exact and sure else isl.UnionSet.empty(statement.domain.get_space())
    return domain.extract_set(statement.domain.get_space())


def maps_of(relation: isl.UnionMap) -> list[isl.Map]:
    """The maps of a union, sorted by the names of their tuples."""
    return sorted(spaces.maps_of(relation), key=lambda m: (m.get_tuple_name(Dim.in_), m.get_tuple_name(Dim.out)))


def _tile_dimension(position: int, tiles: TiledKernel) -> str:
    count = len(tiles.sizes)
    if position < count:
        return f"tile dimension {tiles.coordinates[position]}"
    if position < 2 * count:
        return f"dimension {position - count} of the schedule, inside of a tile,"
    return "the textual order, inside of a tile,"


def _loop_dimension(position: int, name: str, program: Program) -> str:
    loops = program.part(name).loops
    depth = position // 2
    if position % 2 == 0 or depth >= len(loops):
        return "the textual order"
    return f"loop {loops[depth].name} (level {depth + 1})"


def _common_element(kind: str, pair: tuple[Instance, Instance], parameters: Mapping[str, int], kernel: Kernel) -> str:
    """The element that both instances touch, as C would write it."""
    firsts = kernel.accesses(lambda s: s.reads if kind == "anti" else (s.write,))
    seconds = kernel.accesses(lambda s: s.reads if kind == "flow" else (s.write,))
    from_first, from_second = (
        _elements(accesses, instance, parameters) for accesses, instance in zip((firsts, seconds), pair, strict=True)
    )
    return _element_text(*sorted(from_first & from_second)[0])


def _element_text(name: str, element: Sequence[int]) -> str:
    return name + "".join(f"[{index}]" for index in element)


def _elements(
    accesses: isl.UnionMap, instance: Instance, parameters: Mapping[str, int]
) -> set[tuple[str, tuple[int, ...]]]:
    name, point = instance
    found: set[tuple[str, tuple[int, ...]]] = set()
    for part in maps_of(fixed(accesses, parameters)):
        if part.get_tuple_name(Dim.in_) == name:
            elements = fixed_input(part, point).range()
            found |= {(elements.get_tuple_name(), element) for element in points(elements)}
    return found
