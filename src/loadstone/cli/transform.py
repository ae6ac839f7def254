"""`loadstone transform`: loop transformations, their legality, and the C that they lead to."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from loadstone.cli.console import console, table
from loadstone.cli.kernels import parameter_values, parse_kernel, script_steps
from loadstone.emit.c.transformed import emit_transformed
from loadstone.errors import Diagnostic, InputError
from loadstone.loops.transformed import program_loops
from loadstone.model.kernel import Kernel
from loadstone.pipeline import automatic_steps, compare_executions, is_right, parallel_loops_of, transform_kernel
from loadstone.transform.description import transformation_info
from loadstone.transform.script import parse_script
from loadstone.transform.sequence import Outcome, Transformed, check_result


def run(arguments: argparse.Namespace) -> int:
    """Print the steps with their legality, and the transformed program; the exit status says whether it is legal."""
    kernel = parse_kernel(arguments)
    result = _result(arguments, kernel)
    code = emit_transformed(result.program, arguments.style)
    verified = _verified(arguments, result) if arguments.verify and result.legal else None
    if arguments.json:
        info = {**transformation_info(result), "parallel": _parallel(arguments, result), "c": code}
        print(json.dumps(info if verified is None else {**info, "verified": verified}))
    else:
        _show(result, console())
        check_result(result, "" if arguments.allow_illegal else "with --allow-illegal later steps may mend this")
        console().print(f"parallel loops: {', '.join(_parallel(arguments, result)) or 'none'}\n", markup=False)
        _deliver(arguments, code, verified, console())
    return 0 if result.legal and (verified is None or is_right(verified)) else 1


def _result(arguments: argparse.Namespace, kernel: Kernel) -> Transformed:
    found = automatic_steps(kernel, arguments.auto, arguments.limit) if arguments.auto else ()
    written = parse_script("\n".join(arguments.steps), "--step")
    return transform_kernel(
        kernel,
        (*found, *script_steps(arguments), *written),
        allow_illegal=arguments.allow_illegal or bool(arguments.auto),
        free_reductions=arguments.free_reductions,
        limit=arguments.limit,
    )


def _parallel(arguments: argparse.Namespace, result: Transformed) -> tuple[str, ...]:
    return parallel_loops_of(result, arguments.limit) if result.legal else ()


def _verified(arguments: argparse.Namespace, result: Transformed) -> dict[str, Any]:
    loops = program_loops(result.program, arguments.style)
    return compare_executions(result.kernel, parameter_values(arguments, result.kernel), loops=loops)


def _show(result: Transformed, screen: Console) -> None:
    if result.steps:
        screen.print(table(("step", "legal", ""), (_row(outcome) for outcome in result.steps)))
        screen.print()


def _row(outcome: Outcome) -> tuple[str, str, str]:
    found = outcome.violation
    return outcome.text, "yes" if found is None else "no", "" if found is None else found.text()


def _deliver(arguments: argparse.Namespace, code: str, verified: dict[str, Any] | None, screen: Console) -> None:
    if arguments.file:
        _write(Path(arguments.file), code)
        screen.print(f"wrote {arguments.file}", markup=False)
    else:
        screen.print(code, markup=False, end="")
    if verified is not None:
        wrong = verified["mismatches"]
        outcome = f"{wrong} cells differ" if wrong else "agrees bit by bit with the original"
        screen.print(Text(f"{verified['instances']} statement instances: {outcome}"))


def _write(path: Path, code: str) -> None:
    try:
        path.write_text(code, encoding="utf-8")
    except OSError as error:
        raise InputError(Diagnostic(f"cannot write {path}: {error.strerror}")) from None
