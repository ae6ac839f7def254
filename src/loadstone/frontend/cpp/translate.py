"""C++ to C, token by token.

using sample = ap_fixed<16, 8>;                    ->  typedef ap_fixed_16_8 sample;
constexpr int n = 2 * 8;                           ->  const int n = 16;
static_cast<int>(x) + sample(y)                    ->  (int)(x) + (sample)(y)
void f(const sample &x, int (&y)[8], sample &z)    ->  void f(const sample x, int y[8], sample z)
template <int K> int g(int x) {...}   g<3>(x)      ->  int g_3(int x) {...}   g_3(x)
std::min(a, b), std::exp(x), true                  ->  min(a, b), __std_exp(x), 1

Names of types with arguments get typedefs; `Translation` tells what they are, and which parameters are references.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from loadstone.errors import InputError, Span, refused
from loadstone.frontend.c.preprocess import Preprocessed
from loadstone.frontend.cpp.tokens import Token, Unit, angle_closing, closing, comma_parts, tokens_of, units_of
from loadstone.frontend.cpp.types import NUMBERS, STREAM, TypeNames, constant_of
from loadstone.model.functions import OVERLOADED

_REFUSED = {
    "class": ("classes are not supported", "use functions and arrays"),
    "struct": ("structures are not supported in C++", "use an array for each member"),
    "union": ("unions are not supported", "use separate variables"),
    "auto": ("types must be spelled", "write the type in place of 'auto'"),
    "decltype": ("types must be spelled", "write the type"),
    "new": ("memory must be declared", "declare an array"),
    "delete": ("memory must be declared", "declare an array"),
    "operator": ("operators cannot be defined", "write a function"),
    "try": ("exceptions are not supported", "remove them"),
    "throw": ("exceptions are not supported", "remove them"),
    "nullptr": ("pointers are not supported", "use arrays"),
    "const_cast": ("this cast is not supported", "use static_cast"),
    "reinterpret_cast": ("this cast is not supported", "use static_cast"),
    "dynamic_cast": ("this cast is not supported", "use static_cast"),
}
_SPELLINGS = {"true": "1", "false": "0", "constexpr": "const"}
_BUILTIN = frozenset({"int", "unsigned", "short", "long", "char", "float", "double", "bool", "signed"})
_WIDTHS = frozenset(f"{sign}int{bits}_t" for sign in ("", "u") for bits in (8, 16, 32, 64)) | {"size_t"}
_LIBRARIES = frozenset({"std", "hls"})
_BEFORE_DECLARATIONS = frozenset({";", "{", "}", ""})


@dataclass(slots=True)
class Translation:
    """A C++ text on its way to C: units, names of types, templates and their instances, references."""

    preprocessed: Preprocessed
    names: TypeNames = field(default_factory=TypeNames)
    types: set[str] = field(default_factory=lambda: set(_BUILTIN | _WIDTHS))
    namespaces: set[str] = field(default_factory=lambda: set(_LIBRARIES))
    templates: dict[str, Unit] = field(default_factory=dict[str, Unit])
    instances: dict[str, dict[str, list[Token]]] = field(default_factory=dict[str, dict[str, list[Token]]])
    references: set[tuple[str, str]] = field(default_factory=set[tuple[str, str]])
    units: list[Unit] = field(default_factory=list[Unit])
    dropped: dict[str, InputError] = field(default_factory=dict[str, InputError])

    def span(self, token: Token) -> Span:
        """Where a token stands in the user's source."""
        return self.preprocessed.span_at(token.offset)

    def translated(self, is_kernel: Callable[[Unit], bool]) -> list[Token]:
        """The tokens of the C text; a part that cannot be translated is left out, unless the kernel needs it."""
        tokens = tokens_of(self.preprocessed)
        pairs = pairwise(tokens)
        self.namespaces |= {name.text for word, name in pairs if word.text == "namespace" and name.kind == "word"}
        self.units = list(units_of(tokens))
        parts = [self._part(unit, is_kernel(unit)) for unit in self.units]
        found = [token for unit, part in zip(self.units, parts, strict=True) for token in self._emitted(unit, part)]
        self._check_dropped({token.text for token in found if token.kind == "word"})
        return found

    def _check_dropped(self, words: set[str]) -> None:
        for name, error in self.dropped.items():
            if name in words:
                raise error

    def _emitted(self, unit: Unit, part: list[Token]) -> Iterator[Token]:
        """A part, or the instances of the template that it is."""
        yield from part
        for instance in self.instances.get(unit.name, {}).values() if unit.is_template else ():
            yield from instance

    def _part(self, unit: Unit, needed: bool) -> list[Token]:
        if unit.is_pragma:
            return list(unit.tokens)
        if unit.is_template:
            self.templates[unit.name] = unit
            return [token.removed for token in unit.tokens]
        try:
            return self._unit(unit)
        except InputError as error:
            if needed:
                raise
            self.dropped[unit.name] = error
            return [token.removed for token in unit.tokens]

    def _unit(self, unit: Unit) -> list[Token]:
        tokens = list(unit.tokens)
        if tokens[0].text == "extern" and len(tokens) > 1 and tokens[1].kind == "string":
            tokens[:2] = [token.removed for token in tokens[:2]]
        if tokens[0].text == "using" and tokens[1].text == "namespace":
            return [token.removed for token in tokens]
        tokens = self._rewritten(tokens)
        self._note_constant(tokens)
        return self._without_references(tokens, unit.name)

    def _rewritten(self, tokens: list[Token]) -> list[Token]:
        """Tokens with C's spellings."""
        tokens = self._without_qualifiers(tokens)
        tokens = self._with_type_names(tokens)
        tokens = [self._spelled(token) for token in tokens]
        tokens = self._with_typedefs(tokens)
        return self._with_casts(tokens)

    def _spelled(self, token: Token) -> Token:
        if token.kind != "word":
            return token
        if token.text in _REFUSED:
            message, hint = _REFUSED[token.text]
            raise refused(message, self.span(token), hint)
        return token.spelled(_SPELLINGS.get(token.text, token.text))

    def _without_qualifiers(self, tokens: list[Token]) -> list[Token]:
        """Names without the namespaces before them."""
        result = list(tokens)
        for position, token in enumerate(tokens):
            if token.text != "::":
                continue
            before = tokens[position - 1] if position else token
            if before.text not in self.namespaces:
                hint = "namespaces of the file, std and hls are understood"
                raise refused(f"'{before.text}::' is not a known namespace", self.span(before), hint)
            result[position - 1], result[position] = before.removed, token.removed
            if before.text in _LIBRARIES and position + 1 < len(tokens):
                result[position + 1] = _overloaded(tokens[position + 1])
        return result

    def _with_type_names(self, tokens: list[Token]) -> list[Token]:
        """Types and functions with template arguments as single names; inner ones first."""
        result = list(tokens)
        for position in range(len(result) - 1, -1, -1):
            word = result[position]
            if word.kind != "word" or not (word.text in NUMBERS or word.text == STREAM or word.text in self.templates):
                continue
            opening = _next(result, position)
            if opening is None or result[opening].text != "<":
                continue
            end = angle_closing(result, opening)
            if end is None:
                raise refused("this '<' is never closed", self.span(result[opening]), "close it with '>'")
            inside = [token for token in result[opening + 1 : end] if token.text]
            result[position] = word.spelled(self._name_with(word, inside))
            for k in range(position + 1, end + 1):
                result[k] = result[k].removed
        return result

    def _name_with(self, word: Token, arguments: list[Token]) -> str:
        if word.text in self.templates:
            return self._instance(word, arguments)
        return self.names.name_of(word.text, arguments, self.span(word))

    def _with_typedefs(self, tokens: list[Token]) -> list[Token]:
        """`using A = B;` as `typedef B A;`."""
        result = list(tokens)
        for position, token in enumerate(tokens):
            if token.kind != "word" or token.text not in ("using", "typedef"):
                continue
            end = next(k for k in range(position, len(tokens)) if tokens[k].text == ";")
            if token.text == "using":
                name, equals = tokens[position + 1], tokens[position + 2]
                result[position] = token.spelled("typedef")
                result[position + 1], result[position + 2] = name.removed, equals.removed
                result[end] = tokens[end].spelled(f" {name.text};")
                self.types.add(name.text)
            else:
                self.types |= {each.text for each in tokens[position + 1 : end] if each.kind == "word"}
        return result

    def _is_type(self, token: Token) -> bool:
        known = (self.types, self.names.formats)
        return token.kind == "word" and any(token.text in names for names in known)

    def _with_casts(self, tokens: list[Token]) -> list[Token]:
        """`static_cast<T>(e)` and `T(e)` as `(T)(e)`; `T x(e)` as `T x = (e)`."""
        result = list(tokens)
        depth = 0
        for position, token in enumerate(result):
            depth += (token.text == "{") - (token.text == "}")
            after = _next(result, position)
            if token.text == "static_cast" and after is not None:
                end = angle_closing(result, after) or after
                result[position] = token.removed
                result[after], result[end] = result[after].spelled("("), result[end].spelled(")")
            elif self._is_type(token) and after is not None and result[after].text == "(":
                if self._is_cast(result, position, after):
                    result[position] = token.spelled(f"({token.text})")
            elif depth and token.kind == "word" and after is not None and result[after].text == "(":
                self._initialise(result, position, after)
        return result

    def _initialise(self, tokens: list[Token], position: int, opening: int) -> None:
        """Turn the parentheses behind a declared name into its value; streams have none but a name."""
        before = _last(tokens, position)
        if before is not None and before.text in self.names.streams:
            for k in range(opening, closing(tokens, opening) + 1):
                tokens[k] = tokens[k].removed
        elif before is not None and self._is_type(before):
            tokens[opening] = tokens[opening].spelled(" = (")

    def _is_cast(self, tokens: Sequence[Token], position: int, opening: int) -> bool:
        """Whether a type before a parenthesis converts what is inside, and does not declare."""
        before = _last(tokens, position)
        inner = tokens[opening + 1].text if opening + 1 < len(tokens) else ""
        if before is None or before.text in _BEFORE_DECLARATIONS or inner in ("*", "&"):
            return False
        return before.kind != "word" or before.text == "return"

    def _note_constant(self, tokens: list[Token]) -> None:
        """Remember the whole number that a name is declared to be, and write it as its value."""
        texts = [token.text for token in tokens if token.text]
        if "const" not in texts or "=" not in texts or "(" in texts[: texts.index("=")] or "[" in texts:
            return
        for part in comma_parts(tokens[:-1]):
            equals = next((k for k, token in enumerate(part) if token.text == "="), None)
            value = None if equals is None else constant_of(part[equals + 1 :], self.names.constants)
            if equals is None or value is None:
                continue
            name = next(token for token in reversed(part[:equals]) if token.text)
            self.names.constants[name.text] = value
            first, *rest = (token for token in part[equals + 1 :] if token.text)
            tokens[tokens.index(first)] = first.spelled(f"{value}" if value >= 0 else f"({value})")
            for token in rest:
                tokens[tokens.index(token)] = token.removed

    def _without_references(self, tokens: list[Token], function: str) -> list[Token]:
        """A function whose parameters have no `&`; what they stand for is remembered."""
        position = next((k for k, token in enumerate(tokens) if token.text == function), None)
        opening = None if position is None else _next(tokens, position)
        if opening is None or tokens[opening].text != "(":
            return tokens
        end = closing(tokens, opening)
        start = opening + 1
        for part in comma_parts(tokens[start:end]):
            self._note_reference(tokens, part, function)
        return tokens

    def _note_reference(self, tokens: list[Token], part: Sequence[Token], function: str) -> None:
        mark = next((token for token in part if token.text == "&"), None)
        if mark is None:
            return
        after = [token for token in part[part.index(mark) + 1 :] if token.text]
        if not after or after[0].kind != "word":
            raise refused("this parameter is not supported", self.span(mark), "write T &x or T (&x)[N]")
        is_array = len(after) > 1 and after[1].text == ")"
        removed = [mark, after[1]] if is_array else [mark]
        if is_array:
            removed.append(next(token for token in reversed(part[: part.index(mark)]) if token.text == "("))
        elif "const" not in [token.text for token in part]:
            self.references.add((function, after[0].text))
        for token in removed:
            tokens[tokens.index(token)] = token.removed

    def _instance(self, word: Token, arguments: list[Token]) -> str:
        """The name of a function made from a template, for constant arguments or types."""
        unit = self.templates[word.text]
        end = angle_closing(unit.tokens, 1) or 1
        parameters = comma_parts(unit.tokens[2:end])
        values = comma_parts(arguments)
        if len(parameters) != len(values):
            raise refused(f"'{word.text}' takes {len(parameters)} template arguments", self.span(word), "give them all")
        bound = {part[-1].text: self._value(part, value) for part, value in zip(parameters, values, strict=True)}
        name = "_".join((word.text, *(text.replace("-", "minus_") for text in bound.values())))
        made = self.instances.setdefault(word.text, {})
        if name not in made:
            made[name] = []
            made[name] = self._instantiated(unit, end, bound, name)
        return name

    def _value(self, parameter: Sequence[Token], argument: Sequence[Token]) -> str:
        if parameter[0].text in ("typename", "class"):
            return " ".join(token.text for token in argument)
        value = constant_of(argument, self.names.constants)
        if value is None:
            hint = "use a number, or a name that is declared constexpr"
            raise refused("this template argument is not constant", self.span(argument[0]), hint)
        return str(value)

    def _instantiated(self, unit: Unit, end: int, bound: Mapping[str, str], name: str) -> list[Token]:
        spelled = {**bound, unit.name: name}
        tokens = [
            token.spelled(spelled[token.text]) if token.kind == "word" and token.text in spelled else token
            for token in unit.tokens[end + 1 :]
        ]
        self.types |= {text for text in bound.values() if not text.lstrip("-").isdigit()}
        return self._without_references(self._rewritten(tokens), name)


def _next(tokens: Sequence[Token], position: int) -> int | None:
    """The position of the next token with a text."""
    return next((k for k in range(position + 1, len(tokens)) if tokens[k].text), None)


def _last(tokens: Sequence[Token], position: int) -> Token | None:
    """The token with a text before a position."""
    return next((tokens[k] for k in range(position - 1, -1, -1) if tokens[k].text), None)


def _overloaded(token: Token) -> Token:
    """A function of C++'s library that stands for one of several of C, depending on its arguments."""
    name = f"__std_{token.text}"
    return token.spelled(name) if name in OVERLOADED else token
