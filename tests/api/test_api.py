"""The public functions: what `loadstone` offers reaches from C to hardware, and options are checked."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import loadstone as ls
from kernels import ROOT

TEXT = """
void shift(int n, int a[n + 1], int b[n]) {
  for (int i = 0; i < n; i++)
    b[i] = a[i + 1] - 1;
}
"""
EIGHT = ls.Tiling(sizes=8)
VERDICT = {"match": True, "mismatches": 0, "outputs": {"b": 20}}
MOVED = {"loaded": 20, "stored": 20, "predicted": {"loaded": 20, "stored": 20}}
KEYS = {
    "c": {"target", "kernel", "parameters", "tiling", *VERDICT, *MOVED},
    "model": {"target", "kernel", "parameters", "instances", "ways", *VERDICT},
    "prediction": {
        *("target", "simulator", "kernel", "parameters", "tiling", "instances", "cycles", "memory"),
        *MOVED,
    },
}


def text_kernel() -> ls.Kernel:
    return ls.parse(TEXT)


def test_c_text_is_read_as_a_file_is(tmp_path: Path) -> None:
    path = tmp_path / "shift.c"
    path.write_text(TEXT)
    from_file, from_text = ls.parse(path), text_kernel()
    assert from_file.name == from_text.name == "shift"
    assert from_file.reads.is_equal(from_text.reads)


def test_mistakes_in_a_text_have_their_place() -> None:
    with pytest.raises(ls.InputError) as caught:
        ls.parse(TEXT.replace("a[i + 1]", "a[i + x]"))
    assert caught.value.as_json()["error"]["line"] == 4


def test_dir_lists_what_can_be_used() -> None:
    assert dir(ls) == sorted(ls.__all__)
    assert all(getattr(ls, name) is not None for name in dir(ls))


@pytest.mark.parametrize(
    ("mode", "options"),
    [
        ("c", {}),
        ("model", {"target": "model"}),
        ("prediction", {"target": "verilog", "memory": "paper", "simulator": "transactions"}),
    ],
)
def test_outcomes_have_the_keys_of_the_interface(mode: str, options: dict[str, Any]) -> None:
    tiling = None if mode == "model" else EIGHT
    outcome = ls.run(text_kernel(), tiling, parameters={"n": 20}, **options)
    found = outcome.as_json()
    assert set(found) == KEYS[mode]
    assert outcome.is_right
    if mode != "prediction":
        assert {key: found[key] for key in VERDICT} == VERDICT
    if mode != "model":
        assert {key: found[key] for key in MOVED} == MOVED


def test_networks_run_as_programs() -> None:
    outcome = ls.run(text_kernel(), EIGHT, parameters={"n": 20}, network=True)
    assert outcome.is_right
    assert outcome.as_json()["loaded"] == 20


def test_networks_move_scalars_that_leave_the_kernel() -> None:
    kernel = ls.parse("int s;\nvoid total(int n, int a[n]) {\n  for (int i = 0; i < n; i++)\n    s += a[i];\n}\n")
    outcome = ls.run(kernel, parameters={"n": 7}, network=True)
    assert outcome.is_right
    assert outcome.as_json()["stored"] == 1


def test_a_compilation_is_asked_several_things() -> None:
    made = ls.accelerator(text_kernel(), EIGHT, parameters={"n": 20}, unroll=2)
    assert made.design is made.design
    assert made.design.lanes.count == 2
    assert ls.predict(made).is_right
    assert ls.run(made).is_right
    with pytest.raises(TypeError, match="already"):
        ls.run(made, depth=3)


def test_options_without_effect_are_refused() -> None:
    refused: tuple[dict[str, Any], ...] = ({"vcd": "x"}, {"unroll": 2}, {"memory": "paper"}, {"timeline": True})
    for options in refused:
        with pytest.raises(ls.InputError, match="has no effect"):
            ls.run(text_kernel(), parameters={"n": 4}, **options)
    with pytest.raises(TypeError, match="did you mean unroll"):
        ls.run(text_kernel(), parameters={"n": 4}, unrol=2)


def test_parameters_outside_of_the_context_are_refused() -> None:
    with pytest.raises(ls.InputError, match="not defined for n = -1"):
        ls.run(text_kernel(), parameters={"n": -1})


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        while self.open[-1] == "meta":
            self.open.pop()
        assert self.open.pop() == tag


def test_objects_show_themselves_in_notebooks() -> None:
    kernel = ls.parse(ROOT / "examples/matmul.c")
    made = ls.accelerator(kernel, EIGHT, parameters={"n": 16})
    report = ls.report(kernel, parameters={"n": 16})
    shown: tuple[object, ...] = (kernel, made, made.plan, ls.network(kernel), ls.predict(made), report)
    for each in shown:
        page: str = getattr(each, "_repr_html_")()  # noqa: B009
        tags = _Tags()
        tags.feed(page)
        assert tags.open == []
        assert len(repr(each)) < 500


def test_a_report_is_written(tmp_path: Path) -> None:
    written = ls.report(text_kernel(), EIGHT, parameters={"n": 20}, verify=True).write(tmp_path / "r.html")
    assert "✓ verified" in written.read_text()
