"""Waveforms of modules that are run in Python, as VCD files [IEEE 1364-2005, 18]."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from loadstone.rtl.interpreter import Simulation

PERIOD = 10
"""Nanoseconds from edge to edge of the clock."""
_CLOCK = "!"
_FIRST, _COUNT = ord('"'), ord("~") - ord('"') + 1
Tree = dict[str, "int | Tree"]


class Waveform:
    """What all signals of a simulation do: cycles go through here, and `text` tells of them."""

    def __init__(self, simulation: Simulation, title: str) -> None:
        self._simulation = simulation
        self._widths = simulation.widths
        self._names = [_name(place) for place in range(len(self._widths))]
        self._last = simulation.values()
        every = "".join(map(self._value, range(len(self._last))))
        self._parts = [*_header(simulation, title, self._names), f"#0\n$dumpvars\n0{_CLOCK}\n{every}$end\n"]
        self.cycles = 0
        self.size = sum(map(len, self._parts))

    @property
    def text(self) -> str:
        """The file as it is now."""
        return "".join(self._parts)

    def step(self, inputs: Mapping[str, int] | None = None) -> None:
        """Gives inputs their values while the clock is low, then takes its edge."""
        for name, value in (inputs or {}).items():
            self._simulation.set(name, value)
        time = PERIOD * self.cycles
        low = f"#{time}\n0{_CLOCK}\n{self._changes() if inputs else ''}"
        self._simulation.step()
        self._parts.append(f"{low}#{time + PERIOD // 2}\n1{_CLOCK}\n{self._changes()}")
        self.size += len(self._parts[-1])
        self.cycles += 1

    def _changes(self) -> str:
        """The values that differ from those that were told last."""
        before, self._last = self._last, self._simulation.values()
        pairs = enumerate(zip(before, self._last, strict=True))
        return "".join(self._value(place) for place, (old, new) in pairs if old != new)

    def _value(self, place: int) -> str:
        width, value = self._widths[place], int(self._last[place])
        bits = f"{value & ((1 << width) - 1):b}"
        return f"{bits}{self._names[place]}\n" if width == 1 else f"b{bits} {self._names[place]}\n"


def _name(place: int) -> str:
    """A short name of printable characters, another one for each place.

    >>> _name(0), _name(92), _name(93)
    ('"', '~', '""')
    """
    more, last = divmod(place, _COUNT)
    return (_name(more - 1) if more else "") + chr(_FIRST + last)


def _header(simulation: Simulation, title: str, names: list[str]) -> Iterator[str]:
    """The declarations of all signals, in a scope for each instance; ports share the names of what they are tied to."""
    tree: Tree = {}
    for path, place in simulation.places.items():
        *scopes, name = path.split(".")
        inner = tree
        for scope in scopes:
            found = inner.setdefault(scope, {})
            assert isinstance(found, dict)
            inner = found
        inner[name] = place
    yield f"$timescale 1ns $end\n$scope module {title} $end\n$var wire 1 {_CLOCK} clk $end\n"
    yield from _declared(tree, simulation.widths, names)
    yield "$upscope $end\n$enddefinitions $end\n"


def _declared(tree: Tree, widths: list[int], names: list[str]) -> Iterator[str]:
    for name, inner in tree.items():
        if isinstance(inner, int):
            yield f"$var wire {widths[inner]} {names[inner]} {name} $end\n"
        else:
            yield f"$scope module {name} $end\n"
            yield from _declared(inner, widths, names)
            yield "$upscope $end\n"
