"""What a report says in sentences."""

from __future__ import annotations

from collections.abc import Sequence

import islpy as isl

from loadstone.markup import amount, number
from loadstone.reporting.strips import ShownStrip
from loadstone.transform.tiling import TiledKernel


def assignments(names: Sequence[str], values: Sequence[int]) -> str:
    """Names with their values.

    >>> assignments(("T0", "T1"), (2, 0))
    'T0 = 2, T1 = 0'
    """
    return ", ".join(f"{name} = {value}" for name, value in zip(names, values, strict=True))


def isl_body(value: isl.Set | isl.Map | isl.PwQPolynomial) -> str:
    """The text of an isl object between its braces, without the list of parameters."""
    text = str(value)
    return text[text.index("{") + 1 : text.rindex("}")].strip()


def schedule_lines(tiles: TiledKernel) -> tuple[str, ...]:
    """The schedule of each statement, in isl syntax."""
    return tuple(isl_body(tiles.theta[s.name].gist_domain(s.domain)) for s in tiles.kernel.statements)


def tiling_sentence(tiles: TiledKernel) -> str:
    """The tiling in words."""
    targets = {line.rpartition("->")[2].strip(" []") for line in schedule_lines(tiles)}
    over = targets.pop() if len(targets) == 1 else "the schedule"
    return f"tiles of {' × '.join(map(str, tiles.sizes))} over {over}; a strip runs over {', '.join(tiles.inner)}"


def array_sentence(name: str, strip: ShownStrip, loaded: int, stored: int, written: bool) -> str:
    """What the tiles of a strip do with an array of which the whole kernel loads and stores this many elements."""
    if strip.tile_count > 1 and name in strip.loaded_first and name in strip.stored_last:
        words = amount(strip.tiles[0].loaded[name], "element")
        return f"stays local over a strip: loaded in its first tile ({words}), stored in its last"
    load = _load_clause(name, strip) if loaded else "nothing is loaded"
    if stored:
        return f"{load}; {_store_clause(name, strip)}"
    return f"{load}; nothing needs to be stored" if written else f"{load}; nothing is stored"


def _load_clause(name: str, strip: ShownStrip) -> str:
    counts = [tile.loaded[name] for tile in strip.tiles]
    if strip.tile_count > 1 and name in strip.loaded_first:
        return f"only the first tile of a strip loads ({amount(counts[0], 'element')})"
    return _clause(counts, "load", ("first", "later"), strip.complete)


def _store_clause(name: str, strip: ShownStrip) -> str:
    counts = [tile.stored[name] for tile in strip.tiles]
    if strip.tile_count > 1 and name in strip.stored_last:
        words = f" ({amount(counts[-1], 'element')})" if strip.complete else ""
        return f"only the last tile of a strip stores{words}"
    if strip.complete:
        return _clause(counts[::-1], "store", ("last", "earlier"), True)
    return _clause(counts, "store", ("first", "later"), False)


def _clause(counts: Sequence[int], verb: str, ends: tuple[str, str], complete: bool) -> str:
    """How many elements the tiles move; `ends` are the words for the tile that is counted first, and for the others."""
    chief, *rest = counts
    most = amount(max(counts), "element")
    moving = sum(1 for value in counts if value)
    tiles = amount(len(counts), "tile") if complete else f"the first {amount(len(counts), 'tile')}"
    if not moving:
        return f"this strip {verb}s nothing of it" if complete else f"{tiles} {verb} nothing of it"
    if moving < len(counts):
        return f"{moving} of {tiles} {verb}, up to {most} each"
    if min(counts) == max(counts):
        return f"each tile {verb}s {most}"
    if chief > max(rest):
        return f"the {ends[0]} tile {verb}s {most}, each {ends[1]} one up to {number(max(rest))}"
    return f"each tile {verb}s up to {most}"
