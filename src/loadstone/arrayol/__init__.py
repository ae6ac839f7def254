"""Array-OL specifications in Python: `ls.arrayol.read`, `transformed`, `kernel`, `specification`, `yaml_text`.

    specification = ls.arrayol.read("downscaler.yaml")
    fused = ls.arrayol.transformed(specification, "fuse-tasks horizontal with vertical")
    print(ls.arrayol.yaml_text(fused))
    ls.run(ls.arrayol.kernel(fused), parameters={"frames": 2})

`tilers.py` has the algebra of tilers, `blocks.py` tasks in blocks of repetitions, `steps/` one transformation each,
`equality.py` the proof that a step keeps results, `picture.py` the task graph; `emit/arrayol/` finds the way from a
kernel back to a specification.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from loadstone.arrayol.picture import specification_svg
from loadstone.arrayol.scripts import TaskLine, applied, task_lines
from loadstone.arrayol.steps import CollapseTask, FuseTasks, PaveTask, TaskStep, TileTask
from loadstone.emit.arrayol import specification_of
from loadstone.errors import Source
from loadstone.frontend.arrayol.kernel import application_of, program_of
from loadstone.frontend.arrayol.printing import yaml_text
from loadstone.frontend.arrayol.reading import read_specification
from loadstone.frontend.arrayol.specification import Specification
from loadstone.frontend.build import build_kernel
from loadstone.frontend.c.preprocess import read_source
from loadstone.model.kernel import Kernel
from loadstone.poly.limits import within_limit

__all__ = [
    "CollapseTask",
    "FuseTasks",
    "PaveTask",
    "Specification",
    "TileTask",
    "kernel",
    "read",
    "specification",
    "specification_svg",
    "transformed",
    "yaml_text",
]


def read(source: str | Path) -> Specification:
    """The specification in a file, or in a text in YAML of several lines; raises `InputError` where it is wrong."""
    is_text = isinstance(source, str) and "\n" in source
    found = read_specification(Source("specification.yaml", str(source)) if is_text else read_source(Path(source)))
    application_of(found)
    return found


def kernel(specification: Specification) -> Kernel:
    """The kernel of a specification."""
    return build_kernel(program_of(application_of(specification), specification.name))


def specification(kernel: Kernel, parameters: Mapping[str, int] | None = None) -> Specification:
    """A kernel as a specification, for values of its parameters; raises `UnsupportedError` with the reason if none."""
    return within_limit("the tasks of the kernel", None, lambda: specification_of(kernel, parameters or {}))


def transformed(specification: Specification, steps: str | Iterable[TaskStep]) -> Specification:
    """The specification after steps, given as objects or as a script; each is proved to keep all results.

    Raises `IllegalTransformation` for one that does not, `InputError` for one that makes no sense.
    """
    lines = task_lines(Source("script", steps)) if isinstance(steps, str) else map(TaskLine, steps)
    return applied(specification, lines)
