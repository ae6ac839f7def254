"""A kernel as C that tells a counter of each access, in the order in which the interpreter would make them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from loadstone.emit.c.code import INDENT
from loadstone.emit.c.printer import braced, emit_expression, emit_loops, expressions_of, helpers_used
from loadstone.locality.counter import COUNTER_C
from loadstone.locality.references import WRITE, accesses_of
from loadstone.locality.run import Run
from loadstone.loops.generation import generate
from loadstone.loops.model import Instance, Node, expressions, mapped
from loadstone.model import expression as expr
from loadstone.model.kernel import Access, Kernel, Statement, union_of_maps
from loadstone.model.types import INT
from loadstone.poly import fixed
from loadstone.poly.names import parameter_point
from loadstone.poly.spaces import Dim

ENTRY = "loadstone_measure"
_ENTRY_C = f"""\
int {ENTRY}(
    void **memory, uint64_t size, uint64_t *cold, loadstone_distance_report *on_distance,
    loadstone_tally_report *on_tally)
{{
  const int status = sigsetjmp(loadstone_end, 1);
  if (status == 0) {{
    loadstone_open(size);
    loadstone_run(memory);
    loadstone_report(on_distance, on_tally);
    *cold = loadstone_cold;
  }}
  loadstone_close();
  return status;
}}"""
DIVISION, OUTSIDE = 2, 3
"""The status of a run that ended at a division by zero; at a subscript out of range, less the number of the array."""


def is_steered(kernel: Kernel) -> bool:
    """Whether data decides which elements are accessed, so that values must be computed."""
    return any(_is_steered(statement) for statement in kernel.statements)


def _is_steered(statement: Statement) -> bool:
    subscripts = (part for _, access in accesses_of(statement) for part in access.subscripts)
    lazy = any(_is_lazy(part) for part in expr.walk(statement.value))
    return statement.condition is not None or lazy or any(_has_operand(part) for part in subscripts)


def _has_operand(expression: expr.Expression) -> bool:
    return any(isinstance(part, expr.Operand) for part in expr.walk(expression))


def _is_lazy(expression: expr.Expression) -> bool:
    """Whether reads of an expression depend on the value of another part of it."""
    match expression:
        case expr.Select(then=then, otherwise=otherwise):
            return _has_operand(then) or _has_operand(otherwise)
        case expr.Binary(op=op, right=right):
            return op in expr.LOGICAL and _has_operand(right)
        case _:
            return False


def emit_program(run: Run) -> str:
    """The C text; its entry `ENTRY(memory, size, cold, on_distance, on_tally)` returns a status."""
    loops = _loops(run)
    computes = is_steered(run.kernel)
    body = emit_loops(loops, lambda leaf: _instance(run, computes, leaf))
    definitions = {
        "LOADSTONE_DEPTHS": len(run.depths),
        "LOADSTONE_REFERENCES": len(run.references),
        "LOADSTONE_CELLS": run.cells,
    }
    return "\n".join(
        (
            *(f"#define {name} {value}" for name, value in definitions.items()),
            "#include <math.h>",
            COUNTER_C,
            *helpers_used((*expressions(loops), *expressions_of(run.kernel))),
            *_addresses(run),
            "static void loadstone_run(void **loadstone_memory)",
            *braced("", body),
            "",
            _ENTRY_C,
            "",
        )
    )


def _loops(run: Run) -> Node:
    """Loops whose instances have the iterators of their statement and then their date as arguments."""
    dates = run.order.dates
    extended = (
        dates[s.name].range_map().flatten_domain().set_tuple_name(Dim.in_, s.name) for s in run.kernel.statements
    )
    schedule = fixed(union_of_maps(run.kernel, extended), run.parameters)
    names = [f"loadstone_{k}" for k in range(max(1, run.order.length))]
    constants = _constants(run)
    loops = generate(schedule, parameter_point(run.parameters), names)
    return mapped(loops, lambda expression: expr.substituted(expression, constants))


def _addresses(run: Run) -> Iterator[str]:
    """A function for each array that gives the address of an element, and ends the run outside of the extents."""
    for number, region in enumerate(run.regions.values()):
        names = [f"x{k}" for k in range(len(region.extents))]
        inside = " && ".join(f"0 <= {x} && {x} < {e}" for x, e in zip(names, region.extents, strict=True))
        address = "0"
        for name, extent in zip(names, region.extents, strict=True):
            address = name if address == "0" else f"({address}) * {extent} + {name}"
        head = f"static inline uint64_t loadstone_at_{number}({', '.join(f'long long {x}' for x in names) or 'void'})"
        check = [f"if (!({inside}))", f"{INDENT}siglongjmp(loadstone_end, {OUTSIDE + number});"] if names else []
        yield from (head, *braced("", [*check, f"return (uint64_t)({address});"]), "")


def _constants(run: Run) -> dict[str, expr.Expression]:
    """The values of the parameters."""
    return {name: expr.integer(value) for name, value in run.parameters.items()}


def _instance(run: Run, computes: bool, leaf: Instance) -> list[str]:
    statement = run.kernel.statement(leaf.statement)
    count = len(statement.iterators)
    date = [emit_expression(leaf.arguments[count + depth]) for depth in run.depths]
    values = {**_constants(run), **dict(zip(statement.iterators, leaf.arguments[:count], strict=True))}
    lines = [f"loadstone_enter((const long long[]){{{', '.join(date) or '0'}}});"]
    lines += _Evaluation(run, computes, statement, values).lines()
    return braced("", lines)


@dataclass(slots=True)
class _Evaluation:
    """An instance taken apart into C statements, so that reads happen in a known order, each when it is needed."""

    run: Run
    computes: bool
    statement: Statement
    values: dict[str, expr.Expression]
    _lines: list[str] = field(default_factory=list[str])
    _temporaries: int = 0
    _counted: set[int] = field(default_factory=set[int])

    def lines(self) -> list[str]:
        """The statements of the instance, without the computation of values on which no access depends."""
        condition = self.statement.condition
        if condition is None:
            self._assign()
        else:
            value = emit_expression(self._computed(condition))
            self._lines += braced(f"if ({value})", self._inside(self._assign))
        return [*self._operands(), *self._lines]

    def _operands(self) -> list[str]:
        """Declarations of the values of the reads, and of whether they are known yet."""
        if not self.computes:
            return []
        kinds = [self.run.kernel.arrays[read.array].type for read in self.statement.reads]
        values = [f"{kind} loadstone_value{k};" for k, kind in enumerate(kinds)]
        return [*values, *(f"int loadstone_known{k} = 0;" for k in range(len(kinds)))]

    def _inside(self, write: Callable[[], None]) -> list[str]:
        """The lines that `write` adds, taken out of the others."""
        outer, self._lines = self._lines, []
        write()
        inner, self._lines = self._lines, outer
        return inner

    def _assign(self) -> None:
        value = self._computed(self.statement.value)
        kind = self.run.kernel.arrays[self.statement.write.array].type
        if self.computes:
            self._lines.append(f"const {kind} loadstone_result = {emit_expression(value)};")
        place = self._place(self.statement.write, WRITE)
        if self.computes:
            self._lines.append(f"{place} = loadstone_result;")

    def _computed(self, expression: expr.Expression) -> expr.Expression:
        """The expression without reads and without parts that read only sometimes; their values come from lines."""
        match expression:
            case expr.Operand():
                return self._read(expression)
            case expr.Variable():
                return expr.substituted(expression, self.values)
            case expr.Select() if _is_lazy(expression):
                return self._selected(expression)
            case expr.Binary(op=op) if op in expr.LOGICAL and _is_lazy(expression):
                return self._decided(expression)
            case _:
                return expr.rebuilt(expression, self._computed)

    def _read(self, operand: expr.Operand) -> expr.Expression:
        position = operand.position
        access = self.statement.reads[position]
        if self.computes:
            fetch = self._inside(lambda: self._fetch(access, position))
            self._lines += braced(f"if (!loadstone_known{position})", fetch)
        elif position not in self._counted:
            self._counted.add(position)
            self._place(access, position)
        return expr.Variable(f"loadstone_value{position}", operand.type)

    def _fetch(self, access: Access, position: int) -> None:
        place = self._place(access, position)
        self._lines += [f"loadstone_value{position} = {place};", f"loadstone_known{position} = 1;"]

    def _place(self, access: Access, position: int) -> str:
        """The reference to an element in memory, after lines that find its address and count the access."""
        number = list(self.run.kernel.arrays).index(access.array)
        subscripts = [emit_expression(self._computed(subscript)) for subscript in access.subscripts]
        address = f"loadstone_address{position if position >= 0 else ''}"
        self._lines.append(f"const uint64_t {address} = loadstone_at_{number}({', '.join(subscripts)});")
        reference = self.run.numbers.get((self.statement.name, position))
        region = self.run.regions[access.array]
        if reference is not None:
            self._lines.append(f"loadstone_touch({region.first} + {address} / {region.line}, {reference});")
        kind = self.run.kernel.arrays[access.array].type
        return f"(({kind} *)loadstone_memory[{number}])[{address}]"

    def _temporary(self, expression: expr.Expression) -> expr.Variable:
        self._temporaries += 1
        name = f"loadstone_part{self._temporaries}"
        self._lines.append(f"{expression.type} {name};")
        return expr.Variable(name, expression.type)

    def _set(self, variable: expr.Variable, value: expr.Expression) -> None:
        result = emit_expression(expr.converted(self._computed(value), variable.type))
        self._lines.append(f"{variable.name} = {result};")

    def _selected(self, expression: expr.Select) -> expr.Expression:
        """A variable that gets the value of the chosen side."""
        condition = self._computed(expression.condition)
        result = self._temporary(expression)
        then = self._inside(lambda: self._set(result, expression.then))
        otherwise = self._inside(lambda: self._set(result, expression.otherwise))
        self._lines += [*braced(f"if ({emit_expression(condition)})", then), *braced("else", otherwise)]
        return result

    def _decided(self, expression: expr.Binary) -> expr.Expression:
        """A variable that gets the truth value; the right side is only evaluated where the left does not decide."""
        result = self._temporary(expression)
        self._lines.append(f"{result.name} = {_truth(self._computed(expression.left))};")
        right = self._inside(lambda: self._set_truth(result, expression.right))
        self._lines += braced(f"if ({'' if expression.op == '&&' else '!'}{result.name})", right)
        return result

    def _set_truth(self, variable: expr.Variable, value: expr.Expression) -> None:
        self._lines.append(f"{variable.name} = {_truth(self._computed(value))};")


def _truth(value: expr.Expression) -> str:
    return emit_expression(expr.Binary("!=", value, expr.integer(0), INT))
