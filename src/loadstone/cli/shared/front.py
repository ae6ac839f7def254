"""`loadstone explore`: the designs that no other one beats."""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from pathlib import Path

from loadstone.cli.main import main
from loadstone.cli.shared.console import console, shown, table
from loadstone.cli.shared.kernels import read_kernel
from loadstone.cli.shared.parser import check_modes, refuse
from loadstone.errors import refused
from loadstone.fronts.asking import ask
from loadstone.fronts.cluster import cluster
from loadstone.fronts.energy import DEFAULT_TABLE, read_table
from loadstone.fronts.front import Front
from loadstone.fronts.question import Question
from loadstone.fronts.search import explore, processes
from loadstone.fronts.space import EXPLORED, MEASURES, Design, spelled
from loadstone.fronts.store import Store, content_of
from loadstone.fronts.workers import default_jobs
from loadstone.options import Choices, HardwareOptions, options_of
from loadstone.pipeline import Compilation
from loadstone.progress import working

OF_FRONT = frozenset(
    {"over", "at_most", "objectives", "jobs", "cluster", "seconds", "memory", "store", "energy", "synth", "device"}
)
_NOT_OF_KERNEL = OF_FRONT | {"json", "file", "apply"}
_OF_DESIGNS = frozenset(option.dest for kind in (Choices, HardwareOptions) for option in options_of(kind))
_ENDINGS = (".html", ".json")


def show_front(arguments: argparse.Namespace) -> int:
    """Print the front of a space of designs, write it, or make one of its designs."""
    refuse(arguments, ("local",), "without --curve")
    check_modes(arguments, (EXPLORED,), {EXPLORED: "explore"})
    if arguments.apply is None and arguments.file and Path(arguments.file).suffix not in _ENDINGS:
        raise refused(f"cannot write a front as '{arguments.file}'", None, "-o FILE.html or FILE.json")
    if arguments.cluster is not None:
        refuse(arguments, ("jobs",), "with --cluster")
    if not arguments.synth:
        refuse(arguments, ("device",), "without --synth")
    front = _found(arguments, _question(arguments))
    if arguments.synth:
        with working(f"synthesising {len(front)} designs"):
            front = front.synthesised(arguments.device)
    if arguments.apply is not None:
        return _apply(front, arguments)
    if arguments.file:
        front.write(arguments.file)
    return shown(arguments, front.as_json, lambda: _print(front, arguments.file))


def _found(arguments: argparse.Namespace, question: Question) -> Front:
    subject, total = question.subject, len(question.space)
    path = None if arguments.store is None else Path(arguments.store)
    with Store(path, content_of(subject)) as store, working(f"exploring designs of {subject.kernel.name}") as tell:
        begun, jobs = time.monotonic(), arguments.jobs or default_jobs()
        hire = processes(jobs) if arguments.cluster is None else cluster(arguments.cluster)
        answer = explore(
            question,
            store,
            hire=hire,
            seconds=arguments.seconds,
            progress=lambda done: tell(_progress(done, total, time.monotonic() - begun)),
        )
    return Front(question, answer, (arguments.kernel, *_of_kernel(arguments)))


def _progress(done: int, total: int, seconds: float) -> str:
    """How far an exploration is, how fast, and how long it still takes if it goes on like this."""
    rate = done / max(seconds, 0.1)
    return f"{done} of {total}, {rate:.1f}/s, {(total - done) / max(rate, 0.01):.0f} s left"


def _question(arguments: argparse.Namespace) -> Question:
    choices, hardware = Choices.of(vars(arguments)), HardwareOptions.of(vars(arguments))
    refuse(arguments, dict(arguments.over), "beside --over for the same option")
    known = Choices() if choices.sizes == "auto" else choices
    compilation = Compilation(read_kernel(arguments), known, dict(arguments.parameters), limit=arguments.limit)
    first, limits = Design(choices, hardware, arguments.memory), dict(arguments.at_most)
    energies = DEFAULT_TABLE if arguments.energy is None else read_table(arguments.energy)
    return ask(compilation, first, dict(arguments.over), arguments.objectives, limits, arguments.given, energies)


def _of_kernel(arguments: argparse.Namespace) -> Iterator[str]:
    """The options that say what the kernel is, as they were given."""
    for dest, option in arguments.parser.options.items():
        if dest not in arguments.given - _NOT_OF_KERNEL - _OF_DESIGNS:
            continue
        value = getattr(arguments, dest)
        for each in value if option.repeated else [value]:
            yield option.flag
            if option.constant is None:
                yield spelled(each, "=")


def _apply(front: Front, arguments: argparse.Namespace) -> int:
    """Build a design of the front into a folder, or run it."""
    if len(arguments.apply) != 1 or not 1 <= arguments.apply[0] <= len(front):
        hint = f"the front has designs 1 to {len(front)}" if len(front) else "the front is empty"
        raise refused(f"there is no design {spelled(arguments.apply, ',')}", None, hint)
    point, json = front[arguments.apply[0] - 1], ["--json"] if arguments.json else []
    if arguments.file is None:
        return main(["run", *front.start, *point.design.words(), *json])
    return main(["build", *front.start, *point.design.words_to_build(), *json, "-o", arguments.file])


def _print(front: Front, file: str | None) -> None:
    print(front.title)
    console().print(table((*(f">{name}" for name in MEASURES), "design"), front.rows()))
    print(f"\n{front.certainty}")
    for reason, count in sorted(front.answer.reasons.items(), key=lambda each: -each[1]):
        print(f"  {count} impossible: {reason}")
    for reason, count in sorted(front.answer.given_up.items(), key=lambda each: -each[1]):
        print(f"  {count} given up: {reason}")
    print(f"  {front.command(front[0])}" if len(front) else "", end="\n" if len(front) else "")
    if file:
        print(f"wrote {file}")
