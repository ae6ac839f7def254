"""`loadstone run`: the kernel executed as the original C, as the model, and as C printed from the model."""

from __future__ import annotations

import argparse
import json
from typing import Any

from loadstone.cli.kernels import parameter_values, read_kernel
from loadstone.pipeline import compare_executions


def run(arguments: argparse.Namespace) -> int:
    """Execute in three ways and compare; the exit status says whether all agree."""
    kernel = read_kernel(arguments)
    result = compare_executions(kernel, parameter_values(arguments, kernel), arguments.seed)
    if arguments.json:
        print(json.dumps(result))
    else:
        _show(result)
    return 0 if result["match"] else 1


def _show(result: dict[str, Any]) -> None:
    values = ", ".join(f"{name}={value}" for name, value in result["parameters"].items())
    print(f"{result['kernel']} with {values or 'no parameters'}: {result['instances']} statement instances")
    for way, count in result["ways"].items():
        print(f"  {way:12} {'agrees bit by bit' if count == 0 else f'{count} cells differ'}")
    outputs = ", ".join(f"{name} ({cells} cells)" for name, cells in result["outputs"].items())
    print(f"compared: {outputs or 'nothing is live-out'}")
