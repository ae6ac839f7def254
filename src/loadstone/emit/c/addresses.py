"""Where the elements of arrays are, as C functions: in external memory, and in local memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from loadstone.emit.c.functions import Function, Parameter
from loadstone.emit.c.names import Names
from loadstone.emit.c.printer import INDENT, emit_expression
from loadstone.loops.accelerator import Accelerator
from loadstone.model.affine import signed_sum
from loadstone.model.expression import Constant, Expression, Variable
from loadstone.model.kernel import Array
from loadstone.storage.buffers import Buffer, Component

COPY = Parameter("copy", "int @")
"""Which copy of the local buffers a strip uses, where they have two."""


@dataclass(frozen=True, eq=False)
class Addresses:
    """The address functions of an accelerator; `checked` ones test that local cells hold the elements expected."""

    accelerator: Accelerator
    names: Names
    parameters: tuple[Parameter, ...]
    checked: bool

    def functions(self) -> list[Function]:
        """All functions, each after those that it calls."""
        return list(self._functions.values())

    def inside(self, array: Array, subscripts: Sequence[str], is_write: bool) -> str:
        """The reference to an element in local memory."""
        way = ("write" if is_write else "read") if self.checked else "cell"
        return f"{self.names[array.name]}_local[{self._call(way, array, subscripts)}]"

    def outside(self, array: Array, subscripts: Sequence[str]) -> str:
        """The reference to an element in external memory."""
        return f"{self.names[array.name]}[{self._call('at', array, subscripts)}]"

    def _call(self, way: str, array: Array, subscripts: Sequence[str]) -> str:
        values = {f"x{k}": text for k, text in enumerate(subscripts)}
        return self._functions[f"{self.names[array.name]}_{way}"].call(values)

    @cached_property
    def _functions(self) -> Mapping[str, Function]:
        found = (function for buffer in self.accelerator.buffers.values() for function in self._of_buffer(buffer))
        return {function.name: function for function in found}

    def _of_buffer(self, buffer: Buffer) -> Iterator[Function]:
        cell, at = self._cell(buffer), self._at(buffer.array)
        yield cell
        if buffer.array in self.accelerator.transferred or self.checked:
            yield at
        if self.checked:
            yield from self._checks(buffer.array, cell, at)

    def _cell(self, buffer: Buffer) -> Function:
        """The cell of an element in its buffer; the second of two copies lies behind the first."""
        first = COPY.name if buffer.copies > 1 else ""
        text = emit_cell(buffer.components, lambda size: _factor(size, self.names), outermost=first)
        comment = f"The cell of {_reference(buffer.array)} in local memory."
        return self._address("cell", buffer.array, "int", comment, (f"return {text};",))

    def _at(self, array: Array) -> Function:
        return position_function(array, self.names, self.parameters)

    def _checks(self, array: Array, cell: Function, at: Function) -> Iterator[Function]:
        """Access to cells that know what they hold."""
        tag = f"{self.names[array.name]}_tag"
        first = f"const int cell = {cell.call()};"
        test = (
            f"if ({tag}[cell] != {at.call()} + 1)",
            f'{INDENT}overrun("{array.name}", {at.call()}, {tag}[cell] - 1);',
        )
        mark = f"{tag}[cell] = {at.call()} + 1;"
        expected = f"The cell of {_reference(array)}, which must hold it."
        yield self._address("read", array, "int", expected, (first, *test, "return cell;"), f"{tag}")
        taken = f"The cell of {_reference(array)}, which holds it from now on."
        yield self._address("write", array, "int", taken, (first, mark, "return cell;"), f"{tag}")

    def _address(
        self, way: str, array: Array, kind: str, comment: str, body: tuple[str, ...], tag: str = ""
    ) -> Function:
        """A function of the subscripts, the kernel's parameters, and the tags of cells."""
        tags = (Parameter(tag, "long *@"),) if tag else ()
        offer = (*tags, *self.parameters, COPY, *coordinates(array.rank))
        return Function(comment, f"static inline {kind}", f"{self.names[array.name]}_{way}", offer, body)


def coordinates(rank: int) -> tuple[Parameter, ...]:
    """The parameters that are coordinates of a point: x0, x1, ..."""
    return tuple(Parameter(f"x{k}", "int @") for k in range(rank))


def position_function(array: Array, names: Names, parameters: Sequence[Parameter]) -> Function:
    """The function that gives the position of an element among the words of its array."""
    text = ""
    for k, extent in enumerate(array.extents):
        rows = text if k == 1 else f"({text})"
        text = f"{rows} * {_factor(extent, names)} + x{k}" if text else f"(long)x{k}"
    comment = f"The position of {_reference(array)} in external memory."
    offer = (*parameters, *coordinates(array.rank))
    return Function(comment, "static inline long", f"{names[array.name]}_at", offer, (f"return {text or '0'};",))


def emit_cell(
    components: Sequence[Component], factor: Callable[[Expression], str], *, outermost: str = "", signed: bool = False
) -> str:
    """The number of the cell of a point (x0, x1, ...), row by row; `factor` prints the sizes of dimensions.

    `outermost` is the variable of one more dimension, in front of the others, if there is one. Coordinates may be
    negative where they are `signed`.
    """
    text = outermost
    for part in components:
        rows = text if text.isidentifier() else f"({text})"
        shown = _component(part, signed)
        text = f"{rows} * {factor(part.size)} + {shown}" if text else shown
    return text or "0"


def _factor(size: Expression, names: Names) -> str:
    text = emit_expression(names.counted(size))
    return text if isinstance(size, Constant | Variable) else f"({text})"


def _reference(array: Array) -> str:
    return array.name + "".join(f"[x{k}]" for k in range(array.rank))


def _component(part: Component, signed: bool) -> str:
    """One dimension of a local address."""
    if part.modulus == 1:
        return "0"
    terms = [(factor, f"x{k}") for k, factor in enumerate(part.row) if factor]
    total = signed_sum(terms, "*")
    if part.modulus is None:
        return total
    if not signed and all(factor > 0 for factor, _ in terms):
        return f"{total if len(terms) == 1 and terms[0][0] == 1 else f'({total})'} % {part.modulus}"
    return f"modulo({total}, {part.modulus})"
