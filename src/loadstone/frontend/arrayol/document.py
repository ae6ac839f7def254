"""YAML in which every value knows where it stands."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from difflib import get_close_matches

import yaml

from loadstone.errors import Source, Span, refused
from loadstone.frontend.c.program import KEYWORDS

INFINITE = "inf"
LARGEST = 2**31 - 1
_WHOLE = re.compile(r"[+-]?(0|[1-9][0-9]*)")
_compose: Callable[..., yaml.Node | None] = yaml.compose  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]


@dataclass(frozen=True, slots=True)
class Entry:
    """A value of the document, `name` says what it is."""

    node: yaml.Node
    source: Source
    name: str
    key: yaml.Node | None = None

    @property
    def name_span(self) -> Span:
        """Where the key of the value starts, or the value itself without one."""
        return self.span if self.key is None else Entry(self.key, self.source, self.name).span

    @property
    def span(self) -> Span:
        """Where the value starts."""
        mark = self.node.start_mark
        return self.source.span(mark.line + 1, mark.column + 1)

    def fields(self, allowed: Collection[str], required: Collection[str] = ()) -> dict[str, Entry]:
        """The values of a mapping with known keys."""
        found = dict(self.named())
        for key, place in self._keys():
            if key not in allowed:
                near = get_close_matches(key, allowed, 1)
                hint = f"did you mean {near[0]}?" if near else f"{self.name} has {', '.join(allowed)}"
                raise refused(f"{self.name} has no '{key}'", place, hint)
        for key in required:
            if key not in found:
                raise refused(f"'{key}' is missing in {self.name}", self.span, f"write {key}: in it")
        return found

    def named(self) -> Iterator[tuple[str, Entry]]:
        """The values of a mapping with the user's own keys."""
        if not isinstance(self.node, yaml.MappingNode):
            raise refused(f"{self.name} must be a mapping", self.span, "write name: value, one on each line")
        seen: set[str] = set()
        for (key, place), (node, value) in zip(self._keys(), self.node.value, strict=True):
            if key in seen:
                raise refused(f"{self.name} has '{key}' twice", place, "keep one of them")
            seen.add(key)
            yield key, Entry(value, self.source, f"'{key}'", node)

    def _keys(self) -> Iterator[tuple[str, Span]]:
        for key, _ in self.node.value:
            place = Entry(key, self.source, "key").span
            if not isinstance(key, yaml.ScalarNode):
                raise refused("a key must be a word", place, "write name: value")
            yield key.value, place

    def items(self) -> list[Entry]:
        """The values of a list."""
        if not isinstance(self.node, yaml.SequenceNode):
            raise refused(f"{self.name} must be a list", self.span, "write [1, 2]")
        return [Entry(node, self.source, f"an entry of {self.name}") for node in self.node.value]

    @property
    def is_single(self) -> bool:
        """Whether the value is a word, a number or a text."""
        return isinstance(self.node, yaml.ScalarNode)

    def text(self) -> str:
        """The text of a single value."""
        if not isinstance(self.node, yaml.ScalarNode):
            raise refused(f"{self.name} must be a single value", self.span, "write one word or number")
        return self.node.value

    def word(self) -> str:
        """A name that C can use."""
        check_name(self.text(), self.span)
        return self.text()

    def truth(self) -> bool:
        """Yes or no."""
        if self.text() not in {"true", "false"}:
            raise refused(f"{self.name} is '{self.text()}'", self.span, "write true or false")
        return self.text() == "true"

    def integer(self) -> int:
        """A whole number, of a size that a counter in C holds."""
        text = self.text()
        if not _WHOLE.fullmatch(text):
            raise refused(f"'{text}' is not a whole number", self.span, f"{self.name} is a number, in decimal")
        if len(text.lstrip("+-0")) > len(str(LARGEST)) or abs(int(text)) > LARGEST:
            raise refused(f"{text} is too large", self.span, f"numbers go up to {LARGEST}")
        return int(text)

    def integers(self, count: int | None = None) -> tuple[int, ...]:
        """A list of whole numbers of the required length."""
        items = self.items()
        if count is not None and len(items) != count:
            raise refused(f"{self.name} has {len(items)} entries instead of {count}", self.span, "give one for each")
        return tuple(item.integer() for item in items)

    def matrix(self, rows: int, columns: int) -> tuple[tuple[int, ...], ...]:
        """A list of rows."""
        items = self.items()
        if len(items) != rows:
            hint = f"write {rows} rows of {columns} numbers each"
            raise refused(f"{self.name} has {len(items)} rows instead of {rows}", self.span, hint)
        return tuple(item.integers(columns) for item in items)

    def sizes(self) -> tuple[int | None, ...]:
        """A list of sizes, at least 1 each; None for an unbounded one, of which there is one at most."""
        found = tuple(None if item.text() in {INFINITE, ".inf"} else item.integer() for item in self.items())
        for item, size in zip(self.items(), found, strict=True):
            if size is not None and size < 1:
                raise refused(f"{self.name} has the size {size}", item.span, "sizes are 1 or more")
        if found.count(None) > 1:
            raise refused(f"{self.name} has two unbounded dimensions", self.span, "one at most is unbounded")
        return found

    def literal_text(self) -> tuple[str, Span, bool]:
        """A text of several lines and where it starts; whether its characters stand as they do in the file."""
        text = self.text()
        mark = self.node.start_mark
        if getattr(self.node, "style", None) != "|":
            return text, self.span, "\n" not in text
        return text, self.source.span(mark.line + 2, self._indent(mark.line + 1) + 1), True

    def _indent(self, line: int) -> int:
        lines = self.source.text.split("\n")[line:]
        return next((len(each) - len(each.lstrip()) for each in lines if each.strip()), 0)


def check_name(text: str, span: Span) -> None:
    """Raise `InputError` for what C cannot use as a name."""
    if not (text.isidentifier() and text.isascii()):
        raise refused(f"'{text}' is not a name", span, "names have letters, digits and _")
    if text in KEYWORDS.split():
        raise refused(f"'{text}' is a word of C", span, "choose another name")


def read_document(source: Source) -> Entry:
    """The root of a YAML text."""
    try:
        root = _compose(source.text, Loader=yaml.SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        span = source.span(mark.line + 1, mark.column + 1) if mark else None
        in_body = span is not None and source.line(span.line).strip().startswith("body:")
        hint = "put the C below 'body: |', indented" if in_body else "check indentation, brackets and colons"
        raise refused(f"this is not YAML: {error.problem}", span, hint) from None
    except RecursionError:
        raise refused(f"'{source.name}' is nested too deeply", None, "a matrix is a list of lists") from None
    except yaml.YAMLError as error:
        raise refused(f"this is not YAML: {error}", None) from None
    if root is None:
        raise refused(f"'{source.name}' is empty", None, "a specification has application, arrays and tasks")
    return Entry(root, source, "the specification")
