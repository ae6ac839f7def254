"""Random kernels with `break`, `continue` and `while`: those of `random_kernels`, with jumps put into their loops.

A jump stands before a statement of a block, so that a condition on data may look at an element that the statement
would access next: it stays in bounds. Conditions are affine, depend on data, or are both.
"""

from __future__ import annotations

import random
import re
from dataclasses import replace

from random_kernels import Draw, RandomKernel, random_kernel

_FOR = re.compile(r"^( *)for \((?:int )?(\w) = (.*?); (.*); (.*)\) \{$")
_STATEMENT = re.compile(r"^( +)(?:L\d+: )?[a-d](?:\[[^;=]*\])+ [^=]*=[^=].*;$")
_ELEMENT = re.compile(r"\b[a-d](?:\[[^\[\]]*\])+")
_MOST_JUMPS = 3


def kernel_with_jumps(seed: int, may: bool = False) -> RandomKernel:
    """Kernel number `seed`, the same in every run."""
    draw = Draw(random.Random(seed).randint)
    kernel = random_kernel(draw, may)
    lines = kernel.source.splitlines()
    places = [k for k, line in enumerate(lines) if _STATEMENT.match(line) and _is_in_block(lines, k)]
    chosen = {draw.choice(places) for _ in range(draw.integer(1, _MOST_JUMPS))} if places else set[int]()
    for place in sorted(chosen, reverse=True):
        lines[place:place] = _jump(lines, place, draw)
    for place in reversed(range(len(lines))):
        if draw.chance(40):
            lines = _with_while(lines, place)
    return replace(kernel, source="\n".join(lines) + "\n")


def _is_in_block(lines: list[str], place: int) -> bool:
    """Whether a line is one statement of several, or of a block, and stands in a loop."""
    return not lines[place - 1].rstrip().endswith((")", "else")) and bool(_counters(lines, place))


def _counters(lines: list[str], place: int) -> list[str]:
    """The counters of the loops around a line, inner ones first."""
    found: list[str] = []
    margin = _margin(lines[place])
    for line in reversed(lines[:place]):
        if line.strip() and _margin(line) < margin:
            margin = _margin(line)
            loop = re.match(r" *for \((?:int )?(\w) =", line)
            found += [loop[1]] if loop else []
    return found


def _margin(line: str) -> int:
    return len(line) - len(line.lstrip())


def _jump(lines: list[str], place: int, draw: Draw) -> list[str]:
    """The lines of a jump before a statement."""
    space = " " * _margin(lines[place])
    word = draw.choice(("break", "continue"))
    condition = _condition(lines, place, draw)
    if draw.chance(30):
        work = re.sub(r"^L[0-9]+: ", "", lines[place].strip())
        return [f"{space}if ({condition}) {{", f"{space}    {work}", f"{space}    {word};", f"{space}}}"]
    if draw.chance(20):
        inner = _condition(lines, place, draw)
        return [f"{space}if ({condition}) {{", f"{space}    if ({inner})", f"{space}        {word};", f"{space}}}"]
    return [f"{space}if ({condition})", f"{space}    {word};"]


def _condition(lines: list[str], place: int, draw: Draw) -> str:
    counters = _counters(lines, place)
    first, last = counters[0], counters[-1] if len(counters) > 1 else "1"
    affine = draw.choice(
        (
            f"{first} == {draw.integer(0, 4)}",
            f"{first} > {last} + {draw.integer(0, 2)}",
            f"({first} + {last}) % {draw.integer(2, 3)} == 1",
            f"{first} + {last} >= {draw.integer(2, 9)}",
            f"{first} != {last} && {first} > {draw.integer(1, 3)}",
        )
    )
    elements = _ELEMENT.findall(lines[place])
    if not elements or draw.chance(50):
        return affine
    data = f"{draw.choice(elements)} > {draw.integer(0, 9)}"
    return draw.choice((data, f"{affine} && {data}", f"{data} || {affine}", f"!({data})"))


def _with_while(lines: list[str], place: int) -> list[str]:
    """The lines with the loop of a line as a `while`, if it is one, and no iteration misses the end of its body."""
    loop = _FOR.match(lines[place])
    if not loop or not lines[place].lstrip().startswith("for (int"):
        return lines
    space, counter, start, condition, step = loop.groups()
    end = next(k for k in range(place + 1, len(lines)) if lines[k] == f"{space}}}")
    body = lines[place + 1 : end]
    if any("continue" in line for line in body):
        return lines
    head = [f"{space}{{", f"{space}int {counter} = {start};", f"{space}while ({condition}) {{"]
    return [*lines[:place], *head, *body, f"{space}    {step};", f"{space}}}", f"{space}}}", *lines[end + 1 :]]
