"""Modules in Verilator: lint with all warnings, traces of ports, and long runs with memories loaded and dumped."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from loadstone.errors import Diagnostic, ToolError
from loadstone.progress import working
from loadstone.rtl.memory import Memory
from loadstone.rtl.module import Module, externals
from loadstone.rtl.programs.cache import kept
from loadstone.rtl.programs.command import run_program, write_files
from loadstone.rtl.programs.verilated import FLAGS, Level, compiled, verilator, versions
from loadstone.rtl.types import Bits, RtlError
from loadstone.rtl.vectors import Cycle, completed, inputs_of, outputs_of
from loadstone.rtl.verilog import verilog_files
from loadstone.texts import text_of

_FLAGS = ("--cc", "--exe", "--x-assign", "0", "--x-initial", "0")
SHORT = 100_000
"""The cycles that a simulator which is built fast may run; a longer run is begun again by one that runs fast."""

_TOLERANT = ("-Wno-fatal", "-Wno-lint", "-Wno-COMBDLY")

_MAIN = text_of(__name__, "verilator.cpp")

_WATCH = 'if (top.@NAME@) fprintf(events, "%" PRIu64 " %" PRIu64 "\\n", cycles, (uint64_t)top.@NAME@);'

_TRACE = {
    "TRACE_INCLUDE": '#include "verilated_vcd_c.h"',
    "TRACE_ON": "context.traceEverOn(true);",
    "TRACE_OPEN": 'VerilatedVcdC vcd; top.trace(&vcd, 99); vcd.open("trace.vcd");',
    "TRACE_LOW": "vcd.dump(10 * cycles);",
    "TRACE_HIGH": "vcd.dump(10 * cycles + 5);",
    "TRACE_CLOSE": "vcd.close();",
}


@dataclass(frozen=True, slots=True)
class Run:
    """How a long run ended: cycles taken, whether the module was done, its outputs then, and memories.

    `events` are the cycles in which the watched output was not 0, with its values.
    """

    cycles: int
    finished: bool
    outputs: dict[str, int]
    memories: dict[str, list[int]]
    events: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class _Program:
    """What a simulation program is built for."""

    module: Module
    done: str = ""
    memories: tuple[str, ...] = ()
    vcd: bool = False
    watched: str = ""
    level: Level = "quick"


def lint(module: Module) -> str:
    """The warnings of Verilator with all of them turned on; empty where all is well."""
    program = verilator()
    with tempfile.TemporaryDirectory() as folder:
        files = verilog_files(module)
        write_files(Path(folder), files)
        command = [program, "--quiet", "--lint-only", "-Wall", "-Wno-fatal", "--top-module", module.name, *files]
        return run_program(command, Path(folder))


def trace(module: Module, cycles: Sequence[Cycle]) -> list[dict[str, int]]:
    """The outputs before each edge of the clock, found by Verilator."""
    rows, _ = _execute(_Program(module), cycles, len(cycles), {})
    return rows[: len(cycles)]


def run(
    module: Module,
    cycles: Sequence[Cycle],
    *,
    done: str,
    limit: int,
    memories: Mapping[str, Sequence[int]] | None = None,
    dumped: Sequence[str] = (),
    vcd: Path | None = None,
    watched: str = "",
) -> Run:
    """A run from given inputs, the last of them held, until the output `done` is set or the limit is reached.

    Memories go by paths through instances, as in `cache.words`; `memories` are loaded before and `dumped` read after.
    A waveform is written to `vcd`. An output of at most 64 bits can be watched for values that are not 0.
    """
    loaded = memories or {}
    program = _Program(module, done, tuple(sorted({*loaded, *dumped})), vcd is not None, watched)
    _, result = _execute(program, cycles, limit, loaded, vcd)
    return replace(result, memories={path: result.memories[path] for path in dumped})


def memory_at(module: Module, path: str) -> Memory:
    """The memory with a path through instances."""
    head, _, rest = path.partition(".")
    if rest:
        inner = {instance.name: instance.module for instance in module.instances}
        if head in inner:
            return memory_at(inner[head], rest)
    found = [memory for memory in module.memories if memory.name == path]
    if not found:
        raise RtlError(f"{module.name}: no memory '{path}'")
    return found[0]


def _execute(
    program: _Program,
    cycles: Sequence[Cycle],
    limit: int,
    loaded: Mapping[str, Sequence[int]],
    vcd: Path | None = None,
) -> tuple[list[dict[str, int]], Run]:
    """The outputs of each cycle with given inputs and of the last one, and how the run ended."""
    found = _simulated(program, cycles, min(limit, SHORT), loaded, vcd)
    if found[1].finished or limit <= SHORT:
        return found
    return _simulated(replace(program, level="optimised"), cycles, limit, loaded, vcd)


def _simulated(
    program: _Program,
    cycles: Sequence[Cycle],
    limit: int,
    loaded: Mapping[str, Sequence[int]],
    vcd: Path | None,
) -> tuple[list[dict[str, int]], Run]:
    """The outputs and the end of a run of one simulator."""
    binary = _built(program)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "inputs.txt").write_text(_input_text(program.module, cycles))
        for path, words in loaded.items():
            (folder / f"{path}.in").write_bytes(_to_bytes(memory_at(program.module, path), words))
        with working(f"simulating {program.module.name} in Verilator"):
            run_program([str(binary), str(limit)], folder)
        *lines, ending = (folder / "outputs.txt").read_text().splitlines()
        events = [line.split() for line in (folder / "events.txt").read_text().splitlines()]
        dumps = {path: (folder / f"{path}.out").read_bytes() for path in program.memories}
        if vcd is not None:
            shutil.copy(folder / "trace.vcd", vcd)
    taken, finished = map(int, ending.split())
    memories = {path: _from_bytes(memory_at(program.module, path), data) for path, data in dumps.items()}
    rows = [_row(program.module, line) for line in lines]
    seen = tuple((int(cycle), int(value)) for cycle, value in events)
    return rows, Run(taken, bool(finished), rows[-1], memories, seen)


def _built(program: _Program) -> Path:
    """The simulation program, built unless that was done before."""
    sources = verilog_files(program.module)
    files = {**sources, "main.cpp": _main(program), "public.vlt": _public(program)}
    flags = [*_FLAGS, *(["--trace-vcd"] if program.vcd else [])]
    flags += _TOLERANT if externals(program.module) else ()
    names = ["main.cpp", "public.vlt", *sources]
    command = [*flags, "--top-module", program.module.name, "--Mdir", "obj", *names]

    def build(folder: Path) -> Path:
        write_files(folder, files)
        with working(f"building the simulator of {program.module.name}"):
            run_program([verilator(), *command], folder)
            return compiled(folder, folder / "obj", "main.cpp", program.level, program.vcd)

    texts = (part for item in files.items() for part in item)
    return kept("program", [*versions(), *command, FLAGS[program.level], *texts], build)


def _public(program: _Program) -> str:
    """Verilator's settings that give access to memories."""
    owners = {(_owner(program.module, path).name, path.rpartition(".")[2]) for path in program.memories}
    lines = [f'public_flat_rw -module "{module}" -var "{memory}"\n' for module, memory in sorted(owners)]
    return "`verilator_config\n" + "".join(lines)


def _owner(module: Module, path: str) -> Module:
    """The module that holds the memory with a path."""
    memory_at(module, path)
    for part in path.split(".")[:-1]:
        module = {instance.name: instance.module for instance in module.instances}[part]
    return module


def _main(program: _Program) -> str:
    """The program that drives a module."""
    module = program.module
    words = sum(_word_count(field.type) for field in inputs_of(module).fields)
    parts = {
        "TOP": module.name,
        "STORES": "".join(f"{_store(module, path)}, " for path in program.memories),
        "INPUTS": str(max(1, words)),
        "INPUT_WORDS": str(words),
        "APPLY": "\n".join(_apply(module)),
        "SAMPLE": "\n".join(_sample(module)),
        "UNTIL": "true" if program.done else "false",
        "DONE": f"top.{program.done}" if program.done else "false",
        "WATCH": _WATCH.replace("@NAME@", program.watched) if program.watched else "",
        "CLOCK_LOW": "top.clk = 0;" if module.has_clock else "",
        "CLOCK_HIGH": "top.clk = 1;" if module.has_clock else "",
        **(_TRACE if program.vcd else dict.fromkeys(_TRACE, "")),
    }
    text = _MAIN
    for name, part in parts.items():
        text = text.replace(f"@{name}@", part)
    return text


def _store(module: Module, path: str) -> str:
    scope, _, name = path.rpartition(".")
    full = ".".join(part for part in ("TOP", module.name, scope) if part)
    return f'{{"{full}", "{name}", "{path}"}}'


def _word_count(type: Bits) -> int:
    return (type.width + 31) // 32


def _apply(module: Module) -> Iterator[str]:
    """C++ that gives inputs their values from words of 32 bits."""
    start = 0
    for field in inputs_of(module).fields:
        count = _word_count(field.type)
        if count <= 2:
            parts = [f"(uint64_t)w[{start + k}] << {32 * k}" for k in range(count)]
            yield f"  top.{field.name} = {' | '.join(parts)};"
        else:
            yield f"  for (int i = 0; i < {count}; i++) top.{field.name}[i] = w[{start} + i];"
        start += count


def _sample(module: Module) -> Iterator[str]:
    """C++ that prints outputs as words of 32 bits."""
    for field in outputs_of(module).fields:
        count = _word_count(field.type)
        for k in range(count):
            value = f"(uint64_t)top.{field.name} >> {32 * k}" if count <= 2 else f"top.{field.name}[{k}]"
            yield f'  fprintf(sink, "%" PRIx32 " ", (uint32_t)({value}));'


def _input_text(module: Module, cycles: Iterable[Cycle]) -> str:
    """Inputs as words of 32 bits, a cycle a line."""
    fields = inputs_of(module).fields
    return "".join(
        " ".join(
            f"{(cycle[field.name] & field.type.mask) >> 32 * k & 0xFFFFFFFF:x}"
            for field in fields
            for k in range(_word_count(field.type))
        )
        + "\n"
        for cycle in completed(module, cycles)
    )


def _row(module: Module, line: str) -> dict[str, int]:
    """The outputs in a line of words."""
    words = [int(word, 16) for word in line.split()]
    values: dict[str, int] = {}
    for field in outputs_of(module).fields:
        own, words = words[: _word_count(field.type)], words[_word_count(field.type) :]
        values[field.name] = field.type.wrap(sum(word << 32 * k for k, word in enumerate(own)))
    return values


def _word_bytes(type: Bits) -> int:
    """The bytes in which Verilator keeps a word."""
    return next((size for size in (1, 2, 4, 8) if type.width <= 8 * size), 4 * _word_count(type))


def _to_bytes(memory: Memory, words: Sequence[int]) -> bytes:
    """The contents of a memory as Verilator keeps them; words that are not given are 0."""
    if len(words) > memory.depth or not all(memory.type.holds(word) for word in words):
        raise RtlError(f"memory '{memory.name}': the contents do not fit {memory.depth} words of {memory.type}")
    size = _word_bytes(memory.type)
    data = b"".join((word & memory.type.mask).to_bytes(size, "little") for word in words)
    return data + bytes(size * (memory.depth - len(words)))


def _from_bytes(memory: Memory, data: bytes) -> list[int]:
    """The words of a memory from the bytes that Verilator keeps."""
    size = _word_bytes(memory.type)
    if len(data) != size * memory.depth:
        raise ToolError(Diagnostic(f"Verilator keeps memory '{memory.name}' in another form than expected"))
    return [memory.type.wrap(int.from_bytes(data[k : k + size], "little")) for k in range(0, len(data), size)]
