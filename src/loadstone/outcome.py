"""What a run gave: whether it is right, what moved, and what it took. `as_json` is the JSON of `loadstone run`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from math import isfinite
from typing import Any

from loadstone.markup import Markup, joined, table
from loadstone.model.functions import ERROR_BOUND
from loadstone.model.hls_pragma import HlsPragma
from loadstone.parallel.beats import Beats
from loadstone.parallel.lanes import Lanes, TileOrder
from loadstone.simulate.hardware.activity import Activity
from loadstone.simulate.hardware.timeline import activities_svg


@dataclass(frozen=True, slots=True)
class Verdict:
    """How memory compares with what the original program leaves: cells that differ, and the cells of each output."""

    mismatches: int
    outputs: Mapping[str, int]

    @property
    def match(self) -> bool:
        """Whether no cell differs."""
        return self.mismatches == 0

    def as_json(self) -> dict[str, Any]:
        """The keys of a verdict."""
        return {"match": self.match, "mismatches": self.mismatches, "outputs": dict(self.outputs)}


@dataclass(frozen=True, slots=True)
class Rounding:
    """How results in another order of floating-point reductions compare with those of the original program.

    `differing` cells differ, by `difference` at most; no cell may by more than its own bound, of which `bound` is the
    largest: `beyond` cells do. What no reordered reduction reaches may not differ at all. The bound is infinite where
    there are too many instances to find it, or what a comparison chooses depends on rounding.
    """

    arrays: tuple[str, ...]
    differing: int
    difference: float
    bound: float
    beyond: int

    def as_json(self) -> dict[str, Any]:
        """The keys of a comparison with the original order."""
        numbers = {name: value if isfinite(value) else None for name, value in self._numbers().items()}
        return {"reordered": {"arrays": list(self.arrays), **numbers}}

    def _numbers(self) -> dict[str, float]:
        return {name: value for name, value in asdict(self).items() if name != "arrays"}


@dataclass(frozen=True, slots=True)
class Traffic:
    """Words loaded and stored, and how many the plan says."""

    loaded: int
    stored: int
    planned: tuple[int, int]

    @property
    def as_planned(self) -> bool:
        """Whether as many words moved as the plan says."""
        return (self.loaded, self.stored) == self.planned

    def as_json(self) -> dict[str, Any]:
        """The keys of words moved."""
        predicted = dict(zip(("loaded", "stored"), self.planned, strict=True))
        return {"loaded": self.loaded, "stored": self.stored, "predicted": predicted}


@dataclass(frozen=True, slots=True)
class Copies:
    """The read ports of a memory, each with a copy, and the bits of one of them."""

    ports: int
    bits: int


@dataclass(frozen=True, slots=True)
class Baseline:
    """The cycles of the direct implementation on the same memory, or why there is none."""

    cycles: int | None
    reason: str = ""

    def as_json(self, cycles: int) -> dict[str, Any]:
        """The keys of a baseline, beside a run of some cycles."""
        if self.cycles is None:
            return {"baseline_cycles": None, "speedup": None, "no_baseline": self.reason}
        return {"baseline_cycles": self.cycles, "speedup": round(self.speedup(cycles), 4)}

    def speedup(self, cycles: int) -> float:
        """How many times fewer cycles a run takes."""
        return (self.cycles or 0) / max(1, cycles)


@dataclass(frozen=True, slots=True)
class MemoryUse:
    """What the external memory counted; `busy` is the part of the cycles in which it moved data."""

    name: str
    row_hits: int | None
    row_changes: int | None
    words_read: int
    words_written: int
    busy: float | None


@dataclass(frozen=True, slots=True)
class Sample:
    """How many of all tiles were simulated; they stand for the others."""

    tiles: int
    of: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The outcome of a run; what a target does not have is None.

    `ways` are the cells that differ between the interpreted kernel and each compiled program. `functions` are those
    that the original called as hardware computes them. `approximated` says why a plan moves more than it must.
    """

    target: str
    kernel: str
    parameters: Mapping[str, int]
    simulator: str | None = None
    instances: int | None = None
    verdict: Verdict | None = None
    rounding: Rounding | None = None
    ways: Mapping[str, int] | None = None
    traffic: Traffic | None = None
    cycles: int | None = None
    sample: Sample | None = None
    baseline: Baseline | None = None
    memory: MemoryUse | None = None
    functions: tuple[str, ...] = ()
    approximated: str = ""
    lanes: Lanes | None = field(default=None, repr=False)
    order: TileOrder | None = field(default=None, repr=False)
    copies: Mapping[str, Copies] = field(default_factory=dict[str, Copies], repr=False)
    beats: Beats | None = field(default=None, repr=False)
    suggestion: HlsPragma | None = field(default=None, repr=False)
    statements: Mapping[str, Mapping[str, Any]] | None = None
    tiling: Mapping[str, Any] | None = field(default=None, repr=False)
    activities: tuple[Activity, ...] = field(default=(), repr=False)

    @property
    def is_right(self) -> bool:
        """Whether memory is that of the original program, and as many words moved as planned.

        What computes no data has no verdict. Where reductions run in another order, memory is that of the program in
        this order, and within bounds of the original.
        """
        within = self.rounding is None or self.rounding.beyond == 0
        matches = within and (self.verdict is None or self.verdict.match)
        return matches and (self.traffic is None or self.traffic.as_planned)

    def _repr_html_(self) -> str:
        rows = [(key, value) for key, value in self.as_json().items() if key not in ("kernel", "tiling")]
        drawn = activities_svg(self.activities) if self.activities else Markup()
        return joined((table(f"{self.kernel} as {self.target}", ("", ""), rows), drawn))

    def as_json(self, *, timeline: bool = False) -> dict[str, Any]:
        """The outcome as JSON, with the activities of the processes if the timeline is wanted."""
        parts: dict[str, Any] = {"target": self.target, "kernel": self.kernel, "parameters": dict(self.parameters)}
        parts |= {name: value for name in _PLAIN if (value := getattr(self, name)) is not None}
        for part in (self.verdict, self.rounding, self.traffic):
            parts |= {} if part is None else part.as_json()
        if self.baseline is not None:
            parts |= self.baseline.as_json(self.cycles or 0)
        asked = {} if self.suggestion is None else {"suggested_by": self.suggestion.text}
        others: dict[str, Any] = {
            "sampled": self.sample and asdict(self.sample),
            "memory": self.memory and asdict(self.memory),
            "functions": self.functions and {"names": list(self.functions), "error_bound": ERROR_BOUND},
            "approximated": self.approximated,
            "lanes": self.lanes and {**self.lanes.as_json(), **asked},
            "order": self.order and self.order.as_json(),
            "copies": {array: asdict(each) for array, each in self.copies.items()},
            "beats": self.beats and self.beats.are_several and self.beats.as_json(),
        }
        parts |= {name: part for name, part in others.items() if part}
        return parts | ({"timeline": [asdict(each) for each in self.activities]} if timeline else {})


_PLAIN = ("simulator", "instances", "ways", "cycles", "statements", "tiling")
"""Fields that are keys of the JSON as they are."""
