"""Values of parameters with which a testbench exercises a kernel: at least two tiles in each dimension."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from math import inf
from typing import TypeVar

import islpy as isl

from loadstone.analysis.bounds import beyond_arrays
from loadstone.errors import Diagnostic, InputError
from loadstone.model.kernel import Kernel
from loadstone.pipeline import Compilation, parameter_values
from loadstone.poly import fixed
from loadstone.poly.dimensions import coordinate
from loadstone.poly.enumeration import sample_point
from loadstone.poly.names import parameter_point
from loadstone.transfer.volumes import count
from loadstone.transform.tiling import TiledKernel

AnyCompilation = TypeVar("AnyCompilation", bound=Compilation)
SMALL = 6
"""The least value that is tried, unless another one is given."""
_PARTS = tuple(part >> k for k in range(20) for part in (1 << 20, 3 << 18))
"""Parts of 2^20 to which values are made smaller."""


def exercising_values(
    kernel: Kernel, given: Mapping[str, int], tiles: TiledKernel | None = None, least: int = SMALL
) -> dict[str, int]:
    """Values for all parameters: those given, those of the source, and for the others the smallest found that exercise.

    The first that are tried are `least`. All accesses stay in their arrays. With a tiling, each dimension has two tiles
    or more, as far as the given values and constant bounds allow.
    """
    known = {**kernel.defaults, **given}
    if set(kernel.parameters) <= set(known):
        return parameter_values(kernel, given)
    sizes = (1,) if tiles is None else tiles.sizes
    found = list(_candidates(kernel, known, sizes, least))
    if not found:
        hint = f"give {kernel.options_for(name for name in kernel.parameters if name not in known)}"
        raise InputError(Diagnostic("no parameters were found that exercise the kernel", None, hint))
    best = found[0] if tiles is None else max(found, key=lambda values: _dimensions_with_two(tiles, values))
    return parameter_values(kernel, {**best, **given})


def exercised(compilation: AnyCompilation, tiles: Callable[[], TiledKernel] | None = None) -> AnyCompilation:
    """The compilation with values for all parameters; missing ones are chosen to exercise its tiling."""
    if compilation.known_values is not None:
        return compilation
    values = exercising_values(compilation.kernel, compilation.given, None if tiles is None else tiles())
    return replace(compilation, given=values)


def smaller_values(kernel: Kernel, values: Mapping[str, int], most: int) -> dict[str, int]:
    """Values of parameters that are made smaller alike until there are at most so many accesses; else the values."""
    smaller = ({name: max(1, value * part >> 20) for name, value in values.items()} for part in _PARTS)
    return next((each for each in smaller if _accesses(kernel, each) <= most), dict(values))


def _accesses(kernel: Kernel, values: Mapping[str, int]) -> float:
    """The accesses of a run; without end where the kernel is not defined for the values."""
    try:
        defined = parameter_values(kernel, values)
    except InputError:
        return inf
    return sum(count(each.domain, defined) * (len(each.reads) + 1) for each in kernel.statements)


def _candidates(kernel: Kernel, known: Mapping[str, int], sizes: Sequence[int], least: int) -> Iterator[dict[str, int]]:
    """Values that the kernel is defined for, smaller ones first: a few more than each of the sizes, and twice that."""
    allowed = fixed(_without_overruns(kernel), known)
    for wish in sorted({max(least, scale * (size + 2)) for size in sizes for scale in (1, 2)}):
        chosen = allowed
        for name in kernel.parameters:
            nearer = chosen.intersect(parameter_point({name: wish}))
            chosen = chosen if name in known or nearer.is_empty() else nearer
        if not chosen.is_empty():
            values, _ = sample_point(isl.Set.from_params(chosen))
            yield {name: known.get(name, values.get(name, wish)) for name in kernel.parameters}


def _without_overruns(kernel: Kernel) -> isl.Set:
    """The parameters for which no exact access leaves its array."""
    allowed = kernel.context
    for beyond in beyond_arrays(kernel):
        allowed = allowed.subtract(beyond.params())
    return allowed


def _dimensions_with_two(tiles: TiledKernel, values: Mapping[str, int]) -> int:
    """In how many dimensions there is more than one tile."""
    visited = [fixed(tiles.instance_to_tile(s.name), values).range() for s in tiles.kernel.statements]
    return sum(any(_has_two(tiles_of, k) for tiles_of in visited) for k in range(len(tiles.sizes)))


def _has_two(visited: isl.Set, position: int) -> bool:
    column = coordinate(visited, position)
    return not column.is_empty() and not column.is_singleton()
