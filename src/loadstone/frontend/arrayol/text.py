"""A specification as C: loops over repetitions around the bodies, patterns as elements of their arrays.

The text is a list of pieces that know where they come from, so that what the C front end finds wrong in a body is shown
in the specification.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from itertools import product

import islpy as isl

from loadstone.errors import Diagnostic, InputError, Span
from loadstone.frontend.arrayol.flat import Application, Elementary, Place
from loadstone.frontend.arrayol.order import units
from loadstone.frontend.arrayol.specification import ArrayShape, Before, Task, Token
from loadstone.frontend.arrayol.subscripts import FRAMES, c_subscripts, extent, moved, total
from loadstone.frontend.c.preprocess import Preprocessed, line_starts
from loadstone.model.free_name import free_name

_FRAMES = 2
"""How long unbounded dimensions are where nothing else is said."""
_CLOSING = {"[": "]", "(": ")", "{": "}"}


@dataclass(slots=True)
class Pieces:
    """Text that is being written, with the place of each piece."""

    parts: list[str] = field(default_factory=list[str])
    places: list[Span] = field(default_factory=list[Span])

    def add(self, text: str, place: Span) -> None:
        """Write a piece."""
        self.parts.append(text)
        self.places.append(place)

    def add_all(self, tokens: Iterable[Token]) -> None:
        """Write tokens."""
        for token in tokens:
            self.add(token.text, token.span)

    def preprocessed(self, span: Span) -> Preprocessed:
        """All that was written, as the C front end takes it."""
        text = "".join(self.parts)
        offsets = [0]
        for part in self.parts:
            offsets.append(offsets[-1] + len(part))
        return Preprocessed(text, span.source, offsets[:-1], self.places, line_starts(text))


Subscripted = Callable[[str, Sequence[str]], str]
"""What a pattern with subscripts becomes."""


def rewritten(tokens: Sequence[Token], ranks: Mapping[str, int], change: Subscripted) -> Iterator[Token]:
    """The tokens with other text in place of patterns and their subscripts."""
    position = 0
    while position < len(tokens):
        token = tokens[position]
        position += 1
        if token.text not in ranks:
            yield token
            continue
        subscripts: list[str] = []
        for _ in range(ranks[token.text]):
            start, position = _opening(tokens, position, token), _closing(tokens, position, token)
            inside = rewritten(tokens[start:position], ranks, change)
            subscripts.append("".join(each.text for each in inside).strip())
            position += 1
        yield Token(change(token.text, subscripts), token.span)


def _opening(tokens: Sequence[Token], position: int, pattern: Token) -> int:
    while position < len(tokens) and tokens[position].text.isspace():
        position += 1
    if position == len(tokens) or tokens[position].text != "[":
        hint = "write one subscript for each dimension of the pattern"
        raise InputError(Diagnostic(f"the pattern '{pattern.text}' has too few subscripts", pattern.span, hint))
    return position + 1


def _closing(tokens: Sequence[Token], position: int, pattern: Token) -> int:
    depth = 0
    for place in range(position, len(tokens)):
        depth += (tokens[place].text in _CLOSING) - (tokens[place].text in _CLOSING.values())
        if depth == 0 and tokens[place].text == "]":
            return place
    raise InputError(Diagnostic(f"the subscript of '{pattern.text}' does not end", pattern.span, "close it with ]"))


def function_text(application: Application, tasks: Sequence[Elementary], types: Mapping[str, str]) -> Preprocessed:
    """The application as a C function: inputs and outputs are its parameters, all other arrays are local."""
    pieces = Pieces()
    for around in dict.fromkeys(task.body.around for task in tasks):
        pieces.add_all(around)
    parameters = _parameters(application, types)
    if FRAMES in parameters:
        pieces.add(f"#pragma loadstone default({FRAMES} = {_FRAMES})\n", application.span)
    pieces.add(f"void {application.name}({parameters}) {{\n", application.span)
    for name, array in application.arrays.items():
        if application.is_local(name):
            pieces.add(f"  {declaration(name, array, types)};\n", array.span)
    pieces.add("#pragma scop\n", application.span)
    taken = {*application.arrays, FRAMES, *(token.text for task in tasks for token in task.body.tokens)}
    _add_units(pieces, tasks, 0, (), _Names(application, taken, types))
    pieces.add("#pragma endscop\n}\n", application.span)
    return pieces.preprocessed(application.span)


def indented(text: str) -> Iterator[str]:
    """The lines of C, indented by their braces and by loops without them."""
    depth = pending = 0
    for line in filter(None, map(str.strip, text.splitlines())):
        depth -= line.startswith("}")
        around = 0 if line.startswith(("{", "#")) else pending
        yield line if line.startswith("#") else "  " * (depth + around) + line
        pending = pending + 1 if line.startswith("for") and not line.endswith(("{", ";")) else 0
        depth += line.endswith("{")


def declaration(name: str, array: ArrayShape, types: Mapping[str, str]) -> str:
    """An array as C declares it."""
    return f"{types[array.type]} {name}{''.join(f'[{extent(size)}]' for size in array.sizes)}"


def _parameters(application: Application, types: Mapping[str, str]) -> str:
    arrays = application.arrays
    unbounded = any(None in array.sizes for array in arrays.values())
    unbounded = unbounded or any(None in task.repetition for task in application.tasks)
    found = [f"int {FRAMES}"] if unbounded else []
    for name, array in arrays.items():
        if not application.writers(name):
            found.append(f"const {declaration(name, array, types)}")
        elif not application.is_local(name):
            found.append(declaration(name, array, types))
    return ", ".join(found)


@dataclass(frozen=True, slots=True)
class _Names:
    """What names mean in the text: arrays of the application, words that are taken, types."""

    application: Application
    taken: Set[str]
    types: Mapping[str, str]

    def counter(self, dimension: int) -> str:
        """The counter of a dimension of a repetition."""
        return free_name(f"r{dimension}", self.taken)

    def local(self, word: str) -> str:
        """A word of a body that is no pattern: arrays of the application are not seen there."""
        return free_name(word, self.taken, "_") if word in self.application.arrays or word == FRAMES else word


def _add_units(
    pieces: Pieces, tasks: Sequence[Elementary], level: int, counters: tuple[str, ...], names: _Names
) -> None:
    """Tasks one after the other; the repetition of a compound task is around all its tasks."""
    for unit in units(tasks, level):
        first = unit[0]
        if level == len(first.within):
            _add_task(pieces, first, counters, names)
            continue
        rank = first.within[level].rank
        inner = tuple(names.counter(len(counters) + k) for k in range(rank))
        for name, size in zip(inner, first.repetition[len(counters) :], strict=False):
            pieces.add(_loop(name, size, 1), first.span)
        pieces.add("  {\n", first.span)
        _add_units(pieces, unit, level + 1, (*counters, *inner), names)
        pieces.add("  }\n", first.span)


def _add_task(pieces: Pieces, task: Elementary, around: tuple[str, ...], names: _Names) -> None:
    """The loops of a task around its body."""
    own = range(len(around), len(task.repetition))
    counters = (*around, *(names.counter(k) for k in own))
    signs = directions(task)
    for k in own:
        pieces.add(_loop(counters[k], task.repetition[k], signs[k]), task.span)
    pieces.add("  {\n", task.span)
    _add_body(pieces, task, counters, names)
    pieces.add("\n  }\n", task.span)


def _loop(name: str, size: int | None, sign: int) -> str:
    if sign > 0:
        return f"  for (int {name} = 0; {name} < {extent(size)}; {name}++)\n"
    return f"  for (int {name} = {extent(size)} - 1; {name} >= 0; {name}--)\n"


def _add_body(pieces: Pieces, task: Elementary, counters: Sequence[str], names: _Names) -> None:
    """The body, with initial values where the earlier repetition that it reads from does not exist."""
    values = {before.name: before for before in task.before}
    ranks = {name: len(place.pattern) for name, place in patterns(task).items()}

    def element(name: str, subscripts: Sequence[str]) -> str:
        place, before = patterns(task)[name], values.get(name)
        at = counters if before is None else moved(counters, before.distance)
        found = place.array + "".join(f"[{each}]" for each in c_subscripts(place, task.repetition, at, subscripts))
        if before is None:
            return found
        type = names.types[names.application.arrays[place.array].type]
        return f"({_exists(task, before, counters)} ? {found} : ({type}){before.initial})"

    own = (token if token.text in ranks else replace(token, text=names.local(token.text)) for token in task.body.tokens)
    pieces.add_all(rewritten(tuple(own), ranks, element))


def patterns(task: Elementary) -> dict[str, Place]:
    """Where the patterns of a task are, those of earlier repetitions included."""
    before = {each.name: task.outputs[each.output] for each in task.before}
    return {**task.inputs, **task.outputs, **before}


def _exists(task: Elementary, before: Before, names: Sequence[str]) -> str:
    """The condition that the repetition some distance before exists."""
    found: list[str] = []
    for name, size, step in zip(names, task.repetition, before.distance, strict=True):
        if step > 0:
            found.append(f"{name} >= {step}")
        elif step < 0:
            found.append(f"{name} < {extent(size)} - {-step}")
    return " && ".join(found)


def directions(task: Elementary | Task) -> tuple[int, ...]:
    """The directions of loops in which every repetition follows its producers."""
    for signs in product((1, -1), repeat=len(task.repetition)):
        if all(_is_later(before.distance, signs) for before in task.before):
            return signs
    place = task.before[0].span
    if _is_cyclic([before.distance for before in task.before]):
        hint = "change the distances: added up, they lead back to where they start"
        raise InputError(Diagnostic(f"the repetitions of {task.name} wait for each other", place, hint))
    hint = "change the distances, so that the first one that is not 0 has the same sign in all of them"
    raise InputError(Diagnostic(f"no direction of the loops of {task.name} serves all distances", place, hint))


def _is_cyclic(distances: Sequence[Sequence[int]]) -> bool:
    """Whether some of the distances add up to zero."""
    names = [f"n{k}" for k in range(len(distances))]
    sums = [
        f"{total(0, list(zip(column, names, strict=True)))} = 0"
        for column in zip(*distances, strict=True)
        if any(column)
    ]
    positive = [*(f"{name} >= 0" for name in names), f"{' + '.join(names)} >= 1"]
    return not isl.Set(f"{{ [{', '.join(names)}] : {' and '.join((*sums, *positive))} }}").is_empty()


def _is_later(distance: Sequence[int], signs: Sequence[int]) -> bool:
    first = next(step * sign for step, sign in zip(distance, signs, strict=True) if step)
    return first > 0
