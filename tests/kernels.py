"""The kernels that tests run on: examples with tiny parameters, and random ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import loadstone as ls
from loadstone.model.kernel import Kernel
from loadstone.poly import fixed
from loadstone.transfer.volumes import count
from random_kernels import RandomKernel, kernel_from_seed
from random_styles import styled_kernel

ROOT = Path(__file__).parent.parent
ACCUMULATORS = sorted((ROOT / "examples" / "accumulators").glob("*.c"))
"""Examples whose temporaries are privatised: `test_accumulators.py` is about these."""
SPARSE = sorted((ROOT / "examples" / "sparse").glob("*.c"))
"""Examples with bounds from data: `frontend/test_data_bounds.py` is about these."""
STYLES = sorted((ROOT / "examples" / "styles").glob("*.c"))
"""Examples in the styles of engineers: `test_styles.py` is about these."""
EXAMPLES = [p for p in sorted((ROOT / "examples").rglob("*.c")) if p not in (*ACCUMULATORS, *SPARSE, *STYLES)]
KINDS = (".c", ".cpp", ".py", ".yaml")
ALL_EXAMPLES = {
    str(path.relative_to(ROOT / "examples")): path
    for path in sorted((ROOT / "examples").rglob("*"))
    if path.suffix in KINDS
}
"""Every example in every language, by its place."""
UGLY = (0, 1, 2, 3, 5, 7)
MOST_INSTANCES = 400
MOST_SIMULATED = 100_000
"""Instances for which a test simulates hardware; pictures of full size take hours."""
STYLED = 1_000_000
CLASHES = """
void control(int n, int A[n], int a[n], int start[n], int S0, int control_[n])
{
#pragma scop
  for (int tile = 0; tile < n; tile++) {
a:  A[tile] = a[tile] + start[tile] * S0;
S0: control_[tile] += A[tile];
  }
#pragma endscop
}
"""

FILTER = """
void filter(int n, int m, int a[n + m], int w[m], int out[n]) {
  for (int i = 0; i < n; i++) {
    int sum = 0;
    for (int j = 0; j < m; j++)
      sum += a[i + j] * w[j];
    out[i] = sum >> 2;
  }
}
"""

ROWS_LATER = """
void rows_later(int n, int m, int a[n][m]) {
  for (int i = 2; i < n; i++)
    for (int j = 0; j < m; j++)
      a[i][j] = a[i - 2][j] + 1;
}
"""


def tiny_parameters(kernel: Kernel, values: tuple[int, ...] = UGLY) -> Iterator[dict[str, int]]:
    """Small parameter values that the context allows: all equal, and all different."""
    names = kernel.parameters
    for value in values:
        for step in (0, 1, -1):
            chosen = {name: max(0, value + step * position) for position, name in enumerate(names)}
            valid = not fixed(kernel.context, chosen).is_empty() and (step == 0 or len(names) > 1)
            if valid and instance_count(kernel, chosen) <= MOST_INSTANCES:
                yield chosen


def largest_tiny(kernel: Kernel, values: tuple[int, ...]) -> dict[str, int]:
    """The last of the small parameter values, of those above 0 if there are any; the defaults, where none are small."""
    found = [dict(kernel.defaults), *tiny_parameters(kernel, values)]
    return next((each for each in reversed(found[1:]) if all(each.values())), found[-1])


def small_tiling(kernel: Kernel) -> ls.Tiling | None:
    """None where the source has a tiling; else small tiles, since local memories are as large as tiles need them."""
    return None if kernel.tiling else ls.Tiling(4)


def instance_count(kernel: Kernel, parameters: dict[str, int]) -> int:
    """The number of statement instances for given parameters."""
    return sum(count(statement.domain, parameters) for statement in kernel.statements)


def is_too_large(kernel: Kernel, parameters: dict[str, int]) -> bool:
    """Whether hardware of a kernel, whose size may be fixed, is not simulated in tests."""
    return instance_count(kernel, parameters) > MOST_SIMULATED


def random_kernel(
    seed: int, *, may: bool = False, types: Mapping[str, str] | None = None
) -> tuple[Kernel, tuple[dict[str, int], ...]]:
    """Random kernel number `seed`, through the parser with other types, and parameter values to try.

    From `STYLED` on, these are the kernels in the styles of engineers.
    Integer arguments that only appear in conditions are parameters for us, though not for the generator.
    """
    generated = styled_kernel(seed - STYLED, may=may) if seed >= STYLED else kernel_from_seed(seed, may=may)
    return parsed_random(generated, seed, types)


def parsed_random(
    generated: RandomKernel, seed: int, types: Mapping[str, str] | None = None
) -> tuple[Kernel, tuple[dict[str, int], ...]]:
    """A random kernel through the parser, and values for all that are parameters for us."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"random_{seed}.c"
        path.write_text(generated.source)
        kernel = ls.parse(path, types=types)
    return kernel, tuple(
        {name: row.get(name, position + 2) for position, name in enumerate(kernel.parameters)}
        for row in generated.parameters
    )
