"""`loadstone plan`: what each tile loads and stores."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping
from pathlib import Path

import islpy as isl
from rich.console import Console
from rich.text import Text

from loadstone.cli.console import console, table
from loadstone.cli.kernels import accelerator_of, given_values, known_values, read_kernel, tiled_kernel
from loadstone.loops.accelerator import Accelerator
from loadstone.loops.description import accelerator_info, buffer_info, bursts
from loadstone.pipeline import check_tiling, plan_tiles, within_limit
from loadstone.poly.limits import DEFAULT_LIMIT
from loadstone.transfer import ArrayPlan, Plan
from loadstone.transfer.check import check_plan
from loadstone.transfer.description import comparison
from loadstone.transfer.plan_file import read_plan
from loadstone.transfer.quast import plan_quasts
from loadstone.transform.tiling import TiledKernel


def run(arguments: argparse.Namespace) -> int:
    """Print the plan, or judge a given one."""
    kernel = read_kernel(arguments)
    tiles = tiled_kernel(arguments, kernel)
    if arguments.check:
        return _check(arguments, tiles)
    if arguments.quast:
        plan = plan_tiles(tiles, keep_dead_stores=arguments.keep_dead_stores, limit=arguments.limit)
        _show_quasts(plan, arguments.limit or DEFAULT_LIMIT, console())
        return 0
    given = given_values(arguments, kernel)
    accelerator = accelerator_of(arguments, kernel, given)
    if arguments.json:
        print(json.dumps(accelerator_info(accelerator, given, per_tile=arguments.per_tile)))
    else:
        _show(accelerator, known_values(arguments, kernel), arguments.per_tile, console())
    return 0


def _check(arguments: argparse.Namespace, tiles: TiledKernel) -> int:
    load, store = read_plan(Path(arguments.check), tiles)
    check_tiling(tiles, arguments.limit)
    verdict = within_limit("the plan", arguments.limit, lambda: check_plan(tiles, load, store))
    if arguments.json:
        print(json.dumps(verdict.described()))
    else:
        print(verdict.text())
    return 0 if verdict.valid else 1


def _show(accelerator: Accelerator, parameters: Mapping[str, int] | None, per_tile: bool, screen: Console) -> None:
    plan = accelerator.plan
    tiles = plan.tiles
    quality = "exact" if plan.exact else f"approximated: {plan.reason}"
    screen.print(Text(f"plan of {tiles.kernel.name}", style="bold"), f"({quality})")
    screen.print(f"schedule {tiles.schedule}", markup=False)
    coordinates = ", ".join(f"{name} of size {size}" for name, size in zip(tiles.coordinates, tiles.sizes, strict=True))
    screen.print(f"tiles    {coordinates}; a strip runs over {', '.join(tiles.inner)}")
    follow = plan.handover
    screen.print(f"pipeline {plan.depth} tiles in flight; strips {follow.mode}: {follow.why}")
    for name, reason in follow.reasons.items():
        screen.print(f"  {name}: {reason}", markup=False)
    for name, part in plan.arrays.items():
        screen.print()
        screen.print(Text(name, style="bold"))
        for title, relation in (("load", part.load), ("store", part.store)):
            screen.print(f"  {title:6} {'nothing' if relation.is_empty() else relation}", markup=False)
        for title, closed in _volumes(part, per_tile):
            text = "no closed form within the operation limit" if closed is None else str(closed)
            screen.print(f"  {title:6} {text}", markup=False)
    _show_buffers(accelerator, parameters, screen)
    _show_scans(accelerator, screen)
    if parameters is not None:
        _show_comparison(plan, parameters, screen)


def _show_buffers(accelerator: Accelerator, parameters: Mapping[str, int] | None, screen: Console) -> None:
    screen.print()
    screen.print(Text("local buffers", style="bold"))
    rows: list[tuple[str, ...]] = []
    for name, buffer in accelerator.buffers.items():
        info = buffer_info(buffer, parameters)
        shape = " x ".join(map(str, info["shape"])) or "register"
        alive = "?" if info["max_live"] is None else str(info["max_live"])
        ratio = "" if info["ratio"] is None else f"{info['ratio']:.2f}"
        rows.append((name, info["mapping"], shape, str(info["cells"]), str(info["copies"]), alive, ratio))
    screen.print(table(("array", "mapping", "shape", ">cells", ">copies", ">max live", ">ratio"), rows))


def _show_scans(accelerator: Accelerator, screen: Console) -> None:
    rows: list[tuple[str, ...]] = []
    for title, scans in (("load_scan", accelerator.loads), ("store_scan", accelerator.stores)):
        for scan in scans:
            shortest, longest = bursts(accelerator, scan, title)
            lengths = f"{shortest} to {'any' if longest is None else longest}"
            way = "exact" if scan.member is None else "hull with a test"
            rows.append((title.removesuffix("_scan"), scan.array, lengths, str(scan.decisions), way))
    screen.print()
    screen.print(Text("scans in the order of addresses", style="bold"))
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
    screen.print(Text(f"words moved{f' for {values}' if values else ''}", style="bold"))
    rows = [
        (row["way"], str(row["load"]), str(row["store"]), str(row["load"] + row["store"]))
        for row in comparison(plan, parameters)
    ]
    screen.print(table(("way", ">loaded", ">stored", ">total"), rows))


def _show_quasts(plan: Plan, limit: int, screen: Console) -> None:
    for title, text in plan_quasts(plan, limit):
        screen.print(Text(title, style="bold"))
        screen.print(text, markup=False)
        screen.print()
