"""The examples in the docstrings of steps: C before, a line of a script, C after."""

from __future__ import annotations

import re
import textwrap
from dataclasses import dataclass
from pathlib import Path

import loadstone as ls
from loadstone.emit.c.printer import emit_kernel
from loadstone.loops.transformed import program_loops
from loadstone.transform.script import parse_script
from loadstone.transform.sequence import apply_steps
from loadstone.transform.step_syntax import Step

HEAD = "void f(int N, int a[N], int b[N][N], int c[N], int d[N])"


@dataclass(frozen=True)
class Example:
    """What a docstring shows."""

    before: str
    script: str
    after: str


def example_of(kind: type[Step]) -> Example:
    """The example in the docstring of a step."""
    text = textwrap.dedent("    " + (kind.__doc__ or ""))
    word = kind.usage.split()[0]
    head, line, tail = re.split(rf"^({word} .*)$", text, maxsplit=1, flags=re.MULTILINE)
    return Example(_code(head), line, _code(tail))


def _code(text: str) -> str:
    return textwrap.dedent("\n".join(line for line in text.splitlines() if line.startswith("    ")))


def transformed_code(example: Example, folder: Path) -> str:
    """The statements that our tool makes of the code before."""
    path = folder / "example.c"
    temporary = "  int s;\n" if re.search(r"\bs =", example.before) else ""
    path.write_text(f"{HEAD}\n{{\n{temporary}#pragma scop\n{example.before}\n#pragma endscop\n}}\n")
    result = apply_steps(ls.parse(str(path)), parse_script(example.script))
    text = emit_kernel(result.kernel, program_loops(result.program), "f")
    body = text[text.index("\nvoid f(") :].split("\n{\n", maxsplit=1)[1].rsplit("\n}\n", maxsplit=1)[0]
    return textwrap.dedent(body)
