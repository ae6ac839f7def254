"""The options of the decorator: default parameter values, assumptions, a tiling; each found again in the source."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from loadstone.errors import Span, refused
from loadstone.frontend import syntax
from loadstone.frontend.python.expressions import Expressions
from loadstone.frontend.python.text import Script, Text

OPTIONS = ("tile", "schedule", "strip", "defaults", "assume")


@dataclass(frozen=True, slots=True)
class Given:
    """The value of an option, and the node that states it where there is one in sight."""

    value: object
    node: ast.expr | None
    script: Script
    near: Span

    @property
    def span(self) -> Span:
        """Where the value stands, or else the function."""
        return self.script.span(self.node) if self.node else self.near

    def text(self) -> Text:
        """The value, which is a string, as a text with positions."""
        if isinstance(self.node, ast.Constant) and self.node.value == self.value:
            return self.script.string(self.node)
        return Text(str(self.value), self.span, exact=False)

    def elements(self) -> tuple[Given, ...]:
        """The elements of a tuple or list; anything else is the one element of itself."""
        value = self.value
        if not isinstance(value, list | tuple):
            return (self,)
        values = cast("Sequence[object]", value)
        written = self.node.elts if isinstance(self.node, ast.Tuple | ast.List) else []
        same = len(written) == len(values)
        return tuple(self._inner(value, written[k] if same else None) for k, value in enumerate(values))

    def entries(self) -> Iterator[tuple[Given, Given]]:
        """The keys and values of a dictionary."""
        value = self.value
        values = cast("Mapping[object, object]", value) if isinstance(value, Mapping) else dict[object, object]()
        written = self.node if isinstance(self.node, ast.Dict) and len(self.node.keys) == len(values) else None
        for k, (key, value) in enumerate(values.items()):
            nodes = (written.keys[k], written.values[k]) if written else (None, None)
            yield self._inner(key, nodes[0]), self._inner(value, nodes[1])

    def _inner(self, value: object, node: ast.expr | None) -> Given:
        return Given(value, node, self.script, self.span)


def read_options(options: Mapping[str, Given], expressions: Expressions) -> syntax.Directives:
    """What the options of a kernel say."""
    defaults = tuple(_default(*entry) for entry in options["defaults"].entries()) if "defaults" in options else ()
    assumed = options["assume"].elements() if "assume" in options else ()
    return syntax.Directives(
        defaults,
        tuple(expressions.condition_in(_string(item, "assume", "n >= 1 and m < n")) for item in assumed),
        _tiling(options, expressions),
    )


def _default(key: Given, value: Given) -> tuple[syntax.Name, int]:
    if not isinstance(value.value, int):
        raise refused(f"the default of '{key.value}' is not an integer", value.span, 'for example defaults={"n": 40}')
    return syntax.Name(str(key.value), key.span), value.value


def _string(given: Given, option: str, example: str) -> Text:
    if not isinstance(given.value, str):
        raise refused(f"'{option}' must be a string", given.span, f'for example {option}="{example}"')
    return given.text()


def _tiling(options: Mapping[str, Given], expressions: Expressions) -> syntax.Tiling | None:
    if "tile" not in options:
        lonely = next((options[name] for name in ("schedule", "strip") if name in options), None)
        if lonely:
            raise refused("the tiling has no size", lonely.span, "add tile=(32, 32)")
        return None
    sizes = tuple(_positive(element) for element in options["tile"].elements())
    strip = _positive(options["strip"]) if "strip" in options else 1
    schedule = tuple(_schedule(options["schedule"], expressions)) if "schedule" in options else ()
    for name, values in schedule:
        if len(values) != len(sizes):
            message = f"'{name.id}' has {len(values)} schedule dimensions, but there are {len(sizes)} sizes"
            raise refused(message, name.span, "give one size per dimension")
    return syntax.Tiling(schedule, sizes, strip, options["tile"].span)


def _positive(given: Given) -> int:
    if not isinstance(given.value, int) or given.value <= 0:
        raise refused("expected a positive number", given.span, "for example tile=(32, 32), strip=1")
    return given.value


def _schedule(given: Given, expressions: Expressions) -> Iterator[tuple[syntax.Name, tuple[syntax.Expr, ...]]]:
    """The schedule of each statement, from a dictionary or from one string `S1: t, t + i; S2: t, i`."""
    if isinstance(given.value, Mapping):
        for key, value in given.entries():
            texts = [_string(element, "schedule", "S0: t, t + i") for element in value.elements()]
            values = tuple(part for text in texts for part in expressions.values_in(text))
            yield syntax.Name(str(key.value), key.span), values
        return
    for text in _string(given, "schedule", "S0: t, t + i").split(";"):
        name, colon, _ = text.text.partition(":")
        if not colon or not name.strip().isidentifier():
            raise refused("expected 'STATEMENT: expressions'", text.span, "for example S2: n - j, i")
        yield syntax.Name(name.strip(), text.span), expressions.values_in(text.part(len(name) + 1).stripped())
