"""Loops whose instances ask for bounds from data run exactly the iterations that the data ask for.

    for (k = 0; k <= m - 1; k++)                if (0 <= m - 1) {
      if (k >= row[i] && k < row[i + 1])   ->     const int k_end = row[i + 1];
        s += v[k];                                for (k = max(0, row[i]); k <= m - 1 && k < k_end; k++)
                                                    s += v[k];
                                                }

An instance whose condition is false does nothing, and so does a selection that keeps its element. The bounds are read
where the loop has an iteration: there the tile has loaded them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import reduce
from itertools import takewhile

from loadstone.emit.c.code import Block, Body, Text, TripCount, code, listed, word_type
from loadstone.emit.c.compute.lanes import lane_code
from loadstone.emit.c.loops.long_conditions import named_head, named_test, unnested
from loadstone.emit.c.printer import ElementText, LoopCode, instance_code, is_constant, loop_head, operands_of, written
from loadstone.loops import model as loop_tree
from loadstone.loops.model import For, Instance, Node
from loadstone.model import expression as expr
from loadstone.model.free_name import free_name
from loadstone.model.kernel import Access, Statement
from loadstone.model.tidy import settled, tidy
from loadstone.model.types import INT
from loadstone.parallel.group_loops import LaneLoops
from loadstone.poly.dimensions import at_least
from loadstone.transform.reductions.updates import is_own


@dataclass(frozen=True, slots=True)
class Bound:
    """A condition `counter op end` whose end does not change in a loop, with arrays and texts of what that reads."""

    op: str
    counter: expr.Expression
    end: expr.Expression
    operands: tuple[Text, ...]
    arrays: frozenset[str]

    @property
    def key(self) -> tuple[str, str, str]:
        """What bounds of different statements agree on."""
        return self.op, str(self.end.type), self.text.text

    @property
    def text(self) -> Text:
        """The end in C."""
        return written(self.end, self.operands)


@dataclass(frozen=True, slots=True, eq=False)
class InstanceCode:
    """Code of loops over the instances of statements.

    `passing` are arrays that nobody uses but these, and `taken` names that mean something in the code. Statements with
    `lanes` have the iterators of lane 0 in the loops. When `named`, long conditions and bounds have names.
    """

    statements: Mapping[str, Statement]
    element: ElementText
    begun: Callable[[For], Body]
    passing: frozenset[str]
    taken: frozenset[str]
    lanes: Mapping[str, LaneLoops] = field(default_factory=dict[str, LaneLoops])
    named: bool = False

    def code(self, node: Node) -> Body:
        """The code of a tree, in which loops with bounds from data run between these."""
        how = LoopCode(self._instance, self.begun, self._bounded)
        return unnested(replace(how, head=named_head, test=named_test).code(node)) if self.named else how.code(node)

    def _instance(self, leaf: Instance) -> Body:
        statement, lanes = self.statements[leaf.statement], self.lanes.get(leaf.statement)
        if lanes is None:
            return instance_code(statement, leaf.arguments, self.element)
        names = [free_name(iterator, self.taken) for iterator in statement.iterators]
        return lane_code(lanes, leaf, names, lambda values: instance_code(statement, values, self.element))

    def _bounded(self, loop: For) -> Body | None:
        """The code of a loop with bounds from data; None for others."""
        inner, leaves = _chain(loop)
        has_lanes = any(leaf.statement in self.lanes for leaf in leaves)
        bounds = self._common(loop, inner, leaves) if _is_plain(loop, inner) and not has_lanes else ()
        if not bounds:
            return None
        ends = self._ends(loop, bounds)
        freed = {leaf.statement: self._freed(leaf, (loop, *inner), bounds) for leaf in leaves}
        inside = replace(self, statements={**self.statements, **freed}, taken=self.taken | ends.keys())
        first = reduce(_greater, (bound.end for bound in bounds if bound.op == ">="), loop.start)
        tests = [
            written(expr.Binary(b.op, b.counter, expr.Variable(name, b.end.type), INT)) for name, b in ends.items()
        ]
        condition = listed((written(loop.condition), *tests), " && ")
        head = loop_head(loop, written(first, bounds[0].operands), condition)
        declared = (code("const @ @ = @;", word_type(b.end.type), name, b.text) for name, b in ends.items())
        body = (*(() if inner else _untold(self.begun(loop))), *inside.code(loop.body))
        runs = listed((written(_begins(each)) for each in (loop, *inner)), " && ")
        return (Block(code("if (@)", runs), (*declared, Block(head, body))),)

    def _ends(self, loop: For, bounds: Sequence[Bound]) -> dict[str, Bound]:
        """The upper bounds by the names of the constants that hold them."""
        found: dict[str, Bound] = {}
        for bound in bounds:
            if bound.op != ">=":
                found[free_name(f"{loop.iterator}_end", self.taken | found.keys())] = bound
        return found

    def _common(self, loop: For, inner: Sequence[For], leaves: Sequence[Instance]) -> tuple[Bound, ...]:
        """The bounds that begin the conditions of all statements of a loop, but for those that are passing."""
        lasting = [leaf for k, leaf in enumerate(leaves) if not self._is_passing(leaf, leaves[k + 1 :])]
        lists = [tuple(self._leading(leaf, (loop, *inner))) for leaf in lasting]
        changed = {self.statements[leaf.statement].write.array for leaf in leaves}
        positions = takewhile(lambda same: len({bound.key for bound in same}) == 1, zip(*lists, strict=False))
        found = tuple(first for first, *_ in positions)
        return found if all(bound.arrays.isdisjoint(changed) for bound in found) else ()

    def _is_passing(self, leaf: Instance, behind: Sequence[Instance]) -> bool:
        """Whether only instances behind an instance, in its iteration, use what it writes."""
        array, element = self.statements[leaf.statement].write.array, self._written(leaf)
        users = {s.name for s in self.statements.values() if any(read.array == array for read in s.reads)}
        writers = {s.name for s in self.statements.values() if s.write.array == array}
        found = {use.statement for use in behind}
        return (
            array in self.passing
            and writers == {leaf.statement}
            and users <= found
            and all(self._read(use, array) <= {element} for use in behind)
        )

    def _written(self, leaf: Instance) -> str:
        """The subscripts of what an instance writes."""
        statement = self.statements[leaf.statement]
        return _subscripts(statement.write, _values(statement, leaf))

    def _read(self, leaf: Instance, array: str) -> set[str]:
        """The subscripts of what an instance reads of an array."""
        statement = self.statements[leaf.statement]
        return {_subscripts(read, _values(statement, leaf)) for read in statement.reads if read.array == array}

    def _leading(self, leaf: Instance, loops: Sequence[For]) -> Iterator[Bound]:
        """The bounds of the outermost of some loops that begin the condition of an instance."""
        parts = _conjuncts(_condition(self.statements[leaf.statement]))
        found = (self._bound(leaf, part, loops) for part in parts)
        return (bound for bound in takewhile(lambda each: each is not None, found) if bound is not None)

    def _bound(self, leaf: Instance, part: expr.Expression, loops: Sequence[For]) -> Bound | None:
        """A part of the condition of an instance as a bound of the outermost of some loops."""
        statement = self.statements[leaf.statement]
        values = _values(statement, leaf)
        if not isinstance(part, expr.Binary) or part.op not in (">=", "<", "<="):
            return None
        names, arrays = _used(part.right, statement, values)
        moving = {each.iterator for each in loops}
        if names & moving or not _is_counter(part.left, loops[0].iterator, statement, values):
            return None
        end, operands = settled(expr.substituted(part.right, values)), operands_of(statement, values, self.element)
        return Bound(part.op, expr.substituted(part.left, values), end, tuple(operands), frozenset(arrays))

    def _freed(self, leaf: Instance, loops: Sequence[For], bounds: Sequence[Bound]) -> Statement:
        """The statement of an instance without the conditions that hold between bounds."""
        statement, known = self.statements[leaf.statement], {bound.key for bound in bounds}

        def holds(part: expr.Expression) -> bool:
            bound = self._bound(leaf, part, loops)
            return bound is not None and bound.key in known

        return _where(statement, [part for part in _conjuncts(_tested(statement)) if not holds(part)])


def _untold(body: Body) -> Body:
    """Statements without the number of iterations."""
    return tuple(each for each in body if not isinstance(each, TripCount))


def _values(statement: Statement, leaf: Instance) -> dict[str, expr.Expression]:
    return dict(zip(statement.iterators, leaf.arguments, strict=True))


def _subscripts(access: Access, values: dict[str, expr.Expression]) -> str:
    return str([tidy(expr.substituted(subscript, values)) for subscript in access.subscripts])


def _chain(loop: For) -> tuple[list[For], list[Instance]]:
    """The loops in a loop, one in the other, and the instances in the innermost one; no instances of other trees."""
    inner: list[For] = []
    parts = _parts(loop.body)
    while len(parts) == 1 and isinstance(only := parts[0], For):
        inner.append(only)
        parts = _parts(only.body)
    leaves = [part for part in parts if isinstance(part, Instance)]
    return inner, leaves if len(leaves) == len(parts) else []


def _parts(node: Node) -> list[Node]:
    """What is executed one after the other."""
    if isinstance(node, loop_tree.Block):
        return [part for item in node.items for part in _parts(item)]
    return [node]


def _is_plain(loop: For, inner: Sequence[For]) -> bool:
    """Whether a loop counts up by one, and loops in it have as many iterations in each of its own."""
    moving = {each.iterator for each in (loop, *inner)}
    bounds = (_begins(each) for each in inner)
    return is_constant(loop.step, 1) and all(moving.isdisjoint(_names(bound)) for bound in bounds)


def _begins(loop: For) -> expr.Expression:
    """Whether a loop has an iteration."""
    return settled(expr.substituted(loop.condition, {loop.iterator: loop.start}))


def _condition(statement: Statement) -> expr.Expression | None:
    """Where a statement does something: elsewhere it writes nothing, or its element to itself."""
    if statement.condition is not None:
        return statement.condition
    match statement.value:
        case expr.Select(condition=condition, otherwise=otherwise) if is_own(otherwise, statement):
            return condition
        case _:
            return None


def _tested(statement: Statement) -> expr.Expression | None:
    """What a statement tests: its condition, or a truth that it writes."""
    match statement.value:
        case expr.Unary(op="!", operand=expr.Unary(op="!")) as value if statement.condition is None:
            return value
        case _:
            return _condition(statement)


def _conjuncts(condition: expr.Expression | None) -> tuple[expr.Expression, ...]:
    match condition:
        case None:
            return ()
        case expr.Binary(op="&&", left=left, right=right):
            return (*_conjuncts(left), *_conjuncts(right))
        case expr.Unary(op="!", operand=expr.Unary(op="!", operand=inner)):
            return _conjuncts(inner)
        case _:
            return (condition,)


def _where(statement: Statement, parts: Sequence[expr.Expression]) -> Statement:
    """The statement with some parts of what it tests alone."""
    condition = reduce(lambda both, part: expr.binary("&&", both, part), parts) if parts else None
    match statement.value:
        case _ if statement.condition is not None:
            return replace(statement, condition=condition)
        case expr.Select(then=then) as chosen:
            return replace(statement, value=then if condition is None else replace(chosen, condition=condition))
        case expr.Unary():
            value = expr.integer(1) if condition is None else expr.unary("!", expr.unary("!", condition))
            return replace(statement, value=value)
        case _:
            return statement


def _is_counter(
    expression: expr.Expression, iterator: str, statement: Statement, values: Mapping[str, expr.Expression]
) -> bool:
    """Whether an expression has the values of the counter of a loop, in order."""
    kind = expression.type
    while isinstance(expression, expr.Cast):
        expression = expression.operand
    given = values.get(expression.name) if isinstance(expression, expr.Variable) else None
    if not isinstance(expression, expr.Variable) or not isinstance(given, expr.Variable) or given.name != iterator:
        return False
    position = statement.iterators.index(expression.name)
    is_natural = statement.domain.is_subset(at_least(statement.domain, position, 0))
    return kind.is_integer and kind.bits >= INT.bits and (kind.signed or is_natural)


def _used(
    expression: expr.Expression, statement: Statement, values: Mapping[str, expr.Expression]
) -> tuple[set[str], set[str]]:
    """The variables of the program and the arrays that the value of an expression depends on."""
    names, arrays = _names(expr.substituted(expression, dict(values))), set[str]()
    for part in expr.walk(expression):
        if isinstance(part, expr.Operand):
            read = statement.reads[part.position]
            arrays.add(read.array)
            for subscript in read.subscripts:
                more = _used(subscript, statement, values)
                names, arrays = names | more[0], arrays | more[1]
    return names, arrays


def _names(expression: expr.Expression) -> set[str]:
    return {part.name for part in expr.walk(expression) if isinstance(part, expr.Variable)}


def _greater(start: expr.Expression, end: expr.Expression) -> expr.Expression:
    """The greater one of two numbers as an int, or one beyond all ends of loops."""
    kind = end.type
    if INT.least <= kind.least and kind.greatest <= INT.greatest:
        return expr.Binary("max", start, expr.converted(end, INT), INT)
    most = expr.Constant(INT.greatest, kind, str(INT.greatest))
    return expr.cast(expr.Binary("min", expr.Binary("max", expr.cast(start, kind), end, kind), most, kind), INT)
