"""Random kernels with random scripts, tilings, options and back ends, as commands; and how wrong ones are shrunk."""

from __future__ import annotations

import argparse
import json
import random
import shlex
from collections.abc import Callable, Iterator, Sequence
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal
from unittest.mock import patch

import loadstone as ls
from loadstone.cli import plan as plan_command
from loadstone.cli import run as run_command
from loadstone.cli.main import main as loadstone
from loadstone.cli.shared.compilations import compilation_of
from loadstone.errors import InputError
from loadstone.pipeline import Compilation
from random_jumps import kernel_with_jumps
from random_kernels import RandomKernel, kernel_from_seed
from random_reductions import random_reductions
from random_scripts import random_legal_script
from random_styles import styled_kernel
from random_temporaries import kernel_with_temporaries

Verdict = Literal["right", "refused", "out of time", "wrong"]
HEAVY = ("hls", "network", "chip", "hardware", "network hardware", "vhdl")


@dataclass(frozen=True, slots=True)
class Case:
    """A kernel with what is done to it; `commands` are lists of words behind `loadstone`."""

    seed: int
    source: str
    script: tuple[str, ...]
    tiling: tuple[str, ...]
    buffers: tuple[str, ...]
    parameters: tuple[str, ...]
    ways: tuple[tuple[str, ...], ...]

    def commands(self) -> Iterator[tuple[str, list[str]]]:
        """Names and commands of the case, in its folder."""
        script = ("--script", "steps.txt") if self.script else ()
        common = ["kernel.c", *script, "--json"]
        looked_at = (*(word for word in self.buffers if word != "--keep-dead-stores"), *self.parameters)
        chosen = looked_at if "--local" in self.tiling else ()
        yield "info", ["info", "kernel.c", "--json"]
        yield "plan", ["plan", *common, *self.tiling, *self.buffers, *self.parameters]
        yield "check", ["plan", *common, *self.tiling, *chosen, "--check", "plan.json"]
        for way, *options in self.ways:
            tiling = (*self.tiling, *self.buffers) if way not in ("chip", "vhdl") else ()
            yield way, ["run", *common, *tiling, *self.parameters, *options]

    def text(self) -> str:
        """The case as a shell would have it."""
        files = f"cat > kernel.c <<'END'\n{self.source.rstrip()}\nEND\n"
        if self.script:
            files += "cat > steps.txt <<'END'\n{}\nEND\n".format("\n".join(self.script))
        return files + "\n".join(f"loadstone {shlex.join(words)}{_plan_file(way)}" for way, words in self.commands())


def _plan_file(way: str) -> str:
    return " > plan.json" if way == "plan" else ""


@dataclass(frozen=True, slots=True)
class Ending:
    """How a case ended: the verdict, at which command, what it said, and which commands were right before."""

    verdict: Verdict
    way: str
    text: str
    passed: tuple[str, ...]


# --- Drawing ----------------------------------------------------------------------------------------------------------


def drawn(seed: int) -> Case:
    """Case number `seed`; its kernel has no script and parameters where the front end refuses it."""
    source = random.Random(f"soak {seed}")
    generated = _kernel(seed, source)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "kernel.c"
        path.write_text(generated.source)
        try:
            kernel = ls.parse(path)
        except InputError:
            return Case(seed, generated.source, (), (), (), (), ())
    script = random_legal_script(kernel, source, source.randint(1, 3))[1] if source.random() < 0.3 else ()
    row = source.choice(generated.parameters)
    values = {name: row.get(name, position + 2) for position, name in enumerate(kernel.parameters)}
    parameters = tuple(word for name, value in values.items() for word in ("-p", f"{name}={value}"))
    heavy = (_way(source.choice(HEAVY), source),) if seed % 10 == 0 else ()
    tiling, buffers = _tiling(max((len(s.iterators) for s in kernel.statements), default=1), source), _buffers(source)
    return Case(seed, generated.source, script, tiling, buffers, parameters, (_way("c", source), *heavy))


def _kernel(seed: int, source: random.Random) -> RandomKernel:
    """One of the families of random kernels."""
    number = source.randrange(10**9)
    families: tuple[Callable[[], RandomKernel], ...] = (
        lambda: kernel_from_seed(number),
        lambda: kernel_from_seed(number, may=True),
        lambda: kernel_with_temporaries(number),
        lambda: styled_kernel(number, may=number % 2 == 0),
        lambda: kernel_with_jumps(number),
        lambda: RandomKernel(random_reductions(number), ({"n": 0}, {"n": 1}, {"n": 4}, {"n": 7})),
    )
    return families[seed % len(families)]()


def _tiling(loops: int, source: random.Random) -> tuple[str, ...]:
    """Options of a tiling, or none."""
    sizes = [str(source.choice((1, 2, 3, 4, 5, 8))) for _ in range(max(loops, 1))]
    tile = source.choice((*[(), (sizes[0],), (",".join(sizes),)] * 6, ("auto", "--local", "40")))
    schedule = () if "auto" in tile else source.choice(((), (), ("--schedule", "auto")))
    strip = source.choice(((), (), ("--strip", "2")))
    return (*(("--tile", *tile) if tile else ()), *schedule, *strip)


def _buffers(source: random.Random) -> tuple[str, ...]:
    """Options of the local memories."""
    return (
        *source.choice(((), ("--depth", "1"), ("--depth", "3"))),
        *source.choice(((), ("--strips", "drain"))),
        *source.choice(((), (), ("--power-of-two",))),
        *source.choice(((), (), ("--keep-dead-stores",))),
    )


def _way(name: str, source: random.Random) -> tuple[str, ...]:
    """A back end by its name, with options of its own."""
    match name:
        case "c":
            return (name, *source.choice((("--checked",), ("--checked",), ("--sequential",), ())))
        case "hls":
            return (name, "--target", "hls", *source.choice(((), ("--flavour", "intel"))))
        case "network":
            return (name, "--network")
        case "vhdl":
            return (name, "--target", "vhdl")
        case "chip":
            return (name, "--target", "verilog", *source.choice(((), ("--read-ports", "2"), ("--memory-latency", "2"))))
        case _:
            network = ("--network",) if name.startswith("network") else ()
            return (name, "--target", "verilog", "--memory", "paper", *network, "--no-baseline", *_hardware(source))


def _hardware(source: random.Random) -> tuple[str, ...]:
    return (
        *source.choice(((), ("--bus", "avalon"))),
        *source.choice(((), ("--bus-width", "64"), ("--bus-width", "256"))),
        *source.choice(((), ("--burst", "4"))),
        *source.choice(((), ("--outstanding", "2"))),
        *source.choice(((), ("--address-width", "40"))),
    )


# --- Running ----------------------------------------------------------------------------------------------------------


class Shared:
    """Compilations of commands on one kernel: what two of them choose alike, is computed once."""

    def __init__(self) -> None:
        self._last: Compilation | None = None

    def __call__(self, arguments: argparse.Namespace) -> Compilation:
        made, last = compilation_of(arguments), self._last
        if last is None or last.decision is not None:
            self._last = made
            return made
        alike = [field for field in _STAGES if _choices(made, field) == _choices(last, field)]
        stages = {stage: vars(last)[stage] for field in alike for stage in _STAGES[field] if stage in vars(last)}
        return replace(made, kernel=last.kernel).with_stages(stages)


_TILING = ("sizes", "schedule", "strip", "free_reductions")
_STAGES = {
    _TILING: ("selecting", "tiles", "decision", "legal_tiles"),
    (*_TILING, "keep_dead_stores"): ("transfers",),
    (*_TILING, "keep_dead_stores", "depth", "strips", "power_of_two"): ("plan", "accelerator"),
}
"""Stages by the choices that they follow from."""


def _choices(compilation: Compilation, names: Sequence[str]) -> list[Any]:
    return [getattr(compilation.choices, name) for name in names]


def ending(case: Case) -> Ending:
    """Runs the commands of a case in the current folder, up to the first that is not right.

    Except for every eighth case, commands share what they have in common.
    """
    if case.seed % 8 == 7:
        return _ending(case)
    shared = Shared()
    with patch.object(plan_command, "compilation_of", shared), patch.object(run_command, "compilation_of", shared):
        return _ending(case)


def _ending(case: Case) -> Ending:
    Path("kernel.c").write_text(case.source)
    Path("steps.txt").write_text("\n".join(case.script) + "\n")
    passed: list[str] = []
    for way, words in case.commands():
        verdict, text = _command(words, Path("plan.json") if way == "plan" else Path("out.json"))
        if verdict == "right":
            passed.append(way)
        elif verdict == "wrong" or way in ("info", "plan", "check", "c"):
            return Ending(verdict, way, text, tuple(passed))
    return Ending("right", "", "", tuple(passed))


def _command(words: Sequence[str], output: Path) -> tuple[Verdict, str]:
    """Runs one command in this process; an error is a refusal, all else that is not success is wrong."""
    with output.open("w") as out, Path("errors.txt").open("w") as errors, redirect_stdout(out), redirect_stderr(errors):
        try:
            status = loadstone(list(words))
        except SystemExit as exit_:
            status = exit_.code if isinstance(exit_.code, int) else 2
        except BaseException as error:
            return "wrong", f"{type(error).__name__}: {error}"
    said = Path("errors.txt").read_text()
    if "Traceback" in said or "internal" in said:
        return "wrong", said[-800:]
    if status == 0:
        return "right", ""
    try:
        answer = json.loads(output.read_text())
    except ValueError:
        return "wrong", (said + output.read_text())[-800:]
    if "error" not in answer:
        return "wrong", json.dumps(answer)[:800]
    message = str(answer["error"]["message"])
    return ("wrong" if "does not compile" in message or "compiler" in message else "refused"), message


# --- Shrinking --------------------------------------------------------------------------------------------------------


def shrunk(case: Case, is_wrong: Callable[[Case], bool]) -> Case:
    """The case without all lines, steps, options and back ends that it is wrong without."""
    while True:
        smaller = next(filter(is_wrong, _smaller(case)), None)
        if smaller is None:
            return case
        case = smaller


def _smaller(case: Case) -> Iterator[Case]:
    """Cases with something left out, the greatest parts first."""
    for way in case.ways if len(case.ways) > 1 else ():
        yield replace(case, ways=(way,))
    for field in ("script", "tiling", "buffers"):
        for rest in _without(getattr(case, field), (len(getattr(case, field)), 2, 1)):
            yield replace(case, **{field: rest})
    lines = case.source.split("\n")
    for rest in _without(tuple(lines), (len(lines) // 2, len(lines) // 4, 4, 3, 2, 1)):
        yield replace(case, source="\n".join(rest))


def _without(items: tuple[str, ...], lengths: Sequence[int]) -> Iterator[tuple[str, ...]]:
    for length in dict.fromkeys(n for n in lengths if 0 < n <= len(items)):
        for start in range(0, len(items) - length + 1):
            yield items[:start] + items[start + length :]
