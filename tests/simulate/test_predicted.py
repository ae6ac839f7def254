"""The model of accelerators against their hardware, and its parts against what they count by hand."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, assert_never

import pytest

import loadstone as ls
from kernels import EXAMPLES, random_kernel
from loadstone.bus.ports import Bus
from loadstone.cli.main import main
from loadstone.dram.timing import preset
from loadstone.errors import UnsupportedError
from loadstone.hardware.accelerator.top import make_accelerator_design
from loadstone.hardware.compute.unit_pipelines import pipelines_of
from loadstone.loops.accelerator import Accelerator, predicted_words
from loadstone.loops.compiled_walk import IDLE, Run, compiled_shape, compiled_walk
from loadstone.loops.model import Block, For, If, Instance, Node
from loadstone.loops.ranges import parameter_limits
from loadstone.loops.tile_loops import move_loops
from loadstone.model.evaluate import evaluate
from loadstone.model.expression import Expression, Variable
from loadstone.model.types import INT
from loadstone.parallel.pipelines import Pipeline, Use, Wait, tile_times
from loadstone.pipeline import plan_tiles
from loadstone.poly import fixed, points
from loadstone.poly.enumeration import fixed_input
from loadstone.simulate.prediction import model as predicted_module
from loadstone.simulate.prediction import samples
from loadstone.simulate.prediction.model import Placed, Prediction, predict, predict_design
from loadstone.simulate.prediction.samples import all_tiles, are_more, some_tiles
from loadstone.storage.handover import Mode
from loadstone.storage.local_plan import with_buffers
from loadstone.transform.choice import choose_tiling
from ready import predict_system, run_system
from stepped_circuits import Circuit

WITHIN = 0.05
CLOSE = 0.01


def accelerator_of(
    name: str, sizes: tuple[int, ...] | None = None, depth: int = 2, strips: Mode = "overlap", **types: str
) -> Accelerator:
    kernel = ls.parse(next(path for path in EXAMPLES if path.stem == name), types=types or None)
    return Accelerator(with_buffers(plan_tiles(choose_tiling(kernel, sizes)), depth, strips=strips))


def predicted(accelerator: Accelerator, parameters: Mapping[str, int], memory: str) -> Prediction:
    design = make_accelerator_design(accelerator, parameter_limits(accelerator.kernel, parameters))
    return predict_design(accelerator, design, parameters, preset(memory))


def check(accelerator: Accelerator, parameters: Mapping[str, int], memory: str, within: float = CLOSE) -> None:
    """Compares a prediction with a run in Verilator."""
    found = run_system(accelerator, parameters, preset(memory)).as_json()
    model = predicted(accelerator, parameters, memory)
    assert (model.loaded, model.stored) == (found["loaded"], found["stored"])
    words = found["memory"]["words_read"], found["memory"]["words_written"]
    assert (model.words_read, model.words_written) == words
    assert model.row_hits + model.row_changes == sum(words)
    assert abs(model.cycles - found["cycles"]) <= within * found["cycles"]
    assert abs(model.row_changes - found["memory"]["row_changes"]) <= 2 + within * found["memory"]["row_changes"]


@pytest.mark.parametrize("outstanding", [1, 2, 16])
@pytest.mark.parametrize(
    ("name", "sizes", "parameters"), [("matmul", (8, 8, 8), {"n": 24}), ("dma", (512,), {"n": 4096})]
)
def test_bounds_on_bursts_are_predicted(
    name: str, sizes: tuple[int, ...], parameters: dict[str, int], outstanding: int
) -> None:
    accelerator = accelerator_of(name, sizes)
    chosen: dict[str, Any] = {"outstanding": outstanding, "burst": 8}
    found = run_system(accelerator, parameters, preset("ddr4-2400"), **chosen).cycles
    model = predict_system(accelerator, parameters, preset("ddr4-2400"), **chosen).cycles
    assert found is not None
    assert model is not None
    assert abs(model - found) <= CLOSE * found


@pytest.mark.parametrize(
    ("name", "sizes", "parameters", "depth", "strips", "memory"),
    [
        ("dma", (512,), {"n": 4096}, 2, "overlap", "paper"),
        ("matmul", (8, 8, 8), {"n": 24}, 2, "overlap", "ddr4-2400"),
        ("polymul", (4, 8), {"N": 65}, 3, "drain", "paper"),
        ("jacobi-1d", (4, 16), {"tsteps": 10, "n": 50}, 2, "overlap", "ddr4-2400"),
        ("threshold", (8, 16), {"rows": 30, "cols": 70}, 1, "overlap", "paper"),
    ],
)
def test_cycles_are_those_of_the_hardware(
    name: str, sizes: tuple[int, ...], parameters: dict[str, int], depth: int, strips: Mode, memory: str
) -> None:
    depends_on_data = name == "threshold"
    check(accelerator_of(name, sizes, depth, strips), parameters, memory, WITHIN if depends_on_data else CLOSE)


def test_narrow_elements_are_packed() -> None:
    check(accelerator_of("vector_sum", (64,), int="int(16)"), {"n": 1000}, "paper")


@pytest.mark.parametrize(
    ("name", "sizes", "parameters", "cycles", "row_changes"),
    [
        ("dma", (512,), {"n": 65536}, 139_125, 1083),
        ("vector_sum", (512,), {"n": 65536}, 212_260, 2158),
        ("matmul", (16, 16, 16), {"n": 64}, 263_920, None),
    ],
)
def test_measured_cycles(
    name: str, sizes: tuple[int, ...], parameters: dict[str, int], cycles: int, row_changes: int | None
) -> None:
    found = predicted(accelerator_of(name, sizes), parameters, "ddr4-2400" if row_changes is None else "paper")
    assert abs(found.cycles - cycles) <= CLOSE * cycles
    assert row_changes is None or abs(found.row_changes - row_changes) <= CLOSE * row_changes


@pytest.mark.parametrize(
    ("name", "sizes", "parameters"),
    [
        ("dma", (64,), {"n": 8192}),
        ("matmul", (8, 8, 8), {"n": 64}),
        ("devos_3_19", None, {"N": 250}),
        ("trisolv", (4, 4), {"n": 90}),
        ("gemver", (1, 4, 4), {"n": 60}),
    ],
)
@pytest.mark.parametrize("memory", ["paper", "ddr4-2400"])
def test_samples_are_close(name: str, sizes: tuple[int, ...] | None, parameters: dict[str, int], memory: str) -> None:
    accelerator = accelerator_of(name, sizes)
    design = make_accelerator_design(accelerator, parameter_limits(accelerator.kernel, parameters))
    complete = predict_design(accelerator, design, parameters, preset(memory))
    sample = predict_design(accelerator, design, parameters, preset(memory), sampled=True)
    assert (sample.loaded, sample.stored) == (complete.loaded, complete.stored)
    assert (sample.words_read, sample.words_written) == (complete.words_read, complete.words_written)
    assert abs(sample.cycles - complete.cycles) <= WITHIN * complete.cycles
    assert len(sample.activities) < len(complete.activities)


def test_samples_may_follow_other_shapes() -> None:
    accelerator, parameters = accelerator_of("floyd-warshall", (1, 4, 4)), {"n": 14}
    design = make_accelerator_design(accelerator, parameter_limits(accelerator.kernel, parameters))
    complete, sample = (
        predict_design(accelerator, design, parameters, preset("paper"), sampled=sampled) for sampled in (False, True)
    )
    assert complete.gone_through == complete.tiles == sample.tiles == 14 * 4 * 4
    assert sample.gone_through < complete.tiles // 2
    assert abs(sample.cycles - complete.cycles) <= WITHIN * complete.cycles


def rows_of(strip: Sequence[int]) -> list[Run]:
    """Two rows of tiles in a strip, the second one of a length that depends on it, with an idle visit."""
    length = 30 if strip[0] < 90 else 40
    return [Run("tile", 12, (0, 0), (0, 1)), Run(IDLE, 1, (), ()), Run("tile", length, (1, 0), (0, 1))]


def shape_of(tile: Sequence[int]) -> tuple[bool, bool, int]:
    """The first tiles of rows are different, and all tiles of the first and last strips."""
    strip, row, place = tile
    return place == 0, strip in (0, 99), row


@pytest.mark.parametrize("first_strips", [1, 2])
def test_tiles_stand_for_all_of_their_shape(first_strips: int) -> None:
    strips = [Run("strip", 100, (0,), (1,))]
    everything, sample = all_tiles(strips, rows_of), some_tiles(strips, rows_of, shape_of, first_strips)
    expected = Counter(shape_of(tile) for strip in everything.strips for tile in strip)
    tiles = [tile for strip in sample.strips for tile in strip]
    found = Counter[tuple[bool, bool, int]]()
    for tile, weight in zip(tiles, sample.weights, strict=True):
        found[shape_of(tile)] += weight
    assert found == expected
    assert len(sample.strips) == 2 * first_strips
    assert sum(sample.strips_like.values()) == 100 - len(sample.strips)
    assert set(tiles) < {tile for strip in everything.strips for tile in strip}
    assert are_more(strips, rows_of, len(everything.weights) - 1)
    assert not are_more(strips, rows_of, len(everything.weights))


def test_long_runs_are_not_listed() -> None:
    asked: list[tuple[int, ...]] = []

    def shape(tile: tuple[int, ...]) -> bool:
        asked.append(tile)
        return tile[1] < 123_456_789

    strips = [Run("strip", 1, (number,), (0,)) for number in range(1000)]
    found = some_tiles(strips, lambda _: [Run("tile", 10**9, (0,), (1,))], shape, 1)
    assert sum(found.weights) == 10**12
    assert found.weights[7] == 1000 * (123_456_789 - 7)
    assert len(asked) < 1000


def test_too_many_shapes_are_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(samples, "MOST_TILES", 100)
    with pytest.raises(UnsupportedError, match="too many different tiles"):
        some_tiles([Run("strip", 1, (0,), (1,))], lambda _: [Run("tile", 200, (0,), (1,))], lambda tile: tile, 1)


def test_many_tiles_are_sampled(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(predicted_module, "COMPLETE_TILES", 200)
    asked = ["run", str(next(path for path in EXAMPLES if path.stem == "matmul")), "--tile", "8", "-p", "n=48"]
    asked += ["--target", "verilog", "--memory", "paper", "--simulator", "transactions", "--timeline"]
    assert main([*asked, "--json"]) == 0
    outcome = json.loads(capsys.readouterr().out)
    assert outcome["sampled"]["of"] == 6**3
    assert outcome["sampled"]["tiles"] == len(outcome["timeline"]) // 3 < 100
    assert main(asked) == 0
    shown = f"{outcome['sampled']['tiles']} of 216 tiles, which stand for all\n"
    assert f"  sampled      {shown}" in capsys.readouterr().out
    monkeypatch.setattr(predicted_module, "COMPLETE_TILES", 216)
    assert main([*asked, "--json"]) == 0
    complete = json.loads(capsys.readouterr().out)
    assert "sampled" not in complete
    assert abs(outcome["cycles"] - complete["cycles"]) <= WITHIN * complete["cycles"]
    assert [outcome[key] for key in ("loaded", "stored")] == [complete[key] for key in ("loaded", "stored")]


@pytest.mark.sweep
@pytest.mark.parametrize("memory", ["paper", "ddr4-2400"])
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_all_examples(path: Path, memory: str) -> None:
    kernel = ls.parse(path)
    try:
        check(Accelerator(ls.plan(kernel)), dict(kernel.defaults), memory, WITHIN)
    except UnsupportedError as error:
        pytest.skip(str(error).splitlines()[0])


TILINGS = [
    ("matmul", (3, 4, 5), {"n": 11}),
    ("jacobi1d_sa", (2, 4), {"T": 5, "N": 23}),
    ("polymul", (3, 5), {"N": 11}),
    ("lpsf", (1, 4, 4), {"m": 9, "n": 8}),
]


def tiles_of(accelerator: Accelerator, parameters: Mapping[str, int]) -> Iterator[dict[str, int]]:
    """The coordinates of all tiles, with the parameters."""
    tiles = accelerator.plan.tiles
    names = (*parameters, *tiles.outer)
    strips, inner = compiled_walk(accelerator.strips, tuple(parameters)), compiled_walk(accelerator.tiles, names)
    for strip in arguments_of(strips(*parameters.values())):
        for tile in arguments_of(inner(*parameters.values(), *strip)):
            yield dict(zip((*names, *tiles.inner), (*parameters.values(), *strip, *tile), strict=True))


def arguments_of(runs: list[Run]) -> Iterator[tuple[int, ...]]:
    for run in runs:
        for k in range(run.length if run.name != IDLE else 0):
            yield tuple(value + k * step for value, step in zip(run.arguments, run.steps, strict=True))


@pytest.mark.parametrize(("name", "sizes", "parameters"), TILINGS)
def test_walks_visit_what_tiles_load(name: str, sizes: tuple[int, ...], parameters: dict[str, int]) -> None:
    accelerator = accelerator_of(name, sizes)
    inside = (*parameters, *accelerator.plan.tiles.coordinates)
    walk = compiled_walk(move_loops(accelerator, "load"), inside)
    total = 0
    for tile in tiles_of(accelerator, parameters):
        runs, inner = walk(*tile.values()), tuple(tile[each] for each in accelerator.plan.tiles.inner)
        total += sum(run.length for run in runs if run.name != IDLE)
        for array, part in accelerator.plan.arrays.items():
            expected = points(fixed_input(fixed(part.load, tile), inner).range())
            assert list(arguments_of([run for run in runs if run.name == array])) == expected
    assert total == predicted_words(accelerator, parameters)[0]


def visits(node: Node, values: Mapping[str, int]) -> Iterator[tuple[str, tuple[int, ...]]]:
    """What a controller visits in a loop tree, one by one."""

    def value(expression: Expression) -> int:
        return int(evaluate(expression, values, ()))

    match node:
        case Instance(statement=name, arguments=arguments):
            yield name, tuple(map(value, arguments))
        case Block(items=items):
            yield from (visit for item in items for visit in visits(item, values))
            yield from () if items else ((IDLE, ()),)
        case If(condition=condition, then=then, otherwise=otherwise):
            yield from visits(then if value(condition) else otherwise or Block(()), values)
        case For(iterator=iterator, start=start, condition=condition, step=step, body=body):
            inside = {**values, iterator: value(start)}
            if not evaluate(condition, inside, ()):
                yield IDLE, ()
            while evaluate(condition, inside, ()):
                yield from visits(body, inside)
                inside[iterator] += value(step)
        case _:
            assert_never(node)


@pytest.mark.parametrize(("name", "sizes", "parameters"), [*TILINGS, ("jacobi-1d", (2, 5), {"tsteps": 5, "n": 17})])
def test_walks_are_those_of_their_trees(name: str, sizes: tuple[int, ...], parameters: dict[str, int]) -> None:
    accelerator, idle = accelerator_of(name, sizes), 0
    inside = (*parameters, *accelerator.plan.tiles.coordinates)
    for tree in (accelerator.compute, *(move_loops(accelerator, verb) for verb in ("load", "store"))):
        walk = compiled_walk(tree, inside)
        for tile in tiles_of(accelerator, parameters):
            runs = walk(*tile.values())
            found = [
                (run.name, each) for run in runs for each in (arguments_of([run]) if run.name else [()] * run.length)
            ]
            assert found == list(visits(tree, tile))
            assert all(one.name or other.name for one, other in pairwise(runs))
            idle += sum(run.length for run in runs if run.name == IDLE)
    assert idle or name in ("matmul", "jacobi1d_sa")


@pytest.mark.parametrize(("name", "sizes", "parameters"), TILINGS)
def test_tiles_of_one_shape_take_equal_times(name: str, sizes: tuple[int, ...], parameters: dict[str, int]) -> None:
    accelerator = accelerator_of(name, sizes)
    inside = (*parameters, *accelerator.plan.tiles.coordinates)
    shape, walk = compiled_shape(accelerator.compute, inside), compiled_walk(accelerator.compute, inside)
    pipelines = {statement.name: Pipeline(3) for statement in accelerator.kernel.statements}
    found: dict[tuple[int, ...], set[int]] = {}
    for tile in tiles_of(accelerator, parameters):
        cycles = tile_times(walk(*tile.values()), pipelines).cycles
        found.setdefault(shape(*tile.values()), set()).add(cycles)
    assert all(len(cycles) == 1 for cycles in found.values())
    assert len(found) > 1


def test_instances_wait_for_what_they_read() -> None:
    sums = Pipeline(7, waits=(Wait("S", 6, 0, 0),), arguments=(Variable("i", INT),))
    assert tile_times([Run("S", 10, (0,), (1,))], {"S": sums}).cycles == 1 + 9 + 7 + 1
    assert tile_times([Run("S", 10, (0,), (0,))], {"S": sums}).cycles == 1 + 9 * 7 + 7 + 1
    assert tile_times([Run("S", 10, (0,), (0,))], {"S": Pipeline(7, interval=7)}).cycles == 1 + 9 * 7 + 7 + 1


SHIFTED = """
#pragma loadstone default(n = 9)
void shifted(int n, float w[n + 4])
{
#pragma loadstone tile size(1, 2)
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      w[j + 4] = w[i] / 4;
}
"""


def test_tiles_of_one_shape_wait_for_other_words(tmp_path: Path) -> None:
    """Where j + 4 is i, instances wait for the one that writes what they read."""
    path = tmp_path / "shifted.c"
    path.write_text(SHIFTED)
    circuit = Circuit.of(Accelerator(ls.plan(ls.parse(path))), {"n": 9}, Bus(data_width=64), 1, 0)
    assert circuit.predicted() == circuit.run(0)


def test_idle_visits_between_tiles_take_cycles() -> None:
    kernel, _ = random_kernel(33)
    accelerator = Accelerator(ls.plan(kernel, ls.Tiling((4,), "auto")))
    circuit = Circuit.of(accelerator, {"N": 3, "P": 5}, Bus(data_width=64), 1, 0)
    assert circuit.predicted() == circuit.run(0)


def test_instances_wait_for_ports() -> None:
    port = ("a", "read 0")
    twice = {"S": Pipeline(3, uses=(Use(port, 1), Use(port, 2)))}
    found = tile_times([Run("S", 4, (), ())], twice)
    assert found.cycles == 1 + 3 * 2 + 3 + 1
    assert found.free(port) == [0, 1, 10]
    assert found.free(("b", "read 0")) is None


@pytest.mark.parametrize(("name", "sizes", "parameters"), [("matmul", (8, 8, 8), {"n": 21})])
def test_lanes_share_cycles(name: str, sizes: tuple[int, ...], parameters: dict[str, int]) -> None:
    accelerator, timing = accelerator_of(name, sizes), preset("ddr4-2400")
    found = run_system(accelerator, parameters, timing, unroll=4).as_json()
    assert found["lanes"]["count"] == 4
    model = predict_system(accelerator, parameters, timing, unroll=4).as_json()
    assert abs(model["cycles"] - found["cycles"]) <= CLOSE * found["cycles"]


def test_predictions_need_no_hardware() -> None:
    accelerator = accelerator_of("vector_sum", (64,))
    arrays = {name: Placed(4096 * k, 4, (1,)) for k, name in enumerate("abc")}
    pipelines = {statement.name: Pipeline(3) for statement in accelerator.kernel.statements}
    found = predict(accelerator, {"n": 640}, preset("paper"), Bus(), pipelines, arrays)
    assert (found.loaded, found.stored) == (1280, 640)
    assert found.cycles > found.busy_cycles >= 1920
    slow = {name: Pipeline(3, interval=20) for name in pipelines}
    assert predict(accelerator, {"n": 640}, preset("paper"), Bus(), slow, arrays).cycles > 640 * 20


def test_activities_are_those_of_all_tiles() -> None:
    accelerator = accelerator_of("matmul", (8, 8, 8))
    found = predicted(accelerator, {"n": 24}, "paper")
    for process in ("load", "compute", "store"):
        own = [each for each in found.activities if each.process == process]
        assert [each.tile for each in own] == list(range(27))
        assert all(0 <= each.begin < each.end <= found.cycles for each in own)
    computed = [each for each in found.activities if each.process == "compute"]
    assert all(one.end < other.begin for one, other in pairwise(computed))


def test_pipelines_are_those_of_a_design() -> None:
    accelerator = accelerator_of("matmul", (8, 8, 8))
    design = make_accelerator_design(accelerator, parameter_limits(accelerator.kernel, {"n": 24}))
    pipeline = pipelines_of(design.compute)["S0"]
    assert pipeline.depth == design.compute.times["S0"].write
    assert {use.port for use in pipeline.uses} == {("a", "read 0"), ("b", "read 0"), ("c", "read 0"), ("c", "write")}
