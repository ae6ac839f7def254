"""`loadstone report`: one page with the plan, volumes, buffers, pictures of the tiles and the pipeline."""

from __future__ import annotations

import argparse
import json

from loadstone.cli.kernels import accelerator_of, parameter_values, read_kernel
from loadstone.pipeline import is_right, run_accelerator
from loadstone.report import emit_report, gather_report
from loadstone.report.page import write_page


def run(arguments: argparse.Namespace) -> int:
    """Write the page."""
    kernel = read_kernel(arguments)
    parameters = parameter_values(arguments, kernel)
    accelerator = accelerator_of(arguments, kernel, parameters)
    outcome = run_accelerator(accelerator, parameters) if arguments.verify else None
    report = gather_report(accelerator.plan, parameters, verification=outcome)
    path = write_page(arguments.file, emit_report(report))
    print(json.dumps({"file": str(path)}) if arguments.json else f"wrote {path}")
    return 0 if outcome is None or is_right(outcome) else 1
