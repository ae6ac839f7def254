"""The direct implementation of kernels on external memory, against the original program."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path

import islpy as isl
import pytest

import loadstone as ls
from kernels import CLASHES, EXAMPLES, ROOT, random_kernel, tiny_parameters
from loadstone.bus.ports import Bus
from loadstone.dram.timing import preset
from loadstone.errors import LoadstoneError, UnsupportedError
from loadstone.hardware.design import ComputeDesign
from loadstone.hardware.direct import statements as direct_statements
from loadstone.hardware.direct.top import OPEN_WRITES, make_direct_design, make_open_writes
from loadstone.hardware.harness.placement import placed, words_needed
from loadstone.hardware.harness.system import CHANCE, WORDS, make_system
from loadstone.loops.ranges import parameter_limits, within
from loadstone.model.kernel import Kernel
from loadstone.parallel.operands import Word, words_read
from loadstone.poly import fixed, pairs
from loadstone.rtl import Simulation, unsigned
from loadstone.rtl.programs import ghdl, verilator
from loadstone.simulate.hardware.system import SystemResult, SystemRun
from loadstone.simulate.memory import copied, initial_memory, live_out_arrays, mismatches
from loadstone.simulate.programs.compiled import compile_reference
from loadstone.trials import trial
from oracle import traced
from system_designs import Repeated

PAPER, QUICK = preset("paper"), preset("ddr3-1600")
Rows = Iterable[Mapping[str, int]]
Cell = tuple[str, tuple[int, ...]]


def direct_design(kernel: Kernel, rows: Rows, bus: Bus | None = None) -> ComputeDesign:
    """A design for all of some parameters."""
    largest = {name: max(row[name] for row in rows) for name in kernel.parameters}
    return make_direct_design(kernel, parameter_limits(kernel, largest), bus)


def run(design: ComputeDesign, parameters: Mapping[str, int]) -> SystemResult:
    """Runs a design on generated data, and compares memory."""
    kernel = design.compute.kernel
    expected, actual = trial(kernel, parameters)
    outcome = SystemRun(design, PAPER, parameters, actual, {}).execute()
    assert not mismatches(expected, actual, live_out_arrays(kernel)), parameters
    return outcome


def interpret(design: ComputeDesign, parameters: Mapping[str, int], seed: int = 0) -> None:
    """The same without a compiler, on a fast memory."""
    kernel, bases = design.compute.kernel, placed(design)
    expected, actual = trial(kernel, parameters, seed)
    run = SystemRun(design, QUICK, parameters, actual, {})
    module = make_system(design, QUICK, words_needed(design, bases))
    simulation = Simulation(module)
    words = simulation.memory(WORDS)
    words[:] = run.image(bases)
    for name, value in {**run.inputs(bases), "start": 1}.items():
        simulation.set(name, value)
    simulation.step()
    simulation.set("start", 0)
    simulation.run_until("done", 200_000)
    outputs = {port.name: simulation.get(port.name) for port in module.of_kind("output")}
    assert outputs["bus_error"] == 0
    run.read_back(bases, list(words), outputs)
    assert not mismatches(expected, actual, live_out_arrays(kernel)), parameters


def example(name: str) -> Kernel:
    return ls.parse(ROOT / f"examples/{name}.c")


def interpret_rows(kernel: Kernel, rows: Rows, bus: Bus | None = None, seed: int = 0) -> None:
    rows = list(rows)
    design = direct_design(kernel, rows, bus)
    for row in rows:
        interpret(design, row, seed)


def test_a_copy_changes_the_row_for_each_access() -> None:
    design = direct_design(example("dma"), [{"n": 2000}])
    short, long = run(design, {"n": 1000}), run(design, {"n": 2000})
    assert long.row_changes is not None
    assert long.row_changes >= 0.95 * 2 * 2000
    assert (long.loaded, long.stored) == (2000, 2000)
    assert 15.5 <= (long.cycles - short.cycles) / 1000 <= 16.5
    for size in (0, 1, 7):
        run(design, {"n": size})


def test_a_product_reads_two_words_for_each_instance() -> None:
    size = 17
    design = direct_design(example("matmul"), [{"n": size}])
    outcome = run(design, {"n": size})
    assert outcome.loaded == 2 * size**3 + size**2
    assert outcome.stored == size**2
    assert 16 <= outcome.cycles / size**3 <= 17.5
    assert "open_writes" not in {instance.name for instance in design.module.instances[0].module.instances}
    for smaller in (0, 1, 2):
        run(design, {"n": smaller})


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("jacobi1d_sa", [{"T": 5, "N": 13}, {"T": 1, "N": 7}, {"T": 0, "N": 3}]),
        ("polymul", [{"N": 0}, {"N": 1}, {"N": 11}]),
        ("threshold", [{"rows": 5, "cols": 7}, {"rows": 1, "cols": 1}, {"rows": 0, "cols": 3}]),
        ("vector_sum", [{"n": 37}, {"n": 1}, {"n": 0}]),
        ("polybench/trisolv", [{"n": 5}, {"n": 1}]),
        ("polybench/gesummv", [{"n": 3}, {"n": 1}]),
        ("polybench/floyd-warshall", [{"n": 5}, {"n": 1}]),
    ],
)
def test_examples(name: str, rows: Rows) -> None:
    interpret_rows(example(name), rows)


def test_elements_of_several_widths(tmp_path: Path) -> None:
    path = tmp_path / "kernel.c"
    path.write_text("""void f(int n, short a[n], long long b[n], signed char c[n]) {
#pragma scop
  for (int i = 1; i < n; i++) {
    b[i] = b[i - 1] + a[i];
    c[i] = b[i] - c[i - 1];
  }
#pragma endscop
}
""")
    interpret_rows(ls.parse(path), [{"n": 1}, {"n": 23}], Bus("avalon", data_width=128))


def test_names_may_clash(tmp_path: Path) -> None:
    path = tmp_path / "kernel.c"
    path.write_text(CLASHES)
    interpret_rows(ls.parse(path), [{"n": 5}])


def test_what_isl_knows_of_words() -> None:
    found = {
        name: {
            (word.array, word.kept, word.open)
            for words in words_read(example(name), within({"n": (0, 64)})).values()
            for word in words
        }
        for name in ("dma", "matmul")
    }
    assert found["dma"] == {("a", False, False)}
    assert found["matmul"] == {("c", True, False), ("a", False, False), ("b", False, False)}


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_words_wait_for_what_a_run_writes(path: Path) -> None:
    kernel = ls.parse(path)
    for parameters in list(tiny_parameters(kernel, (2, 3)))[-1:]:
        check_words(kernel, parameters)


def check_words(kernel: Kernel, parameters: Mapping[str, int]) -> None:
    """Every word that a run reads may be what was computed last, or before that, if it was."""
    known = words_read(kernel, within({name: (value, value) for name, value in parameters.items()}, kernel.context))
    elements = {
        (name, word): pairs(fixed(kernel.statement(name).reads[word.position].relation, parameters))
        for name, words in known.items()
        for word in words
    }
    computed, last = set[Cell](), None
    for event in traced(kernel, parameters):
        cell = event.array, event.element
        if event.is_write and event.element:
            computed, last = computed | {cell}, cell
        for word in () if event.is_write else known[event.statement]:
            if word.array == event.array and (event.instance, event.element) in elements[event.statement, word]:
                assert word.kept or cell != last
                assert word.open or cell == last or cell not in computed


def with_words(monkeypatch: pytest.MonkeyPatch, *, is_open: bool) -> None:
    """Lets no word be the last result, and all of them wait for writes, or none."""

    def changed(kernel: Kernel, known: isl.Set) -> dict[str, tuple[Word, ...]]:
        found = words_read(kernel, known)
        return {name: tuple(replace(word, kept=False, open=is_open) for word in words) for name, words in found.items()}

    monkeypatch.setattr(direct_statements, "words_read", changed)


@pytest.mark.parametrize("name", ["polymul", "matmul"])
def test_results_need_the_waiting(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    kernel = example(name)
    rows = [dict.fromkeys(kernel.parameters, 3)]
    with_words(monkeypatch, is_open=True)
    interpret_rows(kernel, rows)
    with_words(monkeypatch, is_open=False)
    with pytest.raises(AssertionError):
        interpret_rows(kernel, rows)


@pytest.mark.parametrize("seed", range(3))
def test_open_writes(seed: int) -> None:
    """The table against a list, with entries that leave in order, arrive later, or are dropped."""
    source = random.Random(seed)
    simulation = Simulation(make_open_writes("writes", unsigned(3), OPEN_WRITES))
    held, left = dict[int, int](), list[int]()
    hits = 0
    for _ in range(2000):
        waiting = [entry for entry in held if entry not in left]
        asked, added = source.randrange(8), source.randrange(8)
        moves = {name: int(source.random() < 0.4) for name in ("adds", "leaves", "arrives", "drops")}
        moves["adds"] &= simulation.get("room")
        moves["arrives"] &= int(bool(left))
        leaving = waiting.pop(0) if waiting and moves["leaves"] else None
        dropped = waiting.pop() if waiting and moves["drops"] else None
        moves |= {"leaves": int(leaving is not None), "drops": int(dropped is not None)}
        for name, value in {**moves, "asked": asked, "added": added}.items():
            simulation.set(name, value)
        simulation.set("leaving", leaving or 0)
        simulation.set("dropped", dropped or 0)
        assert simulation.get("hit") == int(asked in held.values())
        hits += simulation.get("hit")
        entry = simulation.get("entry")
        assert simulation.get("room") == int(entry not in held)
        simulation.step()
        if moves["arrives"]:
            del held[left.pop(0)]
        if dropped is not None:
            del held[dropped]
        if leaving is not None:
            left.append(leaving)
        if moves["adds"]:
            held[entry] = added
    assert hits > 100


INDEXED = {
    "two levels": "void f(int n, unsigned char y[n], unsigned char x[256], int h[256])|h[x[y[i]]] += y[i];",
    "a scalar": "void f(int n, unsigned char x[n], int h[256])|{ int k = x[i]; h[k] += i; }",
    "written": "void f(int n, unsigned char x[64])|x[i + 1] = x[x[i] % 4] + i;",
    "guarded": "void f(int n, int x[n], int h[16])|if (x[i] > 4) h[x[i] - 5] = h[x[i] - 5] + i;",
    "chosen": "void f(int n, int x[n], int t[8], int y[n])|y[i] = x[i] > 2 ? t[x[i] - 3] : -1;",
    "a product": "void f(int n, int x[n], int y[256])|y[i * i] = x[i];",
    "rows": "void f(int n, short p[n], short q[n], long long a[7][5], int y[n])|y[i] = a[p[i] % 7][q[i] % 5] - q[i];",
}


def indexed(folder: Path, name: str) -> Kernel:
    """A kernel with places that depend on data."""
    head, body = INDEXED[name].split("|")
    path = folder / "kernel.c"
    path.write_text(f"{head} {{\n#pragma scop\n  for (int i = 0; i < n; i++)\n    {body}\n#pragma endscop\n}}\n")
    return ls.parse(path)


@pytest.mark.parametrize("name", INDEXED)
def test_places_that_depend_on_data(name: str, tmp_path: Path) -> None:
    interpret_rows(indexed(tmp_path, name), [{"n": 0}, {"n": 1}, {"n": 16}])


@pytest.mark.parametrize("name", ["two levels", "rows"])
def test_places_that_depend_on_data_on_avalon(name: str, tmp_path: Path) -> None:
    interpret_rows(indexed(tmp_path, name), [{"n": 11}], Bus("avalon", data_width=128))


def test_places_need_the_waiting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with_words(monkeypatch, is_open=False)
    with pytest.raises(AssertionError):
        interpret_rows(indexed(tmp_path, "written"), [{"n": 16}])


def test_a_histogram_has_many_instances_on_their_way() -> None:
    design = direct_design(example("histogram"), [{"n": 500}])
    short, long = run(design, {"n": 250}), run(design, {"n": 500})
    assert 480 <= long.stored <= 500
    assert long.loaded == 500 + long.stored
    assert (long.cycles - short.cycles) / 250 < 12


def test_it_starts_again_while_memory_stalls(tmp_path: Path) -> None:
    kernel, runs, row = indexed(tmp_path, "guarded"), 3, {"n": 60}
    start = initial_memory(kernel, row)
    expected = copied(start)
    for _ in range(runs):
        compile_reference(kernel).run(row, expected)
    _, actual = Repeated(direct_design(kernel, [row]), PAPER, [row], runs).execute(start, [], {CHANCE: 60})
    assert not mismatches(expected, actual, live_out_arrays(kernel))


def test_the_text_has_no_warnings() -> None:
    module = make_system(direct_design(example("threshold"), [{"rows": 5, "cols": 7}]), PAPER, 1024)
    assert verilator.lint(module) == ""
    try:
        assert ghdl.lint(module) == ""
    except LoadstoneError as error:
        pytest.skip(str(error))


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(40))
def test_random_kernels(seed: int) -> None:
    kernel, rows = random_kernel(seed, may=bool(seed % 4 == 3))
    try:
        interpret_rows(kernel, rows[-3:], seed=seed)
    except UnsupportedError as error:
        pytest.skip(str(error).splitlines()[0])


@pytest.mark.sweep
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_all_examples(path: Path) -> None:
    kernel = ls.parse(path)
    try:
        interpret_rows(kernel, list(tiny_parameters(kernel, (0, 1, 2, 3, 5)))[-3:])
    except UnsupportedError as error:
        pytest.skip(str(error).splitlines()[0])
