"""Programs on their way through loop transformations.

The order of a program is held as Devos does [Devos, 3.4.2 and (3.18)]: each statement has an ordering vector, its
textual places, and between them loops, functions of its original iterators. A transformation changes these and leaves
iteration domains alone, or replaces a statement by copies that share its instances. Dependences stay those of the
program at the beginning, so that legality can be checked after each step.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import islpy as isl

from loadstone.model.affine import affine_condition, affine_value
from loadstone.model.expression import Expression
from loadstone.model.free_name import free_name
from loadstone.model.kernel import Kernel, Statement, renamed
from loadstone.poly import map_from_values, set_space, variable
from loadstone.poly.dimensions import padded
from loadstone.poly.names import names_of
from loadstone.poly.spaces import Dim, constant, values_of


@dataclass(frozen=True, slots=True)
class Nest:
    """A loop: its depth from the outside (0 is the outermost), and the statements in it that a step is about."""

    depth: int
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Loop:
    """A loop around a statement: its name, and its counter as a function of the statement's iterators."""

    name: str
    value: isl.PwAff


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A statement in its place: all instances of the statement `base` of the kernel, or those in its own domain.

    `places` has one entry more than `loops`: the textual position in the program, then in each loop.
    """

    statement: Statement
    base: str
    places: tuple[int, ...]
    loops: tuple[Loop, ...]

    @property
    def name(self) -> str:
        """The name of the statement."""
        return self.statement.name

    @property
    def space(self) -> isl.Space:
        """The space of its instances."""
        return self.statement.domain.get_space()

    @property
    def parameters(self) -> tuple[str, ...]:
        """The names of the parameters."""
        return names_of(self.space)

    @property
    def schedule(self) -> isl.Map:
        """Instances, none but those of the part, to dates: places and loops in turn."""
        dates = [constant(self.space, self.places[0])]
        for loop, place in zip(self.loops, self.places[1:], strict=True):
            dates += [loop.value, constant(self.space, place)]
        return map_from_values(self.space, dates).intersect_domain(self.statement.domain)

    def counters(self, depth: int | None = None) -> isl.Map:
        """Instances to the counters of the outermost loops, by default of all."""
        return map_from_values(self.space, [loop.value for loop in self.loops[:depth]])

    def value(self, expression: Expression) -> isl.PwAff:
        """An affine expression over the loops and parameters as a function of the instances."""
        space = self._loop_space()
        return affine_value(expression, space).pullback_pw_multi_aff(isl.PwMultiAff.from_map(self._named_counters()))

    def where(self, condition: Expression) -> isl.Set:
        """The instances for which an affine condition over loops and parameters holds."""
        chosen = affine_condition(condition, self._loop_space())
        return chosen.apply(self._named_counters().reverse()).intersect(self.statement.domain)

    def _loop_space(self) -> isl.Space:
        return set_space(self.parameters, "", [loop.name for loop in self.loops])

    def _named_counters(self) -> isl.Map:
        """The counters as the source shows them: a downward loop that nothing has changed counts downwards."""
        return map_from_values(self.space, [self._as_written(loop) for loop in self.loops])

    def _as_written(self, loop: Loop) -> isl.PwAff:
        iterator = variable(self.space, loop.name) if loop.name in self.statement.iterators else None
        downward = iterator is not None and loop.value.plain_is_equal(iterator.neg())
        return iterator if iterator is not None and downward else loop.value

    def fresh_loop(self, wanted: str) -> str:
        """A name for a new loop: the wanted one, with a number behind it if it is taken."""
        return free_name(wanted, {*(loop.name for loop in self.loops), *self.parameters})

    def with_loop(self, depth: int, value: isl.PwAff) -> Part:
        """The part with another counter for a loop."""
        changed = replace(self.loops[depth], value=value)
        return replace(self, loops=(*self.loops[:depth], changed, *self.loops[depth + 1 :]))

    def at(self, depth: int, place: int) -> Part:
        """The part with another textual position in the loop of a depth."""
        return replace(self, places=(*self.places[:depth], place, *self.places[depth + 1 :]))

    def restricted(self, domain: isl.Set, name: str | None = None) -> Part:
        """The part with only some of its instances, perhaps under a name of its own."""
        return replace(self, statement=renamed(self.statement, name or self.name, domain), loops=self._loops_of(name))

    def _loops_of(self, name: str | None) -> tuple[Loop, ...]:
        return tuple(replace(loop, value=_moved(loop.value, name)) for loop in self.loops) if name else self.loops


@dataclass(frozen=True, eq=False)
class Program:
    """The parts of a kernel in their order; `base` is the kernel whose dependences they must respect."""

    base: Kernel
    parts: tuple[Part, ...]

    @cached_property
    def kernel(self) -> Kernel:
        """The kernel in the order of the program, statements in textual order."""
        ordered = sorted(self.parts, key=lambda part: part.places)
        statements = tuple(replace(part.statement, schedule=part.schedule) for part in ordered)
        return replace(self.base, statements=statements, tiling=None)

    def part(self, name: str) -> Part:
        """The part with this name."""
        return next(part for part in self.parts if part.name == name)

    def copies(self, base: str) -> tuple[Part, ...]:
        """The parts that execute instances of a statement of the base."""
        return tuple(part for part in self.parts if part.base == base)

    def orders(self) -> Iterator[tuple[Part, isl.Map]]:
        """The parts, each with the dates of the instances of the base that it executes."""
        length = max((2 * len(part.places) - 1 for part in self.parts), default=1)
        for part in self.parts:
            yield part, padded(part.schedule, length).set_tuple_name(Dim.in_, part.base)

    def changed(self, names: Iterable[str], change: Callable[[Part], Part]) -> Program:
        """The program with the named parts changed."""
        chosen = frozenset(names)
        return replace(self, parts=tuple(change(part) if part.name in chosen else part for part in self.parts))

    def recounted(self, loop: Nest, change: Callable[[Part, isl.PwAff], isl.PwAff]) -> Program:
        """The program with another counter for a loop in each of its statements."""
        at = loop.depth
        return self.changed(loop.names, lambda part: part.with_loop(at, change(part, part.loops[at].value)))

    def replaced(self, names: Iterable[str], copies: Callable[[Part], Iterable[Part]]) -> Program:
        """The program with each of the named parts replaced by others.

        Those without instances are left out, unless nothing would be left: a kernel has at least one statement.
        """
        chosen = frozenset(names)
        found = [copy for part in self.parts for copy in (copies(part) if part.name in chosen else (part,))]
        kept = tuple(part for part in found if part in self.parts or not _is_empty(self, part))
        return replace(self, parts=kept or tuple(found[:1]))

    def with_room(self, prefix: tuple[int, ...], place: int, count: int = 1) -> Program:
        """The program with `count` free places before a place in the loop that the prefix of places names."""
        depth = len(prefix)

        def moved(part: Part) -> Part:
            here = part.places[:depth] == prefix and len(part.places) > depth and part.places[depth] >= place
            return part.at(depth, part.places[depth] + count) if here else part

        return replace(self, parts=tuple(map(moved, self.parts)))

    def fresh_name(self, wanted: str) -> str:
        """A name for a new statement: the wanted one, with a number behind it if it is taken."""
        taken = {part.name for part in self.parts} | {statement.name for statement in self.base.statements}
        return free_name(wanted, taken, "_")


def program_of(kernel: Kernel) -> Program:
    """The kernel as it stands, as a program to transform."""
    return Program(kernel, tuple(_part(statement) for statement in kernel.statements))


def _part(statement: Statement) -> Part:
    dates = values_of(statement.schedule)
    depth = len(dates) // 2
    names = statement.iterators if len(statement.iterators) == depth else [f"t{k}" for k in range(1, depth + 1)]
    loops = tuple(Loop(name, value) for name, value in zip(names, dates[1::2], strict=True))
    return Part(statement, statement.name, _places(dates[::2]), loops)


def _places(dates: Iterable[isl.PwAff]) -> tuple[int, ...]:
    """The constants that the textual positions are; zero for statements that never run."""
    return tuple(0 if date.is_empty() else date.max_val().to_python() for date in dates)


def _is_empty(program: Program, part: Part) -> bool:
    return part.statement.domain.intersect_params(program.base.context).is_empty()


def _moved(value: isl.PwAff, name: str) -> isl.PwAff:
    """The function on instances of another name."""
    return values_of(isl.Map.from_pw_aff(value).set_tuple_name(Dim.in_, name))[0]
