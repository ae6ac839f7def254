"""Area and clock of statements that are executed one after the other, on an ECP5 [Devos, Table 5.3].

    python benchmarks/statement_area.py

The loop of Figure 5.12 and its statement, apart and together: (b) all addresses one after the other, (c) with memories
side by side, `B[i - 1]` handed on in a register, and the value in two cycles. The thesis does not tell widths, which
are taken to be 10 bits for addresses and 16 for data. `tests/loops/test_statement_units.py` executes the circuits.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path

from controllers import DEVICE, Area, clock, judge, shown, shown_area
from statement_cycles import figure_5_12

from loadstone.loops import generate
from loadstone.rtl import Module
from loadstone.rtl.programs.synthesis import Resources, synthesize

sys.path.append(str(Path(__file__).parent / "thesis"))

from statement_units import in_sequence, make_unit, optimised, with_control
from thesis_controllers import make_controller

PUBLISHED = {
    "loop control": Area(152, 153.56),
    "statements (b)": Area(196, 123.11),
    "statements (c)": Area(186, 212.45),
    "control and (b)": Area(324, 123.17),
    "control and (c)": Area(323, 140.53),
}
PARTS = ("statements", "control and")
ADDRESS, DATA = 10, 16


def designs() -> dict[str, Module]:
    """The rows of the table."""
    kernel = figure_5_12()
    (statement,) = kernel.statements
    tree = generate(kernel.schedule, kernel.context, ["i"], option="atomic")
    limits = {"N": (0, 2 ** (ADDRESS - 2) - 1)}
    control = make_controller("loop_control", tree, limits, context=kernel.context).module
    orders = {"b": in_sequence(statement), "c": optimised(statement)}
    units = {key: make_unit(statement, order, address=ADDRESS, data=DATA) for key, order in orders.items()}
    apart = {f"statements ({key})": unit for key, unit in units.items()}
    together = {f"control and ({key})": with_control(control, unit) for key, unit in units.items()}
    return {"loop control": control, **apart, **together}


def main() -> None:
    """Print the table, and how often what the thesis says of it holds."""
    found: dict[str, Resources] = {}
    print(f"{'design':18}{'LE':>6}{'MHz':>8}{'LUT':>7}{'FF':>6}{'MHz':>8}{'DSP':>5}")
    for name, module in designs().items():
        found[name] = synthesize(module, DEVICE)
        print(f"{name:18}{shown_area(PUBLISHED[name])}{shown(found[name])}{found[name].dsp:5}", flush=True)
    ours = {name: Area(each.lut, clock(each)) for name, each in found.items()}
    for claim, one, other in (
        ("optimised statements are faster", "statements (c)", "statements (b)"),
        ("optimised statements are faster with their control", "control and (c)", "control and (b)"),
        ("statements alone are faster than with their control, if optimised", "statements (c)", "control and (c)"),
    ):
        judge(claim, [faster(PUBLISHED, one, other)], [faster(ours, one, other)])
    sizes = [
        [rows[f"{part} (c)"].elements < rows[f"{part} (b)"].elements for part in PARTS] for rows in (PUBLISHED, ours)
    ]
    judge("optimised statements are smaller, alone and with their control", *sizes)


def smaller(designs: Mapping[str, Area]) -> list[bool]:
    """Whether (c) is smaller than (b), alone and with the control."""
    return [designs[f"{part} (c)"].elements < designs[f"{part} (b)"].elements for part in PARTS]


def faster(designs: Mapping[str, Area], one: str, other: str) -> bool:
    """Whether one design has the higher clock."""
    return designs[one].clock > designs[other].clock


if __name__ == "__main__":
    main()
