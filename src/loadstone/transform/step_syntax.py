"""The form of a step in a script, `skew LOOP by OTHER [times FACTOR]`, read and written.

Lower-case words stand for themselves, upper-case ones for the fields of the step; `FIELD...` takes several words as one
text, `FIELD*` several words as a tuple. What stands in brackets may be left out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import Field, dataclass, fields
from typing import Any, ClassVar, Protocol, TypeVar

from loadstone.transform.loop_names import StepError
from loadstone.transform.program import Program

Value = str | int | tuple[str, ...] | tuple[int, ...] | None


class Form(Protocol):
    """A line of a script: a frozen dataclass whose fields are its operands."""

    usage: ClassVar[str]
    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]


AnyForm = TypeVar("AnyForm", bound=Form)


class Step(Form, Protocol):
    """One elementary transformation of loops."""

    def applied(self, program: Program) -> Program:
        """The program after the step; raises `StepError` where the step makes no sense."""
        ...


@dataclass(frozen=True, slots=True)
class _Slot:
    """A place in a usage: a word, or a field that takes one word, or all words up to the next one of the usage."""

    text: str
    optional: bool

    @property
    def is_word(self) -> bool:
        return self.text.islower()

    @property
    def field(self) -> str:
        return self.text.rstrip(".*").lower()

    @property
    def is_long(self) -> bool:
        return self.text.endswith((".", "*"))


def step_text(step: Form) -> str:
    """The step as a line of a script."""
    values = {field.name: getattr(step, field.name) for field in fields(step)}
    words: list[str] = []
    for group in _groups(step.usage):
        if group[0].optional and values[group[-1].field] is None:
            continue
        words += [slot.text if slot.is_word else _shown(values[slot.field]) for slot in group]
    return " ".join(words)


def read_step(kind: type[AnyForm], words: Sequence[str]) -> AnyForm:
    """The step of a kind that the words of a line describe."""
    groups = _groups(kind.usage)
    later = {slot.text for group in groups for slot in group if slot.is_word}
    values: dict[str, Value] = {}
    rest = list(words)
    for group in groups:
        if group[0].optional and (not rest or rest[0] != group[0].text):
            continue
        for slot in group:
            _take(slot, rest, later, values, kind)
    if rest:
        raise StepError(f"'{rest[0]}' is too much here", rest[0], f"usage: {kind.usage}")
    return kind(**_converted(kind, values))


def _groups(usage: str) -> list[list[_Slot]]:
    """The slots of a usage: those in brackets together, the others one by one."""
    found: list[list[_Slot]] = []
    for match in re.finditer(r"\[([^\]]*)\]|(\S+)", usage):
        optional = match[1] is not None
        texts = match[1].split() if optional else [match[2]]
        found.append([_Slot(text, optional) for text in texts])
    return found


def _take(slot: _Slot, rest: list[str], later: set[str], values: dict[str, Value], kind: type[Form]) -> None:
    if not rest or (slot.is_word and rest[0] != slot.text):
        what = f"'{slot.text}'" if slot.is_word else slot.text.rstrip(".*")
        raise StepError(f"{what} is missing", rest[0] if rest else "", f"usage: {kind.usage}")
    if slot.is_word:
        rest.pop(0)
        return
    taken = [rest.pop(0)]
    while slot.is_long and rest and rest[0] not in later:
        taken.append(rest.pop(0))
    values[slot.field] = tuple(taken) if slot.text.endswith("*") else " ".join(taken)


def _converted(kind: type[Form], values: Mapping[str, Value]) -> dict[str, Value]:
    types = {field.name: str(field.type) for field in fields(kind)}
    return {name: _number(value) if "int" in types[name] else value for name, value in values.items()}


def _number(value: Value) -> Value:
    if isinstance(value, tuple):
        return tuple(_whole(str(part)) for part in value)
    return _whole(str(value))


def _whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        hint = "put blanks between numbers" if "," in text else ""
        raise StepError(f"'{text}' is not a whole number", text, hint) from None


def _shown(value: Value) -> str:
    return " ".join(map(str, value)) if isinstance(value, tuple) else str(value)
