"""The designs of one tiling, judged: those whose lower bounds a point of the front covers are not evaluated.

Bounds get tighter from stage to stage: a plan tells words and cells, a compute unit the cycles of all tiles. A design
that would enter the front is built, so that nothing in the front is impossible.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from loadstone.circuits import CircuitCompilation
from loadstone.errors import LoadstoneError
from loadstone.fronts.archive import Archive, Vector, is_covered
from loadstone.fronts.bounds import NO_AREA, Least, least_computing, least_cycles, planned
from loadstone.fronts.measures import built, measured, network_built, network_measured, network_planned, vector
from loadstone.fronts.question import Question, Verdict
from loadstone.fronts.space import Design
from loadstone.fronts.stages import Stages, TilingStages


def judged(question: Question, stages: Stages, designs: Sequence[Design], known: Sequence[Vector]) -> list[Verdict]:
    """The verdicts on designs of one tiling, where a front is known; those with the lowest bounds are first."""
    judging = _Judging(question, TilingStages(stages), Archive([(each, None) for each in known]))
    for design, least in judging.by_bound(designs):
        judging.judge(design, least)
    return [judging.found[design] for design in designs]


@dataclass(eq=False)
class _Judging:
    """The state of judging the designs of a tiling."""

    question: Question
    stages: TilingStages
    front: Archive[None]
    found: dict[Design, Verdict] = field(default_factory=dict[Design, Verdict])

    def by_bound(self, designs: Sequence[Design]) -> list[tuple[Design, Least]]:
        """The designs that have plans, with lower bounds on their measures, lowest first."""
        bounds = ((design, self._planned(design)) for design in designs)
        known = [(design, bound) for design, bound in bounds if bound is not None]
        return sorted(known, key=lambda each: vector(each[1], self.question.objectives))

    def judge(self, design: Design, least: Least) -> None:
        """Exclude a design by its bounds, or measure it."""
        if self._is_idle(least):
            self.found[design] = {"excluded": least}
            return
        computing = self._tried(design, lambda compilation: {"cycles": self._least_computing(design, compilation)})
        if computing is None:
            return
        tighter: Least = {**least, "cycles": max(least["cycles"], computing["cycles"])}
        if self._is_idle(tighter):
            self.found[design] = {"excluded": tighter}
            return
        energies = self.question.energies
        measure = network_measured if design.network else measured
        measures = self._tried(design, lambda compilation: measure(compilation, design.memory, energies))
        if measures is not None:
            self._take(design, {**measures, **NO_AREA})

    def _take(self, design: Design, least: Least) -> None:
        """Note a design of which all but its area is known; one that may improve the front is built."""
        if self._is_idle(least):
            known = {name: value for name, value in least.items() if name not in NO_AREA}
            self.found[design] = {"excluded": least} if self.question.needs_area else {"measures": known}
            return
        area = self._tried(design, network_built if design.network else built)
        if area is None:
            return
        measures: Least = {**least, **area}
        self.found[design] = {"measures": measures}
        if not self._is_idle(measures):
            self.front.add(vector(measures, self.question.objectives), None)

    def _is_idle(self, measures: Least) -> bool:
        """Whether a design with these measures, or more, is not allowed or does not improve the front."""
        covered = is_covered(vector(measures, self.question.objectives), self.front.vectors)
        return covered or not self.question.is_allowed(measures)

    def _least_computing(self, design: Design, compilation: CircuitCompilation) -> int:
        return 0 if design.network else least_computing(compilation)

    def _planned(self, design: Design) -> Least | None:
        """The measures that a plan has, and a lower bound on cycles."""
        if design.network:
            return self._tried(design, lambda each: {**network_planned(each, self.question.energies), **NO_AREA})
        return self._tried(
            design,
            lambda each: {
                "cycles": least_cycles(each, design.memory),
                **planned(each, self.question.energies),
                **NO_AREA,
            },
        )

    def _tried(self, design: Design, measure: Callable[[CircuitCompilation], Least]) -> Least | None:
        """What is measured of a design; None where it is impossible."""
        if (idle := design.without_effect()) is not None:
            self.found[design] = {"impossible": f"{idle} has no effect on process networks"}
            return None
        try:
            return measure(self.stages.compilation(design))
        except LoadstoneError as error:
            self.found[design] = {"impossible": str(error).splitlines()[0]}
            return None
