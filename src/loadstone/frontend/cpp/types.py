"""The types of HLS by their C++ spelling: `ap_int<12>`, `ap_fixed<16, 8, AP_RND, AP_SAT>`, `hls::stream<int>`."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from pycparser import c_ast, c_parser

from loadstone.errors import Span, refused
from loadstone.frontend.c.declarations import constant_number
from loadstone.frontend.cpp.tokens import Token, comma_parts
from loadstone.frontend.formats import MOST_BITS
from loadstone.model.types import Overflow, Rounding, ScalarType, fixed_type, integer_type

NUMBERS = {"ap_int": True, "ap_uint": False, "ap_fixed": True, "ap_ufixed": False}
STREAM = "stream"
_ROUNDINGS: dict[str, Rounding] = {"AP_TRN": "truncate", "AP_RND": "nearest", "AP_RND_CONV": "nearest_even"}
_OVERFLOWS: dict[str, Overflow] = {"AP_WRAP": "wrap", "AP_SAT": "saturate"}


@dataclass(slots=True)
class TypeNames:
    """Names of C for types with arguments: what those of numbers are, what streams hold, and all spellings."""

    constants: dict[str, int] = field(default_factory=dict[str, int])
    formats: dict[str, ScalarType] = field(default_factory=dict[str, ScalarType])
    streams: dict[str, str] = field(default_factory=dict[str, str])

    def name_of(self, template: str, arguments: Sequence[Token], span: Span) -> str:
        """The name that stands for a type; arguments that are types have names already."""
        parts = comma_parts(arguments)
        if template == STREAM:
            return self._stream(parts, span)
        values = [self._argument(part, span) for part in parts]
        kind = _number_type(template, values, span)
        name = _identifier(f"{template}_{'_'.join(map(str, values))}")
        self.formats[name] = replace(kind, widening=True)
        return name

    def _stream(self, parts: list[list[Token]], span: Span) -> str:
        element = _text(parts[0]) if parts else ""
        if not element:
            raise refused("a stream needs the type of its elements", span, "write hls::stream<int>")
        name = _identifier(f"stream_of_{element}")
        self.streams[name] = element
        return name

    def _argument(self, part: Sequence[Token], span: Span) -> int | str:
        if len(part) == 1 and part[0].text.startswith("AP_"):
            return part[0].text
        value = constant_of(part, self.constants)
        if value is None:
            hint = "use numbers, and names that are declared constexpr or const with a number"
            raise refused(f"'{_text(part)}' is not a constant of the file", span, hint)
        return value


def constant_of(tokens: Sequence[Token], constants: Mapping[str, int]) -> int | None:
    """The whole number that tokens compute, or None."""
    text = " ".join(token.text for token in tokens)
    try:
        tree = c_parser.CParser().parse(f"int x = {text};", "argument")
    except c_parser.ParseError:
        return None
    declaration = tree.ext[0]
    value = constant_number(declaration.init, constants) if isinstance(declaration, c_ast.Decl) else None
    return value if isinstance(value, int) else None


def _text(part: Sequence[Token]) -> str:
    return " ".join(token.text for token in part if token.text)


def _identifier(text: str) -> str:
    return re.sub(r"\W+", "_", text.replace("-", "minus_")).strip("_")


def _number_type(template: str, arguments: list[int | str], span: Span) -> ScalarType:
    signed, is_fixed = NUMBERS[template], "fixed" in template
    numbers = [argument for argument in arguments if isinstance(argument, int)]
    modes = [argument for argument in arguments if isinstance(argument, str)]
    if numbers[1 + is_fixed :] == [0] and len(modes) == 2:
        numbers = numbers[: 1 + is_fixed]
    if len(numbers) != 1 + is_fixed or len(arguments) > (5 if is_fixed else 1) or (modes and not is_fixed):
        hint = "write ap_fixed<16, 8> or ap_fixed<16, 8, AP_RND, AP_SAT>" if is_fixed else "write ap_int<12>"
        raise refused(f"these are not the arguments of '{template}'", span, hint)
    bits = numbers[0]
    if not 1 <= bits <= MOST_BITS:
        raise refused(f"a type has 1 to {MOST_BITS} bits, not {bits}", span, "choose another width")
    if not is_fixed:
        return integer_type(bits, signed)
    fraction = bits - numbers[1]
    if not 0 <= fraction <= bits:
        message = f"of {bits} bits, 0 to {bits} can be before the point, not {numbers[1]}"
        raise refused(message, span, "scale the numbers, so that the point is within their bits")
    rounding, overflow = _modes(modes, span)
    return fixed_type(bits, fraction, signed=signed, rounding=rounding, overflow=overflow)


def _modes(modes: list[str], span: Span) -> tuple[Rounding, Overflow]:
    rounding, overflow = (modes + ["AP_TRN", "AP_WRAP"][len(modes) :])[:2]
    if rounding not in _ROUNDINGS:
        raise refused(f"the rounding '{rounding}' is not modelled", span, f"known are: {', '.join(_ROUNDINGS)}")
    if overflow not in _OVERFLOWS:
        raise refused(f"the overflow '{overflow}' is not modelled", span, f"known are: {', '.join(_OVERFLOWS)}")
    return _ROUNDINGS[rounding], _OVERFLOWS[overflow]
