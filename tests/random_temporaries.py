"""Random kernels as engineers write them: accumulators, maxima, clamps, shift registers, line buffers, local blocks.

`kernel_with_temporaries(seed)` is kernel number `seed`. All subscripts stay in bounds for all parameters >= 0: arrays
have four elements more than the loops that run over them, and offsets are at most two.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from random_kernels import Draw, RandomKernel

TYPES = ("int", "short", "unsigned char", "long long", "int", "int")
PARAMETERS = (
    {"N": 0, "M": 0},
    {"N": 1, "M": 1},
    {"N": 3, "M": 5},
    {"N": 5, "M": 2},
    {"N": 7, "M": 4},
)


@dataclass(frozen=True, slots=True)
class Style:
    """What one kernel is made with: choices, the type of its accumulators and that of its results."""

    draw: Draw
    accumulator: str
    result: str

    def loop(self, iterator: str, extent: str) -> str:
        """A loop over 0 .. extent - 1 or a part of it, upwards or downwards."""
        return self.draw.weighted(
            (10, f"for (int {iterator} = 0; {iterator} < {extent}; {iterator}++)"),
            (3, f"for (int {iterator} = 1; {iterator} < {extent}; {iterator}++)"),
            (2, f"for (int {iterator} = {extent} - 1; {iterator} >= 0; {iterator}--)"),
            (2, f"for (int {iterator} = 0; {iterator} < {extent}; {iterator} += 2)"),
        )

    def data(self, *iterators: str) -> str:
        """A word of the inputs."""
        first, last = iterators[0], iterators[-1]
        return self.draw.choice(
            (f"a[{first}][{last}]", f"b[{last}][{first}]", f"x[{first} + {last}]", f"a[{first} + 1][{last} + 2]")
        )

    def constant(self) -> str:
        return str(self.draw.integer(-3, 9))

    def update(self, name: str, word: str) -> str:
        """A statement that updates an accumulator: a sum, a maximum, a saturating sum, a selection."""
        return self.draw.weighted(
            (6, f"{name} += {word} * {self.constant()};"),
            (3, f"if ({word} > {name}) {name} = {word};"),
            (2, f"{name} = {word} < {name} ? {word} : {name};"),
            (2, f"{{ {name} ^= {word}; if ({name} > 90) {name} = 90; }}"),
            (2, f"if (x[0] > {self.constant()}) {name} -= {word}; else {name} += 3;"),
        )

    def afterwards(self, name: str) -> str:
        """What happens to an accumulator before it is stored."""
        return self.draw.weighted(
            (8, ""),
            (2, f"{name} = {name} >> 1;"),
            (2, f"if ({name} > 50) {name} = 50;"),
            (1, f"if ({name} < 0) {name} = -{name}; else {name} = {name} + 1;"),
        )

    def store(self, target: str, name: str) -> str:
        """The end of an accumulator: a copy, a copy of some values, an update of the result, a second reader."""
        return self.draw.weighted(
            (8, f"{target} = {name};"),
            (2, f"{target} = {name} + 1;"),
            (2, f"{target} = 3 * {name} + {target};"),
            (1, f"if (i + 1 < N) {target} = {name};"),
            (1, f"{{ {target} = {name}; r[i] = {name}; }}"),
            (1, f"{{ r[i] = {name}; {target} = {name}; }}"),
            (1, f"{{ {target} = 7; {target} = {name}; {target} += {name}; }}"),
        )


def product(style: Style) -> str:
    """Sums over k for each (i, j); the accumulator is declared inside, or shared."""
    declared = style.draw.chance(60)
    start = style.draw.choice((style.constant(), "x[i]", "c[i][j]"))
    return f"""
  {"" if declared else f"{style.accumulator} s;"}
  {style.loop("i", "N")}
    {style.loop("j", "M")} {{
      {style.accumulator + " " if declared else ""}s = {start};
      {style.loop("k", "N")}
        {style.update("s", style.data("i", "j", "k"))}
      {style.afterwards("s")}
      {style.store("c[i][j]", "s")}
    }}"""


def rows(style: Style) -> str:
    """One accumulator for each row, stored at its end or after each step."""
    each = style.draw.chance(40)
    return f"""
  {style.loop("i", "N")} {{
    {style.accumulator} s = {style.constant()};
    {style.loop("j", "M")} {{
      {style.update("s", style.data("i", "j"))}
      {"c[i][j] = s;" if each else ""}
    }}
    {style.afterwards("s")}
    {style.store("r[i]", "s")}
  }}"""


def argument_of_maximum(style: Style) -> str:
    """The largest word of each row, and where it is."""
    return f"""
  {style.loop("i", "N")} {{
    {style.accumulator} best = {style.constant()};
    int place = 0;
    {style.loop("j", "M")}
      if ({style.data("i", "j")} > best) {{ best = {style.data("i", "j")}; place = j; }}
    {style.store("r[i]", "best")}
    c[i][0] = place;
  }}"""


def delays(style: Style) -> str:
    """Values carried from iteration to iteration in scalars, along one loop or for each row anew."""
    inner = style.draw.chance(50)
    start = f"z1 = {style.constant()}; z2 = {style.constant()};"
    body = f"""{{
      {style.accumulator} v = {style.data("i", "j") if inner else "x[i]"} - z1 + 2 * z2;
      z2 = z1;
      z1 = {style.draw.choice(("v", "x[i]", "x[i] + i"))};
      {style.afterwards("v")}
      {"c[i][j]" if inner else "r[i]"} = v;
    }}"""
    if inner:
        return f"""
  {style.accumulator} z1, z2;
  {style.loop("i", "N")} {{
    {start}
    {style.loop("j", "M")} {body}
  }}"""
    return f"""
  {style.accumulator} z1, z2;
  {start}
  {style.loop("i", "N")} {body}"""


def shift_register(style: Style) -> str:
    """A filter whose last samples stand in a local array."""
    taps = style.draw.integer(2, 4)
    return f"""
  {style.accumulator} w[{taps}];
  for (int k = 0; k < {taps}; k++) w[k] = {style.constant()};
  {style.loop("i", "N")} {{
    for (int k = {taps - 1}; k > 0; k--) w[k] = w[k - 1];
    w[0] = x[i];
    {style.accumulator} s = 0;
    for (int k = 0; k < {taps}; k++) s += w[k] * b[k][0];
    {style.store("r[i]", "s")}
  }}"""


def line_buffer(style: Style) -> str:
    """A line of the image that is replaced word by word."""
    return f"""
  {style.accumulator} line[M + 1];
  for (int j = 0; j < M; j++) line[j] = {style.constant()};
  {style.loop("i", "N")}
    {style.loop("j", "M")} {{
      {style.accumulator} pixel = a[i][j];
      c[i][j] = line[j] + pixel;
      line[j] = {style.draw.choice(("pixel", "pixel + line[j]", "a[i][j]"))};
    }}"""


def local_block(style: Style) -> str:
    """A block that is made and used in each iteration."""
    return f"""
  {style.loop("i", "N")} {{
    {style.accumulator} block[3][2];
    for (int u = 0; u < 3; u++)
      for (int v = 0; v < 2; v++)
        block[u][v] = a[i + u][v] * {style.constant()};
    for (int u = 0; u < 3; u++)
      for (int v = 0; v < 2; v++)
        {style.draw.choice(("r[i] += block[u][1 - v];", "c[i][v] += block[2 - u][v];", "c[i][v] = block[u][v];"))}
  }}"""


NESTS: tuple[tuple[int, Callable[[Style], str]], ...] = (
    (5, product),
    (4, rows),
    (2, argument_of_maximum),
    (3, delays),
    (2, shift_register),
    (2, line_buffer),
    (2, local_block),
)


def kernel_with_temporaries(seed: int) -> RandomKernel:
    """Kernel number `seed`, the same in every run."""
    return kernel_of(Draw(random.Random(seed).randint))


def kernel_of(draw: Draw) -> RandomKernel:
    """A kernel of one or two nests; names of temporaries are used anew in the second."""
    kind = draw.choice(TYPES)
    style = Style(draw, kind, kind if draw.chance(75) else draw.choice(TYPES))
    nests = [draw.weighted(*NESTS)(style) for _ in range(draw.weighted((3, 1), (1, 2)))]
    return RandomKernel(_text(style, nests), PARAMETERS)


def _text(style: Style, nests: Sequence[str]) -> str:
    body = "\n".join(f"  {{{nest}\n  }}" if len(nests) > 1 else nest for nest in nests)
    return f"""void kernel_under_test(int N, int M, int a[N + M + 8][N + M + 8], int b[N + M + 8][N + M + 8],
                       int x[2 * N + 2 * M + 8], {style.result} c[N + 4][M + 4], {style.result} r[N + 4])
{{
#pragma scop
{body}
#pragma endscop
}}
"""
