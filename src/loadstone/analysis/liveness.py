"""Which elements matter before the kernel starts."""

from __future__ import annotations

import islpy as isl

from loadstone.analysis.dataflow import unwritten_reads
from loadstone.model.kernel import Kernel
from loadstone.poly import coalesced


def upward_exposed(kernel: Kernel) -> isl.UnionSet:
    """The elements whose value from before the kernel may be read (exact when the kernel is)."""
    return coalesced(unwritten_reads(kernel).range())


def live_in(kernel: Kernel) -> frozenset[str]:
    """The arrays that the kernel may read before it has written them."""
    exposed: set[str] = set()
    upward_exposed(kernel).foreach_set(lambda elements: exposed.add(elements.get_tuple_name()))
    return frozenset(name for name in exposed if kernel.arrays[name].initialised)
