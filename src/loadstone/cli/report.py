"""`loadstone report`: one page with the plan, volumes, buffers, pictures of the tiles and the pipeline."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from loadstone.cli.shared.compilations import compilation_of
from loadstone.errors import Diagnostic, InputError
from loadstone.options import RunOptions
from loadstone.reporting import gather_report
from loadstone.reporting.page import Page
from loadstone.trials import run_program


def run(arguments: argparse.Namespace) -> int:
    """Write the page."""
    _check_file(arguments.file)
    compilation = compilation_of(arguments)
    outcome = run_program(compilation, RunOptions()) if arguments.verify else None
    report = gather_report(compilation.plan, compilation.values, verification=outcome)
    path = Page(report).write(arguments.file)
    print(json.dumps({"file": str(path)}) if arguments.json else f"wrote {path}")
    return 0 if outcome is None or outcome.is_right else 1


def _check_file(name: str | None) -> None:
    """Refuse a file that is no page."""
    if name is None:
        raise InputError(Diagnostic("no page to write", None, "name one with -o F.html"))
    if Path(name).suffix.lower() not in (".html", ".htm"):
        hint = "name a file that ends in .html; a browser prints it as PDF"
        raise InputError(Diagnostic(f"a report is HTML, and not for {name}", None, hint))
