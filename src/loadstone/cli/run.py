"""`loadstone run`: the accelerator, built and executed against the original program."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from importlib import import_module
from math import isfinite
from shutil import get_terminal_size

from loadstone.cli.shared.compilations import compilation_of, compiled_as
from loadstone.cli.shared.parser import check_modes
from loadstone.model.functions import ERROR_BOUND
from loadstone.options import CIRCUITS, Mode, RunOptions
from loadstone.outcome import MemoryUse, Outcome, Rounding
from loadstone.parallel.beats import Beats
from loadstone.simulate.hardware.timeline import activity_lines
from loadstone.trials import compare_executions, run_program

MODES: dict[Mode, str] = {
    "c": "--target c",
    "hls": "--target hls",
    "model": "--target model",
    "on-chip": "--target verilog or vhdl without --memory",
    "accelerator": "--target verilog --memory",
    "prediction": "--memory --simulator transactions",
    "network-c": "--network --target c",
    "network-hls": "--network --target hls",
    "network-hardware": "--network --memory",
}


def run(arguments: argparse.Namespace) -> int:
    """Execute and compare; the exit status says whether results and words moved are as expected."""
    options = RunOptions.of(vars(arguments))
    check_modes(arguments, [options.mode()], MODES)
    outcome = _outcome(arguments, options)
    if arguments.json:
        print(json.dumps(outcome.as_json(timeline=options.timeline)))
    else:
        _show(outcome, timeline=options.timeline)
    return 0 if outcome.is_right else 1


def _outcome(arguments: argparse.Namespace, options: RunOptions) -> Outcome:
    if options.target in CIRCUITS:
        circuit = compiled_as(import_module("loadstone.circuits").CircuitCompilation, arguments)
        found: Outcome = import_module("loadstone.circuit_trials").run_circuit(circuit, options)
        return found
    compilation = compilation_of(arguments)
    if options.target == "model":
        return compare_executions(compilation.kernel, compilation.values, options.seed)
    return run_program(compilation, options)


def _show(outcome: Outcome, *, timeline: bool) -> None:
    if outcome.ways is not None:
        _show_ways(outcome, outcome.ways)
        return
    print(f"{_title(outcome)} as {outcome.target}{f' in {outcome.simulator}' if outcome.simulator else ''}")
    if outcome.verdict is not None:
        wrong = outcome.verdict.mismatches
        total = sum(outcome.verdict.outputs.values())
        verdict = "agrees bit by bit with" if wrong == 0 else f"{wrong} of {total} cells differ from"
        of = "the original" if outcome.rounding is None else "C in the order executed"
        print(f"  result       {verdict} {of}: {_outputs(outcome)}")
    if outcome.rounding is not None:
        _show_rounding(outcome.rounding)
    _show_traffic(outcome)
    if outcome.cycles is not None:
        _show_cycles(outcome, outcome.cycles)
    _show_design(outcome)
    _show_statements(outcome)
    if timeline:
        for line in activity_lines(outcome.activities, get_terminal_size().columns - 2):
            print(f"  {line}")


def _show_rounding(rounding: Rounding) -> None:
    known = f"bound {rounding.bound:.2g}" if isfinite(rounding.bound) else "no bound"
    beyond = f"; {rounding.beyond} cells are beyond their bound" if rounding.beyond else ""
    print(
        f"  rounding     {', '.join(rounding.arrays)} reordered: {rounding.differing} cells differ from the original, "
        f"by {rounding.difference:.2g} at most ({known}){beyond}"
    )


def _show_traffic(outcome: Outcome) -> None:
    traffic = outcome.traffic
    if traffic is None:
        return
    rows = (("loaded", traffic.loaded, traffic.planned[0]), ("stored", traffic.stored, traffic.planned[1]))
    for title, moved, planned in rows:
        verdict = "as predicted" if moved == planned else f"but {planned} were predicted"
        print(f"  {title:12} {moved} words, {'by the plan' if outcome.sample else verdict}")


def _compared(baseline: int, cycles: int) -> str:
    ratio = max(baseline, cycles) / max(1, min(baseline, cycles))
    return f"{ratio:.2f}x {'faster' if baseline < cycles else 'slower'}"


def _show_cycles(outcome: Outcome, cycles: int) -> None:
    count = outcome.instances
    print(f"  cycles       {cycles}{f', {cycles / count:.2f} for each of {count} instances' if count else ''}")
    if outcome.sample is not None:
        print(f"  sampled      {outcome.sample.tiles} of {outcome.sample.of} tiles, which stand for all")
    baseline = outcome.baseline
    if baseline is not None and baseline.cycles is None:
        print(f"  baseline     not possible: {baseline.reason}")
    elif baseline is not None and baseline.cycles is not None:
        print(f"  baseline     {baseline.cycles} cycles ({_compared(baseline.cycles, cycles)})")
    if outcome.memory is not None:
        _show_memory(outcome.memory)


def _show_design(outcome: Outcome) -> None:
    """What a design computes in its own way, and what it moves and executes in another one than it might."""
    if outcome.functions:
        names = ", ".join(outcome.functions)
        print(f"  functions    {names}: as hardware computes them, within {ERROR_BOUND} units in the last place")
    if outcome.approximated:
        print(f"  plan         approximated: {outcome.approximated}")
    if outcome.lanes is not None:
        lanes = outcome.lanes
        print(f"  lanes        {f'{lanes.count} of loop {lanes.dimension}' if lanes.count > 1 else '1'}")
        if outcome.suggestion is not None:
            print(f"               requested by line {outcome.suggestion.span.line}: {outcome.suggestion.text}")
        if lanes.reason:
            print(f"               not {lanes.asked}: {lanes.reason}")
    if outcome.order is not None:
        print(f"  order        {outcome.order.described}")
    if outcome.copies:
        ports = ", ".join(f"{each.ports} of {array}" for array, each in outcome.copies.items())
        bits = sum(each.ports * each.bits for each in outcome.copies.values())
        one = sum(each.bits for each in outcome.copies.values())
        print(f"  read ports   {ports}: {bits} bits of memory, and {one} with one port each")
    if outcome.beats is not None and outcome.beats.are_several:
        _show_beats(outcome.beats)


def _show_beats(beats: Beats) -> None:
    """The elements that move in a cycle, and why these are fewer than a beat holds."""
    moved = ", ".join(f"{size} of {array}" for array, size in beats.sizes.items())
    print(f"  per beat     {moved}")
    for array, reason in beats.reasons.items():
        print(f"               not {beats.fits[array]} of {array}: {reason}")


def _show_memory(memory: MemoryUse) -> None:
    rows = "" if memory.row_changes is None else f": {memory.row_changes} row changes, busy {memory.busy or 0:.0%}"
    print(f"  memory       {memory.name}{rows}")


def _show_statements(outcome: Outcome) -> None:
    """The pipelines of statements: all of them on chip, with external memory the ones that slow the loop down."""
    for name, times in (outcome.statements or {}).items():
        if outcome.memory is not None and times["interval"] == 1:
            continue
        why = f": {times['reason']}" if times["interval"] > 1 else ""
        print(f"  {name:12} latency {times['latency']}, initiation interval {times['interval']}{why}")


def _show_ways(outcome: Outcome, ways: Mapping[str, int]) -> None:
    print(f"{_title(outcome)}: {outcome.instances} statement instances")
    for way, count in ways.items():
        print(f"  {way:12} {'agrees bit by bit' if count == 0 else f'{count} cells differ'}")
    print(f"compared: {_outputs(outcome)}")


def _title(outcome: Outcome) -> str:
    values = ", ".join(f"{name}={value}" for name, value in outcome.parameters.items())
    return f"{outcome.kernel} with {values or 'no parameters'}"


def _outputs(outcome: Outcome) -> str:
    if outcome.verdict is None or not outcome.verdict.outputs:
        return "nothing is live-out"
    return ", ".join(f"{name} ({cells} cells)" for name, cells in outcome.verdict.outputs.items())
