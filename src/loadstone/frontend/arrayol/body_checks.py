"""What a body does with its patterns, found in it as a kernel of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import islpy as isl

from loadstone.errors import Diagnostic
from loadstone.frontend.arrayol.checks import box
from loadstone.frontend.arrayol.flat import Application, Elementary, Place
from loadstone.frontend.arrayol.specification import ArrayShape, Sizes
from loadstone.frontend.arrayol.sure_writes import element_of, without_sure_writes
from loadstone.frontend.arrayol.text import Pieces, declaration, patterns, rewritten
from loadstone.frontend.build import build_kernel
from loadstone.frontend.c.dialect import Dialect
from loadstone.frontend.c.preprocess import Preprocessed
from loadstone.frontend.c.program import read_dialect
from loadstone.model.kernel import Access, Kernel
from loadstone.poly.enumeration import sample_point
from loadstone.poly.flow import Order, ordered_pairs


def body_problems(task: Elementary, application: Application, types: Mapping[str, str]) -> Iterator[Diagnostic]:
    """Subscripts that leave patterns, and outputs that are not written, found in the body as a kernel of its own."""
    body = build_kernel(read_dialect(Dialect(_body_text(task, application, types)), task.name, task.name, {}))
    sizes = {name: _in_probe(place) for name, place in patterns(task).items()}
    for statement in body.statements:
        for access in (*statement.reads, statement.write):
            if access.array in sizes and access.exact:
                yield from _beyond(access, sizes[access.array])
        if statement.write.array in sizes and statement.write.array not in task.outputs:
            message = f"the body writes '{statement.write.array}', which is an input"
            yield Diagnostic(message, statement.write.span, "write outputs only")
    for name in task.outputs:
        yield from _unwritten(task, body, name, sizes[name])
        yield from _too_early(body, name)


def _in_probe(place: Place) -> Sizes:
    """The sizes of a pattern in the body alone; a single element is an array of one."""
    return place.pattern or (1,)


def _beyond(access: Access, sizes: Sizes) -> Iterator[Diagnostic]:
    """A subscript that leaves its pattern."""
    outside = access.relation.range().subtract(box(sizes).set_tuple_name(access.array))
    if not outside.is_empty():
        _, point = sample_point(outside)
        element = access.array + "".join(f"[{k}]" for k in point)
        hint = f"the pattern has the sizes {list(sizes)}"
        yield Diagnostic(f"the body uses {element}, which is not in the pattern", access.span, hint)


def _unwritten(task: Elementary, body: Kernel, name: str, sizes: Sizes) -> Iterator[Diagnostic]:
    """An element of an output that the body does not write, whatever its conditions are."""
    writers = [each for each in body.statements if each.write.array == name]
    missing = without_sure_writes(box(sizes).set_tuple_name(name), writers, body)
    if not missing.is_empty():
        _, point = sample_point(missing)
        element = name + "".join(f"[{k}]" for k in point)
        possible = any(element_of(each).intersect(missing).is_empty() is False for each in writers)
        verb = "may not write" if possible else "does not write"
        yield Diagnostic(f"the body of {task.name} {verb} {element}", task.outputs[name].span, "write it")


def _too_early(body: Kernel, name: str) -> Iterator[Diagnostic]:
    """A read of an output that comes before all that the body writes to it."""
    for statement in body.statements:
        for read in statement.reads:
            if read.array == name and not (unwritten := _unwritten_reads(body, read)).is_empty():
                _, point = sample_point(isl.Set.from_union_set(unwritten.range()))
                element = name + "".join(f"[{k}]" for k in point)
                message = f"the body reads {element} before it writes it"
                yield Diagnostic(message, read.span, "what an earlier repetition wrote comes in by output and distance")
                return


def _unwritten_reads(body: Kernel, read: Access) -> isl.UnionMap:
    """Reads of an output, sure or not, that no write, sure or not, comes before."""
    order, written = Order(body.schedule), body.accesses(lambda s: (s.write,) if s.write.array == read.array else ())
    reading = read.relation.to_union_map()
    before = ordered_pairs(written, reading, order)
    return reading.subtract(before.reverse().apply_range(written))


def _body_text(task: Elementary, application: Application, types: Mapping[str, str]) -> Preprocessed:
    """The body as a C function of its patterns."""
    pieces = Pieces()
    pieces.add_all(task.body.around)
    parameters = [
        declaration(name, ArrayShape(_in_probe(place), application.arrays[place.array].type, task.span), types)
        for name, place in patterns(task).items()
    ]
    single = {name: 0 for name, place in patterns(task).items() if not place.pattern}
    pieces.add(f"void {task.name}({', '.join(parameters)}) {{\n#pragma scop\n", task.span)
    pieces.add_all(rewritten(task.body.tokens, single, lambda name, _: f"{name}[0]"))
    pieces.add("\n#pragma endscop\n}\n", task.span)
    return pieces.preprocessed(task.span)
