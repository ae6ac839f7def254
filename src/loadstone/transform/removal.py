"""Arrays of the source that the kernel no longer uses; the original text goes on using them."""

from __future__ import annotations

from dataclasses import replace

from loadstone.model.affine import affine_text
from loadstone.model.kernel import Array, Kernel


def can_go(kernel: Kernel, name: str) -> bool:
    """Whether the original text can declare an array itself: with extents that are numbers, unless it does so."""
    array = kernel.arrays[name]
    return kernel.original is None or array.local or all(extent.isdigit() for extent in _extents(array))


def without_array(kernel: Kernel, name: str) -> Kernel:
    """The kernel without an array that no statement accesses, its tiling without statements that have gone."""
    array, original, tiling = kernel.arrays[name], kernel.original, kernel.tiling
    if original is not None and not array.local:
        declared = name + "".join(f"[{extent}]" for extent in _extents(array))
        original = replace(original, scalars=(*original.scalars, (array.type, declared)))
    if tiling is not None:
        names = {statement.name for statement in kernel.statements}
        tiling = replace(tiling, schedule=tuple(each for each in tiling.schedule if each[0] in names))
    arrays = {each: kept for each, kept in kernel.arrays.items() if each != name}
    return replace(kernel, arrays=arrays, original=original, tiling=tiling)


def _extents(array: Array) -> list[str]:
    return [affine_text(extent, ()) for extent in array.extents]
