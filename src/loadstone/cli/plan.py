"""`loadstone plan`: what each tile loads and stores."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import islpy as isl

from loadstone.cli.shared.compilations import compilation_of
from loadstone.cli.shared.console import console, heading, shown, table
from loadstone.cli.shared.parser import refuse
from loadstone.later import Later
from loadstone.loops.accelerator import Accelerator
from loadstone.loops.description import accelerator_info, accelerator_scans, buffer_info, bursts, privatised_info
from loadstone.pipeline import Compilation
from loadstone.poly.limits import DEFAULT_LIMIT, within_limit
from loadstone.transfer import ArrayPlan, Plan
from loadstone.transfer.description import comparison

if TYPE_CHECKING:
    from rich.console import Console

    from loadstone.tiling_search import pragma
    from loadstone.tiling_search.decision import Decision
    from loadstone.transfer import check, plan_file, quast
else:
    pragma, check = Later("loadstone.tiling_search.pragma"), Later("loadstone.transfer.check")
    plan_file, quast = Later("loadstone.transfer.plan_file"), Later("loadstone.transfer.quast")

_LOCAL = ("depth", "strips", "power_of_two")
"""Options of local buffers."""


def run(arguments: argparse.Namespace) -> int:
    """Print the plan, or judge a given one."""
    refuse(arguments, ("blocks",), "on a plan", "a process network moves blocks: loadstone network --blocks 2")
    idle = (*_without_tiling(arguments), "per_tile", "scans")
    if arguments.check:
        refuse(arguments, (*idle, "keep_dead_stores", "quast"), "with --check")
        return _check(arguments, compilation_of(arguments))
    if arguments.quast:
        refuse(arguments, idle, "with --quast")
        return _trees(arguments, compilation_of(arguments))
    compilation = compilation_of(arguments)
    return shown(arguments, lambda: _info(compilation, arguments), lambda: _show(compilation, arguments, console()))


def _info(compilation: Compilation, arguments: argparse.Namespace) -> dict[str, Any]:
    accelerator, given = compilation.accelerator, compilation.given_values
    info = accelerator_info(accelerator, given, per_tile=arguments.per_tile, scans=arguments.scans)
    return info if compilation.decision is None else {**info, "auto": compilation.decision.as_json()}


def _without_tiling(arguments: argparse.Namespace) -> tuple[str, ...]:
    """The options that have no effect on the tiles: buffers and parameters, which `--tile auto` looks at."""
    return () if arguments.sizes == "auto" else (*_LOCAL, "parameters")


def _check(arguments: argparse.Namespace, compilation: Compilation) -> int:
    load, store = plan_file.read_plan(Path(arguments.check), compilation.tiles)
    tiles = compilation.legal_tiles
    verdict = within_limit("the plan", arguments.limit, lambda: check.check_plan(tiles, load, store))
    shown(arguments, verdict.described, lambda: print(verdict.text()))
    return 0 if verdict.valid else 1


def _trees(arguments: argparse.Namespace, compilation: Compilation) -> int:
    """Show the decision trees of a plan."""
    trees = quast.plan_quasts(compilation.transfers, arguments.limit or DEFAULT_LIMIT)
    if arguments.json:
        print(json.dumps({"kernel": compilation.kernel.name, "quasts": dict(trees)}))
        return 0
    for title, text in trees:
        console().print(heading(title))
        console().print(f"{text}\n", markup=False)
    return 0


def _show(compilation: Compilation, arguments: argparse.Namespace, screen: Console) -> None:
    accelerator, parameters = compilation.accelerator, compilation.known_values
    plan = accelerator.plan
    tiles = plan.tiles
    quality = "exact" if plan.exact else f"approximated: {plan.reason}"
    screen.print(heading(f"plan of {tiles.kernel.name}"), f"({quality})")
    screen.print(f"schedule {tiles.schedule}", markup=False)
    coordinates = ", ".join(f"{name} of size {size}" for name, size in zip(tiles.coordinates, tiles.sizes, strict=True))
    screen.print(f"tiles    {coordinates}; a strip runs over {', '.join(tiles.inner)}")
    if compilation.decision is not None:
        _show_decision(compilation.decision, screen)
    if tiles.choice:
        screen.print(f"chosen   {tiles.choice}", markup=False)
    follow = plan.handover
    screen.print(f"pipeline {plan.depth} tiles in flight; strips {follow.mode}: {follow.why}")
    for name, reason in follow.reasons.items():
        screen.print(f"  {name}: {reason}", markup=False)
    for change in privatised_info(accelerator, parameters):
        screen.print(f"private  {change['text']}", markup=False)
    for name, part in plan.arrays.items():
        screen.print()
        screen.print(heading(name))
        for title, relation in (("load", part.load), ("store", part.store)):
            screen.print(f"  {title:6} {'nothing' if relation.is_empty() else relation}", markup=False)
        for title, closed in _volumes(part, arguments.per_tile):
            text = "no closed form within the operation limit" if closed is None else str(closed)
            screen.print(f"  {title:6} {text}", markup=False)
    _show_buffers(accelerator, parameters, compilation.given_values, screen)
    if arguments.scans:
        _show_scans(accelerator, screen)
    if parameters is not None:
        _show_comparison(plan, parameters, screen)


def _show_decision(decision: Decision, screen: Console) -> None:
    known = decision.best_bound
    bound = "" if known is None else f", bound {known.words:.0f} ({known.source})"
    needed = f"compulsory {decision.compulsory}{bound}: {decision.ratio:.2f} times as many as needed"
    screen.print(
        f"auto     {decision.words} words with {decision.cells} of {decision.goal.local} cells; {needed}", markup=False
    )
    looked = f"{decision.orders} orders, {decision.plans} plans{'' if decision.complete else ', stopped early'}"
    line = pragma.tiling_pragma(decision.tiles, decision.goal.kernel)
    screen.print(f"         {looked}; paste: {line or 'no pragma, statements were changed'}", markup=False)
    given = [
        *(["--strips drain"] if decision.strips == "drain" else []),
        *(["--split-buffers"] if decision.split else []),
    ]
    if given:
        screen.print(f"         and give {' '.join(given)}")


def _show_buffers(
    accelerator: Accelerator, known: Mapping[str, int] | None, given: Mapping[str, int] | None, screen: Console
) -> None:
    screen.print()
    screen.print(heading("local buffers"))
    rows: list[tuple[str, ...]] = []
    for name, buffer in accelerator.buffers.items():
        info = buffer_info(buffer, known, buffer.most_live(given))
        shape = " x ".join(map(str, info["shape"])) or "register"
        alive = "?" if info["max_live"] is None else str(info["max_live"])
        ratio = "" if info["ratio"] is None else f"{info['ratio']:.2f}"
        rows.append((name, buffer.shown(), shape, str(info["cells"]), str(info["copies"]), alive, ratio))
    screen.print(table(("array", "mapping", "shape", ">cells", ">copies", ">max live", ">ratio"), rows))


def _show_scans(accelerator: Accelerator, screen: Console) -> None:
    rows: list[tuple[str, ...]] = []
    for title, scan in accelerator_scans(accelerator):
        shortest, longest = bursts(accelerator, scan, title)
        lengths = f"{shortest} to {'any' if longest is None else longest}"
        way = "exact" if scan.member is None else "hull with a test"
        rows.append((title.removesuffix("_scan"), scan.array, lengths, str(scan.decisions), way))
    screen.print()
    screen.print(heading("scans in the order of addresses"))
    screen.print(table(("", "array", "bursts", ">decisions", "way"), rows))


def _volumes(part: ArrayPlan, per_tile: bool) -> Iterator[tuple[str, isl.PwQPolynomial | None]]:
    yield "loads", part.load_volume
    yield "stores", part.store_volume
    if per_tile:
        yield "each tile loads", part.load_per_tile
        yield "each tile stores", part.store_per_tile


def _show_comparison(plan: Plan, parameters: Mapping[str, int], screen: Console) -> None:
    values = ", ".join(f"{name} = {value}" for name, value in parameters.items())
    screen.print()
    screen.print(heading(f"words moved{f' for {values}' if values else ''}"))
    rows = [
        (row["way"], str(row["load"]), str(row["store"]), str(row["load"] + row["store"]))
        for row in comparison(plan, parameters)
    ]
    screen.print(table(("way", ">loaded", ">stored", ">total"), rows))
