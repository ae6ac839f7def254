"""One processor for each elementary task, and the blocks of data between them [Corvino, 3.1, definitions 3 to 7, 4]."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod

from loadstone.frontend.arrayol.flat import Application, Elementary
from loadstone.frontend.arrayol.text import directions

Fusion = tuple[int, ...]
"""How many tasks each macrotask has, in the order of the tasks: (2, 2) fuses the first two and the last two of four."""

Matrix = tuple[tuple[Fraction, ...], ...]


@dataclass(frozen=True, slots=True)
class Processor:
    """The processor of an elementary task: its initiation interval, its macrotask, the direction of its scan."""

    name: str
    interval: Fraction
    macrotask: int
    backwards: bool


@dataclass(frozen=True, slots=True)
class Block:
    """Data on their way between processors, or between one and external memory, which has no number.

    `ratio` is how many of them the consumer takes for each datum that it produces; `elements` are those of a frame.
    """

    array: str
    producer: int | None
    consumer: int | None
    ratio: Fraction
    elements: int


@dataclass(frozen=True, slots=True)
class Architecture:
    """Processors and the blocks between them: X of definition 3, one coordinate for each block."""

    processors: tuple[Processor, ...]
    blocks: tuple[Block, ...]

    @property
    def intervals(self) -> tuple[Fraction, ...]:
        """C_x of definition 6, for the producer of each block; 0 for blocks from external memory."""
        return tuple(Fraction(0) if b.producer is None else self.processors[b.producer].interval for b in self.blocks)

    @property
    def to_memory(self) -> Matrix:
        """I_Mem of definition 5: selects the blocks that go to external memory."""
        return self._selected(lambda block: block.consumer is None)

    @property
    def between(self) -> Matrix:
        """I_Com of definition 5: selects the blocks that go from processor to processor."""
        return self._selected(lambda block: None not in (block.producer, block.consumer))

    @property
    def inputs(self) -> Matrix:
        """K of definition 4: X_in = K X_out, a row for each input block, a column for each block that it makes.

        The document words the indices the other way round; this is the orientation of its formula and its example.
        """
        return self._taken(lambda _: True)

    @property
    def inputs_from_memory(self) -> Matrix:
        """K_Mem of definition 4: K with the rows of external inputs alone.

        The document's example has a third one at (4, 5), which is a block between processors.
        """
        return self._taken(lambda block: block.producer is None)

    def _selected(self, chosen: Callable[[Block], bool]) -> Matrix:
        count = range(len(self.blocks))
        return tuple(tuple(Fraction(int(i == j and chosen(self.blocks[i]))) for j in count) for i in count)

    def _taken(self, chosen: Callable[[Block], bool]) -> Matrix:
        def entry(taken: Block, made: Block) -> Fraction:
            consumed = taken.consumer is not None and taken.consumer == made.producer
            return taken.ratio if consumed and chosen(taken) else Fraction(0)

        return tuple(tuple(entry(taken, made) for made in self.blocks) for taken in self.blocks)

    def exchanged(self, macrotask: int) -> tuple[Block, ...]:
        """The blocks that the processors of a macrotask exchange with external memory; their number is N_k."""
        return tuple(b for b in self.blocks if None in (b.producer, b.consumer) and self.macrotask(b) == macrotask)

    def macrotask(self, block: Block) -> int:
        """The macrotask that a block belongs to."""
        place = block.producer if block.consumer is None else block.consumer
        assert place is not None
        return self.processors[place].macrotask


def architecture(application: Application, fusion: Fusion) -> Architecture:
    """The processors of all tasks; arrays between macrotasks go through external memory."""
    tasks = application.tasks
    groups = tuple(number for number, size in enumerate(fusion) for _ in range(size))
    processors = tuple(map(_processor, tasks, groups))
    return Architecture(processors, tuple(_blocks(application, tasks, groups)))


def _processor(task: Elementary, group: int) -> Processor:
    """The initiation interval is the greatest number of data of an input for each datum of the output."""
    ratios = [_ratio(task, name) for name in task.inputs] or [Fraction(1)]
    return Processor(task.name, max(ratios), group, any(sign < 0 for sign in directions(task)))


def _ratio(task: Elementary, name: str) -> Fraction:
    """delta of section 4: the size of an input pattern over that of the output's."""
    return Fraction(_size(task.inputs[name].pattern), sum(_size(place.pattern) for place in task.outputs.values()))


def _size(pattern: Sequence[int | None]) -> int:
    return prod(size for size in pattern if size is not None)


def _blocks(application: Application, tasks: Sequence[Elementary], groups: Sequence[int]) -> Iterator[Block]:
    """Inputs of each processor, then its outputs to external memory; so go arrays that several tasks write as well."""
    places = {task.name: number for number, task in enumerate(tasks)}

    def source(array: str, reader: int) -> int | None:
        writers = [places[writer.name] for writer in application.writers(array)]
        return writers[0] if len(writers) == 1 and groups[writers[0]] == groups[reader] else None

    for number, task in enumerate(tasks):
        for name, place in task.inputs.items():
            elements = _elements(application, place.array)
            yield Block(place.array, source(place.array, number), number, _ratio(task, name), elements)
        for place in task.outputs.values():
            readers = [places[reader.name] for reader in application.readers(place.array)]
            if not readers or any(source(place.array, reader) is None for reader in readers):
                yield Block(place.array, number, None, Fraction(0), _elements(application, place.array))


def _elements(application: Application, array: str) -> int:
    """The elements of an array in one frame."""
    return _size(application.arrays[array].sizes)
