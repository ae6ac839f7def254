"""`loadstone run`: the accelerator, built and executed against the original program."""

from __future__ import annotations

import argparse
import json
from importlib import import_module
from typing import Any

from loadstone.cli.kernels import accelerator_of, parameter_values, read_kernel
from loadstone.model.kernel import Kernel
from loadstone.pipeline import compare_executions, is_right, run_accelerator


def run(arguments: argparse.Namespace) -> int:
    """Execute and compare; the exit status says whether results and words moved are as expected."""
    kernel = read_kernel(arguments)
    parameters = parameter_values(arguments, kernel)
    match arguments.target:
        case "model":
            result, show = compare_executions(kernel, parameters, arguments.seed), _show_ways
        case "verilog" | "vhdl":
            circuits = import_module("loadstone.cli.circuits")
            result, show = circuits.run_circuit(arguments, kernel, parameters), _show_hardware
        case _:
            result, show = _run_accelerator(arguments, kernel, parameters), _show
    if arguments.json:
        print(json.dumps(result))
    else:
        show(result)
    return 0 if is_right(result) else 1


def _run_accelerator(arguments: argparse.Namespace, kernel: Kernel, parameters: dict[str, int]) -> dict[str, Any]:
    return run_accelerator(
        accelerator_of(arguments, kernel, parameters),
        parameters,
        target=arguments.target,
        flavour=arguments.flavour,
        seed=arguments.seed,
        checked=arguments.checked,
        sequential=arguments.sequential,
    )


def _show(result: dict[str, Any]) -> None:
    print(f"{_title(result)} as {result['target']}")
    _show_result(result)
    _show_words(result)


def _show_words(result: dict[str, Any]) -> None:
    for key in ("loaded", "stored"):
        moved, predicted = result[key], result["predicted"][key]
        verdict = "as predicted" if moved == predicted else f"but {predicted} were predicted"
        print(f"  {key:12} {moved} words, {'by the plan' if 'sampled' in result else verdict}")


def _show_hardware(result: dict[str, Any]) -> None:
    print(f"{_title(result)} as {result['target']} in {result['simulator']}")
    if "match" in result:
        _show_result(result)
    if "memory" in result:
        _show_words(result)
    count = result["instances"]
    each = f", {result['cycles'] / count:.2f} for each of {count} instances" if count else ""
    print(f"  cycles       {result['cycles']}{each}")
    if "sampled" in result:
        _show_sample(result)
    if "memory" in result:
        _show_system(result)
    for name, times in result.get("statements", {}).items():
        rate = "every cycle" if times["interval"] == 1 else f"every {times['interval']} cycles: {times['reason']}"
        print(f"  {name:12} written {times['latency']} cycles after its start; can start {rate}")


def _show_sample(result: dict[str, Any]) -> None:
    """Of which tiles a prediction was made."""
    sample, timeline = result["sampled"], "; the timeline shows these alone" if "drawn" in result else ""
    print(f"  sampled      {sample['tiles']} of {sample['of']} tiles, which stand for all{timeline}")


def _show_system(result: dict[str, Any]) -> None:
    """What is known of a run with external memory."""
    memory = result["memory"]
    rows = "" if memory["row_changes"] is None else f": {memory['row_changes']} row changes, busy {memory['busy']:.0%}"
    if "no_baseline" in result:
        print(f"  directly     not possible: {result['no_baseline']}")
    elif "baseline_cycles" in result:
        cycles, ratio = result["baseline_cycles"], result["speedup"]
        print(f"  directly     {cycles} cycles without local memory: {ratio:.2f} times as many")
    print(f"  memory       {memory['name']}{rows}")
    if "lanes" in result:
        lanes = result["lanes"]
        print(f"  lanes        {lanes['count']} of loop {lanes['loop']}" if lanes["count"] > 1 else "  lanes        1")
        if lanes["reason"]:
            print(f"               not {lanes['asked']}: {lanes['reason']}")
    for line in result.get("drawn", ()):
        print(f"  {line}")


def _show_result(result: dict[str, Any]) -> None:
    verdict = "agrees bit by bit" if result["match"] else f"{result['mismatches']} cells differ"
    print(f"  result       {verdict} with the original: {_outputs(result)}")


def _show_ways(result: dict[str, Any]) -> None:
    print(f"{_title(result)}: {result['instances']} statement instances")
    for way, count in result["ways"].items():
        print(f"  {way:12} {'agrees bit by bit' if count == 0 else f'{count} cells differ'}")
    print(f"compared: {_outputs(result)}")


def _title(result: dict[str, Any]) -> str:
    values = ", ".join(f"{name}={value}" for name, value in result["parameters"].items())
    return f"{result['kernel']} with {values or 'no parameters'}"


def _outputs(result: dict[str, Any]) -> str:
    return ", ".join(f"{name} ({cells} cells)" for name, cells in result["outputs"].items()) or "nothing is live-out"
