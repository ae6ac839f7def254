"""Loop controllers on an ECP5, beside what Devos measured on a Stratix [Devos, Tables 5.1, 5.2, 5.5 and 5.6].

    python benchmarks/controllers.py [--table 5.1|5.2|5.6] [--counters shared|own] [VARIANT ...]

Areas and clocks come from `loadstone.rtl.programs.synthesis`. A logic element of a Stratix is a table of four inputs
with a register; an ECP5 has such tables as well, but is newer by some years: areas compare, clocks only among
themselves. `own` has a counter for each loop, `shared` one for all loops of a depth, as Devos has. Clocks move by a
tenth with the seed of the placement, so small differences say nothing.

Table 5.1: the nest of Figure 5.5, one automaton for each dimension (factorized) or one for all (monolithic), for fixed
cols = 8 and rows = 5. Our controllers know no word width; they are made for parameters of as many bits, which are then
fixed.

Table 5.6: the nest of Figure 5.16 with registers at depths 0, 1 and 2, taken to be alpha, beta and gamma. Values have
nine bits, which follows from Devos' 103 pins. 2gamma are two registers one behind the other.

Tables 5.2 and 5.5: variants of the IDWT (`idwt/`; those given, or the quick ones). `separated` compares with CLooG's
-f 1, `guarded` with -f -1, `simplified` with the bounds of Section 5.4. As there, statements are registers for their
arguments, one set for all. The divisions that Section 5.4 removes come from CLooG; isl makes none in these programs.
Therefore the bounds that CLooG made (Figures 5.14 and 5.15) follow, before and after.

Exits with 1 where a controller has a multiplier or a divider.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import reduce
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import islpy as isl
from idwt import FOLDER, variant

import loadstone as ls
from loadstone.hardware.control.controller import Registers
from loadstone.loops import Block, For, Instance, Node, generate
from loadstone.loops.paths import statements
from loadstone.loops.simplify import simplified
from loadstone.model.expression import Binary, Expression, Unary, Variable, integer
from loadstone.model.kernel import Kernel
from loadstone.model.types import INT
from loadstone.poly.spaces import Dim
from loadstone.rtl import Module, Value, signed
from loadstone.rtl.programs.synthesis import Resources, cells, synthesize

sys.path.append(str(Path(__file__).parent / "thesis"))

from flat_controllers import make_flat_controller
from loop_trees import loops_at, with_counters
from thesis_controllers import Options, make_controller

DEVICE = "ecp5-85k"
HARD = {"$mul", "$div", "$mod", "$divfloor", "$modfloor", "$macc", "$pow"}
IMAGE = {"r": (3, 63), "c": (3, 63)}
COUNTERS = {"shared": Options(shared=True), "own": Options()}
hard: list[str] = []


class Area(NamedTuple):
    """A published result: logic elements and MHz."""

    elements: int
    clock: float


class Places(NamedTuple):
    """A row of Table 5.6: the depths of registers, and the results of (a), (b), (c) and (d); two are lost."""

    depths: tuple[int, ...]
    published: tuple[Area | None, ...]


class Variant(NamedTuple):
    """A row of Tables 5.2 and 5.5."""

    separated: Area
    guarded: Area
    simplified: Area | None


Designs = Mapping[str, Mapping[str, Area | None]]
"""The results of Table 5.6, by design and place of registers."""
Three = tuple[Area, Area, Area]

MONOLITHIC = {32: Area(269, 116.9), 4: Area(55, 219.93)}
FACTORIZED = {32: Area(121, 167.17), 4: Area(47, 232.29)}
TABLE_5_6 = {
    "none": Places((), (Area(286, 59.79), Area(338, 68.34), Area(308, 55.69), Area(384, 74.81))),
    "alpha": Places((0,), (Area(297, 57.39), Area(350, 66.45), Area(317, 58.05), Area(387, 72.58))),
    "beta": Places((1,), (Area(295, 69.18), Area(348, 71.77), Area(324, 68.67), Area(380, 75.77))),
    "gamma": Places((2,), (Area(289, 82.19), Area(343, 102.3), Area(317, 77.36), Area(383, 116.08))),
    "alpha+beta": Places((0, 1), (Area(303, 68.55), Area(360, 72.46), Area(333, 67.35), Area(392, 74.07))),
    "alpha+beta+gamma": Places((0, 1, 2), (Area(304, 106.12), Area(362, 104.3), Area(333, 105.65), Area(393, 130.45))),
    "alpha+gamma": Places((0, 2), (Area(298, 74.86), Area(355, 93.77), Area(326, 75.84), Area(386, 95.17))),
    "beta+gamma": Places((1, 2), (Area(296, 109.63), Area(350, 109.57), Area(325, 109.94), Area(381, 118.04))),
    "2gamma": Places((2, 2), (Area(292, 83.21), Area(343, 99.71), Area(320, 78.76), Area(383, 114.14))),
    "beta+2gamma": Places((1, 2, 2), (Area(299, 109.1), Area(350, 107.28), None, None)),
}
TABLE_5_2 = {
    "rc": Variant(Area(223, 185.49), Area(223, 185.49), None),
    "rc_h": Variant(Area(1041, 80.9), Area(787, 85.46), None),
    "rc_hv": Variant(Area(2449, 55.08), Area(2533, 11.23), Area(1021, 63.01)),
    "rc_hvs": Variant(Area(1768, 64.21), Area(1820, 16.53), Area(996, 78.83)),
    "rc_v": Variant(Area(668, 87.9), Area(632, 90.64), None),
    "rc_vh": Variant(Area(2318, 54.78), Area(2515, 11.58), Area(1024, 61.08)),
    "vh_lb": Variant(Area(6563, 14.29), Area(3218, 9.69), Area(1784, 36.81)),
    "lb": Variant(Area(468, 119.65), Area(521, 54.35), None),
    "lb_h": Variant(Area(3410, 40.48), Area(866, 72.53), None),
    "lb_hv": Variant(Area(8737, 29.71), Area(2003, 13.62), Area(1130, 57.99)),
    "lb_v": Variant(Area(1188, 73.34), Area(734, 42.86), None),
    "lb_vh": Variant(Area(21820, 4.52), Area(3195, 10.73), Area(2148, 28.92)),
    "lb_vhs": Variant(Area(3869, 13.45), Area(2710, 11.62), Area(1781, 33.85)),
}
DESIGNS_5_6 = {"a": (False, False), "b": (True, False), "c": (False, True), "d": (True, True)}
"""Whether there are four controllers, and whether statements are connected."""
QUICK = ("rc", "rc_h", "rc_v", "lb", "lb_v")


# --- Loops ------------------------------------------------------------------------------------------------------------


def affine(constant: int, **factors: int) -> Expression:
    terms = (Binary("*", integer(factor), Variable(name, INT), INT) for name, factor in factors.items())
    return reduce(lambda total, term: Binary("+", total, term, INT), terms, integer(constant))


def floor(divisor: int, constant: int, **factors: int) -> Expression:
    return Binary("floordiv", affine(constant, **factors), integer(divisor), INT)


def ceiling(divisor: int, constant: int, **factors: int) -> Expression:
    opposite = {name: -factor for name, factor in factors.items()}
    return Unary("-", floor(divisor, -constant, **opposite), INT)


def among(op: str, *operands: Expression) -> Expression:
    return reduce(lambda left, right: Binary(op, left, right, INT), operands)


def loop(iterator: str, first: Expression, last: Expression, *body: Node) -> For:
    return For(iterator, first, Binary("<=", Variable(iterator, INT), last, INT), integer(1), Block(body))


def call(statement: str, *arguments: Expression) -> Instance:
    return Instance(statement, arguments)


def figure_5_5() -> Node:
    """The nest of Table 5.1, with the arguments that are not constant."""
    zero, one = integer(0), integer(1)
    first, second = call("S1", affine(0, p3=1), affine(0, p5=1)), call("S2", affine(0, p5=1), affine(-1, p3=1))
    end = affine(-2, cols=1)
    return Block(
        (
            loop("p3", zero, one, loop("p5", one, end, first)),
            loop("p3", integer(2), affine(-1, rows=1), loop("p5", one, end, first, second)),
        )
    )


SCHEDULE_5_5 = isl.UnionMap(
    "[cols, rows] -> { S1[i, j] -> [0, i, j, 0] : 0 <= i <= 1 and 0 < j < cols - 1;"
    " S1[i, j] -> [1, i, j, 0] : 2 <= i < rows and 0 < j < cols - 1;"
    " S2[j, i] -> [1, i + 1, j, 1] : 1 <= i < rows - 1 and 0 < j < cols - 1 }"
)


def figure_5_16() -> Node:
    """The nest of Table 5.6."""
    i, j, k, twice = affine(0, i=1), affine(0, j=1), affine(0, k=1), affine(0, N=2)
    return loop(
        "i",
        integer(0),
        affine(0, N=1),
        loop("j", i, affine(0, N=1), call("S1", i, j)),
        loop("j", integer(0), affine(-1, N=2), call("S2", i, j), call("S3", i, j)),
        loop(
            "j", affine(0, N=-1), integer(0), loop("k", affine(0, i=1, j=-1), twice, call("S4", i, affine(0, j=-1), k))
        ),
    )


def figure_5_14() -> Node:
    """Bounds of RC HVs, as CLooG made them."""
    first = among("max", integer(0), ceiling(7, -2, i=-1), ceiling(3, 0, i=-1))
    last = among("min", floor(7, -5, i=1, M=7), floor(4, -1, M=4), floor(3, -3, i=1, M=3))
    return loop("i", integer(0), floor(8, 39, N=8), loop("j", first, last, call("S", affine(0, i=1), affine(0, j=1))))


def figure_5_15() -> Node:
    """Bounds of RC HV, as CLooG made them."""
    least = (
        integer(0),
        ceiling(68, -44, i=60, N=-15),
        ceiling(16, -975, i=512, N=-128),
        ceiling(4, -27, i=-32),
        ceiling(36, -20, i=28, N=-7),
    )
    last = among("min", floor(20, 36, i=24, M=5), floor(124, 224, i=136, M=31), floor(16, 47, M=4))
    inner = loop("j", among("max", *least), last, call("S", affine(0, i=1), affine(0, j=1)))
    return loop("i", integer(0), floor(32, 63, N=8), inner)


# --- Statements -------------------------------------------------------------------------------------------------------


def with_dummies(controller: Module, counts: Mapping[str, int], **parameters: int) -> Module:
    """A controller with statements that keep their arguments, in one set of registers; each shows if all bits are set.

    The dummy statements of Table 5.2; all take one cycle. Parameters may be fixed.
    """
    m, inner = attached(controller, counts, **parameters)
    ports = {name: [inner(f"{name}_arg_{k}") for k in range(count)] for name, count in counts.items()}
    for k in range(max(counts.values())):
        used = {name: values[k] for name, values in ports.items() if k < len(values)}
        kept = m.register(f"kept_{k}", signed(1 + max(value.width for value in used.values())))
        with m.clocked():
            for name, value in used.items():
                with m.when(inner(f"{name}_start")):
                    m.assign(kept, value)
        m.output(f"all_{k}", kept.as_unsigned().all())
    return m


def with_comparisons(controller: Module, counts: Mapping[str, int]) -> Module:
    """The controller of Figure 5.16 with the statements of (c): each keeps the result of a comparison."""
    m, inner = attached(controller, counts)
    arg = {(name, k): inner(f"{name}_arg_{k}") for name, count in counts.items() for k in range(count)}
    results = {
        "S1": arg["S1", 1] >= arg["S1", 0] + 2,
        "S2": arg["S2", 0] >= arg["S2", 1],
        "S3": ~(arg["S3", 0] >= arg["S3", 1]),
        "S4": ~(arg["S4", 2] >= 9),
    }
    for name, result in results.items():
        kept = m.register(f"{name}_kept", result.type)
        with m.clocked(), m.when(inner(f"{name}_start")):
            m.assign(kept, result)
        m.output(f"{name}_out", kept)
    return m


def attached(controller: Module, counts: Mapping[str, int], **parameters: int) -> tuple[Module, Callable[[str], Value]]:
    """A module around a controller whose statements all take one cycle, and the outputs of the controller in it."""
    m = Module(f"{controller.name}_with_statements")
    fixed = {**dict.fromkeys((f"{name}_last" for name in counts), 1), **parameters}
    inputs = [port for port in controller.of_kind("input") if port.name not in fixed]
    given = {port.name: m.input(port.name, port.bits) for port in inputs}
    inner = m.instance("control", controller, {**given, **fixed})
    m.output("last", inner["last"])
    m.output("ready", inner["ready"])
    return m, inner.__getitem__


# --- Results ----------------------------------------------------------------------------------------------------------


def measured(what: str, module: Module) -> Resources:
    """The area and clock of a design; it is noted if it multiplies or divides."""
    print(f"{what} ...", file=sys.stderr, flush=True)
    if HARD & set(cells(module)):
        hard.append(what)
    return synthesize(module, DEVICE)


def area_of(found: Resources) -> Area:
    return Area(found.lut, clock(found))


def clock(found: Resources) -> float:
    return found.fmax_mhz or 0.0


def shown(found: Resources) -> str:
    return f"{found.lut:>7}{found.ff:>6}{clock(found):>8.1f}"


def shown_area(area: Area | None) -> str:
    return f"{'-':>6}{'-':>8}" if area is None else f"{area.elements:>6}{area.clock:>8.1f}"


def judge(claim: str, published: Sequence[bool], ours: Sequence[bool]) -> None:
    """A sentence that says how often a claim holds, published and here."""
    print(f"  {claim}: {sum(published)} of {len(published)} published, {sum(ours)} of {len(ours)} ours.")


def concordant(published: Sequence[float], ours: Sequence[float]) -> str:
    """How many pairs are in the same order in both."""
    pairs = list(combinations(range(len(ours)), 2))
    same = [(published[a] - published[b]) * (ours[a] - ours[b]) > 0 for a, b in pairs]
    return f"{sum(same)} of {len(pairs)} pairs"


# --- Tables -----------------------------------------------------------------------------------------------------------


def table_5_1(kinds: Sequence[str]) -> None:
    """Factorized and monolithic control."""
    print("Table 5.1, Figure 5.5 with dummy statements")
    print(f"{'bits':>5}  {'control':20}{'LE':>6}{'MHz':>8}{'LUT':>7}{'FF':>6}{'MHz':>8}")
    counts, smaller, faster = statements(figure_5_5()), list[bool](), list[bool]()
    for bits, most in ((32, 2**31 - 1), (4, 15)):
        limits: dict[str, tuple[int, int]] = {"cols": (0, most), "rows": (0, most)}
        flat = make_flat_controller("filter_comp", SCHEDULE_5_5, limits).module
        modules = {kind: make_controller("filter_comp", figure_5_5(), limits, COUNTERS[kind]).module for kind in kinds}
        whole = measured(f"5.1 {bits} bits, monolithic", with_dummies(flat, counts, cols=8, rows=5))
        print(f"{bits:>5}  {'monolithic':20}{shown_area(MONOLITHIC[bits])}{shown(whole)}")
        for kind, module in modules.items():
            found = measured(f"5.1 {bits} bits, {kind}", with_dummies(module, counts, cols=8, rows=5))
            print(f"{bits:>5}  {f'factorized, {kind}':20}{shown_area(FACTORIZED[bits])}{shown(found)}")
            smaller.append(found.lut < whole.lut)
            faster.append(clock(found) > clock(whole))
    judge("factorized control is smaller", [True, True], smaller)
    judge("factorized control is faster", [True, True], faster)


def table_5_6(kinds: Sequence[str]) -> None:
    """Registers between automata."""
    published = {
        letter: {name: row.published[k] for name, row in TABLE_5_6.items()} for k, letter in enumerate(DESIGNS_5_6)
    }
    for kind in kinds:
        ours = {letter: {name: measured_5_6(kind, letter, name) for name in TABLE_5_6} for letter in DESIGNS_5_6}
        print(f"\nTable 5.6, Figure 5.16, {kind} counters: LE and MHz published, LUT, FF and MHz ours")
        print(f"{'registers':18}" + "".join(f"{f'({letter})':38}" for letter in DESIGNS_5_6))
        for name in TABLE_5_6:
            pairs = (f"{shown_area(published[k][name])} {shown(ours[k][name])}  " for k in DESIGNS_5_6)
            print(f"{name:18}" + "".join(pairs))
        judge_5_6(published, {k: {name: area_of(found) for name, found in row.items()} for k, row in ours.items()})


def measured_5_6(kind: str, letter: str, name: str) -> Resources:
    """A design of Table 5.6."""
    split, connected = DESIGNS_5_6[letter]
    tree, depths = figure_5_16(), TABLE_5_6[name].depths
    registers = {depth: Registers(depths.count(depth), depths.count(depth)) for depth in depths}
    parts = loops_at(tree, 1) if split else frozenset[tuple[int, ...]]()
    module = make_controller(
        "nest", tree, {"N": (0, 127)}, replace(COUNTERS[kind], registers=registers, parts=parts)
    ).module
    design = with_comparisons(module, statements(tree)) if connected else module
    return measured(f"5.6 ({letter}) {name}, {kind}", design)


def judge_5_6(published: Designs, ours: Designs) -> None:
    """The claims of Section 5.5.1."""

    def check(claim: str, holds: Callable[[Mapping[str, Area | None]], bool]) -> None:
        judge(claim, [holds(row) for row in published.values()], [holds(row) for row in ours.values()])

    check("gamma is the best place for a register", lambda row: speed(row, "gamma") > speed(row, "alpha", "beta"))
    check("a register at alpha does not help", lambda row: speed(row, "alpha") <= speed(row, "none"))
    check("beta+gamma is faster than either", lambda row: speed(row, "beta+gamma") > speed(row, "beta", "gamma"))
    check("beta+gamma is faster than none", lambda row: speed(row, "beta+gamma") > speed(row, "none"))
    judge("four controllers are larger than one", split_gains(published)[0], split_gains(ours)[0])
    judge("four controllers are faster than one", split_gains(published)[1], split_gains(ours)[1])


def speed(row: Mapping[str, Area | None], *names: str) -> float:
    """The best clock of some places for registers."""
    return max(area.clock for name in names if (area := row[name]) is not None)


def split_gains(designs: Designs) -> tuple[list[bool], list[bool]]:
    """For each place of registers, whether the split controller is larger, and whether it is faster."""
    pairs = [(designs[one][name], designs[four][name]) for one, four in ("ab", "cd") for name in TABLE_5_6]
    known = [(one, four) for one, four in pairs if one is not None and four is not None]
    return [four.elements > one.elements for one, four in known], [four.clock > one.clock for one, four in known]


def tables_5_2_and_5_5(names: Sequence[str], kinds: Sequence[str]) -> None:
    """Separated, guarded and simplified loops of IDWT variants."""
    kernel = ls.parse(FOLDER / "idwt.c")
    for kind in kinds:
        print(f"\nTables 5.2 and 5.5, {kind} counters: LE and MHz published, LUT, FF and MHz ours")
        print(f"{'variant':9}" + "".join(f"{style:38}" for style in Variant._fields))
        ours: dict[str, list[Area]] = {}
        for name in names:
            program, _ = variant(kernel, name)
            found = [
                measured(f"5.2 {name}, {style}, {kind}", control_of(tree, program.kernel, COUNTERS[kind]))
                for style, tree in trees_of(program.kernel).items()
            ]
            pairs = zip(TABLE_5_2[name], found, strict=True)
            print(f"{name:9}" + "".join(f"{shown_area(old)} {shown(new)}  " for old, new in pairs), flush=True)
            ours[name] = list(map(area_of, found))
        judge_5_2(ours)


def trees_of(kernel: Kernel) -> dict[str, Node]:
    """The loops of a variant in three styles, in the order of `Variant`."""
    counters = [f"c{k}" for k in range(max(s.schedule.dim(Dim.out) for s in kernel.statements))]
    guarded = generate(kernel.schedule, kernel.context, counters, option="atomic")
    separated = generate(kernel.schedule, kernel.context, counters, option="separate")
    return {"separated": separated, "guarded": guarded, "simplified": simplified(guarded, kernel.context)}


def control_of(tree: Node, kernel: Kernel, options: Options) -> Module:
    """The controller of a variant, with dummy statements that get the counters."""
    counting = with_counters(tree)
    return with_dummies(make_controller("idwt", counting, IMAGE, options, kernel.context).module, statements(counting))


def judge_5_2(ours: Mapping[str, Sequence[Area]]) -> None:
    """The orders of Tables 5.2 and 5.5."""
    published = {name: TABLE_5_2[name] for name in ours}
    for position, style in enumerate(("separated", "guarded")):
        old = [(row.separated, row.guarded)[position] for row in published.values()]
        new = [row[position] for row in ours.values()]
        sizes = concordant([area.elements for area in old], [area.elements for area in new])
        clocks = concordant([area.clock for area in old], [area.clock for area in new])
        print(f"  {style} variants in the published order: {sizes} by area, {clocks} by clock.")
    rows = [(published[name], ours[name]) for name in ours if name != "rc"]
    judge(
        "guarded is smaller than separated",
        [old.guarded.elements < old.separated.elements for old, _ in rows],
        [guarded.elements < separated.elements for _, (separated, guarded, _) in rows],
    )
    judge(
        "guarded is faster than separated",
        [old.guarded.clock > old.separated.clock for old, _ in rows],
        [guarded.clock > separated.clock for _, (separated, guarded, _) in rows],
    )
    known = [(old.simplified, old, new) for old, new in rows if old.simplified is not None]
    if known:
        judge_5_5([(a, old.separated, old.guarded) for a, old, _ in known], [(c, a, b) for _, _, (a, b, c) in known])


def judge_5_5(published: Sequence[Three], ours: Sequence[Three]) -> None:
    """Whether simplified bounds are best; each row has these first."""

    def check(claim: str, holds: Callable[[Three], bool]) -> None:
        judge(claim, list(map(holds, published)), list(map(holds, ours)))

    check("simplified is the smallest", lambda row: row[0].elements < min(a.elements for a in row[1:]))
    check("simplified is the fastest", lambda row: row[0].clock > max(a.clock for a in row[1:]))


def figures_5_14_and_5_15() -> None:
    """Bounds as CLooG made them, and simplified."""
    print("\nBounds of Figures 5.14 and 5.15")
    print(f"{'figure':8}{'bounds':12}{'LUT':>7}{'FF':>6}{'MHz':>8}")
    limits, context = dict.fromkeys("NM", (1, 63)), isl.Set("[N, M] -> { : N > 0 and M > 0 }")
    for name, tree in {"5.14": figure_5_14(), "5.15": figure_5_15()}.items():
        for style, nest in {"CLooG": tree, "simplified": simplified(tree, context)}.items():
            module = make_controller("nest", nest, limits, context=context).module
            found = measured(f"{name}, {style}", with_dummies(module, statements(nest)))
            print(f"{name:8}{style:12}{shown(found)}")


def main() -> int:
    parser = argparse.ArgumentParser(description="Loop controllers on an ECP5.")
    parser.add_argument("variants", nargs="*", metavar="VARIANT", help=f"of {', '.join(TABLE_5_2)}")
    parser.add_argument("--table", action="append", choices=("5.1", "5.2", "5.6"), help="all unless given; 5.2 has 5.5")
    parser.add_argument("--counters", action="append", choices=tuple(COUNTERS), help="both unless given")
    options = parser.parse_args()
    kinds = options.counters or list(COUNTERS)
    tables, unknown = options.table or ["5.1", "5.6", "5.2"], set(options.variants) - set(TABLE_5_2)
    if unknown:
        parser.error(f"no variant {', '.join(sorted(unknown))}")
    if "5.1" in tables:
        table_5_1(kinds)
    if "5.6" in tables:
        table_5_6(kinds)
    if "5.2" in tables:
        tables_5_2_and_5_5(options.variants or QUICK, kinds)
        figures_5_14_and_5_15()
    print(f"\ncontrollers with a multiplier or a divider: {', '.join(hard) or 'none'}")
    return int(bool(hard))


if __name__ == "__main__":
    sys.exit(main())
