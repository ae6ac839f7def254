"""A specification as YAML again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from loadstone.frontend.arrayol.document import INFINITE
from loadstone.frontend.arrayol.specification import ArrayShape, Before, Body, Matrix, Port, Sizes, Specification, Task
from loadstone.frontend.arrayol.text import indented

_STEP = "  "


def yaml_text(specification: Specification) -> str:
    """The YAML that a specification is read from."""
    lines = [f"application: {specification.name}", "arrays:"]
    lines += _indented(_arrays(specification.arrays))
    lines += ["tasks:", *_indented(line for task in specification.tasks for line in _task(task))]
    return "\n".join((*lines, ""))


def _indented(lines: Iterator[str] | Sequence[str]) -> Iterator[str]:
    return (f"{_STEP}{line}".rstrip() for line in lines)


def _arrays(arrays: Mapping[str, ArrayShape]) -> Iterator[str]:
    for name, array in arrays.items():
        yield f"{name}: {{shape: {sizes_text(array.sizes)}, type: {array.type}}}"


def sizes_text(sizes: Sizes) -> str:
    """Sizes as the document has them."""
    return f"[{', '.join(INFINITE if size is None else str(size) for size in sizes)}]"


def _task(task: Task) -> Iterator[str]:
    yield f"{task.name}:"
    yield from _indented(list(_inside(task)))


def _inside(task: Task) -> Iterator[str]:
    if task.repetition:
        yield f"repetition: {sizes_text(task.repetition)}"
    inputs = [*(_port(port) for port in task.inputs), *map(_before, task.before)]
    if inputs:
        yield "inputs:"
        yield from _indented(inputs)
    yield "outputs:"
    yield from _indented([_port(port) for port in task.outputs])
    if task.arrays:
        yield "arrays:"
        yield from _indented(_arrays(task.arrays))
    if task.body is not None:
        yield from _body(task.body)
    else:
        yield "tasks:"
        yield from _indented([line for each in task.tasks for line in _task(each)])


def _port(port: Port) -> str:
    tiler = port.tiler
    rank, columns = len(tiler.origin), len(tiler.pattern)
    parts = [f"array: {port.array}", f"pattern: {list(tiler.pattern)}"]
    parts += [f"origin: {list(tiler.origin)}"] if any(tiler.origin) else []
    parts += [f"paving: {_matrix(tiler.paving)}"] if tiler.paving and tiler.paving[0] else []
    plain = tuple(tuple(int(row == column) for column in range(columns)) for row in range(rank))
    parts += [f"fitting: {_matrix(tiler.fitting)}"] if columns and (columns != rank or tiler.fitting != plain) else []
    parts += ["wrap: true"] if tiler.wraps else []
    return f"{port.name}: {{{', '.join(parts)}}}"


def _matrix(matrix: Matrix) -> str:
    return str([list(row) for row in matrix])


def _before(before: Before) -> str:
    distance = list(before.distance)
    return f"{before.name}: {{output: {before.output}, distance: {distance}, initial: {before.initial}}}"


def _body(body: Body) -> Iterator[str]:
    if body.function:
        yield f"body: {{file: {body.file}, function: {body.function}}}"
        return
    yield "body: |"
    yield from _indented(indented(body_text(body)))


def body_text(body: Body) -> str:
    """The C of a body."""
    return "".join(token.text for token in body.tokens)
