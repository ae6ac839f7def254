"""How questions are put: which designs are explored where nobody says so."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from loadstone.errors import Diagnostic, InputError
from loadstone.fronts.energy import DEFAULT_TABLE, EnergyTable
from loadstone.fronts.question import Question
from loadstone.fronts.space import Axes, Design, Measure, Space, known_axes, read_axis
from loadstone.fronts.stages import Subject
from loadstone.pipeline import Compilation

LANES = (1, 2, 4, 8)
FEW, MANY = (8, 16, 32), (4, 8, 16, 32, 64)
"""Tile sizes in each of three dimensions or more, and of fewer."""


def ask(
    compilation: Compilation,
    first: Design,
    axes: Axes,
    objectives: tuple[Measure, ...],
    at_most: Mapping[Measure, int],
    fixed: Iterable[str] = (),
    energies: EnergyTable = DEFAULT_TABLE,
) -> Question:
    """The question for a kernel: which designs around a first one are best.

    Without axes, tile sizes and lanes vary, unless they are `fixed`.
    """
    if first.choices.sizes == "auto":
        raise InputError(Diagnostic("--tile auto is one design", None, "--over tile=8..64 gives sizes to explore"))
    rank = len(compilation.tiles.sizes)
    chosen = dict(axes) or {"sizes": FEW if rank > 2 else MANY, "unroll": LANES}
    free = {name: values for name, values in chosen.items() if name not in fixed}
    subject = Subject(compilation.kernel, compilation.values, compilation.limit)
    return Question(subject, Space(first, rank, free), objectives, at_most, energies)


def axes_of(over: Mapping[str, Any]) -> Axes:
    """Axes by the names of options: values as a text of the command line, or one after the other.

    >>> axes_of({"tile": "8..32", "unroll": (1, 2)})
    {'sizes': (8, 16, 32), 'unroll': (1, 2)}
    """
    found: dict[str, tuple[Any, ...]] = {}
    for name, values in over.items():
        option = known_axes().get(name.replace("_", "-"))
        if option is None:
            raise ValueError(f"'{name}' is no axis; there are {', '.join(known_axes())}")
        text = isinstance(values, str)
        found[option.dest] = read_axis(f"{option.flag.lstrip('-')}={values}")[1] if text else tuple(values)
    return found
