"""First reads and last writes of a strip, as operations [RR-7697, 2.2 and 3.3; RR-7648, III-A].

The strip is the one that the outer tile coordinates, as parameters, choose. Its operations run by tile, then by time
inside of the tile; a statement reads before it writes. The date of an access is therefore

    (tile within the strip, theta, textual position, original order, 0 for a read or 1 for a write)

and the first or last access of an element is a parametric lexicographic minimum or maximum over the union of all
statements. Dates identify instances, so that the instance is found again from the date, and what only describes the
schedule (the tile number, theta) is projected out of the result.

Accesses that depend on data count as if they happened, except where a write must be sure to count.
"""

from __future__ import annotations

import islpy as isl

from loadstone.model.kernel import Access, AccessChoice, Statement
from loadstone.poly import coalesced, map_from_values, set_space
from loadstone.poly.dimensions import at_component
from loadstone.poly.extrema import greatest_function, least, least_function
from loadstone.poly.spaces import Dim, constant, range_product
from loadstone.transfer.tile_accesses import element_space
from loadstone.transform.tiling import TiledKernel

READ, WRITE = 0, 1


def first_read(tiles: TiledKernel, array: str) -> isl.UnionPwMultiAff:
    """Elements to the first instance of the strip that reads them: FirstOpRead [RR-7697, 3.3]."""
    return _instances(tiles, least_function(_dates(tiles, array, _reads, _nothing)))


def first_read_before_write(tiles: TiledKernel, array: str) -> isl.UnionPwMultiAff:
    """Elements to the first instance of the strip that accesses them, where that is a read.

    FirstOpReadBeforeWrite [RR-7697, 3.3], called FirstRead in [RR-7648, III-A]. With accesses that depend on data it is
    FirstOpReadBeforeWriteSure [RR-7697, 4.3]: the first possible access, for elements that may be read before they are
    surely written, and for elements with possible but no sure writes.
    """
    touched = least_function(_dates(tiles, array, _reads, _writes))
    if all(s.write.exact for s in tiles.kernel.statements if s.write.array == array):
        return _instances(tiles, touched, (READ,))
    return _instances(tiles, touched.intersect_domain(_exposed(tiles, array)))


def last_write(tiles: TiledKernel, array: str) -> isl.UnionPwMultiAff:
    """Elements to the last instance of the strip that may write them: LastOpWrite [RR-7697, 3.3]."""
    return _instances(tiles, greatest_function(_dates(tiles, array, _nothing, _writes)))


def _exposed(tiles: TiledKernel, array: str) -> isl.Set:
    """Elements that may be read before they are surely written, or that are perhaps written and never surely."""
    first = least(_dates(tiles, array, _reads, _sure_writes))
    written = _dates(tiles, array, _nothing, _writes).domain()
    surely = _dates(tiles, array, _nothing, _sure_writes).domain()
    return coalesced(at_component(first, first.dim(Dim.out) - 1, READ).domain().union(written.subtract(surely)))


def _reads(statement: Statement) -> tuple[Access, ...]:
    return statement.reads


def _writes(statement: Statement) -> tuple[Access, ...]:
    return (statement.write,)


def _sure_writes(statement: Statement) -> tuple[Access, ...]:
    return (statement.write,) if statement.write.exact else ()


def _nothing(_: Statement) -> tuple[Access, ...]:
    return ()


def _dates(tiles: TiledKernel, array: str, reads: AccessChoice, writes: AccessChoice) -> isl.Map:
    """Elements to the dates of all their chosen accesses."""
    found = isl.Map.empty(_date_space(tiles, array))
    for statement in tiles.kernel.statements:
        for kind, choose in ((READ, reads), (WRITE, writes)):
            for access in choose(statement):
                if access.array == array:
                    date = _date(tiles, statement, kind)
                    found = found.union(access.relation.reverse().apply_range(date))
    return coalesced(found.intersect_params(tiles.kernel.context))


def _date(tiles: TiledKernel, statement: Statement, kind: int) -> isl.Map:
    space = statement.domain.get_space()
    tag = map_from_values(space, [constant(space, kind)])
    return range_product((tiles.instance_to_strip_tile(statement.name), tiles.instance_to_time(statement.name), tag))


def _date_space(tiles: TiledKernel, array: str) -> isl.Space:
    parameters = (*tiles.kernel.parameters, *tiles.outer)
    elements = element_space(parameters, tiles.kernel.arrays[array])
    longest = max(s.schedule.dim(Dim.out) for s in tiles.kernel.statements)
    length = tiles.strip + len(tiles.sizes) + 1 + longest + 1
    return elements.map_from_domain_and_range(set_space(parameters, "", [f"d{k}" for k in range(length)]))


def _instances(
    tiles: TiledKernel, dates: isl.PwMultiAff, kinds: tuple[int, ...] = (READ, WRITE)
) -> isl.UnionPwMultiAff:
    """The instances whose accesses of these kinds have these dates."""
    found = isl.UnionPwMultiAff.empty(dates.get_space().params())
    for statement in tiles.kernel.statements:
        for kind in kinds:
            date_to_instance = isl.PwMultiAff.from_map(_date(tiles, statement, kind).reverse())
            chosen = date_to_instance.pullback_pw_multi_aff(dates)
            found = found.union_add(chosen.to_union_pw_multi_aff())
    return found.coalesce()
