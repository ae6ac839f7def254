"""C functions whose parameters are those that their bodies use."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from textwrap import fill

from loadstone.emit.c.printer import INDENT

LONGEST_LINE = 120


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter and its declaration, in which `@` stands for the name."""

    name: str
    declaration: str

    def declared(self) -> str:
        """The declaration with the name."""
        return self.declaration.replace("@", self.name)


@dataclass(frozen=True, slots=True)
class Function:
    """A function; of the parameters on `offer` it takes those that appear in its body."""

    comment: str
    result: str
    name: str
    offer: tuple[Parameter, ...]
    body: tuple[str, ...]

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The parameters that it takes."""
        words = variables_in(self.body)
        return tuple(parameter for parameter in self.offer if parameter.name in words)

    def lines(self) -> list[str]:
        """The definition."""
        body = (INDENT + line if line else "" for line in self.body)
        return [f"/* {self.comment} */", self.head(), "{", *body, "}", ""]

    def head(self) -> str:
        """The declaration, on several lines where it is long."""
        text = f"{self.result} {self.name}({', '.join(p.declared() for p in self.parameters) or 'void'})"
        return fill(text, LONGEST_LINE, subsequent_indent=2 * INDENT, break_long_words=False, break_on_hyphens=False)

    def call(self, values: Mapping[str, str] | None = None, leading: Sequence[str] = ()) -> str:
        """A call that passes variables of the same names, or the given values."""
        given = values or {}
        arguments = [*leading, *(given.get(p.name, p.name) for p in self.parameters)]
        return f"{self.name}({', '.join(arguments)})"


def variables_in(body: Sequence[str]) -> set[str]:
    """The identifiers in lines of C that are not members, comments, text or pragmas."""
    code = re.sub(r'/\*.*?\*/|"[^"]*"|(?m:^ *#.*)', " ", "\n".join(body))
    return set(re.findall(r"(?<!->)(?<!\.)\b[A-Za-z_]\w*", code))
