"""Statements one after the other as circuits: results of the program, cycles of the thesis [Devos, Figure 5.12]."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest
from statement_cycles import cycles, figure_5_12
from statement_units import Order, in_sequence, make_unit, optimised, with_control
from thesis_controllers import make_controller

import loadstone as ls
from loadstone.errors import InputError
from loadstone.loops import generate
from loadstone.model.kernel import Kernel
from loadstone.rtl import Simulation

DATA, ADDRESS = 16, 10
Values = Callable[[list[int], list[int], int], int]
BODIES: dict[str, Values] = {
    "(B[i] + B[i - 1] + C[i]) * B[2 * i]": lambda b, c, i: (b[i] + b[i - 1] + c[i]) * b[2 * i],
    "B[i - 1] * B[i] - B[i + 1]": lambda b, c, i: b[i - 1] * b[i] - b[i + 1],
    "B[i + 1] + C[i] * C[i + 1] + 3": lambda b, c, i: b[i + 1] + c[i] * c[i + 1] + 3,
    "B[1] * C[2]": lambda b, c, i: b[1] * c[2],
}


def kernel_of(folder: Path, body: str) -> Kernel:
    path = folder / "kernel.c"
    loop = f"#pragma scop\nfor (int i = 1; i <= N; i++)\nS: A[i] = {body};\n#pragma endscop\n"
    path.write_text(f"void f(int N, int A[2 * N + 2], int B[2 * N + 2], int C[2 * N + 2]) {{\n{loop}}}\n")
    return ls.parse(path)


def executed(kernel: Kernel, order: Order, n: int, memories: dict[str, list[int]]) -> tuple[list[int], list[int]]:
    """A behind the loop, and the cycles of each instance."""
    tree = generate(kernel.schedule, kernel.context, ["i"], option="atomic")
    controller = make_controller("loop_control", tree, {"N": (0, 31)}, context=kernel.context).module
    unit = make_unit(kernel.statements[0], order, address=ADDRESS, data=DATA)
    simulation = Simulation(with_control(controller, unit))
    simulation.set("N", n)
    written, lengths, begun = list(memories["A"]), list[int](), 0
    words = [port.removesuffix("_q") for port in ("B_q", "C_q") if port in {p.name for p in unit.of_kind("input")}]
    for cycle in range(20 + 12 * n):
        simulation.set("start", int(cycle == 0))
        begun = cycle if simulation.get("started") else begun
        if simulation.get("A_we"):
            written[simulation.get("A_ad")] = simulation.get("A_d")
            lengths.append(cycle - begun + 1)
        there = {name: memories[name][simulation.get(f"{name}_ad")] for name in words}
        simulation.step()
        for name, word in there.items():
            simulation.set(f"{name}_q", word)
    assert simulation.get("ready")
    return written, lengths


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("way", ["in_sequence", "optimised"])
@pytest.mark.parametrize("n", [0, 1, 5])
def test_units_compute_what_the_program_does(body: str, way: str, n: int, tmp_path: Path) -> None:
    """Bit by bit, in as many cycles as the model of `statement_cycles` says."""
    kernel = kernel_of(tmp_path, body)
    (statement,) = kernel.statements
    draw = random.Random(n)
    memories = {name: [draw.randint(-100, 100) for _ in range(2 * n + 2)] for name in "ABC"}
    order = in_sequence(statement) if way == "in_sequence" else optimised(statement)
    found, lengths = executed(kernel, order, n, memories)
    expected = list(memories["A"])
    for i in range(1, n + 1):
        value = BODIES[body](memories["B"], memories["C"], i)
        expected[i] = (value + 2 ** (DATA - 1)) % 2**DATA - 2 ** (DATA - 1)
    model = cycles(statement)
    assert found == expected
    assert lengths == ([model.unoptimised] * n if way == "in_sequence" else [model.first, *[model.optimised] * n][:n])


def test_figure_5_12_in_hardware() -> None:
    """9 cycles; with registers 7, 8 where i = 1."""
    kernel = figure_5_12()
    memories = {name: list(range(12)) for name in "ABC"}
    (statement,) = kernel.statements
    assert executed(kernel, in_sequence(statement), 4, memories)[1] == [9, 9, 9, 9]
    assert executed(kernel, optimised(statement), 4, memories)[1] == [8, 7, 7, 7]


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    """B[i - 1] of a[i] = a[i] + a[i - 1] has another value than the instance before has read."""
    (statement,) = kernel_of(tmp_path, "A[i] + A[i - 1]").statements
    assert not optimised(statement).kept
    assert cycles(statement).optimised == cycles(statement).first


def test_what_is_no_unit_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "kernel.c"
    path.write_text("void f(int n, int a[n][n]) { for (int i = 0; i < n; i++) a[i][i] = 1; }")
    (statement,) = ls.parse(path).statements
    with pytest.raises(InputError, match="one dimension"):
        make_unit(statement, in_sequence(statement), address=ADDRESS, data=DATA)
