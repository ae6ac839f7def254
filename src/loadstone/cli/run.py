"""`loadstone run`: the accelerator, built and executed against the original program."""

from __future__ import annotations

import argparse
import json
from typing import Any

from loadstone.cli.kernels import accelerator_of, parameter_values, read_kernel
from loadstone.model.kernel import Kernel
from loadstone.pipeline import compare_executions, is_right, run_accelerator


def run(arguments: argparse.Namespace) -> int:
    """Execute and compare; the exit status says whether results and words moved are as expected."""
    kernel = read_kernel(arguments)
    parameters = parameter_values(arguments, kernel)
    if arguments.target == "model":
        result = compare_executions(kernel, parameters, arguments.seed)
    else:
        result = _run_target(arguments, kernel, parameters)
    if arguments.json:
        print(json.dumps(result))
    else:
        (_show_ways if arguments.target == "model" else _show)(result)
    return 0 if is_right(result) else 1


def _run_target(arguments: argparse.Namespace, kernel: Kernel, parameters: dict[str, int]) -> dict[str, Any]:
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
    verdict = "agrees bit by bit" if result["match"] else f"{result['mismatches']} cells differ"
    print(f"  result       {verdict} with the original: {_outputs(result)}")
    for key in ("loaded", "stored"):
        moved, predicted = result[key], result["predicted"][key]
        print(
            f"  {key:12} {moved} words, {'as predicted' if moved == predicted else f'but {predicted} were predicted'}"
        )


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
