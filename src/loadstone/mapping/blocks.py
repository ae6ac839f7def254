"""The order in which the processors of a macrotask work: in blocks, each task just in time for its consumers.

The last tasks go through their repetitions in blocks. A repetition of another task is in the first block that needs
what it makes, directly or through repetitions of its own task, as dependences tell. Within a block tasks follow each
other; inside of a task, dimensions along which values are handed on are outside, and those without dependences inside,
so that pipelines have an iteration to begin in every cycle.

In the document a filter that runs against the one before waits for a whole image; here a block waits for what it reads.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial, reduce
from itertools import permutations, product
from math import ceil, prod

import islpy as isl

from loadstone.frontend.arrayol.checks import relation
from loadstone.frontend.arrayol.flat import Application, Elementary
from loadstone.frontend.arrayol.kernel import program_of
from loadstone.frontend.arrayol.subscripts import FRAMES, extent
from loadstone.frontend.arrayol.text import directions
from loadstone.frontend.build import build_kernel
from loadstone.model.kernel import Kernel, Statement
from loadstone.poly.dimensions import at_component, first_inputs, padded, with_components
from loadstone.poly.extrema import greatest, least
from loadstone.poly.spaces import Dim, range_product, without_dims
from loadstone.transform.tiling import Tiling


@dataclass(frozen=True, slots=True)
class Axis:
    """A dimension that is cut: into how many blocks, and its direction where both are free."""

    dimension: int
    count: int
    forwards: bool


Axes = tuple[Axis, ...]
MOST_AXES, SIDES = 2, (4, 16)
PARALLEL = 12
"""How many independent repetitions keep a pipeline busy while the first one is on its way to its consumers."""


@dataclass(frozen=True, slots=True, eq=False)
class Blocks:
    """The block of each repetition of each task, by its number.

    `data` are the most that a block makes, `parallel` how many repetitions are independent in each task.
    """

    of: tuple[isl.Map, ...]
    data: int
    parallel: int

    @property
    def cost(self) -> tuple[bool, int]:
        """Blocks that keep pipelines busy come first, then small ones."""
        return self.parallel < PARALLEL, self.data


def tilings(application: Application, block: int) -> Iterator[Tiling]:
    """Tilings of a macrotask in blocks of at least some data, those of small blocks first, and inner orders to try."""
    kernel = build_kernel(program_of(application, application.name))
    owners = _owners(application)
    found = (_blocks(application, axes) for axes in _axes(application, block))
    for blocks in sorted(found, key=lambda each: each.cost):
        for interleaved in (True, False):
            yield _tiling(kernel, owners, application, blocks, interleaved)


def _owners(application: Application) -> list[int]:
    """The number of the task of each statement."""
    alone = (replace(application, tasks=(task,)) for task in application.tasks)
    kernels = [build_kernel(program_of(part, application.name)) for part in alone]
    return [number for number, kernel in enumerate(kernels) for _ in kernel.statements]


def _last(application: Application) -> list[Elementary]:
    """The tasks that no other one of the macrotask reads from."""
    read = {place.array for task in application.tasks for place in task.inputs.values()}
    return [task for task in application.tasks if all(place.array not in read for place in task.outputs.values())]


def _axes(application: Application, block: int) -> Iterator[Axes]:
    """Ways to cut the repetitions of the last tasks: no way, or near-cubes along some dimensions."""
    last = _last(application)
    ranks = {len(task.repetition) for task in last}
    yield ()
    if len(ranks) > 1:
        return
    first = last[0]
    dims = [k for k in range(len(first.repetition)) if all(task.repetition[k] is not None for task in last)]
    made = sum(prod(size or 1 for size in place.pattern) for place in first.outputs.values())
    for count in range(1, min(len(dims), MOST_AXES) + 1):
        for chosen in permutations(dims, count):
            whole = made * prod(first.repetition[k] or 1 for k in dims if k not in chosen)
            for sides in product(SIDES, repeat=count):
                if whole * prod(sides) >= block:
                    for ways in product((True, False), repeat=count):
                        yield tuple(map(partial(_axis, first), chosen, sides, ways))


def _axis(task: Elementary, dimension: int, side: int, forwards: bool) -> Axis:
    return Axis(dimension, ceil((task.repetition[dimension] or 1) / side), forwards)


def _blocks(application: Application, axes: Axes) -> Blocks:
    tasks, found = application.tasks, dict[int, isl.Map]()
    for number in reversed(range(len(tasks))):
        later = [(_readers(application, tasks[number], tasks[k]), found[k]) for k in found]
        needed = [pairs.apply_range(blocks) for pairs, blocks in later if not pairs.is_empty()]
        found[number] = _in_time(tasks[number], needed) if needed else _cut(tasks[number], axes)
    ordered = tuple(found[number] for number in range(len(tasks)))
    sizes = [_sizes(tasks[k], each) for k, each in enumerate(ordered)]
    return Blocks(ordered, sum(data for data, _ in sizes), min(parallel for _, parallel in sizes))


def _repetition(task: Elementary) -> tuple[str, str]:
    """The counters of a repetition, and their bounds."""
    names = [f"r{k}" for k in range(len(task.repetition))]
    bounds = [f"0 <= {name} < {extent(size)}" for name, size in zip(names, task.repetition, strict=True)]
    return ", ".join(names), " and ".join(bounds) or "1 = 1"


def _cut(task: Elementary, axes: Axes) -> isl.Map:
    """The repetitions of a last task to their blocks, in the direction of the task; frames are blocks."""
    names, bounds = _repetition(task)
    signs = directions(task)
    frames = [f"r{k}" for k, size in enumerate(task.repetition) if size is None]
    cut: list[str] = []
    for axis in axes:
        k, size = axis.dimension, task.repetition[axis.dimension] or 1
        fixed = any(before.distance[k] for before in task.before)
        forwards = signs[k] > 0 if fixed else axis.forwards
        position = f"r{k}" if forwards else f"{size - 1} - r{k}"
        cut.append(f"floor(({position})/{ceil(size / axis.count)})")
    return isl.Map(f"[{FRAMES}] -> {{ [{names}] -> [{', '.join((*frames, *cut))}] : {bounds} }}")


def _readers(application: Application, writer: Elementary, reader: Elementary) -> isl.Map:
    """The repetitions of a task to those of another one that read what they write."""
    counts = len(writer.repetition), len(reader.repetition)
    found = isl.Map(f"[{FRAMES}] -> {{ [{_names('w', counts[0])}] -> [{_names('r', counts[1])}] : 1 = 0 }}")
    for written, read in product(writer.outputs.values(), reader.inputs.values()):
        if written.array == read.array:
            pairs = relation(writer, written).apply_range(relation(reader, read).reverse())
            found = found.union(with_components(first_inputs(pairs, counts[0]), range(counts[1])))
    return found


def _names(letter: str, count: int) -> str:
    return ", ".join(f"{letter}{k}" for k in range(count))


def _in_time(task: Elementary, needed: Sequence[isl.Map]) -> isl.Map:
    """The first blocks that need repetitions of a task; the last block for repetitions without a consumer."""
    blocks = reduce(isl.Map.union, needed).coalesce()
    for before in task.before:
        blocks = blocks.union(_handed_on(task, before.distance).apply_range(blocks))
    names, bounds = _repetition(task)
    idle = isl.Set(f"[{FRAMES}] -> {{ [{names}] : {bounds} }}").subtract(blocks.domain())
    found = least(blocks.coalesce())
    return found if idle.is_empty() else found.union(isl.Map.from_domain_and_range(idle, greatest(found.range())))


def _handed_on(task: Elementary, distance: Sequence[int]) -> isl.Map:
    """Repetitions to all later ones along a distance."""
    names, bounds = _repetition(task)
    moved = " and ".join(f"m{k} = r{k} + {step} * n" for k, step in enumerate(distance))
    domain = isl.Set(f"[{FRAMES}] -> {{ [{names}] : {bounds} }}")
    later = f"[{names}] -> [{_names('m', len(distance))}]"
    shifted = isl.Map(f"[{FRAMES}] -> {{ {later} : exists n : n >= 1 and {moved} }}")
    return shifted.intersect_domain(domain).intersect_range(domain)


def _sizes(task: Elementary, blocks: isl.Map) -> tuple[int, int]:
    """The most data that a task makes in a block, and its independent repetitions in an inner one.

    Blocks of the first frame are looked at: those at the corners, and one in the middle.
    """
    known = blocks.intersect_params(isl.Set(f"[{FRAMES}] -> {{ : {FRAMES} = 1 }}"))
    there = known.range()
    ends = [(there.dim_min_val(k).to_python(), there.dim_max_val(k).to_python()) for k in range(there.dim(Dim.set))]
    made = sum(prod(size or 1 for size in place.pattern) for place in task.outputs.values())
    most = max(
        _inside(known, place).count_val().to_python() for place in product(*({a, (a + b) // 2, b} for a, b in ends))
    )
    middle = _inside(known, [(low + high) // 2 for low, high in ends])
    chained = [k for k in range(len(task.repetition)) if any(before.distance[k] for before in task.before)]
    steps = _only(middle, chained).count_val().to_python()
    return made * most, middle.count_val().to_python() // max(1, steps) if chained else PARALLEL


def _only(points: isl.Set, kept: Sequence[int]) -> isl.Set:
    """The points without the coordinates that are not kept."""
    return without_dims(points, [k for k in range(points.dim(Dim.set)) if k not in kept])


def _inside(blocks: isl.Map, place: Sequence[int]) -> isl.Set:
    """The repetitions in a block."""
    for k, number in enumerate(place):
        blocks = at_component(blocks, k, number)
    return blocks.domain().project_out_all_params()


def _tiling(
    kernel: Kernel, owners: Sequence[int], application: Application, blocks: Blocks, interleaved: bool
) -> Tiling:
    """The blocks as tiles of a kernel, with the order inside of them."""
    parts = list[isl.Map]()
    inner = [_inner(s, application.tasks[k], interleaved) for s, k in zip(kernel.statements, owners, strict=True)]
    length = max(each.dim(Dim.out) for each in inner)
    for statement, number, order in zip(kernel.statements, owners, inner, strict=True):
        own = _first(statement, len(application.tasks[number].repetition)).apply_range(blocks.of[number])
        place = isl.Map(f"{{ {_tuple(statement)} -> [{number}] }}")
        parts.append(range_product((own, place, padded(order, length))).intersect_domain(statement.domain))
    outer = blocks.of[0].dim(Dim.out)
    spans = [_span(parts, outer + 1 + k) for k in range(length)]
    shifts = isl.Map(_shift(outer + 1, [low for low, _ in spans]))
    theta = [part.apply_range(shifts).coalesce() for part in parts]
    whole = reduce(isl.UnionMap.union, (part.to_union_map() for part in theta))
    sizes = (*(1,) * outer, len(application.tasks), *(high - low + 1 for low, high in spans))
    framed = any(size is None for task in application.tasks for size in task.repetition)
    return Tiling(sizes, str(whole), len(sizes) - framed)


def _tuple(statement: Statement) -> str:
    return f"{statement.name}[{', '.join(statement.iterators)}]"


def _first(statement: Statement, count: int) -> isl.Map:
    """Instances to the first counters around them."""
    return isl.Map(f"{{ {_tuple(statement)} -> [{', '.join(statement.iterators[:count])}] }}")


def _inner(statement: Statement, task: Elementary, interleaved: bool) -> isl.Map:
    """The order of instances within a block: what hands values on, then the body, then what is independent."""
    rank, signs = len(task.repetition), directions(task)
    bounded = [k for k in range(rank) if task.repetition[k] is not None]
    inside = [k for k in bounded if interleaved and not any(before.distance[k] for before in task.before)]
    outside = [k for k in bounded if k not in inside]
    body = with_components(statement.schedule, range(2 * rank, statement.schedule.dim(Dim.out)))
    return range_product((_counters(statement, outside, signs), body, _counters(statement, inside, signs)))


def _counters(statement: Statement, chosen: Sequence[int], signs: Sequence[int]) -> isl.Map:
    values = [f"{'' if signs[k] > 0 else '-'}{statement.iterators[k]}" for k in chosen]
    return isl.Map(f"{{ {_tuple(statement)} -> [{', '.join(values)}] }}")


def _span(parts: Sequence[isl.Map], position: int) -> tuple[int, int]:
    """The least and the greatest value of a component of dates, for one frame or many."""
    ranges = [part.range().project_out_all_params() for part in parts]
    ends = [(each.dim_min_val(position), each.dim_max_val(position)) for each in ranges]
    return min(low.to_python() for low, _ in ends), max(high.to_python() for _, high in ends)


def _shift(count: int, lows: Sequence[int]) -> str:
    names = [f"t{k}" for k in range(count + len(lows))]
    moved = [*names[:count], *(f"{name} - {low}" for name, low in zip(names[count:], lows, strict=True))]
    return f"{{ [{', '.join(names)}] -> [{', '.join(moved)}] }}"
