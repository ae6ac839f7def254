"""`loadstone info`: what Loadstone understood of a kernel."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loadstone.analysis.info import kernel_info
from loadstone.cli.shared.console import console, heading, table
from loadstone.cli.shared.kernels import TOLD, check_unknowns, is_array_ol, read_kernel, transformed_specification
from loadstone.errors import refused
from loadstone.files import write_whole
from loadstone.frontend.c.scop import SeveralKernelsError
from loadstone.later import Later
from loadstone.model.definitions import approximate_functions
from loadstone.model.functions import ERROR_BOUND
from loadstone.model.kernel import Kernel
from loadstone.poly.limits import within_limit
from loadstone.transform.privatise.description import private_places
from loadstone.transform.selections import with_selections

if TYPE_CHECKING:
    import rich.text as rich_text
    from rich.console import Console
    from rich.table import Table

    from loadstone import arrayol
else:
    arrayol, rich_text = Later("loadstone.arrayol"), Later("rich.text")


def run(arguments: argparse.Namespace) -> int:
    """Print the descriptions of the kernels of a file."""
    if arguments.file is not None:
        _draw(arguments)
    found = [_described(kernel, arguments) for kernel in _kernels(arguments)]
    if arguments.json:
        print(json.dumps(found[0] if len(found) == 1 else {"kernels": found}))
        return 0
    for position, info in enumerate(found):
        if position:
            print()
        _show(info, console())
    return 0


def _draw(arguments: argparse.Namespace) -> None:
    """Draw the tasks of a specification, after steps on them."""
    if not is_array_ol(arguments):
        message = f"'{arguments.kernel}' has no tasks to draw"
        raise refused(message, None, "-o draws Array-OL; 'loadstone network -o' draws processes")
    if Path(arguments.file).suffix != ".svg":
        raise refused(f"cannot draw '{arguments.file}'", None, "-o FILE.svg")
    specification = transformed_specification(arguments) or arrayol.read(Path(arguments.kernel))
    write_whole(arguments.file, arrayol.specification_svg(specification))


def _kernels(arguments: argparse.Namespace) -> list[Kernel]:
    """The kernel that the options name, or all that a file marks."""
    try:
        return [read_kernel(arguments)]
    except SeveralKernelsError as several:
        known = vars(arguments) | {"given": arguments.given - TOLD}
        numbers = range(1, several.how_many + 1)
        kernels = [read_kernel(argparse.Namespace(**known | {"scop": number})) for number in numbers]
        check_unknowns(arguments, kernels)
        return kernels


def _described(read: Kernel, arguments: argparse.Namespace) -> dict[str, Any]:
    kernel = with_selections(read)
    info = within_limit("the dependences", arguments.limit, lambda: kernel_info(kernel))
    places, functions = private_places(kernel), approximate_functions(kernel)
    info |= {"functions": {"names": list(functions), "error_bound": ERROR_BOUND}} if functions else {}
    return info | ({"temporaries": places} if places else {})


def _show(info: dict[str, Any], screen: Console) -> None:
    exact = "all accesses exact" if info["exact"] else "some accesses approximated"
    screen.print(heading(f"kernel {info['kernel']}"), f"({exact})")
    screen.print(f"parameters  {', '.join(info['parameters']) or 'none'}   context {info['context']}", markup=False)
    for assumption in info.get("assumptions", ()):
        screen.print(
            f"assumes     {assumption['condition']}, {assumption['reason']} (checked at run time)", markup=False
        )
    screen.print()
    screen.print(_array_table(info["arrays"]))
    for statement in info["statements"]:
        screen.print()
        sometimes = ", conditional" if any(statement["may_writes"]) else ""
        title = f"{statement['name']} (line {statement['line']}{sometimes})"
        screen.print(heading(title))
        _rows(screen, [("domain", statement["domain"]), ("schedule", statement["schedule"])])
        for verb in ("read", "write"):
            titles = (f"may {verb}" if may else f"{verb}s" for may in statement[f"may_{verb}s"])
            _rows(screen, list(zip(titles, statement[f"{verb}s"], strict=True)))
    screen.print()
    screen.print(heading("dependences"))
    _rows(screen, list(info["dependences"].items()))
    if "functions" in info:
        names, bound = ", ".join(info["functions"]["names"]), info["functions"]["error_bound"]
        screen.print(f"functions {names}: within {bound} units in the last place in hardware", markup=False)
    for place in info.get("temporaries", ()):
        screen.print(f"temporary {place}, where a tiling needs it", markup=False)
    _show_pragmas(info["hls_pragmas"], screen)
    for warning in info["warnings"]:
        screen.print(rich_text.Text(f"warning: {warning}", style="yellow"))


def _show_pragmas(pragmas: list[dict[str, Any]], screen: Console) -> None:
    if not pragmas:
        return
    screen.print()
    screen.print(heading("HLS pragmas"))
    for each in pragmas:
        screen.print(f"  line {each['line']}: {each['pragma']}", markup=False)
        screen.print(f"    {each['outcome']}: {each['reason']}", markup=False)


def _rows(screen: Console, rows: list[tuple[str, str]]) -> None:
    for name, text in rows:
        screen.print(f"  {name:9} {text}", markup=False)


def _array_table(arrays: dict[str, Any]) -> Table:
    return table(
        ("array", "type", "extents", "live-in", "live-out"),
        (
            (
                name,
                array["type"],
                " x ".join(array["extents"]) or "scalar",
                *("yes" if array[key] else "-" for key in ("live_in", "live_out")),
            )
            for name, array in arrays.items()
        ),
    )
