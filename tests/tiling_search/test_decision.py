"""`--tile auto`: as good as any tiling, by brute force; what is counted is what is built."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

import loadstone as ls
from kernels import ROOT, ROWS_LATER
from loadstone.cli.main import main
from loadstone.errors import UnsupportedError
from loadstone.options import Choices
from loadstone.pipeline import Compilation
from loadstone.tiling_search.decision import Decision, search_space
from loadstone.tiling_search.evaluation import Measured, measure
from loadstone.tiling_search.orders import permuted
from loadstone.tiling_search.pragma import tiling_pragma
from loadstone.tiling_search.sizes import SizeSearch, extent
from loadstone.transfer.volumes import count
from loadstone.transform.choice import choose_tiling
from loadstone.transform.tiling import TiledKernel

POLYBENCH = ROOT / "examples" / "polybench"
SMALL = {"gemm": {"ni": 6, "nj": 7, "nk": 5}, "vectors": {"n": 12}, "lu": {"n": 7}, "syrk": {"n": 5, "m": 3}}
SOURCES = {name: POLYBENCH / f"{name}.c" for name in SMALL} | {"vectors": ROOT / "examples" / "vector_sum.c"}


def compiled(name: str, local: int, values: dict[str, int] | None = None, **choices: object) -> Compilation:
    chosen = Choices.of({"sizes": "auto", "local": local, **choices})
    return Compilation(ls.parse(SOURCES[name]), chosen, values or SMALL[name])


def chosen(compilation: Compilation) -> Decision:
    assert compilation.decision is not None
    return compilation.decision


def fewest_words(compilation: Compilation) -> int:
    """The fewest words of all sizes of all orders whose live elements fit, which is what buffers need at least."""
    found: list[int] = []
    for ordered in search_space(compilation.goal):
        search = SizeSearch(ordered.order, ordered.traffic, ordered.held, compilation.goal.local)
        for sizes in product(*(range(1, extent(ordered.held.reach[k]) + 1) for k in search.free)):
            complete = search.complete(dict(zip(search.free, sizes, strict=True)))
            if search.cells(complete) <= search.local:
                found.append(ordered.traffic.words(complete))
    return min(found)


@pytest.mark.parametrize(("name", "local"), [("gemm", 30), ("gemm", 45)])
def test_no_sizes_move_fewer_words(name: str, local: int) -> None:
    compilation = compiled(name, local, strip=1)
    assert chosen(compilation).words == fewest_words(compilation)


def test_no_choice_is_worse_than_the_tiling_of_the_source(monkeypatch: pytest.MonkeyPatch) -> None:
    def nothing(self: SizeSearch, price: object) -> None:
        return None

    monkeypatch.setattr(SizeSearch, "coarse", nothing)
    compilation = compiled("gemm", 400)
    source = Compilation(compilation.kernel, Choices(), SMALL["gemm"])
    parts = source.transfers.arrays.values()
    words = sum(count(moved, SMALL["gemm"]) for part in parts for moved in (part.strip_to_loaded, part.strip_to_stored))
    assert source.plan.arrays["c"].buffer.cells(SMALL["gemm"]) > 1
    assert chosen(compilation).words == words


def better_ones(compilation: Compilation, decision: Decision) -> list[Measured]:
    """Plans of all sizes of all orders that move fewer words than a choice, as far as live elements may fit."""
    goal, found = compilation.goal, list[Measured]()
    for ordered in search_space(goal):
        search = SizeSearch(ordered.order, ordered.traffic, ordered.held, goal.local)
        for sizes in product(*(range(1, extent(ordered.held.reach[k]) + 1) for k in search.free)):
            complete = search.complete(dict(zip(search.free, sizes, strict=True)))
            if ordered.traffic.words(complete) >= decision.words or search.cells(complete) > goal.local:
                continue
            dims, strip = ordered.order.dims, len(ordered.order.strip)
            theta = permuted(ordered.base.theta, dims)
            tiles = TiledKernel(ordered.base.kernel, theta, tuple(complete[k] for k in dims), strip)
            split = goal.split
            measured = measure(tiles, goal.parameters, goal.make_plan, goal.depth, power_of_two=False, split=split)
            found += [] if measured is None else [measured]
    return found


@pytest.mark.parametrize(("name", "local"), [("syrk", 14), pytest.param("lu", 20, marks=pytest.mark.sweep)])
def test_no_tiling_that_fits_moves_fewer_words_where_buffers_have_parts(name: str, local: int) -> None:
    compilation = compiled(name, local, strip=1)
    decision = chosen(compilation)
    assert decision.split
    assert decision.cells <= local
    assert all(plan.all_cells("drain") > local for plan in better_ones(compilation, decision))


@pytest.mark.parametrize(
    ("name", "local"), [("gemm", 40), ("vectors", 9), pytest.param("lu", 20, marks=pytest.mark.sweep)]
)
def test_buffers_that_are_counted_are_those_that_are_built(name: str, local: int) -> None:
    compilation = compiled(name, local)
    decision, plan, values = chosen(compilation), compilation.plan, compilation.values
    moved = sum(
        count(part, values) for array in plan.arrays.values() for part in (array.strip_to_loaded, array.strip_to_stored)
    )
    cells = sum(array.buffer.all_cells(values) for array in plan.arrays.values())
    assert (moved, cells) == (decision.words, decision.cells)
    assert cells <= local
    assert plan.handover.mode == decision.strips


def test_sizes_need_not_divide_anything() -> None:
    decision = chosen(compiled("gemm", 4096, {"ni": 200, "nj": 220, "nk": 240}))
    assert decision.words <= 438_400
    assert decision.cells <= 4096
    assert decision.compulsory == 188_800
    assert decision.bound is not None
    assert 1 < decision.ratio < 1.2


def test_with_all_memory_only_compulsory_words_move() -> None:
    decision = chosen(compiled("gemm", 10_000))
    assert decision.words == decision.compulsory
    assert decision.strips == "overlap"


def test_a_tiling_pasted_as_a_pragma_is_the_tiling() -> None:
    lines = (POLYBENCH / "trmm.c").read_text().splitlines()
    base = choose_tiling(ls.parse(POLYBENCH / "trmm.c"))
    tiles = replace(base, theta=permuted(base.theta, (2, 0, 1)), sizes=(3, 4, 5), strip=2)
    pragma = tiling_pragma(tiles, base.kernel)
    assert pragma is not None
    start = next(k for k, line in enumerate(lines) if "loadstone tile" in line)
    end = next(k for k in range(start, len(lines)) if not lines[k].endswith("\\"))
    again = choose_tiling(ls.parse("\n".join([*lines[:start], pragma, *lines[end + 1 :]])))
    assert (again.sizes, again.strip) == ((3, 4, 5), 2)
    assert all(again.theta[name].is_equal(dates) for name, dates in tiles.theta.items())


def test_too_little_memory_says_what_is_needed() -> None:
    with pytest.raises(UnsupportedError, match="no tiling was found that fits into 2 words"):
        _ = compiled("vectors", 2).decision


def test_a_schedule_that_is_given_stays() -> None:
    kernel = ls.parse(ROWS_LATER)
    schedule = "[n, m] -> { S0[i, j] -> [j, i] }"
    made = Compilation(kernel, Choices(sizes="auto", local=20, schedule=schedule), {"n": 9, "m": 4})
    assert str(chosen(made).tiles.schedule) == str(replace(made, choices=Choices(schedule=schedule)).tiles.schedule)


@pytest.mark.sweep
def test_command_line_runs_a_choice(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = str(POLYBENCH / "gemm.c")
    values = [word for name, value in SMALL["gemm"].items() for word in ("-p", f"{name}={value}")]
    assert main(["run", path, "--tile", "auto", "--local", "60", "--checked", "--json", *values]) == 0
    ran = json.loads(capsys.readouterr().out)
    assert main(["plan", path, "--tile", "auto", "--local", "60", "--json", *values]) == 0
    planned = json.loads(capsys.readouterr().out)
    auto = planned["auto"]
    assert ran["match"]
    assert ran["loaded"] + ran["stored"] == auto["words"] == sum(planned["volume"]["values"].values())
    assert ran["tiling"] == planned["tiling"]
    assert auto["cells"] <= auto["local"] == 60
    assert {"objective", "compulsory", "bound", "ratio"} <= set(auto)


def test_options_of_a_choice_need_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", str(POLYBENCH / "gemm.c"), "--local", "64KiB"]) == 2
    assert "--local has no effect without --tile auto" in capsys.readouterr().err


def test_a_kernel_that_runs_nothing_has_a_tiling() -> None:
    assert chosen(compiled("vectors", 9, {"n": 0})).words == 0


def test_parameters_and_buffers_that_choose_a_tiling_count_when_a_plan_is_checked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["plan", str(SOURCES["vectors"]), "--tile", "auto", "--local", "9", "-p", "n=12", "--depth", "1"]
    assert main([*command, "--json"]) == 0
    plan = tmp_path / "plan.json"
    plan.write_text(capsys.readouterr().out)
    assert main([*command, "--check", str(plan)]) == 0
    assert main([*command, "--quast"]) == 0
