"""The arguments of a kernel in C, as drivers of its accelerator take them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property

from loadstone.emit.c.code import word_type
from loadstone.emit.c.names import RESERVED, Names
from loadstone.flows.argument_sizes import bytes_of
from loadstone.flows.signature import InMemory, InRegister, Signature
from loadstone.model.types import ScalarType

_SAME_EVERYWHERE = {"long": "int64_t", "unsigned long": "uint64_t"}
"""Types of 64 bits, which have 32 on some processors."""


def fixed_width(kind: ScalarType) -> str:
    """The type in C, with the same width on every processor that drives hardware.

    >>> from loadstone.model.types import INT, LONG
    >>> fixed_width(INT), fixed_width(LONG)
    ('int', 'int64_t')
    """
    text = word_type(kind)
    return _SAME_EVERYWHERE.get(text, text)


@dataclass(frozen=True, eq=False)
class CArguments:
    """Names, declarations and sizes of arguments; `taken` are names that a driver needs itself."""

    signature: Signature
    taken: Collection[str]

    @cached_property
    def names(self) -> Names:
        """What arguments are called."""
        found: dict[str, str] = {}
        given = [each.name for each in self.ordered]
        for name in given:
            safe = name
            while safe in RESERVED or safe in self.taken or safe in found.values() or (safe != name and safe in given):
                safe += "_"
            found.setdefault(name, safe)
        return Names(found, dict(self.signature.design.kernel.parameter_types))

    @property
    def ordered(self) -> tuple[InRegister | InMemory, ...]:
        """The arguments in the order of the source, and scratch memory behind them."""
        return (*self.signature.arguments, *self.signature.scratch)

    def declared(self) -> str:
        """The declarations of all arguments."""
        return ", ".join(map(self._declaration, self.ordered))

    def _declaration(self, argument: InRegister | InMemory) -> str:
        name = self.names[argument.name]
        if isinstance(argument, InRegister):
            return f"{fixed_width(argument.type)} {name}"
        constant = "" if argument.is_result or not argument.is_argument else "const "
        return f"{constant}{self.item(argument)} *{name}"

    def item(self, variable: InMemory) -> str:
        """The type of the items of a variable."""
        return fixed_width(variable.type) if variable.type else variable.structure

    def size(self, variable: InMemory) -> str:
        """The bytes of a variable, as an expression."""
        return bytes_of(self.item(variable), variable.extents, self.names)
