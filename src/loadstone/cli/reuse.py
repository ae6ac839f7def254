"""`loadstone reuse`: reuse distances of a kernel, LRU misses, and which loops to transform."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from functools import partial

from rich.console import Console
from rich.text import Text

from loadstone.cli.shared.compilations import compilation_of
from loadstone.cli.shared.console import console, shown, table
from loadstone.cli.shared.parser import refuse
from loadstone.locality.advice import Action, origin_of, suggestions
from loadstone.locality.description import histogram_rows, reuse_info, symbolic_info, trace_info
from loadstone.locality.measurement import measure
from loadstone.locality.nesting import Nesting
from loadstone.locality.order import Order, order_of
from loadstone.locality.profile import PairCount, Profile, misses
from loadstone.locality.references import Reference
from loadstone.locality.symbolic import SymbolicReuse, symbolic_reuses
from loadstone.locality.trace import TraceRow, trace_table
from loadstone.pipeline import Compilation

_BAR, _MOST_PAIRS, _MOST_CONTENTS = 40, 20, 8


def run(arguments: argparse.Namespace) -> int:
    """Print the distances: in numbers, access by access, or in closed form."""
    if arguments.symbolic:
        refuse(arguments, ("line", "trace", "parameters", "seed"), "with --symbolic")
    if arguments.trace:
        refuse(arguments, ("line",), "with --trace")
    compilation = compilation_of(arguments)
    order = _order(arguments, compilation)
    if arguments.symbolic:
        _run_symbolic(arguments, order)
    elif arguments.trace:
        _run_trace(arguments, order, compilation.values)
    else:
        _run_measured(arguments, order, compilation.values)
    return 0


def _order(arguments: argparse.Namespace, compilation: Compilation) -> Order:
    """The order of the source, or that of a tiling if there is one among the options."""
    tiled = arguments.tiled or arguments.given & {"sizes", "schedule", "strip"}
    if not tiled and arguments.script is None:
        refuse(arguments, ("free_reductions",), "without a tiling", "choose one with --tile, or --tiled")
    return order_of(compilation.legal_tiles if tiled else compilation.kernel)


def _run_measured(arguments: argparse.Namespace, order: Order, parameters: Mapping[str, int]) -> None:
    profile = measure(
        order, parameters, size=arguments.size, line=arguments.line, scalars=arguments.scalars, seed=arguments.seed
    )
    title, unit = _title(order, parameters), "line" if arguments.line > 1 else "element"
    info = partial(reuse_info, order, parameters, arguments.line, profile)
    shown(arguments, info, lambda: _show(order, title, unit, profile, console()))


def _title(order: Order, parameters: Mapping[str, int]) -> str:
    values = ", ".join(f"{name} = {value}" for name, value in parameters.items())
    return f"{order.kernel.name} with {values or 'no parameters'}"


def _show(order: Order, title: str, unit: str, profile: Profile, screen: Console) -> None:
    screen.print(f"{title}: {profile.accesses} accesses of {_amount(profile.cold, unit)}", markup=False)
    screen.print()
    _show_histogram(profile, screen)
    screen.print()
    long = misses(profile, profile.size) - profile.cold
    missed = f"{misses(profile, profile.size)} misses, {profile.cold} of them first accesses, {long} long reuses"
    screen.print(f"LRU cache of {_amount(profile.size, unit)}: {missed}")
    nesting = Nesting(order)
    _show_pairs(nesting, profile.pairs, screen)
    _show_suggestions(nesting, profile, unit, screen)


def _amount(count: int, unit: str) -> str:
    return f"{count} {unit}{'' if count == 1 else 's'}"


def _show_histogram(profile: Profile, screen: Console) -> None:
    found = histogram_rows(profile)
    most = max(profile.cold, *(row["reuses"] for row in found), 0)
    rows = [
        (
            str(row["from"]) if row["from"] == row["to"] else f"{row['from']}-{row['to']}",
            str(row["reuses"]),
            _bar(row["reuses"], most),
            str(row["size"]),
            str(row["misses"]),
        )
        for row in found
    ]
    rows.append(("first access", str(profile.cold), _bar(profile.cold, most), "", ""))
    screen.print(table((">distance", ">accesses", "", ">LRU size", ">misses"), rows))


def _bar(count: int, most: int) -> str:
    """A bar of at most 40 characters; something for all that is not zero."""
    return "█" * -(-count * _BAR // most) if most else ""


def _show_pairs(nesting: Nesting, pairs: Sequence[PairCount], screen: Console) -> None:
    if not pairs:
        return
    ordered = sorted(pairs, key=lambda pair: (-pair.long, -pair.largest))
    rows = [
        (
            _reference(pair.use),
            _reference(pair.reuse),
            str(pair.count),
            str(pair.long),
            f"{pair.mean:.1f}",
            str(pair.largest),
            str(origin_of(nesting, pair)),
        )
        for pair in ordered[:_MOST_PAIRS]
    ]
    screen.print()
    screen.print(table(("use", "reuse", ">reuses", ">long", ">mean", ">largest", ""), rows))
    if len(ordered) > _MOST_PAIRS:
        screen.print(f"and {len(ordered) - _MOST_PAIRS} more pairs (all of them: --json)")


def _reference(reference: Reference) -> str:
    return f"{reference.statement} {'writes' if reference.is_write else 'reads'} {reference.text}"


def _show_suggestions(nesting: Nesting, profile: Profile, unit: str, screen: Console) -> None:
    useful = [s for s in suggestions(nesting, profile) if s.action is not Action.NONE]
    screen.print()
    if not useful:
        screen.print(f"no loop carries or separates reuses of {_amount(profile.size, unit)} or more")
    for suggestion in useful:
        found = f"{suggestion.long} long of {suggestion.reuses} reuses, up to {suggestion.largest}"
        screen.print(f"{suggestion.text}: {found}", markup=False)


def _run_trace(arguments: argparse.Namespace, order: Order, parameters: Mapping[str, int]) -> None:
    measured = measure(order, parameters, size=arguments.size, scalars=arguments.scalars, seed=arguments.seed)
    size = measured.size
    rows = trace_table(order, parameters, size, scalars=arguments.scalars, seed=arguments.seed)
    found = {"kernel": order.kernel.name, "parameters": dict(parameters), "size": size}
    shown(arguments, lambda: {**found, "trace": trace_info(rows)}, lambda: _show_trace(rows, size, console()))


def _show_trace(rows: Iterator[TraceRow], size: int, screen: Console) -> None:
    shown = min(size, _MOST_CONTENTS)
    columns = ("instance", "access", "", ">distance", *map(str, range(shown)))
    screen.print(table(columns, [_trace_row(row, shown) for row in rows]))


def _trace_row(row: TraceRow, shown: int) -> tuple[str, ...]:
    instance = f"{row.statement}({', '.join(map(str, row.instance))})"
    contents = row.contents[:shown] + ("",) * (shown - len(row.contents))
    distance = "∞" if row.distance is None else str(row.distance)
    return (instance, row.element, "write" if row.is_write else "read", distance, *contents)


def _run_symbolic(arguments: argparse.Namespace, order: Order) -> None:
    found = symbolic_reuses(order, scalars=arguments.scalars, size=arguments.size, limit=arguments.limit)
    shown(arguments, lambda: symbolic_info(order, arguments.size, found), lambda: _show_symbolic(found, console()))


def _show_symbolic(found: Sequence[SymbolicReuse], screen: Console) -> None:
    for reuse in found:
        use = "an earlier access" if reuse.use is None else _reference(reuse.use)
        screen.print(Text(f"{use}, then {_reference(reuse.reuse)}", style="bold"))
        rows = (("distance", reuse.distance), ("reuses", reuse.count), ("long", reuse.long))
        for name, value in rows:
            if value is not None:
                screen.print(f"  {name:9} {value}", markup=False)
        if reuse.reason:
            screen.print(f"  unknown   {reuse.reason}", markup=False)
