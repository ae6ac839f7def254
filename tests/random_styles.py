"""Random kernels in the styles of engineers: arrays addressed linearly, loops that count in their conditions."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from random_kernels import Argument, RandomKernel, kernel_from_seed

__all__ = ["styled_kernel"]

HEADER = re.compile(
    r"(?P<indent> *)for \((?P<kind>int )?(?P<name>\w) = (?P<start>[^;]*); "
    r"(?P=name) (?P<comparison>[<>]=?) (?P<bound>[^;]*); (?P<step>\w\+\+|\w--|\+\+\w|--\w)\)(?P<rest>.*)"
)
TABLE = "h"
"""The array that data select from; its extents must be declared."""


def styled_kernel(seed: int, may: bool = False) -> RandomKernel:
    """Random kernel number `seed` in another style: the same values in the same places of memory."""
    choices = random.Random(f"style {seed}")
    return _counting(_linearised(kernel_from_seed(seed, may), choices), choices)


def _counting(kernel: RandomKernel, choices: random.Random) -> RandomKernel:
    """The kernel with counters of other types, and steps in the conditions of some loops."""
    lines = [_loop(line, choices) if choices.random() < 0.5 else line for line in kernel.source.split("\n")]
    return replace(kernel, source="#include <stdint.h>\n" + "\n".join(lines))


def _loop(line: str, choices: random.Random) -> str:
    """A line with its loop, if it has one of a step of one, written in another way."""
    found = HEADER.fullmatch(line)
    if found is None:
        return line
    kind, name, sign = found["kind"] or "", found["name"], "+" if "+" in found["step"] else "-"
    kind = choices.choice(("int ", "long ", "short ", "int16_t ")) if kind else ""
    back, comparison = {"+": "-", "-": "+"}[sign], found["comparison"]
    start = f"{kind}{name} = ({found['start']}) {back} 1"
    if choices.random() < 0.5:
        head = f"{start}; {sign * 2}{name} {comparison} {found['bound']};"
    else:
        head = f"{start}; {name}{sign * 2} {comparison} ({found['bound']}) {back} 1;"
    return f"{found['indent']}for ({head}){found['rest']}"


def _linearised(kernel: RandomKernel, choices: random.Random) -> RandomKernel:
    """The kernel with some of its arrays of two or more dimensions as pointers."""
    chosen = [argument for argument in kernel.arguments if len(argument.extents) > 1 and argument.name != TABLE]
    source = kernel.source
    for array in (a for a in chosen if choices.random() < 0.8):
        head, mark, body = source.partition("#pragma scop")
        head = _rewritten(head, array, lambda _, array=array: f"*{array.name}")
        source = head + mark + _rewritten(body, array, lambda s, array=array: _element(array, s, choices))
    return replace(kernel, source=source)


def _rewritten(text: str, array: Argument, reference: Callable[[Sequence[str]], str]) -> str:
    """The text with each reference to an array, given by its subscripts, replaced; from the last to the first."""
    for found in reversed(list(re.finditer(rf"\b{array.name}(?=\[)", text))):
        end = found.end()
        subscripts: list[str] = []
        for _ in array.extents:
            close = _closing(text, end)
            subscripts.append(text[end + 1 : close])
            end = close + 1
        inner = [_rewritten(subscript, array, reference) for subscript in subscripts]
        text = text[: found.start()] + reference(inner) + text[end:]
    return text


def _closing(text: str, opening: int) -> int:
    """Where the bracket that opens here is closed."""
    depth = 0
    for position in range(opening, len(text)):
        depth += {"[": 1, "]": -1}.get(text[position], 0)
        if depth == 0:
            return position
    raise AssertionError(text[opening:])


def _element(array: Argument, subscripts: Sequence[str], choices: random.Random) -> str:
    """An element by its address, spelled in one of several ways."""
    terms = [f"({subscript})" for subscript in subscripts]
    if choices.random() < 0.4:
        sizes = [" * ".join(f"({e})" for e in array.extents[k + 1 :]) for k in range(len(terms))]
        address = " + ".join(f"{term} * {size}" if size else term for term, size in zip(terms, sizes, strict=True))
    else:
        address = terms[0]
        for term, extent in zip(terms[1:], array.extents[1:], strict=True):
            address = f"({address}) * ({extent}) + {term}"
    if choices.random() < 0.25:
        return f"(*({array.name} + {address}))"
    return f"{array.name}[{address}]"
