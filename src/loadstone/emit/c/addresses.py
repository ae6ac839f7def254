"""Where the elements of arrays are, as C functions: positions in external memory, and cells in local memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from loadstone.emit.c.code import Block, Body, Cells, Function, Helper, Parameter, Text, Value, code, listed, verbatim
from loadstone.emit.c.names import Names
from loadstone.emit.c.printer import written
from loadstone.emit.c.remainders import divided, multiplied
from loadstone.loops.accelerator import Accelerator
from loadstone.model.affine import signed_sum
from loadstone.model.expression import Constant, Expression, Variable, binary, integer
from loadstone.model.kernel import Array
from loadstone.model.tidy import tidy
from loadstone.parallel.banks import Banking
from loadstone.storage.buffers import Buffer, Component
from loadstone.storage.windows import Window

COPY = Value("copy")
"""Which copy of the local buffers a strip uses, where they have two."""
_OVERRUN_LINES = """\
/* Aborts: a local cell does not hold the element read from it. */
static void overrun(const char *array, long expected, long found)
{
  fprintf(stderr, "overrun: the cell of word %ld of %s holds word %ld\\n", expected, array, found);
  abort();
}
"""
_OVERRUN = Helper((20, "overrun"), "overrun", tuple(_OVERRUN_LINES.split("\n")))


@dataclass(frozen=True, eq=False)
class Addresses:
    """The address functions of an accelerator; with `tags`, each read checks which element the cell holds.

    `outside` are the functions for external memory, by array: first that for positions of elements. `tiles` are the
    coordinates of tiles. Local memories with several banks are in `banking`. Without `dividers`, no address divides.
    """

    accelerator: Accelerator
    names: Names
    parameters: tuple[Parameter, ...]
    tags: Mapping[str, Cells]
    outside: Mapping[str, tuple[Function, ...]]
    tiles: tuple[Parameter, ...]
    banking: Mapping[str, Banking] = field(default_factory=dict[str, Banking])
    dividers: bool = True

    def functions(self) -> list[Function]:
        """All functions, callees first."""
        return list(self._functions.values())

    def inside(self, array: Array, subscripts: Sequence[Text], is_write: bool) -> Text:
        """The cell of an element in local memory."""
        way = ("write" if is_write else "read") if self.tags else "cell"
        return call_at(self._functions[f"{self.names[array.name]}_{way}"], subscripts)

    def bank(self, array: Array, subscripts: Sequence[Text]) -> Text | None:
        """The bank of an element in local memory; None where there is one bank."""
        if array.name not in self.banking:
            return None
        return call_at(self._functions[f"{self.names[array.name]}_bank"], subscripts)

    @cached_property
    def _functions(self) -> Mapping[str, Function]:
        found = (function for buffer in self.accelerator.buffers.values() for function in self._of_buffer(buffer))
        return {function.name: function for function in found}

    def _of_buffer(self, buffer: Buffer) -> Iterator[Function]:
        cell, outside = self._cell(buffer), self.outside[buffer.array.name]
        yield cell
        if buffer.array.name in self.banking:
            yield self._bank(buffer.array, self.banking[buffer.array.name])
        yield from outside
        if self.tags:
            yield from self._checks(buffer.array, cell, outside[0])

    def _cell(self, buffer: Buffer) -> Function:
        """The cell of an element in its buffer; the second of two copies lies behind the first."""
        first = code("@", COPY) if buffer.copies > 1 else None
        banking = self.banking.get(buffer.array.name)
        if banking is not None:
            parts = zip(banking.parts, banking.digits, strict=True)
            places = (_place(*part, self.dividers) for part in parts)
            cell = _row_by_row(zip(places, banking.sizes, strict=True), self.names, first)
        elif buffer.parts:
            cell = self._cell_of_parts(buffer, first)
        else:
            cell = cell_code(buffer.components, self.names, outermost=first, dividers=self.dividers)
        comment = f"The cell of {_reference(buffer.array)} in local memory."
        return self._address("cell", buffer.array, comment, (code("return @;", cell),))

    def _bank(self, array: Array, banking: Banking) -> Function:
        """The bank of an element: the digits of its local address that tell banks, row by row."""
        told = [(part, digit) for part, digit in zip(banking.parts, banking.digits, strict=True) if digit[1] > 1]
        row, *columns = (_digit(*each, self.dividers) for each in told)
        bank = code(f"(@) * {banking.columns} + (@)", row, *columns) if columns else row
        comment = f"The bank of {_reference(array)} in local memory."
        return self._address("bank", array, comment, (code("return @;", bank),))

    def _cell_of_parts(self, buffer: Buffer, copy: Text | None) -> Text:
        """The cell of an element: parts follow each other."""
        begin, found = integer(0), list[tuple[Text, Text]]()
        for part in buffer.parts:
            place = cell_code(part.components, self.names, dividers=self.dividers)
            is_first = isinstance(begin, Constant) and begin.value == 0
            shown = place if is_first else code("@ + @", _factor(begin, self.names), place)
            condition = listed(map(_condition, part.windows), " && ")
            found.append((condition, shown))
            begin = tidy(binary("+", begin, part.size))
        *others, (_, text) = found
        for condition, shown in reversed(others):
            text = code("(@ ? @ : @)", condition, shown, text)
        return text if copy is None else code("@ * @ + @", copy, _factor(buffer.extents[0], self.names), text)

    def _checks(self, array: Array, cell: Function, at: Function) -> Iterator[Function]:
        """Accesses to cells with tags."""
        tag = self.tags[array.name]
        first = code("const int cell = @;", cell.call())
        stop = code(f'@("{array.name}", @, @[cell] - 1);', _OVERRUN, at.call(), tag)
        test = Block(code("if (@[cell] != @ + 1)", tag, at.call()), (stop,), braced=False)
        mark = code("@[cell] = @ + 1;", tag, at.call())
        element = _reference(array)
        last = verbatim("return cell;")
        yield self._address("read", array, f"The cell of {element}, which must hold it.", (first, test, *last))
        yield self._address("write", array, f"The cell of {element}, which holds it from now on.", (first, mark, *last))

    def _address(self, way: str, array: Array, comment: str, body: Body) -> Function:
        """A function of the subscripts, the kernel's parameters, and the tags of cells."""
        offer = (*self.tags.values(), *self.parameters, *self.tiles, COPY, *coordinates(array.rank))
        return Function(comment, "int", f"{self.names[array.name]}_{way}", offer, body, "static inline")


def coordinates(rank: int) -> tuple[Value, ...]:
    """The parameters that are coordinates of a point: x0, x1, ..."""
    return tuple(Value(f"x{k}") for k in range(rank))


def call_at(function: Function, point: Sequence[Text]) -> Text:
    """The call of a function of the coordinates of a point."""
    return function.call({f"x{k}": text for k, text in enumerate(point)})


def position_function(
    array: Array, names: Names, parameters: Sequence[Parameter], outer: int | None = None
) -> Function:
    """The function that gives the position of an element among the words of its array.

    With `outer`, that of the structure that some outer subscripts tell.
    """
    text, what, way = Text("0"), _reference(array), "at"
    if outer is not None:
        what, way = f"the structure of {what}", "structure"
    for k, (extent, x) in enumerate(zip(array.extents[:outer], coordinates(array.rank)[:outer], strict=True)):
        template = "@ * @ + @" if k == 1 else "(@) * @ + @"
        text = code(template, text, _factor(extent, names), x) if k else code("(long)@", x)
    comment = f"The position of {what} in external memory."
    offer = (*parameters, *coordinates(array.rank))
    return Function(comment, "long", f"{names[array.name]}_{way}", offer, (code("return @;", text),), "static inline")


def cell_code(
    components: Sequence[Component],
    names: Names,
    *,
    outermost: Text | None = None,
    signed: bool = False,
    dividers: bool = True,
) -> Text:
    """The number of the cell of a point (x0, x1, ...), row by row.

    `outermost` is the variable of one more dimension, in front of the others, if there is one. Coordinates may be
    negative where they are `signed`. Without `dividers`, it does not divide.
    """
    places = ((_component(part, signed, dividers), part.size) for part in components)
    return _row_by_row(places, names, outermost)


def _row_by_row(places: Iterable[tuple[Text, Expression]], names: Names, outermost: Text | None) -> Text:
    """The number of a place from its coordinates and the extents of dimensions."""
    text = outermost
    for shown, size in places:
        if text is None:
            text = shown
        else:
            text = code("@ * @ + @" if text.is_name else "(@) * @ + @", text, _factor(size, names), shown)
    return text or Text("0")


def _place(part: Component, digit: tuple[int, int], dividers: bool) -> Text:
    """One dimension of the address in a bank, of which some digit tells the bank."""
    step, count = digit
    whole = _component(part, False, dividers)
    if count == 1:
        return whole
    block = code(f"@ / {step * count}", _factored(whole))
    return block if step == 1 else code(f"@ * {step} + @ % {step}", block, _factored(whole))


def _digit(part: Component, digit: tuple[int, int], dividers: bool) -> Text:
    """The digit of a dimension of the address that tells the bank: low bits, which few moduli change."""
    step, count = digit
    is_kept = part.modulus is not None and part.modulus % (step * count) == 0
    whole = _factored(_component(replace(part, modulus=None) if is_kept else part, False, dividers))
    return code(f"@ & {count - 1}", whole if step == 1 else code(f"@ >> {step.bit_length() - 1}", whole))


def _factored(text: Text) -> Text:
    return text if text.text.isidentifier() else code("(@)", text)


def _factor(size: Expression, names: Names) -> Text:
    text = written(names.counted(size))
    return text if isinstance(size, Constant | Variable) else code("(@)", text)


def _condition(window: Window) -> Text:
    return Text(window.text("&&"), frozenset({window.tile, f"x{window.subscript}"}))


def _reference(array: Array) -> str:
    return array.name + "".join(f"[x{k}]" for k in range(array.rank))


def _component(part: Component, signed: bool, dividers: bool) -> Text:
    """One dimension of a local address."""
    if part.modulus == 1:
        return Text("0")
    terms = [(factor, f"x{k}") for k, factor in enumerate(part.row) if factor]
    total = Text(signed_sum(terms, "*"), frozenset(name for _, name in terms))
    if part.modulus is None:
        return total
    may_be_negative = signed or any(factor < 0 for factor, _ in terms)
    return (divided if dividers else multiplied)(total, part.modulus, signed=may_be_negative)
