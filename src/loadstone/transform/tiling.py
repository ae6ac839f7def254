"""Tilings: an affine schedule theta per statement into one space, a size per dimension, and the depth of the strip.

The tile of an instance is floor(theta_k / size_k) in each dimension [RR-7697, 2.1]. The last `strip` tile coordinates
run inside of a strip; the others are parameters of all that is computed for it. Nothing is rewritten into tiled code.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property

import islpy as isl

from loadstone.errors import Diagnostic, InputError
from loadstone.model.affine import affine_value
from loadstone.model.kernel import Kernel, Statement, TilingRequest, union_of_maps
from loadstone.poly import map_from_values
from loadstone.poly.dimensions import constant_component, padded, with_components
from loadstone.poly.spaces import Dim, constant, range_product, tile_map, with_outer_parameters

DEFAULT_SIZE = 32


@dataclass(frozen=True, slots=True)
class Tiling:
    """The user's choice of a tiling.

    `sizes`: one per schedule dimension, or a single one for all. `schedule`: theta in isl syntax, by default the loops
    of the nests. `strip`: how many innermost tile loops form the strip. `free_reductions`: floating-point sums and
    products may run in any order.
    """

    sizes: int | tuple[int, ...] = DEFAULT_SIZE
    schedule: str | None = None
    strip: int = 1
    free_reductions: bool = False


@dataclass(frozen=True, eq=False, repr=False)
class TiledKernel:
    """A kernel with a tiling: `theta` maps the instances of each statement into the common space.

    `choice` says what was chosen and why, unless it is what was given, or the loops as they stand. `rounded` are
    the arrays of floating point whose updates run in another order than that of the text.
    """

    kernel: Kernel
    theta: Mapping[str, isl.Map]
    sizes: tuple[int, ...]
    strip: int
    choice: str = ""
    rounded: frozenset[str] = frozenset()

    def __repr__(self) -> str:
        return (
            f"<{self.kernel.name} in tiles of {' x '.join(map(str, self.sizes))}, strips over {', '.join(self.inner)}>"
        )

    @cached_property
    def coordinates(self) -> tuple[str, ...]:
        """The names of the tile coordinates: T0, T1, ..., or TT0, TT1, ... where the kernel has one of these names."""
        kernel, mark = self.kernel, "T"
        taken = {*kernel.parameters, *kernel.arrays, *(name for s in kernel.statements for name in s.iterators)}
        while any(f"{mark}{k}" in taken for k in range(len(self.sizes))):
            mark += "T"
        return tuple(f"{mark}{k}" for k in range(len(self.sizes)))

    @property
    def outer(self) -> tuple[str, ...]:
        """The tile coordinates that number the strips."""
        return self.coordinates[: len(self.sizes) - self.strip]

    @property
    def inner(self) -> tuple[str, ...]:
        """The tile coordinates that run in a strip."""
        return self.coordinates[len(self.sizes) - self.strip :]

    @property
    def schedule(self) -> isl.UnionMap:
        """Theta of all statements."""
        return union_of_maps(self.kernel, iter(self.theta.values()))

    def instance_to_tile(self, statement: str) -> isl.Map:
        """Instances to all tile coordinates."""
        return self._tile_of(statement)

    def instance_to_strip_tile(self, statement: str) -> isl.Map:
        """Instances to the tile within the strip that the outer coordinates, as parameters, choose."""
        return self._strip_tile_of(statement)

    @cached_property
    def _tile_of(self) -> Callable[[str], isl.Map]:
        tile_of = tile_map(self.kernel.parameters, self.sizes)

        def found(name: str) -> isl.Map:
            return self.theta[name].apply_range(tile_of)

        return cache(found)

    @cached_property
    def _strip_tile_of(self) -> Callable[[str], isl.Map]:
        def found(name: str) -> isl.Map:
            return with_outer_parameters(self._tile_of(name), self.outer)

        return cache(found)

    @cached_property
    def _length(self) -> int:
        """The number of dates of the original order."""
        return max(s.schedule.dim(Dim.out) for s in self.kernel.statements)

    def instance_to_time(self, statement: str) -> isl.Map:
        """Instances to the time inside of a tile: theta, textual position, and the original order on ties."""
        names = [s.name for s in self.kernel.statements]
        chosen = self.kernel.statement(statement)
        position = constant(chosen.domain.get_space(), names.index(statement))
        place = map_from_values(chosen.domain.get_space(), [position])
        return range_product((self.theta[statement], place, padded(chosen.schedule, self._length)))

    def instance_to_order(self, statement: str) -> isl.Map:
        """Instances to the whole order of execution: tile coordinates, then the time inside of the tile."""
        return range_product((self.instance_to_tile(statement), self.instance_to_time(statement)))


def tiled(kernel: Kernel, tiling: Tiling) -> TiledKernel:
    """The kernel with a tiling; raises `InputError` when sizes and dimensions do not fit."""
    theta = loop_schedule(kernel) if tiling.schedule is None else _read_schedule(kernel, tiling.schedule)
    dims = next(iter(theta.values())).dim(Dim.out)
    numbered = tiling.schedule is None and len(nests_of(kernel)) > 1
    return TiledKernel(kernel, theta, _sizes(tiling.sizes, dims, numbered), _strip(tiling.strip, dims))


def requested(
    kernel: Kernel, request: TilingRequest, sizes: int | tuple[int, ...] | None = None, strip: int | None = None
) -> TiledKernel:
    """The kernel with the tiling of its source; given sizes and strips replace those of the source."""
    sizes, strip = sizes or request.sizes, strip or request.strip
    if not request.schedule:
        return tiled(kernel, Tiling(sizes, None, strip))
    theta = {
        name: _theta_from_values(kernel.statement(name), [affine_value(v, _space(kernel, name)) for v in values])
        for name, values in request.schedule
    }
    ordered = {s.name: theta[s.name] for s in kernel.statements}
    dims = len(request.sizes)
    return TiledKernel(kernel, ordered, _sizes(sizes, dims, False), _strip(strip, dims))


def _space(kernel: Kernel, name: str) -> isl.Space:
    return kernel.statement(name).domain.get_space()


def _theta_from_values(statement: Statement, values: Sequence[isl.PwAff]) -> isl.Map:
    return map_from_values(statement.domain.get_space(), values).intersect_domain(statement.domain)


def untiled(kernel: Kernel) -> TiledKernel:
    """The kernel in its original order, each date a tile of its own."""
    length = max(s.schedule.dim(Dim.out) for s in kernel.statements)
    theta = {s.name: padded(s.schedule, length).intersect_domain(s.domain) for s in kernel.statements}
    return TiledKernel(kernel, theta, (1,) * length, 1)


def loop_schedule(kernel: Kernel) -> dict[str, isl.Map]:
    """The loops as they stand: nests numbered by a first dimension if there are several, statements padded by zeros."""
    nests = nests_of(kernel)
    theta = {s.name: _loops_of(s) for s in kernel.statements}
    if len(nests) > 1:
        for statement in kernel.statements:
            space = statement.domain.get_space()
            nest = nest_of(statement)
            number = map_from_values(space, [constant(space, 0 if nest is None else nests.index(nest))])
            theta[statement.name] = range_product((number, theta[statement.name]))
    dims = max(t.dim(Dim.out) for t in theta.values())
    if dims == 0:
        return {s.name: _theta_from_values(s, [constant(s.domain.get_space(), 0)]) for s in kernel.statements}
    return {name: padded(t, dims) for name, t in theta.items()}


def _loops_of(statement: Statement) -> isl.Map:
    """The odd dimensions of the 2d+1 schedule: the loop iterators, negated for downward loops."""
    return with_components(statement.schedule, range(1, statement.schedule.dim(Dim.out), 2))


def nest_of(statement: Statement) -> int | None:
    """The textual position of the top-level loop or statement; None for a statement that never runs."""
    return constant_component(statement.schedule, 0)


def nests_of(kernel: Kernel) -> list[int]:
    """The textual positions of the top-level loops and statements that run."""
    found = {nest_of(statement) for statement in kernel.statements}
    return sorted(nest for nest in found if nest is not None)


def _sizes(sizes: int | tuple[int, ...], dims: int, numbered: bool) -> tuple[int, ...]:
    """One size per dimension; the dimension that numbers the nests has size 1 and need not be given."""
    loops = dims - numbered
    given = (sizes,) if isinstance(sizes, int) else sizes
    if len(given) == 1:
        given = given * loops
    if numbered and len(given) == loops:
        given = (1, *given)
    if len(given) != dims:
        wanted = f"{loops} or {dims}" if numbered else str(dims)
        hint = f"--tile {','.join(['32'] * loops)}"
        raise InputError(Diagnostic(f"the tiling has {len(given)} sizes, but {wanted} are needed", None, hint))
    if any(size < 1 for size in given):
        raise InputError(Diagnostic("tile sizes must be positive"))
    return given


def _strip(strip: int, dims: int) -> int:
    if not 1 <= strip <= dims:
        raise InputError(Diagnostic(f"a strip of {strip} tile loops does not fit {dims} dimensions", None, "--strip 1"))
    return strip


def _read_schedule(kernel: Kernel, text: str) -> dict[str, isl.Map]:
    """Theta from isl syntax: every statement, one common number of dimensions, defined for all instances."""
    try:
        whole = isl.UnionMap.read_from_str(isl.DEFAULT_CONTEXT, text)
    except isl.Error as error:
        raise InputError(Diagnostic(f"cannot read the schedule: {text}", None, "{ S0[i,j] -> [i, j] }")) from error
    whole = whole.align_params(kernel.context.get_space())
    found: dict[str, isl.Map] = {}
    whole.foreach_map(lambda part: found.update({part.get_tuple_name(Dim.in_) or "": part}))
    dims = max((part.dim(Dim.out) for part in found.values()), default=1)
    theta = {s.name: _checked_theta(s, found, dims) for s in kernel.statements}
    if len({t.dim(Dim.out) for t in theta.values()}) > 1:
        raise InputError(
            Diagnostic("the schedule maps statements into spaces of different dimensions", None, "pad with 0")
        )
    return theta


def _checked_theta(statement: Statement, found: Mapping[str, isl.Map], dims: int) -> isl.Map:
    theta = found.get(statement.name)
    if theta is None and statement.domain.is_empty():
        return _theta_from_values(statement, [constant(statement.domain.get_space(), 0)] * dims)
    if theta is None:
        raise InputError(Diagnostic(f"the schedule has no entry for statement {statement.name}"))
    if theta.dim(Dim.in_) != statement.domain.dim(Dim.set):
        iterators = ", ".join(statement.iterators)
        raise InputError(Diagnostic(f"in the schedule, {statement.name} must have the iterators {iterators}"))
    theta = theta.intersect_domain(statement.domain)
    if not statement.domain.is_subset(theta.domain()) or not theta.is_single_valued():
        raise InputError(Diagnostic(f"the schedule must give each instance of {statement.name} exactly one date"))
    return theta


def with_strip(tiles: TiledKernel, strip: int) -> TiledKernel:
    """The same tiling with another depth of the strip."""
    return replace(tiles, strip=_strip(strip, len(tiles.sizes)))


def tiling_info(tiles: TiledKernel) -> dict[str, object]:
    """The tiling as JSON."""
    return {
        "schedule": str(tiles.schedule),
        "sizes": list(tiles.sizes),
        "strip": tiles.strip,
        "outer": list(tiles.outer),
        "inner": list(tiles.inner),
        **({"choice": tiles.choice} if tiles.choice else {}),
    }
