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
from loadstone.cli.kernels import parameter_values, read_kernel, tiled_kernel
from loadstone.pipeline import check_tiling, plan_tiles, within_limit
from loadstone.poly.limits import DEFAULT_LIMIT
from loadstone.transfer import ArrayPlan, Plan
from loadstone.transfer.check import check_plan
from loadstone.transfer.description import comparison, plan_info
from loadstone.transfer.plan_file import read_plan
from loadstone.transfer.quast import plan_quasts
from loadstone.transform.tiling import TiledKernel


def run(arguments: argparse.Namespace) -> int:
    """Print the plan, or judge a given one."""
    kernel = read_kernel(arguments)
    tiles = tiled_kernel(arguments, kernel)
    if arguments.check:
        return _check(arguments, tiles)
    plan = plan_tiles(tiles, keep_dead_stores=arguments.keep_dead_stores, limit=arguments.limit)
    given = parameter_values(arguments, kernel) if arguments.parameters or not kernel.parameters else None
    if arguments.json:
        print(json.dumps(plan_info(plan, given, per_tile=arguments.per_tile)))
    elif arguments.quast:
        _show_quasts(plan, arguments.limit or DEFAULT_LIMIT, console())
    else:
        known = given is not None or set(kernel.parameters) <= set(kernel.defaults)
        _show(plan, parameter_values(arguments, kernel) if known else None, arguments.per_tile, console())
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


def _show(plan: Plan, parameters: Mapping[str, int] | None, per_tile: bool, screen: Console) -> None:
    tiles = plan.tiles
    quality = "exact" if plan.exact else f"approximated: {plan.reason}"
    screen.print(Text(f"plan of {tiles.kernel.name}", style="bold"), f"({quality})")
    screen.print(f"schedule {tiles.schedule}", markup=False)
    coordinates = ", ".join(f"{name} of size {size}" for name, size in zip(tiles.coordinates, tiles.sizes, strict=True))
    screen.print(f"tiles    {coordinates}; a strip runs over {', '.join(tiles.inner)}")
    for name, part in plan.arrays.items():
        screen.print()
        screen.print(Text(name, style="bold"))
        for title, relation in (("load", part.load), ("store", part.store)):
            screen.print(f"  {title:6} {'nothing' if relation.is_empty() else relation}", markup=False)
        for title, closed in _volumes(part, per_tile):
            text = "no closed form within the operation limit" if closed is None else str(closed)
            screen.print(f"  {title:6} {text}", markup=False)
    if parameters is not None:
        _show_comparison(plan, parameters, screen)


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
