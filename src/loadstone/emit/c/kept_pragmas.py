"""Pragmas of the kernel's source in HLS output, where they still fit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from loadstone.analysis.hls_pragmas import PARTITIONS, buffer_pragmas, partition_problem, port_options
from loadstone.emit.c.code import Cells, External
from loadstone.emit.c.program import Program
from loadstone.model.expression import Constant
from loadstone.model.hls_pragma import HlsPragma

_BUFFER = "_local"


def kept_for_cells(program: Program, cells: Cells) -> Iterator[str]:
    """The pragmas for a local memory; those that do not fit it stand as comments with the reason."""
    array = next((name for name in program.kernel.arrays if cells.name == f"{program.names[name]}{_BUFFER}"), None)
    if array is None:
        return
    for pragma in buffer_pragmas(program.kernel, array, ("ARRAY_PARTITION", "BIND_STORAGE", "RESOURCE")):
        problem = _misfit(pragma, program.kernel.arrays[array].rank, cells)
        yield f"/* not kept: {pragma.text}: {problem} */" if problem else _respelled(pragma, cells.name)


def _misfit(pragma: HlsPragma, rank: int, cells: Cells) -> str | None:
    if pragma.directive != "ARRAY_PARTITION":
        return None
    if cells.banks > 1:
        return "the banks of lanes divide the buffer"
    problem = partition_problem(pragma, rank)
    if problem or rank == 1 or pragma.choice("type", PARTITIONS) != "cyclic":
        return problem
    row, factor = cells.sizes[-1] if cells.sizes else None, pragma.number("factor") or 1
    fits = isinstance(row, Constant) and row.value % factor == 0
    return None if fits else f"rows of the buffer are no multiples of {factor} words"


def _respelled(pragma: HlsPragma, name: str) -> str:
    """The pragma for a buffer, which has one dimension."""
    dimension = {"dim": "1"} if "dim" in pragma.options and pragma.options["dim"] != "0" else {}
    options = {**pragma.options, "variable": name, **dimension}
    words = (*pragma.words, *(f"{key}={value}" for key, value in options.items()))
    return f"#pragma HLS {pragma.directive.lower()} {' '.join(words)}"


def port_pragma(program: Program, array: External, fitted: Mapping[str, str]) -> str:
    """The pragma for an external array: by AXI in a bundle of its own, or in the one that the source names.

    `fitted` are options that fit the plan.
    """
    kept = port_options(program.kernel, program.kernel.arrays[array.arrays[0]].variable)
    if program.way == "network" and _is_shared(program, kept.get("bundle")):
        kept.pop("bundle")
    ways = (("read", array.read), ("write", array.written))
    bursts = {f"max_{way}_burst_length": "256" for way, is_used in ways if is_used}
    options = {
        "bundle": f"gmem_{array.name}",
        "offset": "slave",
        **({} if array.depth is None else {"depth": str(array.depth)}),
        **bursts,
        **fitted,
        **kept,
    }
    return f"#pragma HLS interface m_axi port={array.name} " + " ".join(f"{k}={v}" for k, v in options.items())


def _is_shared(program: Program, bundle: str | None) -> bool:
    """Whether several arrays name a bundle; the processes of a network need bundles of their own."""
    named = [port_options(program.kernel, name).get("bundle") for name in program.kernel.arrays]
    return bundle is not None and named.count(bundle) > 1
