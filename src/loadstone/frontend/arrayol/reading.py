"""From the document to the specification; wrong keys, sizes and names are found here."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path

from loadstone.errors import InputError, Source, refused
from loadstone.frontend.arrayol.bodies import function_body, inline_body
from loadstone.frontend.arrayol.document import Entry, check_name, read_document
from loadstone.frontend.arrayol.specification import (
    TYPES,
    ArrayShape,
    Before,
    Body,
    Matrix,
    Port,
    Sizes,
    Specification,
    Task,
    Tiler,
)
from loadstone.frontend.arrayol.subscripts import FRAMES
from loadstone.frontend.c.preprocess import read_source

_TASK = ("repetition", "inputs", "outputs", "body", "arrays", "tasks")
_PORT = ("array", "pattern", "origin", "paving", "fitting", "wrap")
_BEFORE = ("output", "distance", "initial")
_NUMBER = re.compile(r"[+-]?(0|[1-9]\d*|\d+\.\d*([eE][+-]?\d+)?|\.\d+([eE][+-]?\d+)?|\d+[eE][+-]?\d+)")
Shapes = Mapping[str, Sizes]


def read_specification(source: Source) -> Specification:
    """The specification in a YAML text."""
    root = read_document(source)
    fields = root.fields(("application", "arrays", "tasks"), ("application", "arrays", "tasks"))
    arrays = _arrays(fields["arrays"])
    shapes = {name: array.sizes for name, array in arrays.items()}
    return Specification(fields["application"].word(), arrays, _tasks(fields["tasks"], shapes), root.span)


def _arrays(entry: Entry) -> dict[str, ArrayShape]:
    found: dict[str, ArrayShape] = {}
    for name, value in entry.named():
        fields = value.fields(("shape", "type"), ("shape", "type"))
        if name == FRAMES:
            raise refused(f"'{FRAMES}' is the length of unbounded dimensions", value.name_span, "choose another name")
        found[_word(name, value)] = ArrayShape(fields["shape"].sizes(), _type(fields["type"]), value.span)
    return found


def _type(entry: Entry) -> str:
    if entry.text() not in TYPES:
        near = get_close_matches(entry.text(), TYPES, 1)
        hint = f"did you mean {near[0]}?" if near else f"types are {', '.join(TYPES)}"
        raise refused(f"there is no type '{entry.text()}'", entry.span, hint)
    return entry.text()


def _word(name: str, entry: Entry) -> str:
    check_name(name, entry.name_span)
    return name


def _tasks(entry: Entry, shapes: Shapes) -> tuple[Task, ...]:
    found = tuple(_task(_word(name, value), value, shapes) for name, value in entry.named())
    if not found:
        raise refused("there is no task", entry.span, "give at least one task")
    return found


def _task(name: str, entry: Entry, around: Shapes) -> Task:
    fields = entry.fields(_TASK)
    repetition = fields["repetition"].sizes() if "repetition" in fields else ()
    inputs, before = _inputs(fields.get("inputs"), repetition, around)
    outputs = tuple(_port(n, e, repetition, around) for n, e in _named(fields.get("outputs")))
    if not outputs:
        raise refused(f"the task '{name}' has no outputs", entry.span, "a task without outputs does nothing")
    _check_before(before, outputs)
    body = _body(fields["body"]) if "body" in fields else None
    inner = _arrays(fields["arrays"]) if "arrays" in fields else {}
    if (body is None) == ("tasks" not in fields):
        hint = "give a body to an elementary task, tasks to a compound one"
        raise refused(f"the task '{name}' needs either a body or tasks", entry.span, hint)
    _check_names(entry, [each.name for each in (*inputs, *before, *outputs)] + list(inner))
    ports = {port.name: port.tiler.pattern for port in (*inputs, *outputs)}
    within = {**ports, **{each: array.sizes for each, array in inner.items()}}
    if before and "tasks" in fields:
        raise refused(f"the compound task '{name}' reads itself", before[0].span, "give it to an elementary task")
    tasks = _tasks(fields["tasks"], within) if "tasks" in fields else ()
    return Task(name, repetition, inputs, before, outputs, body, inner, tasks, entry.span)


def _named(entry: Entry | None) -> list[tuple[str, Entry]]:
    return [] if entry is None else [(_word(name, value), value) for name, value in entry.named()]


def _inputs(entry: Entry | None, repetition: Sizes, shapes: Shapes) -> tuple[tuple[Port, ...], tuple[Before, ...]]:
    ports: list[Port] = []
    before: list[Before] = []
    for name, value in _named(entry):
        keys = dict(value.named())
        if "before" in keys:
            hint = f"write {name}: {{output: ..., distance: ..., initial: ...}}, without before:"
            raise refused(f"{value.name} has no 'before'", keys["before"].name_span, hint)
        if "output" in keys:
            before.append(_before(name, value, repetition))
        else:
            ports.append(_port(name, value, repetition, shapes))
    return tuple(ports), tuple(before)


def _port(name: str, entry: Entry, repetition: Sizes, shapes: Shapes) -> Port:
    fields = entry.fields(_PORT, ("array",))
    array = fields["array"].word()
    if array not in shapes:
        near = get_close_matches(array, shapes, 1)
        hint = f"did you mean {near[0]}?" if near else "declare it under arrays"
        raise refused(f"there is no array '{array}' here", fields["array"].span, hint)
    return Port(name, array, _tiler(entry, fields, repetition, shapes[array]), entry.span)


def _tiler(entry: Entry, fields: Mapping[str, Entry], repetition: Sizes, shape: Sizes) -> Tiler:
    """A tiler; without pattern and fitting it takes the whole array, without origin it starts at the first element."""
    rank = len(shape)
    pattern = fields["pattern"].sizes() if "pattern" in fields else shape
    if None in pattern:
        raise refused("a pattern is bounded", entry.span, "give a pattern, and pave the unbounded dimension")
    if repetition and "paving" not in fields:
        raise refused(f"'paving' is missing in {entry.name}", entry.span, "it says where each repetition starts")
    bounded = tuple(size for size in pattern if size is not None)
    return Tiler(
        fields["origin"].integers(rank) if "origin" in fields else (0,) * rank,
        fields["paving"].matrix(rank, len(repetition)) if "paving" in fields else ((),) * rank,
        _fitting(entry, fields, rank, len(bounded)),
        bounded,
        fields["wrap"].truth() if "wrap" in fields else False,
    )


def _fitting(entry: Entry, fields: Mapping[str, Entry], rank: int, columns: int) -> Matrix:
    if "fitting" in fields:
        return fields["fitting"].matrix(rank, columns)
    if columns not in {0, rank}:
        hint = f"write {rank} rows of {columns} numbers each"
        raise refused(f"'fitting' is missing in {entry.name}", entry.span, hint)
    return tuple(tuple(int(row == column) for column in range(columns)) for row in range(rank))


def _before(name: str, entry: Entry, repetition: Sizes) -> Before:
    fields = entry.fields(_BEFORE, _BEFORE)
    distance = fields["distance"].integers(len(repetition))
    if not any(distance):
        hint = "a repetition reads what another one wrote: one entry at least is not 0"
        raise refused("the distance is zero", fields["distance"].span, hint)
    return Before(name, fields["output"].word(), distance, _number(fields["initial"]), entry.span)


def _number(entry: Entry) -> str:
    text = entry.text()
    if not _NUMBER.fullmatch(text):
        raise refused(f"'{text}' is not a number", entry.span, "initial is what the first repetitions read")
    return text


def _check_before(before: tuple[Before, ...], outputs: tuple[Port, ...]) -> None:
    names = [port.name for port in outputs]
    for each in before:
        if each.output not in names:
            near = get_close_matches(each.output, names, 1)
            hint = f"did you mean {near[0]}?" if near else f"the outputs are {', '.join(names)}"
            raise refused(f"there is no output '{each.output}' here", each.span, hint)


def _check_names(entry: Entry, names: list[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise refused(f"{entry.name} has '{name}' twice", entry.span, "give each pattern and array its own name")


def _body(entry: Entry) -> Body:
    """A body: C text, or the function of a C file beside the specification."""
    if entry.is_single:
        return inline_body(*entry.literal_text())
    fields = entry.fields(("file", "function"), ("file", "function"))
    path = Path(entry.source.name).parent / fields["file"].text()
    try:
        source = read_source(path)
    except InputError as error:
        raise refused(error.diagnostics[0].message, fields["file"].span, "paths start at the specification") from None
    found = function_body(source, fields["function"].word(), fields["function"].span)
    return replace(found, file=fields["file"].text(), function=fields["function"].word())
