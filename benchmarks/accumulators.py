"""Words moved by kernels with accumulators and other temporaries, against the same kernels without them.

    python benchmarks/accumulators.py

The examples in `examples/accumulators` are as engineers write them. In `benchmarks/without_accumulators` sums stand in
the element that they end in, delayed samples are read from the input again, and local arrays have a subscript for each
loop around them; where values differ, accesses do not. Both are tiled as their pragmas say. Cells are those of one copy
of the buffers of the temporaries.
"""

from __future__ import annotations

from pathlib import Path

import loadstone as ls
from loadstone.loops.description import privatised_info
from loadstone.pipeline import Compilation
from loadstone.transfer.volumes import count

ROOT = Path(__file__).parent.parent
EXAMPLES = sorted((ROOT / "examples" / "accumulators").glob("*.c"))
PLAIN = Path(__file__).parent / "without_accumulators"


def compiled(path: Path) -> Compilation:
    """The kernel of a file, with its default parameters."""
    kernel = ls.parse(path)
    return Compilation(kernel, given=kernel.defaults)


def words(compilation: Compilation) -> int:
    """The words that the plan moves, loads and stores together."""
    arrays = compilation.transfers.arrays.values()
    moved = (relation for part in arrays for relation in (part.strip_to_loaded, part.strip_to_stored))
    return sum(count(relation, compilation.values) for relation in moved)


def rows() -> list[tuple[str, int, int, str]]:
    """For each example: words with temporaries, words without, and what became of the temporaries."""
    found: list[tuple[str, int, int, str]] = []
    for path in EXAMPLES:
        own, plain = compiled(path), compiled(PLAIN / path.name)
        changes = privatised_info(own.accelerator, own.values)
        found.append((path.stem, words(own), words(plain), "; ".join(change["text"] for change in changes)))
    return found


def main() -> None:
    """Print the table."""
    print("| kernel | words | without accumulators | ratio | temporaries |\n|---|---|---|---|---|")
    for name, own, plain, text in rows():
        print(f"| `{name}` | {own} | {plain} | {own / plain:.2f} | {text or 'as they stand, or forward-substituted'} |")


if __name__ == "__main__":
    main()
