"""Registers between the automata of the line-based transform, three levels of 72 x 88 pixels [Devos, Table 5.10].

    python benchmarks/line_control.py [--cycles]

alpha: registers between the sequence of nests and their outer loops; beta: between these and the inner loops. The loops
are those that isl makes for the order LB of `frames.py`: 3 outer ones, and an inner one begins 189 times in a frame; a
register costs two cycles each time. The thesis has 22 and 460 cycles, for loops of CLooG. Its statements take several
cycles on memories, ours are registers for their arguments and take one. `--cycles` leaves area and clock out.
"""

from __future__ import annotations

import argparse
import sys
from functools import cache, reduce
from pathlib import Path
from typing import NamedTuple

import frames
import islpy as isl
import published
from controllers import clock, judge, measured, with_dummies

from loadstone.hardware.control.controller import Registers
from loadstone.loops import Node, generate
from loadstone.loops.paths import statements
from loadstone.model.kernel import Statement
from loadstone.poly.dimensions import padded
from loadstone.poly.spaces import Dim
from loadstone.rtl import Module, Simulation

sys.path.append(str(Path(__file__).parent / "thesis"))

from loop_trees import with_counters
from thesis_controllers import Options, make_controller

PLACES: dict[str, tuple[int, ...]] = {"none": (), "alpha": (0,), "beta": (1,), "alpha+beta": (0, 1)}
SIZES = {"r": (3, 63), "c": (3, 63), "levels": (3, 3)}
PUBLISHED = published.table("devos_5", "table_5_10")


class Row(NamedTuple):
    """Cycles of a frame, and the clock in MHz."""

    cycles: int
    clock: float

    @property
    def milliseconds(self) -> float:
        """The time of a frame."""
        return self.cycles / self.clock / 1000


def known() -> isl.Set:
    """What is known of the parameters."""
    return frames.kernel().context.intersect(isl.Set("[r, c, levels] -> { : levels = 3 }"))


@cache
def loops() -> Node:
    """The loops of the line-based transform."""
    kernel = frames.kernel()
    times = isl.UnionMap(frames.schedule("LB") or "")
    dates = [_dates(statement, times) for statement in kernel.statements]
    length = max(each.dim(Dim.out) for each in dates)
    whole = reduce(isl.UnionMap.union, (padded(each, length).to_union_map() for each in dates))
    return with_counters(
        generate(whole.intersect_params(known()), known(), [f"c{k}" for k in range(length)], option="atomic")
    )


def _dates(statement: Statement, times: isl.UnionMap) -> isl.Map:
    """The order LB, then that of the source."""
    mine = times.intersect_domain(statement.domain.to_union_set()).as_map()
    return mine.flat_range_product(statement.schedule).intersect_domain(statement.domain)


def control(places: str) -> Module:
    """The controller with registers at some places."""
    registers = {depth: Registers(1, 1) for depth in PLACES[places]}
    return make_controller("idwt", loops(), SIZES, Options(registers=registers), known()).module


def cycles(places: str) -> int:
    """The cycles of a frame of 72 x 88 pixels whose statements take a cycle each."""
    module = control(places)
    simulation = Simulation(module)
    inputs = {port.name for port in module.of_kind("input")}
    ends = {name: 1 for name in inputs if name.endswith("_last")}
    for name, value in {**ends, **{key: value for key, value in frames.SMALL.items() if key in inputs}}.items():
        simulation.set(name, value)
    simulation.set("start", 1)
    count = 1
    while not simulation.get("last"):
        simulation.step()
        simulation.set("start", 0)
        count += 1
    return count


def main() -> None:
    """Print the table, and how often what the thesis says of it holds."""
    parser = argparse.ArgumentParser(description="Registers between automata of the line-based transform.")
    parser.add_argument("--cycles", action="store_true", help="without area and clock")
    options = parser.parse_args()
    there = {name: Row(row["cycles"], row["fmax_MHz"]) for name, row in PUBLISHED.items()}
    found: dict[str, Row] = {}
    print(f"{'registers':12}{'LE':>6}{'cycles':>8}{'MHz':>8}{'LUT':>7}{'FF':>6}{'cycles':>8}{'MHz':>8}")
    for name, row in PUBLISHED.items():
        area = None if options.cycles else measured(f"5.10 {name}", with_dummies(control(name), statements(loops())))
        found[name] = Row(cycles(name), 0.0 if area is None else clock(area))
        cells = f"{'-':>7}{'-':>6}" if area is None else f"{area.lut:7}{area.ff:6}"
        text = f"{row['LE']:6}{row['cycles']:8}{row['fmax_MHz']:8.1f}{cells}{found[name].cycles:8}"
        print(f"{name:12}{text}{found[name].clock:8.1f}", flush=True)
    judge("cycles of both places add up", [adds_up(there)], [adds_up(found)])
    judge("registers at alpha take fewer cycles", [alpha_is_cheaper(there)], [alpha_is_cheaper(found)])
    if not options.cycles:
        judge("a frame takes less time with registers", faster(there), faster(found))


def adds_up(rows: dict[str, Row]) -> bool:
    """Whether registers at both places cost what they cost at each."""
    none, alpha, beta, both = (rows[name].cycles for name in PLACES)
    return both - none == (alpha - none) + (beta - none)


def alpha_is_cheaper(rows: dict[str, Row]) -> bool:
    """Whether registers at the outer loops cost fewer cycles than those at inner ones."""
    return rows["alpha"].cycles < rows["beta"].cycles


def faster(rows: dict[str, Row]) -> list[bool]:
    """For each place of registers, whether a frame takes less time than without."""
    return [rows[name].milliseconds < rows["none"].milliseconds for name in PLACES if name != "none"]


if __name__ == "__main__":
    main()
