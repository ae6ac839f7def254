"""Tilings nest by nest: for each top-level loop the first way that is legal, the last of which always is.

    for (t...) {                          theta: S0[t, i] -> [t, 0, i], S1[t, j] -> [t, 1, j], sizes 1, 1, 32
      for (i...) S0;
      for (j...) S1;
    }

In sequence, theta is the original order: the loops, and between them the textual positions where statements differ. It
leaves out the position inside of the innermost loops, which the textual order replaces. With tiles of size 1, and
larger ones along the last loop only, this is the order of the program, and hence legal. Other dimensions get larger
tiles where that is legal, inner ones first.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cache, reduce

import islpy as isl

from loadstone.analysis import Dependences
from loadstone.model.kernel import Kernel
from loadstone.poly import map_from_values
from loadstone.poly.dimensions import constant_component, padded, with_components
from loadstone.poly.spaces import constant, range_product
from loadstone.transform.automatic.tilings import band_tilings
from loadstone.transform.sink import sunk
from loadstone.transform.tiling import TiledKernel, Tiling, nest_of, nests_of, tiled, with_strip

Test = Callable[[TiledKernel, Dependences], bool]
"""Whether a tiling respects the dependences of a kernel."""

IN_SEQUENCE = "in sequence"


def nest_by_nest(kernel: Kernel, tiling: Tiling, dependences: Dependences, is_legal: Test) -> TiledKernel:
    """The kernel with a legal tiling, whatever its nests are; raises `InputError` where the strip does not fit."""
    numbers = nests_of(kernel)
    if len(numbers) < 2:
        found = _tiled_nest(kernel, tiling, dependences, is_legal, bands=False)
    else:
        parts = [_nest(kernel, number, number == numbers[0]) for number in numbers]
        found = _in_one_space(
            kernel, [_tiled_nest(part, tiling, _inside(part, dependences), is_legal, bands=True) for part in parts]
        )
    return with_strip(found, tiling.strip)


def _nest(kernel: Kernel, number: int, is_first: bool) -> Kernel:
    """One nest as a kernel; the first one holds the statements that never run, too."""
    chosen = (number, None) if is_first else (number,)
    return replace(kernel, statements=tuple(s for s in kernel.statements if nest_of(s) in chosen))


def _inside(nest: Kernel, dependences: Dependences) -> Dependences:
    """The dependences between statements of a nest."""

    def inside(relation: isl.UnionMap) -> isl.UnionMap:
        return relation.intersect_domain(nest.domain).intersect_range(nest.domain)

    return Dependences(inside(dependences.flow), inside(dependences.anti), inside(dependences.output))


def _tiled_nest(nest: Kernel, tiling: Tiling, dependences: Dependences, is_legal: Test, *, bands: bool) -> TiledKernel:
    ways = (way for way in _ways_to_tile(nest, tiling, dependences, bands) if is_legal(way, dependences))
    return next(ways, None) or _in_sequence(nest, tiling, lambda tiles: is_legal(tiles, dependences))


def _ways_to_tile(nest: Kernel, tiling: Tiling, dependences: Dependences, bands: bool) -> Iterator[TiledKernel]:
    plain = tiled(nest, Tiling(_fitted(tiling.sizes, _depth(nest) or 1)))
    yield replace(plain, choice="the loops as they stand")
    yield replace(sunk(plain), choice="statements sunk into inner loops")
    if bands:
        yield from band_tilings(nest, replace(tiling, strip=1), dependences)


def _depth(nest: Kernel) -> int:
    return max(statement.depth for statement in nest.statements)


def _fitted(sizes: int | tuple[int, ...], dims: int) -> tuple[int, ...]:
    """A size for each of some loops: the last ones given, or the last one again."""
    given = (sizes,) if isinstance(sizes, int) else sizes
    return (*given, *(given[-1:] * dims))[:dims] if len(given) < dims else given[len(given) - dims :]


def _in_sequence(nest: Kernel, tiling: Tiling, is_legal: Callable[[TiledKernel], bool]) -> TiledKernel:
    """The nest in its original order, with tiles as large as is legal."""
    depth = _depth(nest)
    dates = {s.name: padded(s.schedule, 2 * depth + 1).intersect_domain(s.domain) for s in nest.statements}
    kept = [k for k in range(1, 2 * depth) if k % 2 or len(_positions(dates.values(), k)) > 1]
    if not kept:
        return replace(tiled(nest, Tiling(1)), choice=IN_SEQUENCE)
    theta = {name: with_components(date, kept) for name, date in dates.items()}
    loop_sizes = _fitted(tiling.sizes, depth)
    largest = [loop_sizes[k // 2] if k % 2 else max(_positions(dates.values(), k)) + 1 for k in kept]
    tiles = TiledKernel(nest, theta, (*(1 for _ in kept[1:]), largest[-1]), 1, IN_SEQUENCE)
    for position in reversed(range(len(kept) - 1)):
        sizes = (*tiles.sizes[:position], largest[position], *tiles.sizes[position + 1 :])
        larger = replace(tiles, sizes=sizes)
        tiles = larger if is_legal(larger) else tiles
    return tiles


def _positions(dates: Iterable[isl.Map], component: int) -> set[int]:
    """The textual positions that a component of dates has."""
    found = (constant_component(date, component) for date in dates)
    return {position for position in found if position is not None}


def _in_one_space(kernel: Kernel, parts: Sequence[TiledKernel]) -> TiledKernel:
    """The tiled nests one after the other: their number, then dimensions that nests share where sizes are the same."""
    sizes = reduce(_common_sizes, (part.sizes for part in parts))
    theta = {
        name: _placed(part.theta[name], number, _places(part.sizes, sizes), len(sizes))
        for number, part in enumerate(parts)
        for name in part.theta
    }
    ordered = {statement.name: theta[statement.name] for statement in kernel.statements}
    ways = dict.fromkeys(part.choice for part in parts)
    return TiledKernel(kernel, ordered, (1, *sizes), 1, "; ".join(ways))


@cache
def _common_sizes(first: tuple[int, ...], second: tuple[int, ...]) -> tuple[int, ...]:
    """The shortest sequence that holds both, in order.

    >>> _common_sizes((32, 32), (1, 1, 32))
    (1, 1, 32, 32)
    """
    if not first or not second:
        return first or second
    if first[-1] == second[-1]:
        return (*_common_sizes(first[:-1], second[:-1]), first[-1])
    ways = (
        (*_common_sizes(first[:-1], second), first[-1]),
        (*_common_sizes(first, second[:-1]), second[-1]),
    )
    return min(ways, key=len)


def _places(sizes: tuple[int, ...], common: tuple[int, ...]) -> dict[int, int]:
    """Places in a sequence to the sizes found there, the last ones first."""
    found: dict[int, int] = {}
    wanted = len(sizes) - 1
    for place in reversed(range(len(common))):
        if wanted >= 0 and common[place] == sizes[wanted]:
            found[place] = wanted
            wanted -= 1
    return found


def _placed(theta: isl.Map, number: int, places: dict[int, int], dims: int) -> isl.Map:
    """Theta behind the number of the nest, its components at their places, zeros at others."""
    space = theta.get_space().domain()
    components = (
        with_components(theta, [places[place]])
        if place in places
        else map_from_values(space, [constant(space, 0)]).intersect_domain(theta.domain())
        for place in range(dims)
    )
    return range_product((map_from_values(space, [constant(space, number)]), *components))
