"""What the page asks for: a kernel, options as on the command line, and the panes to fill."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, cast

from loadstone.errors import refused
from loadstone.options import MEMORIES, Choices, HardwareOptions, Option, options_of

OFFERED: Mapping[str, Option] = {
    option.dest: option for kind in (Choices, HardwareOptions) for option in options_of(kind)
}
PRESETS = tuple(name for name in MEMORIES if name != "litedram")
LARGEST = 1 << 40


@dataclass(frozen=True, slots=True)
class Request:
    """A request; of all that wait in one `slot` of a page, only the latest is answered.

    `position` is the strip to be drawn, counted from 0 in the order of execution; by default the middle one.
    """

    id: int
    slot: str
    panes: tuple[str, ...]
    source: str
    parameters: Mapping[str, int] = field(default_factory=dict[str, int])
    choices: Choices = field(default_factory=Choices)
    hardware: HardwareOptions = field(default_factory=HardwareOptions)
    memory: str = PRESETS[0]
    position: int | None = None


def read_request(data: object, known: Iterable[str]) -> Request:
    """A request from JSON, for panes that are known; raises `InputError` with what is wrong.

    >>> read_request({"source": "int x;", "panes": ["kernel"], "options": {"sizes": "8,8"}}, ["kernel"]).choices.sizes
    (8, 8)
    """
    if not isinstance(data, dict):
        raise refused("a request is an object")
    given = cast(dict[str, Any], data)
    source = given.get("source")
    if not isinstance(source, str):
        raise refused("'source' is no text")
    if any(char < " " and char not in "\t\n" for char in source):
        raise refused("the text holds control characters; it is not C source")
    options = _options(_record(given, "options"))
    memory = given.get("memory", PRESETS[0])
    if memory not in PRESETS:
        raise refused("the memory is not known", None, f"known are: {', '.join(PRESETS)}")
    return Request(
        _whole("id", given.get("id", 0)),
        str(given.get("slot", "main"))[:16],
        _panes(given.get("panes"), known),
        source,
        {name: _whole(name, value) for name, value in _record(given, "parameters").items()},
        Choices.of(options),
        HardwareOptions.of(options),
        memory,
        None if given.get("position") is None else _whole("position", given["position"]),
    )


def _record(given: Mapping[str, Any], name: str) -> dict[str, Any]:
    value = given.get(name, {})
    if not isinstance(value, dict):
        raise refused(f"'{name}' is no object")
    return cast(dict[str, Any], value)


def _panes(names: object, known: Iterable[str]) -> tuple[str, ...]:
    available = tuple(known)
    listed = cast(list[object], names) if isinstance(names, list) else [names]
    for name in listed:
        if name not in available:
            raise refused("a pane is not known", None, f"known are: {', '.join(available)}")
    return tuple(name for name in available if name in listed)


def _whole(name: str, value: object) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or abs(value) > LARGEST:
        raise refused(f"{name} is no whole number of a sensible size")
    return value


def _options(given: Mapping[str, Any]) -> dict[str, Any]:
    """The options that were given, read as on the command line."""
    for name in given:
        if name not in OFFERED:
            raise refused("an option is not known", None, f"known are: {', '.join(OFFERED)}")
    return {name: _value(OFFERED[name], given[name]) for name in given}


def _value(option: Option, text: object) -> Any:
    """The value of an option from its text; without an argument, whether it is set."""
    if option.constant is not None:
        return option.constant if text is True else option.default
    if not isinstance(text, str):
        raise refused(f"{option.flag} is no text")
    if option.choices is not None:
        return _chosen(option, text)
    try:
        return text if option.read is None else option.read(text)
    except ValueError as error:
        raise refused(f"{option.flag}: {error}") from None


def _chosen(option: Option, text: str) -> Any:
    for choice in option.choices or ():
        if str(choice) == text:
            return choice
    raise refused(f"{option.flag} is none of {', '.join(map(str, option.choices or ()))}")
