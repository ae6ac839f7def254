"""The designs that an exploration goes through: values of options in all combinations."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from itertools import product
from math import prod
from typing import Any, Literal, TypeVar, cast, get_args

from loadstone.options import MEMORIES, Choices, HardwareOptions, Mode, Option, options_of, positive

Area = Literal["blocks", "lut", "ff", "dsp"]
AREA: tuple[Area, ...] = get_args(Area)
Measure = Literal["cycles", "words", "cells", "energy"] | Area
MEASURES: tuple[Measure, ...] = ("cycles", "words", "cells", "energy", *AREA)
Axes = Mapping[str, tuple[Any, ...]]
"""The values of options, by the names of their fields; those of `sizes` are for each dimension."""

_OF_AUTO = {"local", "objective"}
EXPLORED: Mode = "accelerator"
"""What designs are."""
_OF_TILINGS = frozenset({"sizes", "schedule", "strip", "free_reductions", "keep_dead_stores"})
"""The choices on which it depends what tiles load and store."""
PREDICTED = tuple(each for each in MEMORIES if each != "litedram")
"""The memories whose cycles are predicted."""
AnyOptions = TypeVar("AnyOptions", Choices, HardwareOptions)
_MEMORY = Option("--memory", "external memory", "memory", choices=PREDICTED)
_TRUTH = {"no": False, "yes": True}


@dataclass(frozen=True, slots=True)
class Design:
    """One way to make an accelerator, and the external memory that it is on."""

    choices: Choices
    hardware: HardwareOptions
    memory: str

    def words(self) -> tuple[str, ...]:
        """The options of the command line that make it."""
        own = (*_given(self.choices), *_given(self.hardware))
        return (*own, "--target", "verilog", "--memory", self.memory)

    def words_to_build(self) -> tuple[str, ...]:
        """The options of the command line that write its files: it is on a bus."""
        on_bus = replace(self.hardware, bus=self.hardware.bus or "axi")
        return (*_given(self.choices), *_given(on_bus), "--target", "verilog")

    def chosen(self) -> dict[str, Any]:
        """What differs from the defaults, by the names of options."""
        return {**_changed(self.choices), **_changed(self.hardware), "memory": self.memory}


def _changed(options: Choices | HardwareOptions) -> dict[str, Any]:
    values = ((each.name, getattr(options, each.name), each.default) for each in fields(options))
    return {name: value for name, value, default in values if value != default}


def _given(options: Choices | HardwareOptions) -> Iterator[str]:
    changed = _changed(options)
    for option in options_of(type(options)):
        if option.dest in changed:
            value = changed[option.dest]
            yield option.flag
            if option.constant is None:
                yield spelled(value, ",")


def spelled(value: Any, mark: str) -> str:
    """A value as the command line has it, the parts of a tuple with a mark between them."""
    return mark.join(map(str, cast("tuple[Any, ...]", value))) if isinstance(value, tuple) else str(value)


def known_axes() -> dict[str, Option]:
    """The options that can be axes, by the names that `--over` takes: those with an effect on accelerators."""
    options = (*options_of(Choices), *options_of(HardwareOptions), _MEMORY)
    effective = (option for option in options if not option.modes or EXPLORED in option.modes)
    return {option.flag.lstrip("-"): option for option in effective if option.dest not in _OF_AUTO}


def read_axis(text: str) -> tuple[str, tuple[Any, ...]]:
    """An axis: `unroll=1,2,4`; `tile=8..64` doubles from value to value, `tile=8..20:4` adds 4.

    >>> read_axis("tile=8..64")
    ('sizes', (8, 16, 32, 64))
    >>> read_axis("tile=8..20:4")
    ('sizes', (8, 12, 16, 20))
    >>> read_axis("power-of-two=no,yes")
    ('power_of_two', (False, True))
    """
    name, equals, values = text.partition("=")
    option = known_axes().get(name)
    if option is None or not equals:
        raise ValueError(f"'{text}' is not AXIS=VALUES with an axis among {', '.join(known_axes())}")
    mark = ";" if option.dest == "schedule" else ","
    parts = _stepped(values) if ".." in values else values.split(mark)
    return option.dest, tuple(_value(option, part) for part in parts)


def read_objectives(text: str) -> tuple[Measure, ...]:
    """Measures that count, the most important one first: `cycles,cells`."""
    return tuple(_measure(name) for name in text.split(","))


def read_limit(text: str) -> tuple[Measure, int]:
    """The most that a measure may be.

    >>> read_limit("cells=4096")
    ('cells', 4096)
    """
    name, _, most = text.partition("=")
    return _measure(name), positive(most)


def _measure(name: str) -> Measure:
    for known in MEASURES:
        if known == name:
            return known
    raise ValueError(f"'{name}' is no measure; there are {', '.join(MEASURES)}")


def _stepped(text: str) -> list[str]:
    """The values of a range, by doubling, or by a step behind a colon."""
    ends, colon, step = text.partition(":")
    low, _, high = ends.partition("..")
    first, last = positive(low), positive(high)
    if first > last:
        raise ValueError(f"'{text}' is empty")
    if colon:
        return [str(value) for value in range(first, last + 1, positive(step))]
    return [str(first << k) for k in range(64) if first << k <= last]


def _value(option: Option, text: str) -> Any:
    if option.dest == "sizes":
        return positive(text)
    if option.constant is not None:
        if text not in _TRUTH:
            raise ValueError(f"'{text}' is neither yes nor no")
        return _TRUTH[text]
    whole = option.choices is not None and all(isinstance(choice, int) for choice in option.choices)
    value = (option.read or (int if whole else str))(text)
    if option.choices is not None and value not in option.choices:
        raise ValueError(f"--{option.flag.lstrip('-')} has no '{text}'")
    return value


@dataclass(frozen=True, slots=True)
class Space:
    """Designs around a first one, of `rank` tile sizes: all combinations of the values of axes."""

    first: Design
    rank: int
    axes: Axes

    def __len__(self) -> int:
        sizes = len(self.axes.get("sizes", ())) ** self.rank if "sizes" in self.axes else 1
        for name, values in self.axes.items():
            sizes *= 1 if name == "sizes" else len(values)
        return sizes

    def tilings(self) -> Iterator[Choices]:
        """All tilings, as choices that differ in nothing else."""
        yield from self._varied(self.first.choices, lambda name: name in _OF_TILINGS)

    @property
    def tiling_count(self) -> int:
        """The number of tilings."""
        return prod(len(values) ** (self.rank if name == "sizes" else 1) for name, values in self._tiling_axes())

    def tiling(self, choose: Callable[[str, tuple[Any, ...]], Any]) -> Choices:
        """One of the tilings, with a value chosen for each axis, and of sizes for each dimension."""
        chosen = {
            name: tuple(choose(f"size {k}", values) for k in range(self.rank))
            if name == "sizes"
            else choose(name, values)
            for name, values in self._tiling_axes()
        }
        return replace(self.first.choices, **chosen)

    def _tiling_axes(self) -> list[tuple[str, tuple[Any, ...]]]:
        return [(name, values) for name, values in self.axes.items() if name in _OF_TILINGS]

    def designs(self, tiling: Choices) -> Iterator[Design]:
        """The designs of a tiling."""
        for memory in self.axes.get("memory", (self.first.memory,)):
            for choices in self._varied(tiling, lambda name: name not in _OF_TILINGS):
                for hardware in self._varied(self.first.hardware, lambda name: True):
                    yield Design(choices, hardware, memory)

    def _varied(self, options: AnyOptions, is_wanted: Callable[[str], bool]) -> Iterator[AnyOptions]:
        """Options with all combinations of values of the axes that are wanted."""
        own = {each.name for each in fields(options)}
        names = [name for name in self.axes if name in own and is_wanted(name)]
        for point in product(*map(self._values, names)):
            yield replace(options, **dict(zip(names, point, strict=True)))

    def _values(self, name: str) -> list[Any]:
        values = self.axes[name]
        return list(product(values, repeat=self.rank)) if name == "sizes" else list(values)
