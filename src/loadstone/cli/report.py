"""`loadstone report`: a page with plan, volumes, buffers, pictures of tiles, the pipeline and the accelerator."""

from __future__ import annotations

import argparse
import json
import shlex
import webbrowser
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path

from loadstone.circuits import CircuitCompilation
from loadstone.cli.shared.compilations import compilation_of
from loadstone.cli.shared.console import console, table
from loadstone.cli.shared.parser import refuse
from loadstone.errors import refused
from loadstone.files import write_whole
from loadstone.options import HardwareOptions, RunOptions, options_of
from loadstone.pipeline import Compilation
from loadstone.progress import working
from loadstone.reporting import gather_report
from loadstone.reporting.comparison import Figure, compared, emit_comparison, figures_in
from loadstone.reporting.extras import Extras, extras_of, front_in
from loadstone.reporting.page import Page
from loadstone.reporting.summary import summary
from loadstone.trials import run_program
from loadstone.version import VERSION

_OF_COMPARISON = frozenset({"compare", "file", "json", "open"})
_OF_HARDWARE = (*(option.dest for option in options_of(HardwareOptions)), "synth", "device")


def run(arguments: argparse.Namespace) -> int:
    """Write the page, or compare the figures of two results."""
    if arguments.compare is not None:
        return _compare(arguments)
    _check_file(arguments.file)
    if not arguments.synth:
        refuse(arguments, ("device",), "without --synth")
    if arguments.plan_only:
        refuse(arguments, (*_OF_HARDWARE, "blocks"), "with --plan-only")
    compilation = compilation_of(arguments)
    outcome = run_program(compilation, RunOptions()) if arguments.verify else None
    extras = _extras(arguments, compilation)
    report = gather_report(compilation.plan, compilation.values, verification=outcome, extras=extras)
    path = Page(report).write(arguments.file)
    print(json.dumps({"file": str(path), **summary(report)}) if arguments.json else f"wrote {path}")
    _open(arguments, path)
    return 0 if outcome is None or outcome.is_right else 1


def _extras(arguments: argparse.Namespace, program: Compilation) -> Extras:
    """What the page shows beside the plan."""
    found = Extras()
    if not arguments.plan_only:
        hardware = HardwareOptions.of(vars(arguments))
        circuit = CircuitCompilation(
            program.kernel, program.choices, program.given, limit=program.limit, hardware=hardware
        )
        with working(f"predicting the accelerator of {program.kernel.name}"):
            found = extras_of(program, circuit, arguments.device if arguments.synth else None)
    return replace(
        found,
        front=None if arguments.front is None else front_in(arguments.front),
        command=shlex.join(["loadstone", *arguments.words]),
        versions=f"Loadstone {VERSION}, islpy-barvinok {version('islpy-barvinok')}",
    )


def _open(arguments: argparse.Namespace, path: Path) -> None:
    if arguments.open:
        webbrowser.open(path.resolve().as_uri())


def _check_file(name: str | None) -> None:
    """Refuse a file that is no page."""
    if name is None:
        raise refused("no page to write", None, "name one with -o F.html")
    if Path(name).suffix.lower() not in (".html", ".htm"):
        hint = "name a file that ends in .html; a browser prints it as PDF"
        raise refused(f"a report is HTML, and not for {name}", None, hint)


def _compare(arguments: argparse.Namespace) -> int:
    """Show two results side by side; the second file stands in the place of the kernel."""
    refuse(arguments, frozenset(arguments.parser.options) - _OF_COMPARISON, "with --compare")
    titles = arguments.compare, arguments.kernel
    figures = compared(*map(figures_in, titles))
    path = None
    if arguments.file is not None:
        _check_file(arguments.file)
        path = write_whole(arguments.file, emit_comparison(titles, figures))
        _open(arguments, path)
    elif arguments.open:
        raise refused("no page to open", None, "name one with -o F.html")
    if arguments.json:
        print(json.dumps({"compare": [figure.as_json() for figure in figures]}))
    else:
        _show(titles, figures, path)
    return 0


def _show(titles: tuple[str, str], figures: tuple[Figure, ...], path: Path | None) -> None:
    """Print what differs."""
    differing = [figure for figure in figures if figure.differs]
    rows = [(figure.name, *figure.cells()) for figure in differing]
    if rows:
        console().print(table(("figure", f">{titles[0]}", f">{titles[1]}", ">ratio"), rows))
    print(f"{len(figures) - len(differing)} of {len(figures)} figures are the same")
    if path is not None:
        print(f"wrote {path}")
