"""Ports of HLS C++ that fit the plan: bursts as long as the runs of elements, requests in flight, width, depth."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from loadstone.emit.c.code import External
from loadstone.emit.c.program import Program
from loadstone.loops.accelerator import Accelerator
from loadstone.loops.description import bursts
from loadstone.model.kernel import Kernel
from loadstone.transfer.volumes import array_words

LATENCY = 64
"""Cycles that a request takes, as the tool assumes for kernels [UG1399, Default Settings of Vivado/Vitis Flows]."""
_PAGE_BYTES, _LONGEST, _MOST_REQUESTS, _WIDEST = 4096, 256, 16, 512

Runs = Mapping[tuple[str, str], tuple[int, int | None]]
"""The shortest and the longest run of elements, by array and direction; None where it grows with parameters."""


def runs_of(accelerator: Accelerator) -> Runs:
    """The runs of consecutive elements that tiles load and store."""
    scans = (("read", "load_scan", accelerator.loads), ("write", "store_scan", accelerator.stores))
    return {(scan.array, way): bursts(accelerator, scan, title) for way, title, found in scans for scan in found}


def port_options(program: Program, runs: Runs, parameters: Mapping[str, int]) -> dict[str, dict[str, str]]:
    """Options of the port of each external array; the testbench runs with the parameters."""
    return {each.name: dict(_options(program.kernel, each, runs, parameters)) for each in program.arrays}


def _options(
    kernel: Kernel, external: External, runs: Runs, parameters: Mapping[str, int]
) -> Iterator[tuple[str, str]]:
    sizes = [array_words(kernel.arrays[name], parameters) for name in external.arrays]
    if external.words is None and None not in sizes:
        yield "depth", str(-(-max(size for size in sizes if size is not None) // external.beat))
    yield "latency", str(LATENCY)
    found = {way: _longest(external, runs, way) for way, is_used in _ways(external) if is_used}
    for way, longest in found.items():
        yield f"max_{way}_burst_length", str(longest)
        yield f"num_{way}_outstanding", str(min(_MOST_REQUESTS, 1 + -(-LATENCY // longest)))
    yield "max_widen_bitwidth", str(_width(external, runs))


def _ways(external: External) -> tuple[tuple[str, bool], ...]:
    return ("read", external.read), ("write", external.written)


def _longest(external: External, runs: Runs, way: str) -> int:
    """The longest burst: a power of two that holds the longest run, within a page."""
    most = min(_LONGEST, _PAGE_BYTES * 8 // (external.bits * external.beat))
    known = [runs[name, way][1] for name in external.arrays if (name, way) in runs]
    if not known or None in known:
        return most
    beats = 1 + (max(size for size in known if size is not None) - 1) // external.beat + (external.beat > 1)
    return min(most, 1 << max(1, (beats - 1).bit_length()))


def _width(external: External, runs: Runs) -> int:
    """The bits to which a port may be widened: all runs must be whole words, so those of one length allow it."""
    if external.beat > 1:
        return external.bits * external.beat
    known = [runs[name, way] for name in external.arrays for way, _ in _ways(external) if (name, way) in runs]
    lengths = {length for run in known for length in run}
    if len(lengths) != 1 or None in lengths:
        return external.bits
    (length,) = lengths
    assert length is not None
    return min(_WIDEST, external.bits * (length & -length)) if length else external.bits
