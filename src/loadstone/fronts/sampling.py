"""Which tilings are looked at where there are too many for all of them: samples, by Optuna where it is installed."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib import import_module
from importlib.util import find_spec
from random import Random
from typing import Any

from loadstone.fronts.archive import Vector
from loadstone.fronts.space import Space
from loadstone.options import Choices

MOST_TILINGS, MOST_SAMPLES, IN_VAIN = 2000, 1000, 50
"""More tilings are sampled: so many at most, until so many proposals in a row are known already."""
Choose = Callable[[str, tuple[Any, ...]], Any]
"""Takes one of the values of an axis."""


@dataclass(eq=False)
class Samples:
    """Tilings of a space, each once; what is told of them may guide the next ones."""

    space: Space
    objectives: int
    asked: dict[Choices, Any] = field(default_factory=dict[Choices, Any])

    def __post_init__(self) -> None:
        self._study = _study(self.objectives)
        self._random = Random(0)

    def __iter__(self) -> Iterator[Choices]:
        in_vain = 0
        while len(self.asked) < MOST_SAMPLES and in_vain < IN_VAIN:
            trial = None if self._study is None else self._study.ask()
            tiling = self.space.tiling(self._random_value if trial is None else trial.suggest_categorical)
            in_vain = in_vain + 1 if tiling in self.asked else 0
            if tiling not in self.asked:
                self.asked[tiling] = trial
                yield tiling

    def tell(self, tiling: Choices, found: Vector | None) -> None:
        """Say what the best design of a tiling reached; None where it has none."""
        trial = self.asked.get(tiling)
        if trial is not None and self._study is not None:
            self._study.tell(trial, found, state=_state(found is not None))

    def _random_value(self, name: str, values: tuple[Any, ...]) -> Any:
        return self._random.choice(values)


def sampler_name() -> str:
    """Who chooses the samples."""
    return "Optuna" if find_spec("optuna") is not None else "chance"


def _study(objectives: int) -> Any:
    """A study that minimises so many objectives; None where Optuna is not installed."""
    if sampler_name() != "Optuna":
        return None
    optuna: Any = import_module("optuna")
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    sampler = optuna.samplers.TPESampler(seed=0)
    return optuna.create_study(directions=["minimize"] * objectives, sampler=sampler)


def _state(is_complete: bool) -> Any:
    states: Any = import_module("optuna").trial.TrialState
    return states.COMPLETE if is_complete else states.FAIL
