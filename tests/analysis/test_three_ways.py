"""Original C, interpreted model and C printed from the model agree bit by bit; dependences agree with the trace."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

import loadstone as ls
from kernels import EXAMPLES, STYLED, random_kernel, tiny_parameters
from loadstone.analysis import Dependences, dependences, out_of_bounds
from loadstone.model.kernel import Kernel
from loadstone.poly.limits import LimitReached, operation_limit
from loadstone.simulate.interpreter import Trace, execute
from loadstone.simulate.memory import copied, initial_memory, live_out_arrays, mismatches
from loadstone.simulate.programs.compiled import CompiledKernel, compile_original, compile_printed
from oracle import flow_pairs, memory_pairs, relation_pairs

QUICK_SEEDS = (*range(60), *range(STYLED, STYLED + 12))
QUICK_MAY_SEEDS = range(25)
SWEEP_SEEDS = (*range(60, 1000), *range(STYLED + 12, STYLED + 500))
SWEEP_MAY_SEEDS = range(25, 300)
DEPENDENCE_LIMIT = 3_000_000


def compiled_both_ways(kernel: Kernel) -> dict[str, CompiledKernel]:
    original = {} if kernel.original is None else {"original": compile_original(kernel)}
    return {**original, "printed": compile_printed(kernel)}


def check_executions(
    kernel: Kernel, programs: Mapping[str, CompiledKernel], parameters: Mapping[str, int], seed: int
) -> Trace:
    start = initial_memory(kernel, parameters, seed)
    interpreted = copied(start)
    trace = execute(kernel, parameters, interpreted)
    for way, program in programs.items():
        memory = copied(start)
        program.run(parameters, memory)
        assert not mismatches(interpreted, memory, live_out_arrays(kernel)), f"{way} with {dict(parameters)}"
    return trace


def check_dependences(kernel: Kernel, found: Dependences, parameters: Mapping[str, int], trace: Trace) -> None:
    expected = {
        "flow": flow_pairs(trace),
        "anti": memory_pairs(trace, earlier_writes=False),
        "output": memory_pairs(trace, earlier_writes=True),
    }
    for kind, pairs in expected.items():
        symbolic = relation_pairs(getattr(found, kind), parameters)
        assert pairs == symbolic if kernel.exact else pairs <= symbolic, f"{kind} with {dict(parameters)}"


def check_kernel(kernel: Kernel, rows: Iterable[Mapping[str, int]], seed: int) -> None:
    programs = compiled_both_ways(kernel)
    try:
        with operation_limit(DEPENDENCE_LIMIT):
            found = dependences(kernel)
    except LimitReached:
        found = None
    for parameters in rows:
        trace = check_executions(kernel, programs, parameters, seed)
        if found is not None:
            check_dependences(kernel, found, parameters, trace)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_examples(path: Path) -> None:
    kernel = ls.parse(path)
    assert set(kernel.defaults) == set(kernel.parameters)
    assert not list(out_of_bounds(kernel))
    check_kernel(kernel, tiny_parameters(kernel), seed=1)


@pytest.mark.parametrize("seed", QUICK_SEEDS)
def test_random_kernels(seed: int) -> None:
    check_kernel(*random_kernel(seed), seed)


@pytest.mark.parametrize("seed", QUICK_MAY_SEEDS)
def test_random_kernels_beyond_affine(seed: int) -> None:
    check_kernel(*random_kernel(seed, may=True), seed)


@pytest.mark.sweep
@pytest.mark.parametrize("seed", SWEEP_SEEDS)
def test_random_kernels_sweep(seed: int) -> None:
    check_kernel(*random_kernel(seed), seed)


@pytest.mark.sweep
@pytest.mark.parametrize("seed", SWEEP_MAY_SEEDS)
def test_random_kernels_beyond_affine_sweep(seed: int) -> None:
    check_kernel(*random_kernel(seed, may=True), seed)


def test_an_unlimited_share_of_dependences_is_checked() -> None:
    """The operation limit must not hide the comparison: nearly all random kernels stay below it."""
    reached, seeds = 0, QUICK_SEEDS[::4]
    for seed in seeds:
        try:
            with operation_limit(DEPENDENCE_LIMIT):
                dependences(random_kernel(seed)[0])
        except LimitReached:
            reached += 1
    assert reached <= len(seeds) // 20
