"""The proof that a specification computes what another one does.

The kernels of both are compared by their dataflow, exactly: a bijection of instances, which the step gives, under which
equal operations read equal values (from the same writers, or from the same elements of inputs), write the same elements
of outputs, and overwrite each other in the same order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce

import islpy as isl

from loadstone.analysis import flow_of_reads, output
from loadstone.analysis.dataflow import unwritten_by
from loadstone.arrayol.change import Change, Move, Path
from loadstone.errors import Diagnostic, IllegalTransformation
from loadstone.frontend.arrayol.flat import Application, Elementary, arrays_of
from loadstone.frontend.arrayol.kernel import application_of, program_of
from loadstone.frontend.arrayol.specification import Specification
from loadstone.frontend.build import build_kernel
from loadstone.model.cases import with_cases
from loadstone.model.kernel import Kernel, Statement, union_of_maps
from loadstone.poly.names import names_of


@dataclass(frozen=True, slots=True, eq=False)
class _Side:
    """A specification as a kernel, and the task of each statement."""

    kernel: Kernel
    tasks: tuple[Elementary, ...]

    def statements(self) -> Iterator[tuple[Elementary, Statement]]:
        """Tasks and their statements."""
        return zip(self.tasks, self.kernel.statements, strict=True)


def _side(specification: Specification, moved: Sequence[Path]) -> _Side:
    """The tasks at some paths as a kernel; what the others touch is kept, and they stay as they are."""
    whole = application_of(specification)
    tasks = tuple(task for task in whole.tasks if any(task.path[: len(path)] == path for path in moved))
    others = tuple(task for task in whole.tasks if task not in tasks)
    touched = arrays_of(tasks)
    arrays = {name: array for name, array in whole.arrays.items() if name in touched}
    part = replace(whole, arrays=arrays, tasks=tasks, kept=frozenset(touched & arrays_of(others)))
    owners = [task for task in tasks for _ in _kernel(replace(part, tasks=(task,))).statements]
    return _Side(_kernel(part), tuple(owners))


def _kernel(application: Application) -> Kernel:
    return with_cases(build_kernel(program_of(application, application.name)))


def check_equal(old: Specification, change: Change) -> None:
    """Raise `IllegalTransformation` unless a step keeps all results."""
    before = _side(old, [move.old for move in change.moves])
    after = _side(change.specification, [move.new for move in change.moves])
    parts = list(_instances(before, after, change.moves))
    to_old = union_of_maps(after.kernel, (part.relation for part in parts))
    _check_bijection(to_old, before.kernel, after.kernel)
    for part in parts:
        _check_operation(part)
    _check_reads(to_old, before.kernel, after.kernel)
    _check_writes(to_old, before.kernel, after.kernel)


@dataclass(frozen=True, slots=True, eq=False)
class _Part:
    """Instances of a statement that are those of another one."""

    new: Statement
    old: Statement
    relation: isl.Map


def _instances(before: _Side, after: _Side, moves: Sequence[Move]) -> Iterator[_Part]:
    for task, new in after.statements():
        move = next((each for each in moves if task.path[: len(each.new)] == each.new), None)
        path = task.path if move is None else (*move.old, *task.path[len(move.new) :])
        for other, old in before.statements():
            if other.path == path and old.span == new.span:
                relation = _relation(task, new, old, move)
                relation = relation.intersect_domain(new.domain).intersect_range(old.domain)
                if not relation.is_empty():
                    yield _Part(new, old, relation)


def _relation(task: Elementary, new: Statement, old: Statement, move: Move | None) -> isl.Map:
    """Instances of a statement to those of the old one: counters around the moved task and in it stay."""
    move = move or Move((), (), (), (), ())
    around = [f"a{k}" for k in range(_rank_around(task, move))]
    rest = [f"i{k}" for k in range(len(new.iterators) - len(around) - len(move.new_counters))]
    parameters = ", ".join(names_of(new.domain.get_space()))
    ends = [
        f"{each.name}[{', '.join((*around, *counters, *rest))}]"
        for each, counters in ((new, move.new_counters), (old, move.old_counters))
    ]
    hidden = [name for name in _names(move) if name not in (*move.new_counters, *move.old_counters)]
    where = " and ".join(move.relation) or "1 = 1"
    where = f"exists {', '.join(hidden)} : {where}" if hidden else where
    return isl.Map(f"[{parameters}] -> {{ {' -> '.join(ends)} : {where} }}")


def _names(move: Move) -> list[str]:
    words = " ".join(move.relation).split()
    return list(dict.fromkeys(word for word in words if word.isidentifier()))


def _rank_around(task: Elementary, move: Move) -> int:
    """How many counters the compound tasks around a move have."""
    shared = min(len(move.old), len(move.new)) - 1
    return sum(level.rank for level in task.within[: max(shared, 0)])


def _refuse(reason: str) -> IllegalTransformation:
    return IllegalTransformation(Diagnostic(f"the results would change: {reason}"))


def _check_bijection(to_old: isl.UnionMap, before: Kernel, after: Kernel) -> None:
    if not (to_old.is_bijective() and to_old.domain().is_equal(after.domain)):
        raise _refuse("not every operation is one of the original")
    if not to_old.range().is_equal(before.domain):
        raise _refuse("an operation of the original is missing")


def _check_operation(part: _Part) -> None:
    if (part.new.value, part.new.condition) != (part.old.value, part.old.condition):
        raise _refuse(f"{part.new.name} computes something else")


def _check_reads(to_old: isl.UnionMap, before: Kernel, after: Kernel) -> None:
    flows = [flow_of_reads(kernel) for kernel in (before, after)]
    count = max((len(each.reads) for each in before.statements), default=0)
    for position in range(count):
        old, new = (
            _union(kernel, [f for (_, k), f in flow.items() if k == position])
            for kernel, flow in zip((before, after), flows, strict=True)
        )
        if not new.apply_domain(to_old).apply_range(to_old).is_equal(old):
            raise _refuse("a value comes from elsewhere")
        old, new = (_inputs(kernel, position) for kernel in (before, after))
        if not new.apply_domain(to_old).is_equal(old):
            raise _refuse("another element of an input is read")


def _inputs(kernel: Kernel, position: int) -> isl.UnionMap:
    """What the reads at a position see from before the kernel."""
    readers = [each for each in kernel.statements if position < len(each.reads)]
    return _union(kernel, [unwritten_by(kernel, each, position) for each in readers])


def _check_writes(to_old: isl.UnionMap, before: Kernel, after: Kernel) -> None:
    if not output(after).apply_domain(to_old).apply_range(to_old).is_equal(output(before)):
        raise _refuse("values overwrite each other in another order")
    old, new = (_results(kernel) for kernel in (before, after))
    if not new.apply_domain(to_old).is_equal(old):
        raise _refuse("another element of an output is written")


def _results(kernel: Kernel) -> isl.UnionMap:
    return kernel.accesses(lambda s: (s.write,) if kernel.arrays[s.write.array].live_out else ())


def _union(kernel: Kernel, maps: Sequence[isl.UnionMap]) -> isl.UnionMap:
    return reduce(isl.UnionMap.union, maps, isl.UnionMap.empty(kernel.context.get_space()))
