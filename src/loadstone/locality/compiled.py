"""Reuse distances counted by a compiled run."""

from __future__ import annotations

import ctypes

from loadstone.errors import Diagnostic, InputError, ToolError, UnsupportedError
from loadstone.locality.counter import Counts, Tally
from loadstone.locality.program import DIVISION, ENTRY, OUTSIDE, emit_program, is_steered
from loadstone.locality.run import DIVISION_HINT, Run
from loadstone.model.types import ctypes_type
from loadstone.simulate.memory import Memory, initial_memory
from loadstone.simulate.programs.compiled import CompiledKernel, Sources, compiler

MOST_CELLS = 2**31
_FLAGS = ("-std=gnu11", "-O2", "-w")
_BINS = 65
_OnDistance = ctypes.CFUNCTYPE(None, ctypes.c_uint64, ctypes.c_uint64)
_OnTally = ctypes.CFUNCTYPE(None, ctypes.c_uint32, ctypes.c_uint32, ctypes.c_int, ctypes.POINTER(ctypes.c_uint64))


def can_compile() -> bool:
    """Whether there is a C compiler."""
    try:
        compiler()
    except ToolError:
        return False
    return True


def count_compiled(run: Run) -> Counts:
    """The counts of a run; raises `LimitReached` where isl cannot generate its loops."""
    if run.cells > MOST_CELLS:
        raise UnsupportedError(Diagnostic(f"the arrays have {run.cells} elements", None, "give smaller parameters"))
    program = Sources({"kernel.c": emit_program(run)}, ["kernel.c"], _FLAGS)
    memory = initial_memory(run.kernel, run.parameters, run.seed) if is_steered(run.kernel) else {}
    return _CompiledCounter(run.kernel, program, ENTRY).count(run, memory)


class _CompiledCounter(CompiledKernel):
    """A shared library that counts the accesses of its kernel."""

    def count(self, run: Run, memory: Memory) -> Counts:
        """The counts of one execution on a memory; none of its values are kept."""
        cells = [(ctypes_type(b.type) * max(1, len(b.cells)))(*b.cells) for b in memory.values()]
        pointers = (ctypes.c_void_p * max(1, len(cells)))(*(ctypes.addressof(part) for part in cells))
        found = Counts()
        deep = (*run.depths, run.order.length)

        def on_tally(use: int, reuse: int, depth: int, numbers: ctypes.Array[ctypes.c_uint64]) -> None:
            count, total, largest, longer, *bins = numbers[: 4 + _BINS]
            found.tallies[use, reuse, deep[depth]] = Tally(count, total, largest, longer, bins)

        cold = ctypes.c_uint64()
        reports = (_OnDistance(found.distances.__setitem__), _OnTally(on_tally))
        _check(self._entry(pointers, ctypes.c_uint64(run.size), ctypes.byref(cold), *reports), run)
        found.cold = cold.value
        return found


def _check(status: int, run: Run) -> None:
    """Raise the error that the status of a run stands for."""
    if status >= OUTSIDE:
        region = tuple(run.regions.values())[status - OUTSIDE]
        message = f"the kernel leaves an array: {region.array} has the extents {list(region.extents)}"
        raise InputError(Diagnostic(message, None, "see the warnings of info"))
    if status == DIVISION:
        raise InputError(Diagnostic("the kernel divides by zero", None, DIVISION_HINT))
    if status:
        raise UnsupportedError(Diagnostic("there is not enough memory", None, "give smaller parameters"))
