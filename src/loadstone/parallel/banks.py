"""Banks: a local memory in parts that are read and written in the same cycle.

The bank of an element is (c div step) mod count, where c is one dimension of its local address: cyclic if the step is
1, in blocks otherwise. Banks have no conflict if no two lanes of a group touch different elements in the same bank by
the same access; that is proved with isl for all groups and all parameters in their ranges.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import lcm

import islpy as isl

from loadstone.loops.facts import attempted
from loadstone.model.affine import signed_sum
from loadstone.model.expression import integer
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
    """The banks of a memory: the dimensions of its local address; the last one says the bank, in some steps."""

    count: int
    step: int
    parts: tuple[Component, ...]

    def bank_of(self, buffer: Buffer) -> isl.Map:
        """Elements to their banks."""
        rank = buffer.array.rank
        space = set_space(buffer.parameters, buffer.array.name, [f"x{k}" for k in range(rank)])
        if self.count == 1:
            return map_from_values(space, [constant(space, 0)])
        value = combination(space, self.parts[-1].row, self.parts[-1].modulus)
        numbered = value.div(constant(space, self.step)).floor()
        return map_from_values(space, [numbered.mod_val(isl.Val.int_from_si(space.get_ctx(), self.count))])

    @property
    def described(self) -> str:
        """The bank in words, as a function of the subscripts x0, x1, ..."""
        row, modulus = self.parts[-1].row, self.parts[-1].modulus
        value = signed_sum([(factor, f"x{k}") for k, factor in enumerate(row)], " * ")
        changes = modulus is not None and modulus % (self.step * self.count)
        value = f"({value} mod {modulus})" if changes else value if " " not in value else f"({value})"
        kind, value = ("cyclic", value) if self.step == 1 else ("block", f"({value} div {self.step})")
        return f"{self.count} banks, {kind}: {value} mod {self.count}"


@dataclass(frozen=True, slots=True, eq=False)
class Touch:
    """An access by lanes: groups to touched elements, and lanes to possibly touched ones.

    `shift`: the stride of each subscript from a lane to the next; None if it varies.
    """

    place: Place
    groups: isl.Map
    lanes: isl.Map
    shift: tuple[int, ...] | None


def find_banking(buffer: Buffer, touches: Sequence[Touch], lanes: int) -> Banking | None:
    """Banks that are proved to have no conflict; None if there are none.

    One bank, if that is enough; then the dimensions of the buffer's own mapping, and of the one by successive modulos.
    """
    for banking in _candidates(buffer, touches, lanes):
        if all(conflict_free(banking.bank_of(buffer), touch) for touch in touches):
            return banking
    return None


def _candidates(buffer: Buffer, touches: Sequence[Touch], lanes: int) -> Iterator[Banking]:
    """Ways to make banks."""
    if all(touch.shift is None or not any(touch.shift) for touch in touches):
        yield Banking(1, 1, buffer.components)
    count = 1 << (lanes - 1).bit_length()
    yield from _banked(buffer.components, touches, count, successive=False)
    yield from _banked(successive_parts(buffer), touches, count, successive=True)


def _banked(parts: Sequence[Component], touches: Sequence[Touch], count: int, *, successive: bool) -> Iterator[Banking]:
    """Banks by one dimension of a mapping, banks that keep the size of the memory first."""
    found: list[tuple[bool, Banking]] = []
    for index, part in reversed(list(enumerate(parts))):
        others = (*parts[:index], *parts[index + 1 :])
        for step in _steps(part, touches):
            for modulus in moduli_for(part, step * count, successive=successive):
                size = part.size if modulus is None else integer(modulus)
                banked = replace(part, modulus=modulus, size=size)
                found.append((modulus != part.modulus, Banking(count, step, (*others, banked))))
    yield from (banking for _, banking in sorted(found, key=lambda each: each[0]))


def _steps(part: Component, touches: Sequence[Touch]) -> list[int]:
    """The steps that may separate lanes: one, and powers of two by which lanes are apart; none if some are not."""
    moved = [touch.shift for touch in touches if touch.shift is not None and any(touch.shift)]
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
