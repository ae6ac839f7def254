"""Banks: a local memory in parts that are read and written in the same cycle.

The bank of an element is (c div step) mod count, where c is one dimension of its local address: cyclic if the step is
1, in blocks otherwise. Banks in rows and columns are cyclic in two dimensions. Banks have no conflict if no two lanes
of a group touch different elements in the same bank by the same access; that is proved with isl for all groups and all
parameters in their ranges.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from math import lcm, prod

import islpy as isl

from loadstone.loops.facts import attempted
from loadstone.loops.ranges import Ranges
from loadstone.model.affine import signed_sum
from loadstone.model.evaluate import evaluate
from loadstone.model.expression import Constant, Expression, binary, integer
from loadstone.model.tidy import tidy
from loadstone.poly import map_from_values, set_space
from loadstone.poly.dimensions import only_parameters
from loadstone.poly.enumeration import pairs
from loadstone.poly.limits import LimitReached, operation_limit
from loadstone.poly.spaces import combination, constant
from loadstone.storage.buffers import Buffer, Component

PROOF_LIMIT = 2_000_000
"""The most isl operations for the proof of one way to make banks."""
MOST_GROWTH = 2
"""How many times larger banks may make a memory."""

Place = tuple[str, int]
"""A statement, and the position of one of its accesses."""
BanksOfLanes = Mapping[int, tuple[int, ...]]
"""The banks that lanes may touch; all of them where a lane is missing."""
BanksOfPlaces = Mapping[Place, BanksOfLanes]


@dataclass(frozen=True, slots=True)
class Banking:
    """The banks of a memory: the dimensions of its local address; the last one says the bank, in some steps.

    Where banks are in several rows, the dimension before the last one says the row, and the last one the column.
    """

    count: int
    step: int
    parts: tuple[Component, ...]
    rows: int = 1

    @property
    def columns(self) -> int:
        """The banks of a row."""
        return self.count // self.rows

    def bank_of(self, buffer: Buffer) -> isl.Map:
        """Elements to their banks."""
        rank = buffer.array.rank
        space = set_space(buffer.parameters, buffer.array.name, [f"x{k}" for k in range(rank)])
        if self.count == 1:
            return map_from_values(space, [constant(space, 0)])
        bank = _digit(space, self.parts[-1], self.step, self.columns)
        if self.rows > 1:
            row = _digit(space, self.parts[-2], 1, self.rows)
            bank = row.mul(constant(space, self.columns)).add(bank)
        return map_from_values(space, [bank])

    @property
    def digits(self) -> tuple[tuple[int, int], ...]:
        """For each dimension of the local address, the step and the number of banks that it tells; 1 and 1 for none."""
        found = [(1, 1) for _ in self.parts]
        if self.rows > 1:
            found[-2] = 1, self.rows
        if self.count > 1:
            found[-1] = self.step, self.columns
        return tuple(found)

    @property
    def sizes(self) -> tuple[Expression, ...]:
        """The extents of a bank."""
        return tuple(_in_bank(part.size, *digit) for part, digit in zip(self.parts, self.digits, strict=True))

    def shape(self, parameters: Mapping[str, int]) -> tuple[int, ...]:
        """The extents of a bank for given parameters."""
        return tuple(max(0, int(evaluate(size, parameters, ()))) for size in self.sizes)

    @property
    def described(self) -> str:
        """The bank in words, as a function of the subscripts x0, x1, ..."""
        kind = "cyclic" if self.step == 1 else "block"
        digits = [(self.parts[-2], 1, self.rows)] if self.rows > 1 else []
        digits.append((self.parts[-1], self.step, self.columns))
        return f"{self.count} banks, {kind}: {', '.join(_described(*digit) for digit in digits)}"


def banked_shape(banking: Banking, ranges: Ranges) -> tuple[int, ...]:
    """The extents of a local memory, with as many elements in each bank."""
    shape = [ranges.greatest(part.size) for part in banking.parts] or [1]
    for place, block in ((-1, banking.step * banking.columns), (-2, banking.rows)):
        if block > 1:
            shape[place] = -(-shape[place] // block) * block
    return tuple(shape)


def _in_bank(size: Expression, step: int, count: int) -> Expression:
    """The extent of one of some banks in a dimension of some extent."""
    block = step * count
    if isinstance(size, Constant):
        return integer(-(-int(size.value) // block) * step)
    blocks = binary("/", binary("+", size, integer(block - 1)), integer(block))
    return size if count == 1 else tidy(binary("*", integer(step), blocks))


def _digit(space: isl.Space, part: Component, step: int, count: int) -> isl.PwAff:
    """One dimension of a local address, in some steps, modulo a number."""
    numbered = combination(space, part.row, part.modulus).div(constant(space, step)).floor()
    return numbered.mod_val(isl.Val.int_from_si(space.get_ctx(), count))


def _described(part: Component, step: int, count: int) -> str:
    """A digit in words."""
    value = signed_sum([(factor, f"x{k}") for k, factor in enumerate(part.row)], " * ")
    changes = part.modulus is not None and part.modulus % (step * count)
    value = f"({value} mod {part.modulus})" if changes else value if " " not in value else f"({value})"
    return f"{value if step == 1 else f'({value} div {step})'} mod {count}"


@dataclass(frozen=True, slots=True, eq=False)
class Touch:
    """An access by lanes: groups to touched elements, and lanes to possibly touched ones.

    `shifts`: along each axis, the number of lanes, and the stride of each subscript from a lane to the next; None if
    that varies.
    """

    place: Place
    groups: isl.Map
    lanes: isl.Map
    shifts: tuple[tuple[int, tuple[int, ...] | None], ...]

    @property
    def moving(self) -> list[tuple[int, tuple[int, ...]]]:
        """The shifts along axes whose lanes touch other elements, and are known."""
        return [(count, shift) for count, shift in self.shifts if shift is not None and any(shift)]


def find_banking(buffer: Buffer, touches: Sequence[Touch]) -> Banking | None:
    """Banks that are proved to have no conflict; None if there are none.

    One bank, if that is enough; then the dimensions of the buffer's own mapping, and of the one by successive modulos.
    """
    for banking in _candidates(buffer, touches):
        if all(conflict_free(banking.bank_of(buffer), touch) for touch in touches):
            return banking
    return None


def _candidates(buffer: Buffer, touches: Sequence[Touch]) -> Iterator[Banking]:
    """Ways to make banks."""
    if not any(touch.moving for touch in touches):
        yield Banking(1, 1, buffer.components)
    most = max((_lanes_of(touch, _differs) for touch in touches), default=1)
    mappings = ((buffer.components, False), (successive_parts(buffer), True))
    if any(len(touch.moving) > 1 for touch in touches):
        for parts, successive in mappings:
            yield from _in_rows(parts, touches, successive=successive)
    for parts, successive in mappings:
        yield from _banked(parts, touches, most, successive=successive)


def _lanes_of(touch: Touch, differs: Callable[[tuple[int, ...] | None], bool]) -> int:
    """How many lanes differ along axes whose shifts do, rounded up to a power of two."""
    number = prod(count for count, shift in touch.shifts if differs(shift))
    return 1 << (number - 1).bit_length()


def _differs(shift: tuple[int, ...] | None) -> bool:
    """Whether lanes may touch other elements."""
    return shift is None or any(shift)


def _in_rows(parts: Sequence[Component], touches: Sequence[Touch], *, successive: bool) -> Iterator[Banking]:
    """Banks by two dimensions of a mapping, each with as many as lanes differ there."""
    for first, second in permutations(range(len(parts)), 2):
        rows, columns = (_lanes_in(parts[k], touches) for k in (first, second))
        if rows > 1 and columns > 1:
            others = [part for k, part in enumerate(parts) if k not in (first, second)]
            for one in with_banks(parts[first], rows, successive=successive):
                for two in with_banks(parts[second], columns, successive=successive):
                    yield Banking(rows * columns, 1, (*others, one, two), rows)


def _lanes_in(part: Component, touches: Sequence[Touch]) -> int:
    """How many lanes differ in a dimension of a mapping, at most."""
    return max(
        (_lanes_of(touch, lambda shift: shift is not None and _moves(part, shift)) for touch in touches), default=1
    )


def _moves(part: Component, shift: tuple[int, ...]) -> bool:
    return sum(map(int.__mul__, part.row, shift)) != 0


def _banked(parts: Sequence[Component], touches: Sequence[Touch], count: int, *, successive: bool) -> Iterator[Banking]:
    """Banks by one dimension of a mapping, banks that keep the size of the memory first."""
    found: list[tuple[bool, Banking]] = []
    for index, part in reversed(list(enumerate(parts))):
        others = (*parts[:index], *parts[index + 1 :])
        for step in _steps(part, touches):
            for banked in with_banks(part, step * count, successive=successive):
                found.append((banked.modulus != part.modulus, Banking(count, step, (*others, banked))))
    yield from (banking for _, banking in sorted(found, key=lambda each: each[0]))


def with_banks(part: Component, block: int, *, successive: bool) -> Iterator[Component]:
    """A dimension of a mapping, as it is and with another modulus, for banks in blocks of a size."""
    for modulus in moduli_for(part, block, successive=successive):
        yield replace(part, modulus=modulus, size=part.size if modulus is None else integer(modulus))


def _steps(part: Component, touches: Sequence[Touch]) -> list[int]:
    """The steps that may separate lanes: one, and powers of two by which lanes are apart; none if some are not."""
    moved = [shift for touch in touches for _, shift in touch.moving]
    apart = [sum(factor * by for factor, by in zip(part.row, shift, strict=True)) for shift in moved]
    return sorted({1, *map(_low_bit, apart)}) if all(apart) else []


def _low_bit(number: int) -> int:
    """The greatest power of two that divides a number."""
    return number & -number


def moduli_for(part: Component, banks: int, *, successive: bool) -> list[int | None]:
    """The modulus of a dimension as it is, and one of which the banks are a divisor, if that is not too large.

    A multiple of a modulus tells apart what the modulus does; any larger one, in a mapping by successive modulos.
    """
    if part.modulus is None or part.modulus % banks == 0:
        return [part.modulus]
    larger = -(-part.modulus // banks) * banks if successive else lcm(part.modulus, banks)
    return [part.modulus, *([larger] if larger <= MOST_GROWTH * part.modulus + banks else [])]


def successive_parts(buffer: Buffer) -> tuple[Component, ...]:
    """The mapping by successive modulos, subscript by subscript; unfolded subscripts stay whole."""
    whole = {part.row.index(1): part for part in buffer.components if part.modulus is None}
    moduli = iter(buffer.unsearched.moduli)
    found: list[Component] = []
    for position in range(buffer.array.rank):
        part = whole.get(position)
        if part is None:
            modulus = next(moduli)
            row = tuple(int(k == position) for k in range(buffer.array.rank))
            part = Component(row, modulus, integer(modulus))
        found.append(part)
    return tuple(found)


def conflict_free(bank_of: isl.Map, touch: Touch) -> bool:
    """Whether no group touches two elements in one bank."""
    try:
        with operation_limit(PROOF_LIMIT):
            together = touch.groups.reverse().apply_range(touch.groups)
            same = bank_of.apply_range(bank_of.reverse())
            both = together.intersect(isl.Map.lex_lt(together.get_space().domain()))
            return both.intersect(same).is_empty()
    except LimitReached:
        return False


def possible_banks(banking: Banking, buffer: Buffer, touch: Touch) -> BanksOfLanes:
    """The banks that each lane may touch."""
    found = attempted(lambda: pairs(_lanes_to_banks(banking, buffer, touch)))
    if found is None:
        return {}
    lanes = sorted({lane for (lane,), _ in found})
    return {lane: tuple(sorted(bank for (each,), (bank,) in found if each == lane)) for lane in lanes}


def _lanes_to_banks(banking: Banking, buffer: Buffer, touch: Touch) -> isl.Map:
    return only_parameters(touch.lanes.apply_range(banking.bank_of(buffer)), ())
