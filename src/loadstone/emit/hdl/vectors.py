"""What a testbench of hardware works with: given and expected words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from loadstone.hardware.layout import ArrayLayout
from loadstone.hardware.on_chip import HostPort, OnChipDesign
from loadstone.rtl.types import Bits

FRACTION = {32: 23, 64: 52}
"""The bits of the fraction of floating-point numbers, by their width."""


@dataclass(frozen=True, slots=True)
class Vectors:
    """Values of parameters, and words by array: those before a run, and those after it of arrays that are looked at.

    The words of an array are those of its memory; a scalar has one.
    """

    parameters: Mapping[str, int]
    given: Mapping[str, tuple[int, ...]]
    expected: Mapping[str, tuple[int, ...]]


@dataclass(frozen=True, slots=True, eq=False)
class Host:
    """An array as a testbench sees it: its ports, and its words before and after a run, if these are looked at."""

    name: str
    port: HostPort
    store: ArrayLayout
    given: tuple[int, ...]
    expected: tuple[int, ...] | None


@dataclass(frozen=True, slots=True, eq=False)
class Result:
    """A scalar that a testbench looks at: its port, and the word that is expected there."""

    name: str
    port: str
    store: ArrayLayout
    expected: int


def hosts_of(design: OnChipDesign, vectors: Vectors) -> tuple[Host, ...]:
    """The arrays that a testbench fills and looks at."""
    stores = design.compute.stores
    return tuple(
        Host(name, port, stores[name], vectors.given[name], vectors.expected.get(name))
        for name, port in design.arrays.items()
    )


def results_of(design: OnChipDesign, vectors: Vectors) -> tuple[Result, ...]:
    """The scalars that a testbench looks at."""
    stores = design.compute.stores
    return tuple(
        Result(name, port, stores[name], vectors.expected[name][0]) for name, port in design.scalars_out.items()
    )


def inputs_at_start(design: OnChipDesign, vectors: Vectors) -> dict[str, int]:
    """The values at the ports of parameters and scalars, by port."""
    parameters = {port: vectors.parameters[name] for name, port in design.parameters.items()}
    return {**parameters, **{port: vectors.given[name][0] for name, port in design.scalars_in.items()}}


def data_files(design: OnChipDesign, vectors: Vectors) -> Iterator[tuple[str, str]]:
    """The words of arrays in hexadecimal digits, by the paths of their files: one for each port for words."""
    for host in hosts_of(design, vectors):
        yield data_path(host.port.data), _hexadecimal(host.given, host.store.type)
        if host.expected is not None:
            yield data_path(host.port.word), _hexadecimal(host.expected, host.store.type)


def data_path(port: str) -> str:
    """The file with the words that go into or should come out of a port."""
    return f"data/{port}.hex"


def digits(type: Bits) -> int:
    """The hexadecimal digits of a word."""
    return -(-type.width // 4)


def word_text(value: int, type: Bits) -> str:
    """A word in hexadecimal digits.

    >>> from loadstone.rtl.types import signed
    >>> word_text(-1, signed(5))
    '1f'
    """
    return f"{value & type.mask:0{digits(type)}x}"


def _hexadecimal(words: Sequence[int], type: Bits) -> str:
    return "".join(f"{word_text(word, type)}\n" for word in words)
