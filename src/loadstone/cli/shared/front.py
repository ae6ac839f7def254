"""`loadstone explore`: the designs that no other one beats."""

from __future__ import annotations

import argparse
import json
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from loadstone.cli.shared.console import console, table
from loadstone.cli.shared.kernels import read_kernel
from loadstone.cli.shared.parser import refuse
from loadstone.errors import Diagnostic, InputError
from loadstone.fronts.question import Answer, Point, Question
from loadstone.fronts.search import explore, processes
from loadstone.fronts.space import MEASURES, Design, Space, spelled
from loadstone.fronts.stages import Subject
from loadstone.fronts.store import Store
from loadstone.fronts.workers import default_jobs
from loadstone.options import Choices, HardwareOptions, options_of
from loadstone.pipeline import Compilation
from loadstone.progress import working
from loadstone.version import VERSION

_LANES = (1, 2, 4, 8)
_FEW, _MANY = (8, 16, 32), (4, 8, 16, 32, 64)
OF_FRONT = frozenset({"over", "at_most", "objectives", "jobs", "seconds", "memory", "store"})
_OF_DESIGNS = frozenset(option.dest for kind in (Choices, HardwareOptions) for option in options_of(kind))


def show_front(arguments: argparse.Namespace) -> int:
    """Print the front of a space of designs."""
    refuse(arguments, ("local", "file"), "without --curve")
    question, words = _question(arguments), list(_of_kernel(arguments))
    subject = [VERSION, Path(arguments.kernel).read_text(), sorted(question.subject.values.items()), words]
    store = Store(None if arguments.store is None else Path(arguments.store), repr(subject))
    with store, working(f"exploring {len(question.space)} designs of {question.subject.kernel.name}"):
        hire = processes(arguments.jobs or default_jobs())
        answer = explore(question, store, hire=hire, seconds=arguments.seconds)
    commands = [_command(arguments.kernel, words, point) for point in answer.front]
    if arguments.json:
        print(json.dumps(_as_json(question, answer, commands)))
    else:
        _print(question, answer, commands)
    return 0


def _question(arguments: argparse.Namespace) -> Question:
    choices, hardware = Choices.of(vars(arguments)), HardwareOptions.of(vars(arguments))
    if choices.sizes == "auto":
        raise InputError(Diagnostic("--tile auto is one design", None, "--over tile=8..64 gives sizes to explore"))
    compilation = Compilation(read_kernel(arguments), choices, dict(arguments.parameters), limit=arguments.limit)
    rank = len(compilation.tiles.sizes)
    refuse(arguments, dict(arguments.over), "beside --over for the same option")
    axes = dict(arguments.over) or {"sizes": _FEW if rank > 2 else _MANY, "unroll": _LANES}
    free = {name: values for name, values in axes.items() if name not in arguments.given}
    space = Space(Design(choices, hardware, arguments.memory), rank, free)
    subject = Subject(compilation.kernel, compilation.values, arguments.limit)
    return Question(subject, space, arguments.objectives, dict(arguments.at_most))


def _of_kernel(arguments: argparse.Namespace) -> Iterator[str]:
    """The options that say what the kernel is, as they were given."""
    for dest, option in arguments.parser.options.items():
        if dest not in arguments.given - OF_FRONT - _OF_DESIGNS - {"json"}:
            continue
        value = getattr(arguments, dest)
        for each in value if option.repeated else [value]:
            yield option.flag
            if option.constant is None:
                yield spelled(each, "=")


def _command(kernel: str, words: list[str], point: Point) -> str:
    return shlex.join(["loadstone", "run", kernel, *words, *point.design.words()])


def _as_json(question: Question, answer: Answer, commands: list[str]) -> dict[str, Any]:
    return {
        "kernel": question.subject.kernel.name,
        "parameters": dict(question.subject.values),
        "objectives": list(question.objectives),
        "exhaustive": answer.is_exhaustive,
        "space": answer.space,
        "evaluated": answer.evaluated,
        "excluded": answer.excluded,
        "impossible": answer.impossible,
        "gap": answer.gap,
        "front": [
            {"choices": point.design.chosen(), "measures": dict(point.measures), "command": command}
            for point, command in zip(answer.front, commands, strict=True)
        ],
    }


def _print(question: Question, answer: Answer, commands: list[str]) -> None:
    given = ", ".join(f"{name} = {value}" for name, value in question.subject.values.items())
    print(f"{question.subject.kernel.name}{f' for {given}' if given else ''}")
    rows = [(*(str(p.measures[name]) for name in MEASURES), " ".join(p.design.words())) for p in answer.front]
    console().print(table((*(f">{name}" for name in MEASURES), "design"), rows))
    print(f"\n{_how_sure(question, answer)}")
    for reason, count in sorted(answer.reasons.items(), key=lambda each: -each[1]):
        print(f"  {count} impossible: {reason}")
    print(f"  {commands[0]}" if commands else "", end="\n" if commands else "")


def _how_sure(question: Question, answer: Answer) -> str:
    done = f"{answer.evaluated} evaluated, {answer.excluded} excluded by bounds"
    if answer.is_exhaustive:
        return f"exhaustive: {answer.space} designs, {done}"
    more = "" if answer.gap is None else f"; at most {answer.gap:.0%} fewer {question.objectives[0]} are possible"
    return f"stopped: {answer.left} of {answer.space} designs left, {done}{more}"
