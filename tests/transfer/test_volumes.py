"""Closed forms of volumes, in total and per tile."""

from __future__ import annotations

import json
import random
from pathlib import Path

import islpy as isl
import pytest

import loadstone as ls
from kernels import ROOT
from loadstone.cli.main import main
from loadstone.poly import fixed
from loadstone.poly.enumeration import pairs, points
from loadstone.poly.spaces import without_determined_dims
from loadstone.transfer import volumes

POLYMUL = ROOT / "examples" / "polymul.c"


def at(polynomial: isl.PwQPolynomial | None, **values: int) -> int:
    """The value of a closed form over [T1] with parameters N and T0."""
    assert polynomial is not None
    point = isl.Set(f"[N, T0] -> {{ [{values['T1']}] : N = {values['N']} and T0 = {values['T0']} }}").sample_point()
    return polynomial.eval(point).to_python()


def test_volumes_of_single_tiles() -> None:
    """The intervals of the polynomial product for N = 25 [RR-7697; computed from its definitions]."""
    plan = ls.plan(ls.parse(POLYMUL))
    loads = {(0, 0): 19, (0, 1): 10, (0, 2): 6, (1, 0): 19, (2, 0): 15, (2, 2): 6}
    stores = {(0, 0): 10, (0, 1): 10, (0, 2): 15, (1, 2): 15, (2, 0): 10, (2, 2): 11}
    for (strip, tile), words in loads.items():
        assert at(plan["c"].load_per_tile, N=25, T0=strip, T1=tile) == words
    for (strip, tile), words in stores.items():
        assert at(plan["c"].store_per_tile, N=25, T0=strip, T1=tile) == words


def test_json_has_volumes_and_values(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", str(POLYMUL), "-p", "N=25", "--per-tile", "--json"]) == 0
    info = json.loads(capsys.readouterr().out)
    assert info["volume"]["values"] == {"load": 78 + 26 + 101, "store": 101}
    assert info["arrays"]["c"]["values"] == {"load": 101, "store": 101}
    assert info["tiling"] == {
        "schedule": info["tiling"]["schedule"],
        "sizes": [10, 10],
        "strip": 1,
        "outer": ["T0"],
        "inner": ["T1"],
    }
    for key in ("load_volume", "store_volume", "load_per_tile", "store_per_tile"):
        isl.PwQPolynomial(info["arrays"]["c"][key])


@pytest.mark.parametrize(
    "text",
    [
        "[n] -> { [t, x] : 8t <= x <= 8t + 7 and 0 <= x < n }",
        "[n] -> { [x, y] : x = 2y and 0 <= y < n }",
        "[n] -> { [[t] -> A[x]] : t <= x <= t + 1 and 0 <= x < n and 0 <= t < n }",
    ],
)
def test_dropping_determined_dimensions_keeps_the_count(text: str) -> None:
    points = isl.Set(text)
    for n in (0, 1, 7, 9):
        fixed = isl.Set(f"[n] -> {{ : n = {n} }}")
        counts = [value.intersect_params(fixed).card() for value in (points, without_determined_dims(points))]
        assert counts[0].eval(fixed.sample_point()) == counts[1].eval(fixed.sample_point())


def random_set(source: random.Random) -> isl.Set:
    """A bounded set with a parameter: a few pieces that may overlap, with linear constraints and strides."""
    names = [f"x{k}" for k in range(source.randint(1, 3))]
    box = [f"{source.randint(-4, 0)} <= {name} <= {source.randint(2, 9)}" for name in names]
    pieces: list[str] = []
    for _ in range(source.randint(1, 3)):
        sums = (" + ".join(f"{source.randint(-3, 3)} {name}" for name in names) for _ in range(source.randint(0, 3)))
        bounds = [f"{each} + N >= {source.randint(-5, 5)}" for each in sums]
        stride = f"({' + '.join(names)} + {source.randint(0, 3)} N) mod {source.randint(2, 5)} = {source.randint(0, 1)}"
        chosen = (*box, *bounds, *([stride] if source.random() < 0.5 else []))
        pieces.append(f"[{', '.join(names)}] : {' and '.join(chosen)}")
    return isl.Set(f"[N] -> {{ {'; '.join(pieces)} }}")


@pytest.mark.parametrize("seed", range(4))
def test_numbers_are_those_of_barvinok_and_of_points(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    source = random.Random(seed)
    for value in (random_set(source) for _ in range(25)):
        for number in (0, 1, 5):
            scanned = volumes.count(value, {"N": number})
            with monkeypatch.context() as patch:
                patch.setattr(volumes, "MOST_SCANNED", -1)
                assert volumes.count(value, {"N": number}) == scanned
            assert len(points(fixed(value, {"N": number}))) == scanned


@pytest.mark.parametrize("name", ["jacobi-2d", "seidel-2d", pytest.param("fdtd-2d", marks=pytest.mark.sweep)])
def test_volumes_of_stencils_have_closed_forms(name: str) -> None:
    """Each against the elements that are listed one by one, for parameters below and above the sizes of the tiles."""
    plan = ls.plan(ls.parse(ROOT / "examples" / "polybench" / f"{name}.c"))
    names = plan.tiles.kernel.parameters
    for part in plan.arrays.values():
        for moved, form in ((part.strip_to_loaded, part.load_volume), (part.strip_to_stored, part.store_volume)):
            assert form is not None
            for steps, extent in ((1, 3), (5, 9)):
                values = {each: steps if each in ("tsteps", "tmax") else extent + (each == "ny") for each in names}
                assert volumes.value_of(form, values) == len(pairs(fixed(moved, values))), values
    for side in ("load", "store"):
        assert volumes.total([getattr(part, f"{side}_volume") for part in plan.arrays.values()]) is not None


STRIDED = """
void strided(int n, int a[n + n], int b[n])
{
#pragma scop
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      if ((i + j) % 3 == 0)
        b[i] += a[i + j];
#pragma endscop
}
"""


def test_volumes_of_a_kernel_with_strides_have_closed_forms(tmp_path: Path) -> None:
    (tmp_path / "strided.c").write_text(STRIDED)
    plan = ls.plan(ls.parse(tmp_path / "strided.c"), ls.Tiling((4, 4)))
    for part in plan.arrays.values():
        for moved, form in ((part.strip_to_loaded, part.load_volume), (part.strip_to_stored, part.store_volume)):
            assert form is not None
            for n in (0, 1, 2, 5, 8, 13):
                assert volumes.value_of(form, {"n": n}) == len(pairs(fixed(moved, {"n": n})))


def test_simple_sets_are_counted_as_others(monkeypatch: pytest.MonkeyPatch) -> None:
    source = random.Random(7)
    for value in (random_set(source) for _ in range(8)):
        here = volumes.volume(value)
        with monkeypatch.context() as patch:
            patch.setattr(volumes, "SIMPLE_PIECES", -1)
            apart = volumes.volume(value.set_tuple_name("apart"))
        assert apart is None or (here is not None and here.plain_is_equal(apart))
