"""Tilings from isl's scheduler: its outermost permutable bands, as a schedule to read and edit."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace

import islpy as isl

from loadstone.analysis import Dependences
from loadstone.errors import InputError
from loadstone.model.kernel import Kernel, union_of_maps
from loadstone.poly import map_from_values
from loadstone.poly.dimensions import constant_component, padded
from loadstone.poly.spaces import Dim, constant, maps_of, range_product
from loadstone.transform.automatic.scheduler import schedules_for_locality
from loadstone.transform.tiling import TiledKernel, Tiling, tiled


def band_tilings(kernel: Kernel, tiling: Tiling, dependences: Dependences) -> Iterator[TiledKernel]:
    """Tilings by isl's bands, fused and distributed, legal or not; those too shallow for the strip are left out."""
    for fused, schedule in schedules_for_locality(kernel, dependences):
        theta = _common_space(kernel, _bands(schedule.get_root(), kernel, ()))
        text = str(union_of_maps(kernel, iter(theta.values())))
        with suppress(InputError):
            tiles = tiled(kernel, Tiling(_sizes(theta, tiling), text, tiling.strip))
            yield replace(tiles, choice=f"isl's bands, statements {'fused' if fused else 'distributed'}")


def _bands(
    node: isl.ScheduleNode, kernel: Kernel, prefix: tuple[int, ...]
) -> dict[str, tuple[tuple[int, ...], isl.Map]]:
    """For each statement the sequence positions above its outermost band, and that band's partial schedule."""
    kind = isl.schedule_node_type
    match node.get_type():
        case kind.band:
            partial = node.band_get_partial_schedule_union_map()
            return {name: (prefix, part) for name, part in _by_statement(partial, node, kernel)}
        case kind.sequence | kind.set:
            found: dict[str, tuple[tuple[int, ...], isl.Map]] = {}
            for position in range(node.n_children()):
                found.update(_bands(node.get_child(position), kernel, (*prefix, position)))
            return found
        case kind.leaf:
            universe = isl.UnionMap.from_domain(node.get_domain())
            return {name: (prefix, part) for name, part in _by_statement(universe, node, kernel)}
        case _:
            return _bands(node.get_child(0), kernel, prefix)


def _by_statement(schedule: isl.UnionMap, node: isl.ScheduleNode, kernel: Kernel) -> Iterator[tuple[str, isl.Map]]:
    for part in maps_of(schedule.intersect_domain(node.get_domain())):
        name = part.get_tuple_name(Dim.in_)
        yield name, part.reset_tuple_id(Dim.out) if part.has_tuple_id(Dim.out) else part


def _common_space(kernel: Kernel, bands: dict[str, tuple[tuple[int, ...], isl.Map]]) -> dict[str, isl.Map]:
    """All bands in one space: sequence positions first, everything padded with zeros; zeros for what never runs."""
    depth = max((len(prefix) for prefix, _ in bands.values()), default=1)
    theta: dict[str, isl.Map] = {}
    for statement in kernel.statements:
        space = statement.domain.get_space()
        prefix, band = bands.get(statement.name, ((), map_from_values(space, [])))
        positions = [constant(space, p) for p in (*prefix, *(0,) * (depth - len(prefix)))]
        theta[statement.name] = range_product((map_from_values(space, positions), band)) if depth else band
    dims = max(1, *(t.dim(Dim.out) for t in theta.values()))
    return {name: padded(t, dims) for name, t in theta.items()}


def _sizes(theta: dict[str, isl.Map], tiling: Tiling) -> tuple[int, ...]:
    """A size per dimension: 1 where all dates are constants, else the size of the tiling."""
    dims = next(iter(theta.values())).dim(Dim.out)
    given = tiling.sizes if isinstance(tiling.sizes, tuple) else (tiling.sizes,)
    if len(given) == dims:
        return given
    return tuple(1 if _is_constant(theta, k) else given[min(k, len(given) - 1)] for k in range(dims))


def _is_constant(theta: dict[str, isl.Map], position: int) -> bool:
    return all(constant_component(t, position) is not None for t in theta.values())
