"""Legal tilings to try kernels with."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from itertools import chain, islice

from loadstone.analysis import dependences
from loadstone.model.kernel import Kernel
from loadstone.transform.automatic.tilings import band_tilings
from loadstone.transform.legality import violation
from loadstone.transform.tiling import TiledKernel, Tiling, requested, tiled, with_strip

SIZES = (1, 2, 3, 5)
MOST_STATEMENTS_FOR_ISL = 3


def example_tilings(kernel: Kernel) -> Iterator[TiledKernel]:
    """The tiling of the source with small sizes where they are legal, strips of one and two loops."""
    asked = requested(kernel, kernel.tiling) if kernel.tiling else tiled(kernel, Tiling())
    small = replace(asked, sizes=tuple(min(size, 2 + k % 2) for k, size in enumerate(asked.sizes)))
    legal = small if violation(small, dependences(kernel)) is None else asked
    for strip in (1, 2):
        if strip <= len(asked.sizes):
            yield with_strip(legal, strip)


def random_tilings(kernel: Kernel, seed: int, strips: tuple[int, ...]) -> Iterator[TiledKernel]:
    """Legal tilings of the loops, or of a schedule that isl finds: random sizes, strips of these depths."""
    source = random.Random(seed)
    known = dependences(kernel)
    dims = len(tiled(kernel, Tiling(1)).sizes)
    for strip in sorted({min(strip, dims) for strip in strips}):
        sizes = tuple(source.choice(SIZES) for _ in range(dims))
        candidates = chain(plain(kernel, sizes, strip), automatic(kernel, Tiling(sizes[0], None, strip)))
        yield from islice((tiles for tiles in candidates if violation(tiles, known) is None), 1)


def plain(kernel: Kernel, sizes: tuple[int, ...], strip: int) -> Iterator[TiledKernel]:
    for keep in (len(sizes), 1, 0):
        first = len(sizes) - keep
        yield tiled(kernel, Tiling((1,) * first + sizes[first:], None, strip))


def automatic(kernel: Kernel, tiling: Tiling) -> Iterator[TiledKernel]:
    if len(kernel.statements) <= MOST_STATEMENTS_FOR_ISL:
        known = dependences(kernel)
        yield from islice(
            (found for found in band_tilings(kernel, tiling, known) if violation(found, known) is None), 1
        )
