"""What a testbench of an accelerator works with: external memory before and after a run, and words of registers."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from loadstone.emit.hdl.vectors import FRACTION, Vectors, word_text
from loadstone.hardware.accelerator.registers import LOADED_ELEMENTS, STORED_ELEMENTS, Register, RegisterMap
from loadstone.hardware.design import AcceleratorDesign
from loadstone.hardware.harness.placement import far, packed, placed
from loadstone.hardware.layout import ArrayLayout


@dataclass(frozen=True, slots=True)
class RegisterWord:
    """A word that is written to a register, or expected in those of its bits that are in `mask`."""

    offset: int
    word: int
    mask: int
    name: str
    meaning: str


@dataclass(frozen=True, slots=True)
class Trial:
    """A run: where variables lie, words of memory before and after it and which bits are compared, and registers."""

    bases: Mapping[str, int]
    given: tuple[int, ...]
    expected: tuple[int, ...]
    compared: tuple[int, ...]
    writes: tuple[RegisterWord, ...]
    results: tuple[RegisterWord, ...]

    @property
    def depth(self) -> int:
        """The words of the memory."""
        return len(self.given)


def make_trial(
    design: AcceleratorDesign,
    registers: RegisterMap,
    vectors: Vectors,
    stored: Collection[str],
    moved: tuple[int, int],
) -> Trial:
    """The run of a design on some contents of arrays.

    Arrays that are stored but not expected may hold anything after it. All other bytes must be as expected, or as they
    were. `moved` are the elements that are loaded and stored.
    """
    bases, arrays = placed(design), tuple(design.element_bytes)
    checks = {
        name: [_check(word, design.external[name]) for word in vectors.expected.get(name, vectors.given[name])]
        for name in arrays
    }
    unknown = {name for name in arrays if name in stored and name not in vectors.expected}
    ignored = {name: [_ignored(design, name, name in unknown, mask) for _, mask in checks[name]] for name in arrays}
    every = design.bus.data.mask
    return Trial(
        bases,
        tuple(packed(design, bases, {name: vectors.given[name] for name in arrays})),
        tuple(packed(design, bases, {name: [word for word, _ in each] for name, each in checks.items()})),
        tuple(every & ~word for word in packed(design, bases, ignored)),
        tuple(_writes(registers, vectors, {name: far(design.bus) + base for name, base in bases.items()})),
        (*_moved(registers, moved), *_results(design, registers, vectors)),
    )


def _ignored(design: AcceleratorDesign, name: str, unknown: bool, mask: int) -> int:
    """The bits of an element that are not compared."""
    every = (1 << 8 * design.element_bytes[name]) - 1
    return every if unknown else every & ~mask


def _check(word: int, store: ArrayLayout) -> tuple[int, int]:
    """The expected bits of an element, and the mask of compared ones: of not-a-numbers, the bits that all share."""
    mask, kind = store.type.mask, store.element
    if kind.kind == "float":
        fraction = FRACTION[kind.bits]
        exponent = (1 << kind.bits - 1) - (1 << fraction)
        if word & exponent == exponent and word & (1 << fraction) - 1:
            quiet = exponent | 1 << fraction - 1
            return quiet, quiet
    return word & mask, mask


def _writes(registers: RegisterMap, vectors: Vectors, bases: Mapping[str, int]) -> Iterator[RegisterWord]:
    """What software writes before the start."""
    for register in registers.values:
        match register.group:
            case "parameter":
                value = vectors.parameters[register.subject]
            case "base":
                value = bases[register.subject]
            case _:
                value = vectors.given[register.subject][0]
        yield from _words(register, value, -1)


def _moved(registers: RegisterMap, moved: tuple[int, int]) -> Iterator[RegisterWord]:
    for name, count in zip((LOADED_ELEMENTS, STORED_ELEMENTS), moved, strict=True):
        yield from _words(registers.by_name[name], count, -1)


def _results(design: AcceleratorDesign, registers: RegisterMap, vectors: Vectors) -> Iterator[RegisterWord]:
    for register in registers.results:
        word, mask = _check(vectors.expected[register.subject][0], design.external[register.subject])
        yield from _words(register, word, mask)


def _words(register: Register, value: int, mask: int) -> Iterator[RegisterWord]:
    """The words of a value, the lowest first."""
    for number in range(register.words):
        low, high = (part >> 32 * number & 0xFFFFFFFF for part in (value, mask))
        yield RegisterWord(register.offset + 4 * number, low, high, register.name, register.meaning)


def image_files(design: AcceleratorDesign, trial: Trial) -> dict[str, str]:
    """The words of memory in hexadecimal digits, by the paths of their files."""
    images = {"memory": trial.given, "expected": trial.expected, "compared": trial.compared}
    type = design.bus.data
    return {
        f"data/{name}.hex": "".join(f"{word_text(word, type)}\n" for word in words) for name, words in images.items()
    }
