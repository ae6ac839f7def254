"""A front as people and programs read it: text, JSON, a page, and the command line of each design."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from loadstone.circuits import CircuitCompilation
from loadstone.files import write_whole
from loadstone.fronts.page import Dot, Plot, emit_page, emit_plot
from loadstone.fronts.question import Answer, Point, Question
from loadstone.fronts.space import MEASURES, Measure
from loadstone.markup import joined, table
from loadstone.rtl.programs.synthesis import synthesize


@dataclass(frozen=True, eq=False, repr=False)
class Front:
    """The designs that no other one beats, and how they were found; `start` are the words that name the kernel."""

    question: Question
    answer: Answer
    start: tuple[str, ...] = ("KERNEL",)

    def __len__(self) -> int:
        return len(self.answer.front)

    def __getitem__(self, number: int) -> Point:
        return self.answer.front[number]

    def __iter__(self) -> Iterator[Point]:
        return iter(self.answer.front)

    @property
    def title(self) -> str:
        """The kernel and the values of its parameters."""
        given = ", ".join(f"{name} = {value}" for name, value in self.question.subject.values.items())
        return f"{self.question.subject.kernel.name}{f' for {given}' if given else ''}"

    @property
    def certainty(self) -> str:
        """Whether a better design is possible."""
        answer = self.answer
        done = f"{answer.evaluated} evaluated, {answer.excluded} excluded by bounds"
        if answer.is_exhaustive:
            return f"exhaustive: {answer.space} designs, {done}"
        first = self.question.objectives[0]
        more = "" if answer.gap is None else f"; at most {answer.gap:.0%} fewer {first} are possible"
        how = "stopped" if answer.sampled is None else f"sampled by {answer.sampled}"
        return f"{how}: {answer.left} of {answer.space} designs left, {done}{more}"

    def command(self, point: Point) -> str:
        """The command line that runs a design."""
        return shlex.join(["loadstone", "run", *self.start, *point.design.words()])

    def compilation(self, number: int = 0) -> CircuitCompilation:
        """The way of the kernel to a design of the front, which other functions take in place of a kernel."""
        return self.question.subject.compilation(self[number].design)

    def rows(self) -> list[tuple[str, ...]]:
        """Measures and options of the designs."""
        return [(*(str(point.measures[name]) for name in MEASURES), " ".join(point.design.words())) for point in self]

    def synthesised(self, device: str) -> Front:
        """The front with areas and frequencies as open tools find them."""
        points = tuple(map(partial(self._synthesised, device), self))
        return replace(self, answer=replace(self.answer, front=points))

    def _synthesised(self, device: str, point: Point) -> Point:
        made = self.question.subject.compilation(point.design)
        found = synthesize(made.network_design.module if point.design.network else made.controlled, device)
        area: dict[Measure, int] = {"blocks": found.bram, "lut": found.lut, "ff": found.ff, "dsp": found.dsp}
        return replace(point, measures={**point.measures, **area}, mhz=found.fmax_mhz)

    def __repr__(self) -> str:
        rows = [(*MEASURES, "design"), *self.rows()]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        lines = ["  ".join(cell.rjust(width) for cell, width in zip(row[:-1], widths, strict=False)) for row in rows]
        table = [f"{line}  {row[-1]}" for line, row in zip(lines, rows, strict=True)]
        return "\n".join([self.title, *table, self.certainty])

    def _repr_html_(self) -> str:
        rows = table(self.title, (*MEASURES, "design"), self.rows())
        return joined((emit_plot(self.plot), rows, self.certainty))

    @property
    def plot(self) -> Plot:
        """The front in its first two objectives; cells stand in for a second one."""
        wanted = (*self.question.objectives, "cells", "cycles")
        across, up = list(dict.fromkeys(wanted))[:2]
        dots = [
            Dot(p.measures[across], p.measures[up], {name: p.measures[name] for name in MEASURES}, self.command(p))
            for p in self
        ]
        return Plot(across, up, tuple(dots))

    def write(self, path: str | Path) -> Path:
        """Write the front, as a page or as JSON by the ending of the path; returns the path."""
        page = Path(path).suffix != ".json"
        text = emit_page(self.title, self.plot, self.certainty) if page else json.dumps(self.as_json(), indent=2)
        return write_whole(path, f"{text}\n")

    def as_json(self) -> dict[str, Any]:
        """The front for programs."""
        answer = self.answer
        return {
            "kernel": self.question.subject.kernel.name,
            "parameters": dict(self.question.subject.values),
            "objectives": list(self.question.objectives),
            "exhaustive": answer.is_exhaustive,
            "space": answer.space,
            "evaluated": answer.evaluated,
            "excluded": answer.excluded,
            "impossible": answer.impossible,
            "given_up": sum(answer.given_up.values()),
            "gap": answer.gap,
            "sampled": answer.sampled,
            "front": [
                {
                    "choices": point.design.chosen(),
                    "measures": dict(point.measures),
                    "mhz": point.mhz,
                    "command": self.command(point),
                }
                for point in self
            ],
        }
