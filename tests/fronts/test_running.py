"""Explorations that are interrupted, go on, and start anew; fronts as text, JSON, pages, and designs that are made."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import loadstone as ls
from loadstone.cli.main import main
from loadstone.fronts.archive import Vector
from loadstone.fronts.question import Question
from loadstone.fronts.search import explore, noticed_interrupts
from loadstone.fronts.space import Design, Space
from loadstone.fronts.stages import Subject
from loadstone.fronts.store import Store, content_of
from loadstone.fronts.workers import Processes
from loadstone.options import Choices, HardwareOptions
from loadstone.poly.isolated import Isolated
from loadstone.poly.limits import LimitReached

EXAMPLES = Path(__file__).parents[2] / "examples"
KERNEL = str(EXAMPLES / "vector_sum.c")
SMALL = ["-p", "n=40", "--over", "tile=4..16", "--jobs", "1"]
HEADER = """#include "size.h"
void f(int n, int a[n], int b[n]) {
#pragma scop
  for (int i = 0; i < n; i++) b[i] = a[i] + SIZE;
#pragma endscop
}
"""


@pytest.fixture
def heard_interrupts() -> Iterator[None]:
    """SIGINT as in a terminal; what runs in the background may have been started with it ignored."""
    old = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, old)


def question() -> Question:
    subject = Subject(ls.parse(KERNEL), {"n": 40})
    return Question(subject, Space(Design(Choices(), HardwareOptions(), "paper"), 1, {"sizes": (4, 8, 16)}))


def interrupted(_: int) -> None:
    raise KeyboardInterrupt


def test_an_interrupted_exploration_gives_the_front_so_far_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[Choices] = []
    begin = Processes._started  # pyright: ignore[reportPrivateUsage]

    def noted(self: Processes, tiling: Choices, known: list[Vector]) -> Isolated:
        begun.append(tiling)
        return begin(self, tiling, known)

    monkeypatch.setattr(Processes, "_started", noted)
    with Store(tmp_path / "kept.db", "test") as store:
        first = explore(question(), store, progress=interrupted)
    assert (len(first.front), first.left, first.is_exhaustive) == (1, 2, False)
    assert first.gap is not None
    assert 0 <= first.gap < 1
    with Store(tmp_path / "kept.db", "test") as store:
        second = explore(question(), store)
    with Store(None, "test") as store:
        whole = explore(question(), store)
    assert second.is_exhaustive
    assert second.front == whole.front
    assert len(begun) == 1 + 2 + 3


def test_a_tiling_that_takes_too_long_is_no_part_of_a_proof(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = Processes._text  # pyright: ignore[reportPrivateUsage]

    def slow(self: Processes, tiling: Choices, known: list[Vector]) -> str:
        if tiling.sizes == (8,):
            raise LimitReached("more time than there is")
        return text(self, tiling, known)

    with Store(tmp_path / "kept.db", "test") as store:
        with monkeypatch.context() as patched:
            patched.setattr(Processes, "_text", slow)
            first = explore(question(), store)
        assert (first.left, sum(first.given_up.values()), first.reasons) == (1, 1, {})
        assert not first.is_exhaustive
        assert first.gap is not None
        second = explore(question(), store)
    assert second.is_exhaustive
    assert len(second.front) == len(first.front) + 1


def test_a_changed_kernel_starts_anew(tmp_path: Path) -> None:
    (tmp_path / "k.c").write_text(HEADER)
    contents: list[str] = []
    for size in ("1", "1 ", "2"):
        (tmp_path / "size.h").write_text(f"#define SIZE {size}\n")
        contents.append(content_of(Subject(ls.parse(tmp_path / "k.c"), {"n": 5})))
    assert contents[0] == contents[1] != contents[2]
    other = content_of(Subject(ls.parse(tmp_path / "k.c"), {"n": 6}))
    assert other != contents[2]
    with Store(tmp_path / "kept.db", contents[1]) as store:
        store.put("design", 1)
    with Store(tmp_path / "kept.db", contents[0]) as store:
        assert store.get("design") == 1
    with Store(tmp_path / "kept.db", contents[2]) as store:
        assert store.get("design") is None


def test_contents_are_the_same_in_each_process() -> None:
    program = (
        "import loadstone as ls, hashlib; from loadstone.fronts.store import content_of;"
        "from loadstone.fronts.stages import Subject;"
        f"k = ls.parse({str(EXAMPLES / 'polybench' / 'jacobi-2d.c')!r});"
        "print(hashlib.sha256(content_of(Subject(k, {'n': 5, 'tsteps': 3})).encode()).hexdigest())"
    )
    runs = (
        subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        )
        for seed in ("1", "2")
    )
    assert len({run.stdout for run in runs}) == 1


def test_the_time_of_a_run_is_kept(capsys: pytest.CaptureFixture[str]) -> None:
    begun = time.monotonic()
    assert main(["explore", KERNEL, "-p", "n=4000", "--over", "tile=1..64:1", "--time", "1", "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert time.monotonic() - begun < 20
    assert not answer["exhaustive"]
    assert answer["evaluated"] + answer["excluded"] + answer["impossible"] < answer["space"] == 64


@pytest.mark.usefixtures("heard_interrupts")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_interrupt_that_python_swallows_is_noticed() -> None:
    """An exception in a destructor, or in a hook around a fork, is printed and forgotten; the interrupt is not."""

    class Interrupted:
        def __del__(self) -> None:
            signal.raise_signal(signal.SIGINT)

    with noticed_interrupts() as interrupts:
        Interrupted()
        assert interrupts == [signal.SIGINT]


@pytest.mark.usefixtures("heard_interrupts")
def test_ctrl_c_ends_with_the_front_so_far(tmp_path: Path) -> None:
    kept = tmp_path / "kept.db"
    words = ["explore", KERNEL, "-p", "n=4000", "--over", "tile=1..64:1", "--json", "--store", str(kept)]
    run = subprocess.Popen([sys.executable, "-m", "loadstone", *words], stdout=subprocess.PIPE, text=True)
    with Store(kept, "") as store:
        while store.count() < 2:
            time.sleep(0.05)
    run.send_signal(signal.SIGINT)
    said, _ = run.communicate(timeout=60)
    answer = json.loads(said)
    assert run.returncode == 0
    assert answer["front"]
    assert not answer["exhaustive"]


def test_a_front_as_json_and_as_a_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page, data = tmp_path / "front.html", tmp_path / "front.json"
    assert main(["explore", KERNEL, *SMALL, "-o", str(page)]) == 0
    assert f"wrote {page}" in capsys.readouterr().out
    assert main(["explore", KERNEL, *SMALL, "-o", str(data), "--json"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert json.loads(data.read_text()) == answer
    text = page.read_text()
    assert all(point["command"] in text for point in answer["front"])
    assert text.count("<circle") == len(answer["front"]) > 1
    assert "http" not in text.replace("http://www.w3.org/2000/svg", "")
    assert main(["explore", KERNEL, *SMALL, "-o", "front.png"]) == 2


def without_comments(path: Path) -> list[str]:
    """The lines of a file but those that say by which command it was made."""
    return [line for line in path.read_text().splitlines() if not line.startswith("//")]


def test_a_design_of_the_front_is_run_and_built(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explore", KERNEL, *SMALL, "--json"]) == 0
    front = json.loads(capsys.readouterr().out)["front"]
    folder, other = tmp_path / "built", tmp_path / "other"
    assert main(["explore", KERNEL, *SMALL, "--apply", "2", "-o", str(folder), "--json"]) == 0
    size = str(front[1]["choices"]["sizes"][0])
    same = ["build", KERNEL, "-p", "n=40", "--tile", size, "--target", "verilog", "--bus", "axi", "-o", str(other)]
    assert main(same) == 0
    for path in (each for each in other.rglob("*.sv") if each.is_file()):
        assert without_comments(folder / path.relative_to(other)) == without_comments(path)
    capsys.readouterr()
    for number in ("0", str(len(front) + 1), "1,2"):
        assert main(["explore", KERNEL, *SMALL, "--apply", number]) == 2
    assert "the front has designs 1 to" in capsys.readouterr().err


@pytest.mark.sweep
def test_a_design_of_the_front_runs_as_predicted(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["explore", KERNEL, *SMALL, "--json"]) == 0
    front = json.loads(capsys.readouterr().out)["front"]
    assert main(["explore", KERNEL, *SMALL, "--apply", "1", "--json"]) == 0
    outcome = json.loads(capsys.readouterr().out)
    assert outcome["match"]
    assert abs(outcome["cycles"] / front[0]["measures"]["cycles"] - 1) <= 0.03


def test_explore_in_python(tmp_path: Path) -> None:
    kernel = ls.parse(KERNEL)
    front = ls.explore(kernel, parameters={"n": 40}, over={"tile": "4..16", "read-ports": [1]}, depth=3, jobs=1)
    assert front.answer.is_exhaustive
    assert "exhaustive: 3 designs" in repr(front)
    assert str(front[0].measures["cycles"]) in front._repr_html_()  # pyright: ignore[reportPrivateUsage]
    made = front.compilation(0)
    assert made.choices.depth == 3
    predicted = ls.predict(made)
    assert predicted.cycles == front[0].measures["cycles"]
    assert front.write(tmp_path / "front.html").read_text().startswith("<!DOCTYPE html>")
    assert [point.measures["cells"] for point in front] == sorted(
        (point.measures["cells"] for point in front), reverse=True
    )
    with pytest.raises(ls.InputError, match="no effect beside over"):
        ls.explore(kernel, over={"unroll": (1, 2)}, unroll=2)
    with pytest.raises(TypeError, match="no option"):
        ls.explore(kernel, tile=2)
    with pytest.raises(ValueError, match="no axis"):
        ls.explore(kernel, over={"tiles": (1, 2)})


@pytest.mark.parametrize("words", [["--blocks", "2"], ["--split-buffers"], ["--over", "blocks=1,2"]])
def test_options_without_effect_on_accelerators_are_errors(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["explore", KERNEL, "-p", "n=8", "--tile", "8", *words]) == 2
    said = capsys.readouterr().err
    assert "has no effect with explore" in said or "is not AXIS=VALUES" in said
    assert main(["explore", KERNEL, "-p", "n=8", "--curve", *words]) == 2
    with pytest.raises(ls.InputError, match="no effect"):
        ls.explore(ls.parse(KERNEL), parameters={"n": 8}, blocks=2)


def test_energies_are_those_of_the_table(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    table = tmp_path / "energies.json"
    table.write_text(json.dumps({"word": 1000, "cell": 0, "add": 0}))
    words = ["explore", KERNEL, "-p", "n=40", "--tile", "8", "--unroll", "1", "--jobs", "1", "--json"]
    assert main([*words, "--energy", str(table)]) == 0
    measures = json.loads(capsys.readouterr().out)["front"][0]["measures"]
    assert measures["energy"] == measures["words"] == 120
    assert main([*words, "--objective", "energy,lut", "--at-most", "dsp=1"]) == 0
    measures = json.loads(capsys.readouterr().out)["front"][0]["measures"]
    assert measures["energy"] == -(-(120 * 645 + 40 * (3 * 5 + 0.1)) // 1000)
    assert measures["lut"] > measures["ff"] > 100
    for wrong in ('{"heat": 1}', '{"word": -1}', "[1]", "{"):
        table.write_text(wrong)
        assert main([*words, "--energy", str(table)]) == 2


def test_area_is_a_measure_like_others() -> None:
    kernel = ls.parse(EXAMPLES / "matmul.c")
    over = {"tile": (4,), "unroll": (1, 2)}
    front = ls.explore(kernel, parameters={"n": 8}, over=over, objectives=("cycles", "dsp", "lut"), jobs=1)
    assert len(front) == 2
    assert front[0].measures["dsp"] > front[1].measures["dsp"]
    limited = ls.explore(
        kernel, parameters={"n": 8}, over=over, at_most={"dsp": front[1].measures["dsp"]}, jobs=1, seconds=None
    )
    assert [point.design for point in limited] == [front[1].design]
