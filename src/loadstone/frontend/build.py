"""From the syntax tree to the kernel: domains, 2d+1 schedules, accesses, arrays, parameters, context."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import reduce
from itertools import count
from typing import TypeVar, assert_never

import islpy as isl

from loadstone.errors import InputError, Problems, Span, refused
from loadstone.frontend import syntax
from loadstone.frontend.arrays import UnknownExtent, declared_context, kernel_arrays, with_size
from loadstone.frontend.control.induction import with_inductions
from loadstone.frontend.control.iterations import check_counter, iterations_of
from loadstone.frontend.control.jumps import with_flags
from loadstone.frontend.control.open_ends import OpenEnd, open_remark, with_limit
from loadstone.frontend.data_bounds import with_ranges
from loadstone.frontend.directives import default_values, parameter_context, requested_tiling
from loadstone.frontend.linearised import accesses_of, with_rows
from loadstone.frontend.parameters import names_of
from loadstone.frontend.recursion_limit import deep_recursion
from loadstone.frontend.scopes import Resolved, jumps, names_in, nodes, resolve, selecting_names, uses, written_names
from loadstone.frontend.typing import Guard, Names, Typing, condition_parts, conjunction, settled
from loadstone.frontend.wraparound import Wrap, observed_wraps, settled_wraps
from loadstone.model.affine import NotAffine, affine_condition, affine_value
from loadstone.model.expression import Expression, Select, unary, walk
from loadstone.model.kernel import Access, Kernel, Original, Statement
from loadstone.model.types import INT, ScalarType
from loadstone.poly import coalesced, map_from_values, set_space, variable
from loadstone.poly.dimensions import with_free_coordinates
from loadstone.poly.spaces import constant

T = TypeVar("T")


def build_kernel(program: syntax.Program) -> Kernel:
    """The kernel that a program states; raises `InputError` with all its problems."""
    problems = Problems()
    problems.extend(InputError(*program.problems))
    with deep_recursion():
        return _built_with_sizes(with_ranges(program), problems)


def _built_with_sizes(program: syntax.Program, problems: Problems) -> Kernel:
    """The kernel; extents, and ends of loops, that the source does not tell become parameters."""
    while True:
        try:
            return _built(program, problems)
        except UnknownExtent as unknown:
            program = with_size(program, unknown.symbol, unknown.position)
        except OpenEnd as found:
            program = with_limit(program, found.loop, found.reason)


def _built(program: syntax.Program, problems: Problems) -> Kernel:
    resolved = _with_results(with_inductions(resolve(program, problems)), program.results)
    names = names_of(program, resolved)
    builder = _Builder(names, problems, resolved, program.formats, program.may_be_open)
    universe = isl.Set.universe(set_space(names.parameters, "", ()))
    builder.block(resolved.body, _Place({}, universe, (), (), count()))
    problems.raise_if_any()
    if not builder.statements:
        kept = _without_statement(program, resolved, names)
        return replace(_built(replace(program, results=kept), problems), remarks=(_kept_for_itself(kept),))
    known = _known(program, names, builder.statements)
    assumptions = settled_wraps([*builder.wraps, *_subscript_wraps(builder.statements)], known, problems)
    problems.raise_if_any()
    read = with_rows(tuple(builder.statements), names, known, assumptions)
    statements = read.statements
    arrays = kernel_arrays(names, statements, read.shapes, problems)
    assumed = (assumption.condition for assumption in read.assumptions)
    context = parameter_context(program.directives, names, problems, arrays.context, *assumed)
    kernel = Kernel(
        program.name,
        {name: names.symbols[name].type.plain for name in names.parameters},
        context,
        tuple(_within(statement, context) for statement in statements),
        arrays.arrays,
        default_values(program.directives, names, problems),
        original=None if program.formats else _with_aliases(program.original, names, arrays.arrays),
        assumptions=read.assumptions,
        remarks=(*read.remarks, *map(open_remark, program.open_ends)),
        pragmas=program.pragmas,
        open_ends=program.open_ends,
        declared=tuple(dict.fromkeys(each.record.variable if each.record else each.name for each in program.symbols)),
    )
    tiling = requested_tiling(program.directives.tiling, kernel, names, problems)
    problems.raise_if_any()
    return replace(kernel, tiling=tiling)


def _subscript_wraps(statements: list[Statement]) -> Iterator[Wrap]:
    """Subscripts that may have left the ranges of their types."""
    for access in (access for statement in statements for access in accesses_of(statement)):
        for subscript in access.subscripts:
            yield from observed_wraps(subscript, access.relation.domain(), whole=True)


def _choice_wraps(value: Expression, domain: isl.Set) -> Iterator[Wrap]:
    """Affine conditions of a value, which tell what is read, with parts that may have left their types."""
    for part in walk(value):
        if isinstance(part, Select) and _is_affine(part.condition, domain):
            yield from observed_wraps(part.condition, domain, whole=False)


def _known(program: syntax.Program, names: Names, statements: list[Statement]) -> isl.Set:
    """What the source tells of the parameters."""
    arrays = dict.fromkeys(access.array for statement in statements for access in accesses_of(statement))
    return parameter_context(program.directives, names, Problems(), declared_context(names, arrays))


def _without_statement(program: syntax.Program, resolved: Resolved, names: Names) -> frozenset[str]:
    """The scalars that are all that a kernel sets, though nothing reads them."""
    if not names.aliases:
        raise refused("the kernel has no statement", program.span, "a statement is an assignment")
    return frozenset(names.aliases) & written_names(resolved.body)


def _with_results(resolved: Resolved, results: frozenset[str]) -> Resolved:
    """The kernel with some scalars as its results."""
    for name in results:
        resolved.symbols[name] = replace(resolved.symbols[name], live_out=True)
    return resolved


def _kept_for_itself(names: frozenset[str]) -> str:
    listed = ", ".join(f"'{name}'" for name in sorted(names))
    return f"the kernel only sets {listed}, which nothing reads: taken for its result"


def _with_aliases(original: Original | None, names: Names, arrays: Collection[str]) -> Original | None:
    """The kernel's text with the scalars to declare that became affine values and so are no arrays."""
    if original is None:
        return None
    symbols = (names.symbols[name] for name in names.aliases)
    outside = tuple((symbol.type, symbol.name) for symbol in symbols if not symbol.local)
    scalars = dict.fromkeys((*original.scalars, *outside))
    return replace(original, scalars=tuple(each for each in scalars if each[1] not in arrays))


def _mentions(block: syntax.Block, name: str) -> int:
    """How often a block uses or writes a name."""
    return sum(1 for use in uses(block) if (use.base if isinstance(use, syntax.Subscript) else use.id) == name)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a statement stands: its iterators, their domain, the time so far, and the data-dependent conditions.

    `around`: how many of the conditions stand around the innermost loop.
    """

    iterators: dict[str, ScalarType]
    domain: isl.Set
    time: tuple[int | tuple[str, int], ...]
    conditions: tuple[tuple[syntax.Expr, bool], ...]
    position: count[int]
    around: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class _Taken:
    """A jump and the iterations that take it, or may take it where it depends on data and is not `certain`."""

    node: syntax.Jump
    where: isl.Set
    certain: bool


@dataclass(slots=True)
class _Builder:
    names: Names
    problems: Problems
    resolved: Resolved
    formats: Mapping[ScalarType, ScalarType]
    may_be_open: bool = False
    statements: list[Statement] = field(default_factory=list[Statement])
    wraps: list[Wrap] = field(default_factory=list[Wrap])
    labels: set[str] = field(default_factory=set[str])
    unnamed: count[int] = field(default_factory=count)
    conditions: count[int] = field(default_factory=lambda: count(1))
    jumps: list[_Taken] = field(default_factory=list[_Taken])

    def block(self, block: syntax.Block, place: _Place) -> isl.Set:
        """Build the statements of a block; returns the iterations that do not get behind it."""
        self.labels |= {n.label for n in nodes(block) if isinstance(n, syntax.Assign) and n.label}
        gone = _none_of(place.domain)
        for position, item in enumerate(block.items):
            try:
                here = self._node(item, syntax.Block(block.items[position + 1 :]), place)
            except InputError as error:
                self.problems.extend(error)
                continue
            if not here.is_empty():
                gone = gone.union(here)
                place = replace(place, domain=coalesced(place.domain.subtract(here)))
        return gone

    def _node(self, node: syntax.Node, rest: syntax.Block, place: _Place) -> isl.Set:
        """Build a statement; returns the iterations that it leaves."""
        match node:
            case syntax.Block():
                return self.block(node, place)
            case syntax.If():
                return self._if(node, place)
            case syntax.Jump():
                return self._jump(node, place)
            case syntax.Declare():
                pass
            case syntax.Assign():
                if not self._is_alias(node, rest, place):
                    self._assign(node, place)
            case syntax.For():
                self._for(node, place)
            case _:
                assert_never(node)
        return _none_of(place.domain)

    def _jump(self, node: syntax.Jump, place: _Place) -> isl.Set:
        """Note a jump; returns the iterations that surely take it."""
        certain = len(place.conditions) == place.around
        self.jumps.append(_Taken(node, place.domain, certain))
        return place.domain if certain else _none_of(place.domain)

    def _is_alias(self, node: syntax.Assign, rest: syntax.Block, place: _Place) -> bool:
        """Whether an integer gets its only value here, and stands for it: an affine value, or one without data that is
        used in subscripts."""
        if place.conditions or not isinstance(node.target, syntax.Name) or not self._may_be_alias(node.target.id, rest):
            return False
        typing = Typing(self.names, place.iterators, place.domain)
        value = typing.expression(node.value)
        if typing.reads or not value.type.is_integer:
            return False
        if not _is_affine(value, place.domain) and node.target.id not in selecting_names(rest):
            return False
        self.names.aliases[node.target.id] = value
        return True

    def _may_be_alias(self, name: str, rest: syntax.Block) -> bool:
        """Whether an integer is written once and used only in the rest of the block of that write."""
        symbol = self.names.symbols.get(name)
        if symbol is None or not symbol.type.is_integer or symbol.type.bits < 32 or symbol.extents or symbol.live_out:
            return False
        if symbol.type.widening:
            return False
        written_again = name in written_names(rest)
        return not written_again and _mentions(self.resolved.body, name) == _mentions(rest, name) + 1

    def _for(self, node: syntax.For, place: _Place) -> None:
        iterators = {**place.iterators, node.iterator: node.declared or INT}
        outer = _with_dim(place.domain, tuple(iterators), self.names.parameters)
        loop = self._open(node, lambda: iterations_of(node, outer, iterators, self.names))
        inside = _Place(iterators, loop.domain, place.time, place.conditions, count(), len(place.conditions))
        taken = self._jumps_in(node, inside)
        if any(not jump.certain for jump in taken):
            if self.may_be_open and not loop.domain.is_bounded():
                raise OpenEnd(node, "the loop ends where data say so")
            self._with_flags(node, {jump.node for jump in taken if not jump.certain}, place)
            return
        leaves = _union_of((jump.where for jump in taken if jump.node.leaves_loop), loop.domain)
        domain = self._open(node, lambda: loop.ended(leaves))
        self.wraps += loop.wraps
        check_counter(node, domain, self.names)
        direction = (node.iterator, 1 if node.step > 0 else -1)
        time = (*place.time, next(place.position), direction)
        outer_jumps, self.jumps = self.jumps, []
        self.block(node.body, replace(inside, domain=domain, time=time, position=count()))
        self.jumps = outer_jumps

    def _open(self, node: syntax.For, computed: Callable[[], T]) -> T:
        """What is computed of a loop; one whose end is not known may be open."""
        try:
            return computed()
        except InputError as error:
            if self.may_be_open and node.first_step == "after":
                raise OpenEnd(node, error.diagnostics[0].message) from None
            raise

    def _jumps_in(self, node: syntax.For, inside: _Place) -> list[_Taken]:
        """The jumps of a loop, found by building its body on trial."""
        if next(jumps(node.body), None) is None:
            return []
        symbols = dict(self.names.symbols)
        names = replace(self.names, symbols=symbols, aliases=dict(self.names.aliases))
        trial = _Builder(names, Problems(), Resolved(self.resolved.body, symbols), self.formats)
        trial.block(node.body, inside)
        return trial.jumps

    def _with_flags(self, node: syntax.For, uncertain: set[syntax.Jump], place: _Place) -> None:
        """Build a loop with jumps that depend on data, which set flags instead."""
        flagged = with_flags(node, uncertain, lambda name: self._temporary(name, node.span))
        self.block(flagged, place)

    def _temporary(self, prefix: str, span: Span) -> syntax.Name:
        """A new scalar of the kernel."""
        name = next(name for k in self.conditions if (name := f"{prefix}_{k}") not in self.names.symbols)
        self.resolved.symbols[name] = syntax.Symbol(name, INT, (), False, False, span, local=True)
        return syntax.Name(name, span)

    def _if(self, node: syntax.If, place: _Place) -> isl.Set:
        """Affine conjuncts restrict the domain; what is left depends on data and guards the statements."""
        affine = isl.Set.universe(place.domain.get_space())
        rest: list[syntax.Expr] = []
        for part in condition_parts(node.condition):
            expression = Typing(self.names, place.iterators, place.domain).expression(part)
            try:
                chosen = affine_condition(expression, affine.get_space())
            except NotAffine:
                rest.append(part)
                continue
            self.wraps += observed_wraps(expression, place.domain.intersect(affine), whole=False)
            affine = affine.intersect(chosen)
        inside, outside = place.domain.intersect(affine), place.domain.subtract(affine)
        if not rest:
            gone = self.block(node.then, replace(place, domain=coalesced(inside)))
            return gone.union(self.block(node.otherwise, replace(place, domain=coalesced(outside))))
        condition = self._stable_condition(node, place)
        then = condition if isinstance(condition, syntax.Name) else _all_of(rest)
        self.block(node.then, replace(place, domain=inside, conditions=(*place.conditions, (then, True))))
        self.block(node.otherwise, replace(place, conditions=(*place.conditions, (condition, False))))
        return _none_of(place.domain)

    def _stable_condition(self, node: syntax.If, place: _Place) -> syntax.Expr:
        """A condition that keeps its value while the branches run: stored in a temporary where they could change it.

        The temporary is set always: it is false where conditions around it are.
        """
        changed = written_names(node.then) | written_names(node.otherwise)
        if not names_in(node.condition) & changed:
            return node.condition
        span = node.condition.span
        target = self._temporary("condition", span)
        around = [part if holds else syntax.UnaryOp("!", part, span) for part, holds in place.conditions]
        truth = syntax.UnaryOp("!", syntax.UnaryOp("!", _all_of([*around, node.condition]), span), span)
        self._assign(syntax.Assign(target, truth, span), replace(place, conditions=()))
        return target

    def _assign(self, node: syntax.Assign, place: _Place) -> None:
        name = self._statement_name(node)
        domain = place.domain.set_tuple_name(name) if name else place.domain
        typing = Typing(self.names, place.iterators, domain, self.formats)
        condition = self._typed_conditions(place, typing)
        guard = Guard(domain, condition is None)
        value = typing.value(node.value, self._stored_type(node.target), guard)
        write = typing.write(node.target, condition is None)
        self.wraps += _choice_wraps(value, domain)
        schedule = _schedule(domain.get_space(), (*place.time, next(place.position))).intersect_domain(domain)
        self.statements.append(
            Statement(
                name,
                tuple(place.iterators),
                domain,
                schedule,
                settled(typing.reads),
                write,
                value,
                condition,
                node.span,
            )
        )

    def _stored_type(self, target: syntax.Name | syntax.Subscript) -> ScalarType:
        """The type of what is assigned to; its access says what is wrong where there is none."""
        name = target.base if isinstance(target, syntax.Subscript) else target.id
        return self.names.symbols[name].type if name in self.names.symbols else INT

    def _typed_conditions(self, place: _Place, typing: Typing) -> Expression | None:
        result: Expression | None = None
        for condition, holds in place.conditions:
            guard = Guard(typing.domain, result is None)
            expression = typing.condition(condition, guard)
            result = conjunction(result, expression if holds else unary("!", expression, expression.span))
        return result

    def _statement_name(self, node: syntax.Assign) -> str:
        if node.label:
            if any(s.name == node.label for s in self.statements):
                raise refused(f"the label '{node.label}' is used twice", node.span, "rename one of them")
            return node.label
        return next(name for k in self.unnamed if (name := f"S{k}") not in self.labels)


def _is_affine(value: Expression, domain: isl.Set) -> bool:
    try:
        affine_value(value, domain.get_space())
    except NotAffine:
        return False
    return True


def _none_of(domain: isl.Set) -> isl.Set:
    return isl.Set.empty(domain.get_space())


def _union_of(parts: Iterable[isl.Set], domain: isl.Set) -> isl.Set:
    """The union of subsets of a domain."""
    return reduce(isl.Set.union, parts, _none_of(domain))


def _all_of(parts: list[syntax.Expr]) -> syntax.Expr:
    first, *rest = parts
    for part in rest:
        first = syntax.BinaryOp("&&", first, part, part.span)
    return first


def _with_dim(domain: isl.Set, iterators: tuple[str, ...], parameters: tuple[str, ...]) -> isl.Set:
    """The domain with one more, unbounded, innermost dimension."""
    return with_free_coordinates(domain, set_space(parameters, "", iterators))


def _schedule(space: isl.Space, time: tuple[int | tuple[str, int], ...]) -> isl.Map:
    """The 2d+1 schedule: textual positions and iterators (negated for downward loops) in turn."""
    return map_from_values(space, [_date(space, entry) for entry in time])


def _date(space: isl.Space, entry: int | tuple[str, int]) -> isl.PwAff:
    if isinstance(entry, int):
        return constant(space, entry)
    iterator = variable(space, entry[0])
    assert iterator is not None
    return iterator if entry[1] > 0 else iterator.neg()


def _within(statement: Statement, context: isl.Set) -> Statement:
    """The statement with its sets simplified by what is known of the parameters."""

    def simplified(relation: isl.Map) -> isl.Map:
        return coalesced(relation.intersect_params(context)).gist_params(context)

    def access(value: Access) -> Access:
        return replace(value, relation=simplified(value.relation))

    return replace(
        statement,
        domain=coalesced(statement.domain.intersect_params(context)).gist_params(context),
        schedule=simplified(statement.schedule),
        reads=tuple(access(read) for read in statement.reads),
        write=access(statement.write),
    )
