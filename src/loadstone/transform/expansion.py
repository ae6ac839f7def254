"""Array expansion: single assignment for one array [Feautrier, Array expansion; Devos, 3.4.3 and Figure 3.11].

The value that an instance writes goes to an element that nothing else writes: the array of its statement, with its
iterators as subscripts. Exact flow says for each read which instance wrote the value; a statement whose reads have
several kinds of sources is split, so that each piece reads from one array by affine subscripts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import islpy as isl

from loadstone.analysis import dependences, flow_of_reads
from loadstone.model.affine import affine_value
from loadstone.model.expression import Binary, Constant, Expression, Operand, Variable, integer, substituted
from loadstone.model.free_name import free_name
from loadstone.model.from_isl import expression_of, from_aff
from loadstone.model.kernel import Access, Array, Kernel, Statement, renamed
from loadstone.model.types import INT
from loadstone.poly import map_from_values, variable
from loadstone.poly.extrema import greatest_value, least_value
from loadstone.poly.linear import affine_pieces
from loadstone.poly.spaces import Dim, maps_of
from loadstone.transform.loop_names import StepError
from loadstone.transform.program import Loop, Part, Program, program_of

MOST_PIECES = 24
"""The largest number of pieces that a statement is split into."""


@dataclass(frozen=True, slots=True, eq=False)
class _Home:
    """The array that holds the values of a statement, and its subscripts over the statement's iterators."""

    array: Array
    statement: Statement
    subscripts: tuple[Expression, ...]

    def element(self, iterators: Sequence[Expression], domain: isl.Set) -> Access:
        """The access, from a domain, of what the instance with these iterators wrote."""
        values = dict(zip(self.statement.iterators, iterators, strict=True))
        subscripts = tuple(substituted(subscript, values) for subscript in self.subscripts)
        places = [affine_value(subscript, domain.get_space()) for subscript in subscripts]
        relation = map_from_values(domain.get_space(), places, self.array.name).intersect_domain(domain)
        return Access(self.array.name, subscripts, relation, True)


@dataclass(frozen=True, slots=True, eq=False)
class _Piece:
    """Instances of a statement, with the accesses that replace reads of the array, by position."""

    domain: isl.Set
    reads: dict[int, Access]


def expanded(program: Program, array: str) -> Program:
    """The program with every value of an array in an element of its own."""
    base = program.base
    _check_exact(base, array)
    writers = [s for s in base.statements if s.write.array == array and not _known(base, s.domain).is_empty()]
    homes = {s.name: _home(base, s) for s in writers}
    split = {s.name: tuple(_pieces_of(program, s, array, homes)) for s in base.statements}
    copies = tuple(_copied_back(program, array, homes)) if base.arrays[array].live_out else ()
    results = tuple(_final_parts(program, copies))
    ends = (replace(part.statement, schedule=part.schedule) for part in results)
    statements = (*(piece for s in base.statements for piece in split[s.name]), *ends)
    arrays = _used({**base.arrays, **{home.array.name: home.array for home in homes.values()}}, statements)
    parts = [copy for part in program.parts for copy in _copies(program, part, split[part.base])]
    return Program(replace(base, statements=statements, arrays=arrays), (*parts, *results))


def _used(arrays: Mapping[str, Array], statements: Sequence[Statement]) -> dict[str, Array]:
    """The arrays without those of the kernel's own that nobody touches any more."""
    touched = {access.array for s in statements for access in (*s.reads, s.write)}
    return {name: array for name, array in arrays.items() if name in touched or not array.local}


def _known(kernel: Kernel, value: isl.Set) -> isl.Set:
    return value.intersect_params(kernel.context)


def _check_exact(kernel: Kernel, array: str) -> None:
    for statement in kernel.statements:
        accesses = [a for a in (*statement.reads, statement.write) if a.array == array]
        if not all(access.exact for access in accesses):
            raise StepError(f"which elements of '{array}' {statement.name} touches depends on data", array)


def _home(kernel: Kernel, statement: Statement) -> _Home:
    """The array for the values of a statement: as large as the box around its domain."""
    old = kernel.arrays[statement.write.array]
    domain = _known(kernel, statement.domain)
    if not domain.is_bounded():
        raise StepError(f"the number of values of {statement.name} is not bounded", old.name)
    lows = [_origin(least_value(domain, k)) for k in range(len(statement.iterators))]
    one = isl.Val.one(domain.get_ctx())
    sizes = [greatest_value(domain, k).sub(low).add_constant_val(one).coalesce() for k, low in enumerate(lows)]
    subscripts = tuple(_minus(Variable(i, INT), low) for i, low in zip(statement.iterators, lows, strict=True))
    extents = tuple(_extent(size, kernel.context) for size in sizes)
    name = free_name(f"{old.name}_{statement.name}", {*kernel.arrays, *kernel.parameters}, "_")
    return _Home(Array(name, old.type, extents, False, False, None, True), statement, subscripts)


def _extent(size: isl.PwAff, context: isl.Set) -> Expression:
    """The size of the box in one dimension; zero where the statement has no instance and the size would be negative."""
    known = size.gist(size.domain())
    extent = expression_of(known)
    return extent if context.is_subset(known.nonneg_set().params()) else Binary("max", extent, integer(0), INT)


def _origin(least: isl.PwAff) -> isl.PwAff:
    """Zero if an iterator is never negative, else its smallest value."""
    return least if least.min_val().is_neg() else least.sub(least)


def _minus(iterator: Expression, low: isl.PwAff) -> Expression:
    origin = expression_of(low.coalesce().gist(low.domain()))
    return iterator if isinstance(origin, Constant) and origin.value == 0 else Binary("-", iterator, origin, INT)


def _pieces_of(program: Program, statement: Statement, array: str, homes: Mapping[str, _Home]) -> Iterator[Statement]:
    """The statement with its accesses of the array replaced, in as many pieces as that takes."""
    found = _pieces(program.base, statement, array, homes)
    home = homes.get(statement.name)
    for number, piece in enumerate(found):
        domain = piece.domain
        name = statement.name if number == 0 else program.fresh_name(f"{statement.name}_from{number}")
        own = [Variable(iterator, INT) for iterator in statement.iterators]
        reads = tuple(piece.reads.get(k, read) for k, read in enumerate(statement.reads))
        write = home.element(own, domain) if home else statement.write
        yield renamed(replace(statement, reads=reads, write=write), name, domain)


def _pieces(kernel: Kernel, statement: Statement, array: str, homes: Mapping[str, _Home]) -> list[_Piece]:
    """The domain of a statement, cut by where each of its reads of the array finds its value."""
    flows = flow_of_reads(kernel)
    pieces = [_Piece(_known(kernel, statement.domain), {})]
    for position, read in enumerate(statement.reads):
        if read.array == array:
            sources = list(_sources(flows[statement.name, position], statement, homes))
            pieces = [cut for piece in pieces for cut in _cut(piece, position, read, sources)]
        if len(pieces) > MOST_PIECES:
            raise StepError(f"{statement.name} reads from more than {MOST_PIECES} places", array)
    return pieces


def _sources(flow: isl.UnionMap, reader: Statement, homes: Mapping[str, _Home]) -> Iterator[tuple[isl.Set, Access]]:
    """Where a read finds its values: disjoint sets of readers, each with one affine access of an expanded array."""
    for relation in sorted(maps_of(flow.reverse()), key=lambda found: found.get_tuple_name(Dim.out)):
        home = homes[relation.get_tuple_name(Dim.out)]
        for domain, instance in affine_pieces(relation, reader.iterators):
            yield domain, home.element([from_aff(value) for value in instance], domain)


def _cut(piece: _Piece, position: int, read: Access, sources: Sequence[tuple[isl.Set, Access]]) -> Iterator[_Piece]:
    """The parts of a piece by the sources of a read; what finds none reads the array as it was before the kernel.

    A piece that never runs stays whole.
    """
    rest = piece.domain
    for domain, access in sources:
        shared = piece.domain.intersect(domain)
        rest = rest.subtract(domain)
        if not shared.is_empty():
            yield _Piece(shared, {**piece.reads, position: access})
    if not rest.is_empty() or piece.domain.is_empty():
        yield _Piece(rest, {**piece.reads, position: read})


def _copied_back(program: Program, array: str, homes: Mapping[str, _Home]) -> Iterator[Statement]:
    """Statements that bring the last value of each element back to the array."""
    base = program.base
    overwritten = dependences(base).output.domain()
    for home in homes.values():
        writer = home.statement
        domain = _known(base, writer.domain)
        domain = domain.subtract(overwritten.extract_set(domain.get_space()))
        own = [Variable(iterator, INT) for iterator in writer.iterators]
        kind = base.arrays[array].type
        copy = replace(writer, reads=(home.element(own, domain),), value=Operand(0, kind), condition=None)
        if not domain.is_empty():
            yield renamed(copy, program.fresh_name(f"{array}_from_{writer.name}"), domain)


def _copies(program: Program, part: Part, pieces: Sequence[Statement]) -> Iterator[Part]:
    """The part in the pieces of its statement, each at its place."""
    for piece in pieces:
        domain = part.statement.domain.intersect(piece.domain.set_tuple_name(part.name))
        name = part.name if piece.name == part.base else program.fresh_name(f"{piece.name}_of_{part.name}")
        name = piece.name if part.name == part.base else name
        copy = part.restricted(domain, name)
        yield replace(copy, statement=renamed(piece, name, copy.statement.domain), base=piece.name)


def _final_parts(program: Program, results: Sequence[Statement]) -> Iterator[Part]:
    """The statements behind everything else, each in loops of its own."""
    everything = (*program.parts, *program_of(program.base).parts)
    behind = 1 + max((part.places[0] for part in everything), default=-1)
    for place, statement in enumerate(results, behind):
        space = statement.domain.get_space()
        values = [(iterator, variable(space, iterator)) for iterator in statement.iterators]
        loops = tuple(Loop(name, value) for name, value in values if value is not None)
        yield Part(statement, statement.name, (place, *(0,) * len(loops)), loops)
