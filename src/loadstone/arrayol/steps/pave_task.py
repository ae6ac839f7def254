"""Change the paving of a task: each repetition takes over the patterns of several, and its body goes through them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from loadstone.arrayol.change import Change, Move, find_task, with_task
from loadstone.arrayol.tilers import blocked
from loadstone.frontend.arrayol.bodies import tokens_at
from loadstone.frontend.arrayol.specification import Before, Body, Specification, Task, Tiler, Token, Vector
from loadstone.frontend.arrayol.subscripts import total
from loadstone.frontend.arrayol.text import directions, rewritten
from loadstone.model.free_name import free_name
from loadstone.transform.loop_names import StepError


@dataclass(frozen=True, slots=True)
class PaveTask:
    """Let a repetition of an elementary task do the work of several: its granularity grows.

        sum:
          repetition: [8]
          inputs:
            x: {array: a, pattern: [], paving: [[1]]}
            before: {output: y, distance: [1], initial: 0}
          outputs:
            y: {array: b, pattern: [], paving: [[1]]}
          body: y = before + x;

    pave-task sum by 4

        sum:
          repetition: [2]
          inputs:
            x: {array: a, pattern: [4], paving: [[4]]}
            before: {output: y, distance: [1], initial: 0}
          outputs:
            y: {array: b, pattern: [4], paving: [[4]]}
          body: |
            for (int q0 = 0; q0 < 1; q0++) {
              y[q0] = before[q0 + 3] + x[q0];
            }
            for (int q0 = 1; q0 < 4; q0++) {
              y[q0] = y[q0 - 1] + x[q0];
            }
    """

    task: str
    factors: tuple[int, ...]
    usage: ClassVar[str] = "pave-task TASK by FACTORS*"

    def applied(self, specification: Specification) -> Change:
        """The specification with larger patterns of the task."""
        path, task = find_task(specification, self.task)
        self._check(task)
        halves = {port.name: blocked(port.tiler, self.factors) for port in (*task.inputs, *task.outputs)}
        writer = _Writer(task, self.factors, {name: inner for name, (_, inner) in halves.items()}, _counters(task))
        body = Body(tuple(writer.body(0, {})))
        sizes = zip(task.repetition, self.factors, strict=True)
        paved = replace(
            task,
            repetition=tuple(None if size is None else size // factor for size, factor in sizes),
            inputs=tuple(replace(port, tiler=halves[port.name][0]) for port in task.inputs),
            outputs=tuple(replace(port, tiler=halves[port.name][0]) for port in task.outputs),
            before=tuple(writer.before.values()),
            body=body,
        )
        return Change(with_task(specification, path, paved), (self._move(path, writer.counters),))

    def _check(self, task: Task) -> None:
        if task.body is None or task.body.around:
            hint = "tile-task puts a level around it"
            raise StepError(f"the body of {task.name} does not stand in the specification", self.task, hint)
        if len(self.factors) != len(task.repetition):
            raise StepError(f"{task.name} has {len(task.repetition)} dimensions", self.task, "give a factor for each")
        for whole, factor in zip(task.repetition, self.factors, strict=True):
            if factor < 1 or (whole is None and factor != 1) or (whole is not None and whole % factor):
                hint = "an unbounded dimension keeps its paving" if whole is None else f"factors divide {whole}"
                raise StepError(f"{factor} does not divide the repetition of {task.name}", str(factor), hint)

    def _move(self, path: tuple[str, ...], counters: Mapping[int, str]) -> Move:
        count = len(self.factors)
        names = [f"b{k}" for k in range(count)]
        relation = [f"r{k} = {self.factors[k]} * b{k} + {f'q{k}' if k in counters else 0}" for k in range(count)]
        new = (*names, *(f"q{k}" for k in counters))
        bounds = [f"0 <= q{k} < {self.factors[k]}" for k in counters]
        return Move(path, tuple(f"r{k}" for k in range(count)), path, new, (*relation, *bounds))


def _counters(task: Task) -> list[str]:
    assert task.body is not None
    taken = {token.text for token in task.body.tokens}
    taken |= {each.name for each in (*task.inputs, *task.outputs, *task.before)}
    return [free_name(f"q{k}", taken) for k in range(len(task.repetition))]


class _Writer:
    """Writes the body of many repetitions; `before` are the patterns of other repetitions that it reads."""

    def __init__(self, task: Task, factors: Vector, tilers: Mapping[str, Tiler], names: Sequence[str]) -> None:
        self.task, self.factors, self.tilers = task, factors, tilers
        self.counters = {k: names[k] for k, factor in enumerate(factors) if factor > 1}
        self.signs = directions(task)
        self.before: dict[tuple[str, Vector], Before] = {}

    def body(self, k: int, at: Mapping[int, range]) -> Iterator[Token]:
        """The loops from a dimension on, around the original body; `at` are the parts of the dimensions before."""
        if k == len(self.factors):
            yield from self._original(at)
        elif k not in self.counters:
            yield from self.body(k + 1, {**at, k: range(1)})
        else:
            for part in self._parts(k)[:: self.signs[k]]:
                yield from self._glue(_loop(self.counters[k], part, self.signs[k]))
                yield from self.body(k + 1, {**at, k: part})
                yield from self._glue("}\n")

    def _parts(self, k: int) -> list[range]:
        """The ranges of a counter in which all that is read comes from the same block."""
        size = self.factors[k]
        blocks = [tuple((q - each.distance[k]) // size for each in self.task.before) for q in range(size)]
        starts = [q for q in range(size) if q == 0 or blocks[q] != blocks[q - 1]]
        return [range(start, stop) for start, stop in zip(starts, [*starts[1:], size], strict=True)]

    def _glue(self, text: str) -> Iterator[Token]:
        return tokens_at(text, self.task.span)

    def _original(self, at: Mapping[int, range]) -> Iterator[Token]:
        assert self.task.body is not None
        patterns = {port.name: port.tiler.pattern for port in (*self.task.inputs, *self.task.outputs)}
        earlier = {each.name: each for each in self.task.before}
        ranks = {name: len(pattern) for name, pattern in patterns.items()}
        ranks |= {name: len(patterns[each.output]) for name, each in earlier.items()}

        def element(name: str, subscripts: Sequence[str]) -> str:
            if name in earlier:
                return self._earlier(earlier[name], at, subscripts)
            return self._element(name, name, (0,) * len(self.factors), subscripts)

        for token in rewritten(self.task.body.tokens, ranks, element):
            yield from tokens_at(token.text, token.span)
        yield from self._glue("\n")

    def _earlier(self, before: Before, at: Mapping[int, range], subscripts: Sequence[str]) -> str:
        """What an earlier repetition wrote: one of this block, or of another one."""
        dimensions = range(len(self.factors))
        blocks = tuple((at[k].start - before.distance[k]) // self.factors[k] for k in dimensions)
        shift = tuple(-before.distance[k] - self.factors[k] * blocks[k] for k in dimensions)
        if not any(blocks):
            return self._element(before.output, before.output, shift, subscripts)
        found = self.before.get((before.name, blocks))
        if found is None:
            taken = {each.name for each in self.before.values()} | {
                each.name for each in self.task.before if each is not before
            }
            name = free_name(before.name, taken)
            found = replace(before, name=name, distance=tuple(-step for step in blocks))
            self.before[before.name, blocks] = found
        return self._element(found.name, before.output, shift, subscripts)

    def _element(self, name: str, tiled_as: str, shift: Vector, subscripts: Sequence[str]) -> str:
        tiler = self.tilers[tiled_as]
        found: list[str] = []
        for row, (start, steps) in enumerate(zip(tiler.origin, tiler.paving, strict=True)):
            terms = [(steps[k], counter) for k, counter in self.counters.items()]
            inside = [subscripts[row]] if row < len(subscripts) else []
            moved = sum(step * by for step, by in zip(steps, shift, strict=True))
            found.append(_sum(start + moved, terms, inside))
        return name + "".join(f"[{each}]" for each in found)


def _loop(name: str, part: range, sign: int) -> str:
    if sign > 0:
        return f"for (int {name} = {part.start}; {name} < {part.stop}; {name}++) {{\n"
    return f"for (int {name} = {part.stop - 1}; {name} >= {part.start}; {name}--) {{\n"


def _sum(constant: int, terms: Sequence[tuple[int, str]], inside: Sequence[str]) -> str:
    """A sum with a subscript in it; a number is added up.

    >>> _sum(2, [(4, "q0")], ["k + 1"]), _sum(2, [(4, "q0")], ["3"])
    ('4 * q0 + k + 1 + 2', '4 * q0 + 5')
    """
    numbers = [int(text) for text in inside if text.isdigit()]
    texts = [(1, text) for text in inside if not text.isdigit()]
    return total(constant + sum(numbers), [*terms, *texts])
