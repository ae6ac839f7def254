"""`loadstone transform`: loop transformations, their legality, and the C that they lead to; those of tasks as YAML."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Literal

from rich.console import Console
from rich.text import Text

from loadstone.arrayol import kernel as kernel_of
from loadstone.arrayol import specification as specification_of
from loadstone.arrayol import yaml_text
from loadstone.cli.shared.console import console, shown, table
from loadstone.cli.shared.kernels import parse_kernel, script_steps, transformed_specification, written_steps
from loadstone.cli.shared.parser import refuse
from loadstone.emit.c.comparison.reference import emit_transformed
from loadstone.emit.c.printer import emit_expression, emit_loops
from loadstone.files import write_whole
from loadstone.frontend.arrayol.specification import Specification
from loadstone.loops import generate
from loadstone.loops.cloog import read_cloog
from loadstone.loops.transformed import program_loops
from loadstone.model.kernel import Kernel
from loadstone.outcome import Outcome
from loadstone.pipeline import parameter_values
from loadstone.transform.description import transformation_info
from loadstone.transform.scripted import automatic_steps, canonical_steps, parallel_loops_of, transform_kernel
from loadstone.transform.sequence import StepResult, Transformed, check_result
from loadstone.trials import compare_executions


def run(arguments: argparse.Namespace) -> int:
    """Print the steps with their legality, and the transformed program; the exit status says whether it is legal."""
    if arguments.kernel.endswith(".cloog"):
        return _show_loops(arguments)
    if not (arguments.script or arguments.steps or arguments.auto):
        idle = ("allow_illegal", "free_reductions", "canonical")
        refuse(arguments, idle, "without a step", "name one with --step or --script")
    if arguments.auto:
        refuse(arguments, ("canonical",), "with --auto")
    if not (arguments.verify or arguments.arrayol):
        refuse(arguments, ("parameters",), "without --verify or --arrayol")
    specification = transformed_specification(arguments)
    kernel = parse_kernel(arguments) if specification is None else kernel_of(specification)
    result = _result(arguments, kernel)
    if arguments.arrayol:
        check_result(result)
        chosen = kernel if not result.steps else result.kernel
        specification = specification_of(chosen, dict(arguments.parameters))
    if specification is not None and (arguments.arrayol or not result.steps):
        return _show_specification(arguments, specification)
    code = emit_transformed(result.program, arguments.style)
    verified = _verified(arguments, result) if arguments.verify and result.legal else None
    if arguments.json:
        info = {**transformation_info(result), "parallel": _parallel(arguments, result), "c": code}
        print(json.dumps(info if verified is None else {**info, "verified": verified.as_json()}))
    else:
        _show(result, console())
        check_result(result, "" if arguments.allow_illegal else "with --allow-illegal later steps may mend this")
        console().print(f"parallel loops: {', '.join(_parallel(arguments, result)) or 'none'}\n", markup=False)
        _deliver(arguments, code, verified, console())
    return 0 if result.legal and (verified is None or verified.is_right) else 1


def _show_loops(arguments: argparse.Namespace) -> int:
    """Print the loops of an input file of CLooG, which has no statements but their names."""
    steps = ("script", "steps", "auto", "canonical", "allow_illegal", "free_reductions")
    refuse(arguments, (*steps, "verify", "parameters", "json"), "with a file of CLooG")
    found = read_cloog(Path(arguments.kernel))
    option: Literal["atomic", "separate"] = "atomic" if arguments.style == "compact" else "separate"
    tree = generate(found.schedule, found.context, option=option)
    lines = emit_loops(tree, lambda leaf: [f"{leaf.statement}({', '.join(map(emit_expression, leaf.arguments))});"])
    _deliver(arguments, "\n".join(lines) + "\n", None, console())
    return 0


def _result(arguments: argparse.Namespace, kernel: Kernel) -> Transformed:
    found = automatic_steps(kernel, arguments.auto, arguments.limit) if arguments.auto else ()
    written = (*script_steps(arguments), *written_steps(arguments))
    chosen = canonical_steps(kernel, written, arguments.limit) if arguments.canonical else written
    return transform_kernel(
        kernel,
        (*found, *chosen),
        allow_illegal=arguments.allow_illegal or bool(arguments.auto),
        free_reductions=arguments.free_reductions,
        limit=arguments.limit,
    )


def _show_specification(arguments: argparse.Namespace, specification: Specification) -> int:
    """Print a specification after steps on tasks alone, which are proved to keep results."""
    refuse(arguments, ("style", "verify", "canonical"), "on a specification")
    text = yaml_text(specification)
    whole = {"legal": True, "yaml": text}
    return shown(arguments, lambda: whole, lambda: _deliver(arguments, text, None, console()))


def _parallel(arguments: argparse.Namespace, result: Transformed) -> tuple[str, ...]:
    return parallel_loops_of(result, arguments.limit) if result.legal else ()


def _verified(arguments: argparse.Namespace, result: Transformed) -> Outcome:
    loops = program_loops(result.program, arguments.style)
    return compare_executions(result.kernel, parameter_values(result.kernel, dict(arguments.parameters)), loops=loops)


def _show(result: Transformed, screen: Console) -> None:
    if result.steps:
        screen.print(table(("step", "legal", ""), (_row(outcome) for outcome in result.steps)))
        screen.print()


def _row(outcome: StepResult) -> tuple[str, str, str]:
    found = outcome.violation
    return outcome.text, "yes" if found is None else "no", "" if found is None else found.text()


def _deliver(arguments: argparse.Namespace, code: str, verified: Outcome | None, screen: Console) -> None:
    if arguments.file:
        write_whole(arguments.file, code)
        screen.print(f"wrote {arguments.file}", markup=False)
    else:
        screen.print(code, markup=False, end="")
    if verified is not None:
        wrong = sum((verified.ways or {}).values())
        verdict = f"{wrong} cells differ" if wrong else "agrees bit by bit with the original"
        screen.print(Text(f"{verified.instances} statement instances: {verdict}"))
