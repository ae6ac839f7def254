"""Random kernels whose statements update elements by operators that give the same bits in any order."""

from __future__ import annotations

import random
from pathlib import Path
from tempfile import TemporaryDirectory

import loadstone as ls
from loadstone.transform.choice import choose_tiling, is_legal
from loadstone.transform.tiling import TiledKernel
from random_triples import Triple

INTEGERS = ("int", "unsigned", "short", "unsigned char", "long", "signed char")
SUBSCRIPTS = ("[i + j]", "[i]", "[j]", "[n - i + j]", "[2 * i + k]", "[k + j]")
TERMS = ("a[i][j]", "a[j][k] * 40503", "a[i][k] - a[j][j] * 77", "(i + 1) * 65537 - a[k][j]")
ROWS = ({"n": 0}, {"n": 1}, {"n": 4}, {"n": 7})


def random_update(source: random.Random, name: str, kind: str) -> str:
    """A statement that updates an element of an array."""
    element, term = name + source.choice(SUBSCRIPTS), source.choice(TERMS)
    updates = [f"{element} {op}= {term};" for op in ("+", "-", "*", "&", "|", "^")]
    if kind in ("int", "long"):
        updates += [
            f"{element} = {element} < {term} ? {term} : {element};",
            f"if (a[i][j] > {element}) {element} = a[i][j];",
        ]
    return source.choice(updates)


def random_reductions(seed: int) -> str:
    """A kernel with one to three arrays, each updated by the statements of a nest of three loops."""
    source = random.Random(seed)
    kinds = {f"x{k}": source.choice(INTEGERS) for k in range(source.randint(1, 3))}
    updates = "\n        ".join(random_update(source, name, kind) for name, kind in kinds.items())
    arrays = "".join(f", {kind} {name}[3 * n + 1]" for name, kind in kinds.items())
    order = source.sample("ijk", 3)
    loops = "\n  ".join(f"for (int {v} = 0; {v} < n; {v}++)" for v in order)
    return f"void reductions(int n, int a[n][n]{arrays}) {{\n  {loops} {{\n        {updates}\n      }}\n}}\n"


def reduced_triple(seed: int) -> Triple:
    """Random reductions under a random tiling of the loops as they stand."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "reductions.c"
        path.write_text(random_reductions(seed))
        kernel = ls.parse(path)
    source = random.Random(seed)
    tiles = _tiled(kernel, tuple(source.choice((2, 3)) for _ in range(3)), 1 + seed % 2)
    return Triple(seed, kernel, (), tiles, ROWS)


def _tiled(kernel: ls.Kernel, sizes: tuple[int, ...], strip: int) -> TiledKernel:
    tiles = choose_tiling(kernel, sizes, None, strip)
    return tiles if is_legal(tiles) else choose_tiling(kernel, sizes, "auto", strip)
