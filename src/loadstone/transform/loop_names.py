"""Naming loops: `S2.i` by statement and iterator, `S2.1` by level from the outside, `i` where one loop has that name.

`S2.i` is the loop around S2 with all that stands in it; `[S2].i` is S2 alone in that loop, `[S2,S3].i` these two.
"""

from __future__ import annotations

import re

from loadstone.transform.program import Nest, Part, Program

_LOOP = re.compile(r"(?:(?P<alone>\[[\w,]+\])\.|(?P<around>\w+)\.)?(?P<loop>\w+)")


class StepError(Exception):
    """A step that makes no sense for a program; `argument` is the word of it that is to blame."""

    def __init__(self, message: str, argument: str = "", hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.argument = argument
        self.hint = hint


def find_loop(program: Program, text: str) -> Nest:
    """The loop that a text names."""
    found = _LOOP.fullmatch(text)
    if found is None:
        raise StepError(f"'{text}' does not name a loop", text, "S2.i, S2.1, [S2].i, or i if only one loop is called i")
    if found["alone"]:
        return _alone(program, found["alone"][1:-1].split(","), found["loop"], text)
    part = _part_with(program, found["loop"], text) if found["around"] is None else find_part(program, found["around"])
    depth = _depth(part, found["loop"], text)
    return Nest(depth, tuple(other.name for other in program.parts if shares_loop(part, other, depth)))


def find_part(program: Program, name: str) -> Part:
    """The statement with a name."""
    found = next((part for part in program.parts if part.name == name), None)
    if found is None:
        known = ", ".join(part.name for part in program.parts)
        raise StepError(f"there is no statement '{name}'", name, f"statements are: {known}")
    return found


def shares_loop(first: Part, second: Part, depth: int) -> bool:
    """Whether two statements stand in the same loop of a depth."""
    return len(second.loops) > depth and first.places[: depth + 1] == second.places[: depth + 1]


def _alone(program: Program, names: list[str], loop: str, text: str) -> Nest:
    parts = [find_part(program, name) for name in names]
    depths = {_depth(part, loop, text) for part in parts}
    if len(depths) > 1:
        raise StepError(f"'{loop}' is at different depths around {', '.join(names)}", text, "one step for each")
    return Nest(depths.pop(), tuple(names))


def _part_with(program: Program, loop: str, text: str) -> Part:
    """A statement in the only loop with a name."""
    found: list[Part] = []
    for part in program.parts:
        depth = _position(part, loop)
        if depth is not None and not any(shares_loop(other, part, depth) for other in found):
            found.append(part)
    if len(found) != 1:
        several = ", ".join(f"{part.name}.{loop}" for part in found)
        hint = f"say which: {several}" if found else _loops_hint(program)
        raise StepError(f"{'several loops are' if found else 'no loop is'} called '{loop}'", text, hint)
    return found[0]


def _loops_hint(program: Program) -> str:
    known = sorted({f"{part.name}.{loop.name}" for part in program.parts for loop in part.loops})
    return f"loops are: {', '.join(known)}" if known else "there are no loops"


def _depth(part: Part, loop: str, text: str) -> int:
    depth = _position(part, loop)
    if depth is None:
        around = ", ".join(f"{part.name}.{loop.name}" for loop in part.loops) or "none"
        raise StepError(f"{part.name} is in no loop '{loop}'", text, f"loops around it, outermost first: {around}")
    return depth


def _position(part: Part, loop: str) -> int | None:
    if loop.isdigit():
        return int(loop) - 1 if 1 <= int(loop) <= len(part.loops) else None
    return next((depth for depth, found in enumerate(part.loops) if found.name == loop), None)
