"""Steps as scripts of URUK write them [Devos, Figure 3.15]: `skew(enclose(S2),1,2,1)`, `shift(S3,{[0,1]})`.

`enclose(S, n)` is the loop n levels around a statement, by default the innermost one. The thesis shows four calls; they
and two of the same kind are read:

    skew(enclose(S), a, b, f)       adds f times loop a to loop b of S, counted from the outside
    interchange(enclose(S, n))      swaps a loop with the one around it
    fusion(enclose(S, n))           fuses a loop with the next one in the text
    shift(S, {[g1, ..., c], ...})   moves S by g1 times the first parameter, ..., plus c, a row for each loop
    reversal(enclose(S, n))         runs a loop backwards
    stripmine(enclose(S, n), size)  adds a loop over strips
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from loadstone.transform.loop_names import StepError, find_part, shares_loop
from loadstone.transform.program import Part, Program
from loadstone.transform.step_syntax import Step
from loadstone.transform.steps import Fuse, Interchange, Reverse, Shift, Skew, StripMine

CALL = re.compile(r"(?P<name>\w+)\((?P<arguments>.*)\)")
_ENCLOSE = re.compile(r"enclose\((?P<statement>\w+)(?:,(?P<levels>\d+))?\)")
_ARGUMENT = re.compile(r"enclose\([^)]*\)|\{[^}]*\}|[^,]+")
_ROW = re.compile(r"\[([^\]]*)\]")


@dataclass(frozen=True, slots=True)
class UrukCall:
    """A call of a script of URUK; which loops it is about depends on the program."""

    call: str
    usage: ClassVar[str] = "CALL..."

    def applied(self, program: Program) -> Program:
        """The program after the steps that the call stands for."""
        for step in self.steps(program):
            program = step.applied(program)
        return program

    def steps(self, program: Program) -> Sequence[Step]:
        """The steps of ours that do the same."""
        found = CALL.fullmatch(self.call.replace(" ", ""))
        read = _CALLS.get(found["name"]) if found else None
        if found is None or read is None:
            raise StepError(f"'{self.call}' is no call that is known", self.call, f"known are: {', '.join(_CALLS)}")
        try:
            return read(program, _ARGUMENT.findall(found["arguments"]))
        except (ValueError, IndexError):
            raise StepError(f"the arguments of '{self.call}' do not fit", self.call) from None


def _enclosed(program: Program, text: str) -> tuple[Part, int]:
    """A statement, and the level from the outside of a loop around it."""
    found = _ENCLOSE.fullmatch(text)
    if found is None:
        raise StepError(f"'{text}' names no loop", text, "enclose(S2), or enclose(S2,2) for one further outside")
    part = find_part(program, found["statement"])
    level = len(part.loops) + 1 - int(found["levels"] or 1)
    if not 1 <= level <= len(part.loops):
        raise StepError(f"there is no loop '{text}': {part.name} stands in {len(part.loops)}", text)
    return part, level


def _skew(program: Program, arguments: Sequence[str]) -> Sequence[Step]:
    loop, first, second, factor = arguments
    name = _enclosed(program, loop)[0].name
    return [Skew(f"{name}.{int(second)}", f"{name}.{int(first)}", int(factor))]


def _interchange(program: Program, arguments: Sequence[str]) -> Sequence[Step]:
    part, level = _enclosed(program, *arguments)
    return [Interchange(f"{part.name}.{level - 1}", f"{part.name}.{level}")]


def _fusion(program: Program, arguments: Sequence[str]) -> Sequence[Step]:
    part, level = _enclosed(program, *arguments)
    behind = [other for other in program.parts if _follows(part, other, level - 1)]
    if not behind:
        raise StepError(f"no loop follows '{arguments[0]}'", arguments[0])
    following = min(behind, key=lambda other: other.places)
    return [Fuse(f"{part.name}.{level}", f"{following.name}.{level}")]


def _follows(part: Part, other: Part, depth: int) -> bool:
    """Whether a statement stands behind a loop of another one, and in the same loops around that."""
    inside = depth == 0 or shares_loop(part, other, depth - 1)
    return inside and len(other.loops) > depth and other.places[depth] > part.places[depth]


def _shift(program: Program, arguments: Sequence[str]) -> Sequence[Step]:
    statement, matrix = arguments
    part = find_part(program, statement)
    rows = [[int(entry) for entry in row.split(",")] for row in _ROW.findall(matrix)]
    names = (*part.parameters, "1")
    amounts = [" + ".join(f"{c} * {name}" for c, name in zip(row, names, strict=True)) for row in rows]
    levels = range(1, len(part.loops) + 1)
    return [Shift(f"[{part.name}].{level}", amount) for level, amount in zip(levels, amounts, strict=True)]


def _reversal(program: Program, arguments: Sequence[str]) -> Sequence[Step]:
    part, level = _enclosed(program, *arguments)
    return [Reverse(f"{part.name}.{level}")]


def _strip_mine(program: Program, arguments: Sequence[str]) -> Sequence[Step]:
    loop, size = arguments
    part, level = _enclosed(program, loop)
    return [StripMine(f"{part.name}.{level}", int(size))]


_CALLS: dict[str, Callable[[Program, Sequence[str]], Sequence[Step]]] = {
    "skew": _skew,
    "interchange": _interchange,
    "fusion": _fusion,
    "shift": _shift,
    "reversal": _reversal,
    "stripmine": _strip_mine,
}
