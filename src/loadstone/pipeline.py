"""The whole compiler, top to bottom."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, TypeVar

from loadstone.analysis import Dependences, dependences
from loadstone.analysis.bounds import out_of_bounds
from loadstone.emit.c.hls import Flavour
from loadstone.errors import Diagnostic, InputError, UnsupportedError
from loadstone.loops import Node
from loadstone.loops.accelerator import Accelerator, predicted_words
from loadstone.model.kernel import Kernel
from loadstone.networks.build import make_network
from loadstone.networks.closed_forms import closed_form
from loadstone.networks.description import Closed, Size
from loadstone.networks.model import Channel, Network
from loadstone.networks.reuse import with_reuse
from loadstone.networks.sizes import occupancies, power_of_two
from loadstone.networks.split import split_by_depth, split_completely
from loadstone.poly.limits import DEFAULT_LIMIT, LimitReached, operation_limit
from loadstone.simulate.interpreter import execute
from loadstone.simulate.memory import Memory, copied, initial_memory, live_out_arrays, mismatches
from loadstone.simulate.programs.accelerated import compile_c, compile_hls
from loadstone.simulate.programs.compiled import CompiledKernel, compile_original, compile_printed, compile_reference
from loadstone.storage.handover import Mode
from loadstone.storage.local_plan import DEFAULT_DEPTH, LocalPlan, with_buffers
from loadstone.transfer import Plan, make_plan
from loadstone.transfer.coarse import coarse_arrays
from loadstone.transform.auto import auto_tiled, auto_would_work
from loadstone.transform.found import Goal, found_steps
from loadstone.transform.legality import check_legal, violation
from loadstone.transform.parallel import parallel_loops
from loadstone.transform.script import ScriptStep, parse_script, read_script
from loadstone.transform.sequence import Transformed, apply_steps, check_result
from loadstone.transform.sink import sunk
from loadstone.transform.step_syntax import Step
from loadstone.transform.temporaries import without_temporaries
from loadstone.transform.tiling import DEFAULT_SIZE, TiledKernel, Tiling, requested, tiled, untiled

T = TypeVar("T")
Split = Literal["none", "depth", "complete"]


def choose_tiling(
    kernel: Kernel, sizes: tuple[int, ...] | None = None, schedule: str | None = None, strip: int | None = None
) -> TiledKernel:
    """The kernel tiled as asked; what is not said is taken from the source, then from the defaults.

    Sizes given without a schedule belong to the loops as they stand, or to the schedule of the source if there is one.
    Where the loops as they stand cannot be tiled, statements behind inner loops join these, and values take the place
    of scalars that are set and used in one iteration, if that helps.
    """
    request = kernel.tiling
    if schedule is not None or request is None:
        return _tiled(kernel, Tiling(sizes or DEFAULT_SIZE, schedule, strip or 1))
    if request.schedule:
        return requested(kernel, request, sizes, strip)
    return _tiled(kernel, Tiling(sizes or request.sizes, None, strip or request.strip))


def transformed(
    kernel: Kernel,
    steps: str | Path | Iterable[Step],
    *,
    allow_illegal: bool = False,
    free_reductions: bool = False,
) -> Transformed:
    """The kernel after loop transformations: the text of a script, a file with one, or steps.

    Raises `IllegalTransformation` for a step that breaks a dependence, with `allow_illegal` only if the result does.
    """
    match steps:
        case str():
            asked: Iterable[Step | ScriptStep] = parse_script(steps)
        case Path():
            asked = read_script(steps)
        case _:
            asked = steps
    result = transform_kernel(kernel, asked, allow_illegal=allow_illegal, free_reductions=free_reductions)
    check_result(result)
    return result


def transform_kernel(
    kernel: Kernel,
    steps: Iterable[Step | ScriptStep],
    *,
    allow_illegal: bool = False,
    free_reductions: bool = False,
    limit: int | None = None,
) -> Transformed:
    """The kernel after steps, legal or not; without `allow_illegal` up to the first step that is not."""
    return within_limit(
        "the legality of the steps",
        limit,
        lambda: apply_steps(kernel, steps, allow_illegal=allow_illegal, free_reductions=free_reductions),
    )


def parallel_loops_of(result: Transformed, limit: int | None = None) -> tuple[str, ...]:
    """The loops of a legal result whose iterations may run at the same time."""
    base = result.program.base
    return within_limit("which loops are parallel", limit, lambda: parallel_loops(result.program, dependences(base)))


def automatic_steps(kernel: Kernel, goal: Goal, limit: int | None = None) -> tuple[Step, ...]:
    """Steps that bring a kernel towards a goal, found by isl's scheduler."""
    known = within_limit("the dependences", limit, lambda: dependences(kernel))
    return found_steps(kernel, known, goal)


def plan(
    kernel: Kernel,
    tiling: Tiling | None = None,
    *,
    depth: int = DEFAULT_DEPTH,
    keep_dead_stores: bool = False,
    power_of_two: bool = False,
    strips: Mode = "overlap",
) -> LocalPlan:
    """The load/store plan of a kernel with its local memories; without a tiling, of the one its source asks for.

    `strips` says whether a strip should be loaded while the one before is computed and stored, where that is possible.
    """
    tiles = choose_tiling(kernel) if tiling is None else _tiled(kernel, tiling)
    moved = plan_tiles(tiles, keep_dead_stores=keep_dead_stores)
    return with_buffers(moved, depth, power_of_two=power_of_two, strips=strips)


def network(
    kernel: Kernel,
    tiling: Tiling | None = None,
    *,
    split: Split = "complete",
    compute_only: bool = False,
    reuse: bool = False,
) -> Network:
    """The process network of a kernel; without a tiling, of the one its source asks for, else in its original order."""
    asked = choose_tiling(kernel) if kernel.tiling else untiled(kernel)
    tiles = asked if tiling is None else _tiled(kernel, tiling)
    check_tiling(tiles)
    return split_network(whole_network(tiles, compute_only=compute_only), split, reuse=reuse)


def whole_network(tiles: TiledKernel, *, compute_only: bool = False, limit: int | None = None) -> Network:
    """The network of a legal tiling, each channel whole; `compute_only` leaves load and store processes out."""
    made = within_limit("the flow of values", limit, lambda: make_network(tiles))
    return made.without_transfers() if compute_only else made


def split_network(whole: Network, split: Split, *, reuse: bool = False) -> Network:
    """The network with channels that are out of order split: by depth, completely, or not at all.

    With `reuse`, values that are read several times are handed on from reader to reader: where that gives FIFOs, or
    everywhere if channels are split afterwards.
    """
    reusing = with_reuse(whole, only_fifos=split == "none") if reuse else whole
    match split:
        case "none":
            return reusing
        case "depth":
            return split_by_depth(reusing)
        case "complete":
            return split_completely(reusing)


def channel_sizes(
    network: Network,
    parameters: Mapping[str, int] | None,
    *,
    round_up: bool = False,
    known: Mapping[str, Size] | None = None,
) -> dict[str, Size]:
    """The values that channels hold at most: numbers for given parameters, else closed forms where there are any.

    Closed forms may be upper bounds; `known` are those of channels that have not been split. `round_up` makes powers of
    two of numbers.
    """
    if parameters is None:
        kept = known or {}
        return {c.id: kept[c.id] if c.id in kept else _closed_size(network, c) for c in network.channels}
    values = occupancies(network, parameters)
    return {name: power_of_two(number) if round_up else number for name, number in values.items()}


def _closed_size(network: Network, channel: Channel) -> Size:
    form = closed_form(network, channel)
    return None if form is None else Closed(*form)


def _tiled(kernel: Kernel, tiling: Tiling) -> TiledKernel:
    if tiling.schedule == "auto":
        return _automatically_tiled(kernel, tiling)
    asked = tiled(kernel, tiling)
    if tiling.schedule is not None:
        return asked
    return next(filter(is_legal, _ways_to_tile(kernel, tiling)), asked)


def _automatically_tiled(kernel: Kernel, tiling: Tiling) -> TiledKernel:
    """The kernel with a tiling that isl found, without temporaries if there is none with them."""
    known = dependences(kernel)
    simpler = kernel if auto_would_work(kernel, tiling, known) else without_temporaries(kernel)
    return auto_tiled(simpler, tiling, known if simpler is kernel else dependences(simpler))


def _ways_to_tile(kernel: Kernel, tiling: Tiling) -> Iterator[TiledKernel]:
    """Tilings of the loops as they stand, those first that change less."""
    yield tiled(kernel, tiling)
    yield sunk(tiled(kernel, tiling))
    simpler = without_temporaries(kernel)
    if simpler is not kernel:
        yield tiled(simpler, tiling)
        yield sunk(tiled(simpler, tiling))


def is_legal(tiles: TiledKernel) -> bool:
    """Whether the tiling surely respects all dependences: what cannot be decided within the limit is not legal."""
    try:
        with operation_limit(DEFAULT_LIMIT):
            return violation(tiles, dependences(tiles.kernel)) is None
    except LimitReached:
        return False


def plan_tiles(tiles: TiledKernel, *, keep_dead_stores: bool = False, limit: int | None = None) -> Plan:
    """The plan of a tiling, after its legality; approximated where the exact one would exceed the operation limit."""
    check_tiling(tiles, limit)
    try:
        with operation_limit(limit or DEFAULT_LIMIT):
            return make_plan(tiles, keep_dead_stores=keep_dead_stores)
    except LimitReached as reached:
        return Plan(tiles, coarse_arrays(tiles), False, f"the exact plan needs {reached}")


def check_tiling(tiles: TiledKernel, limit: int | None = None) -> None:
    """Raise `IllegalTransformation` unless the tiling respects all dependences."""
    known = within_limit("the dependences", limit, lambda: dependences(tiles.kernel))
    within_limit("the legality of the tiling", limit, lambda: check_legal(tiles, known, lambda: _advice(tiles, known)))


def _advice(tiles: TiledKernel, known: Dependences) -> str:
    """What to do about an illegal tiling."""
    strip = min(tiles.strip, 1)
    if auto_would_work(tiles.kernel, Tiling(max(tiles.sizes), None, strip), known):
        return "--schedule auto finds a legal one"
    return "give another schedule with --schedule, or tiles of size 1 in the dimension that runs backwards"


def within_limit(what: str, limit: int | None, compute: Callable[[], T]) -> T:
    """The result of a computation, or an error when it needs too many operations."""
    try:
        with operation_limit(limit or DEFAULT_LIMIT):
            return compute()
    except LimitReached as reached:
        hint = "allow more with --limit, or simplify bounds and subscripts"
        raise UnsupportedError(Diagnostic(f"{what} cannot be decided: {reached}", None, hint)) from None


def compare_executions(
    kernel: Kernel, parameters: Mapping[str, int], seed: int = 0, loops: Node | None = None
) -> dict[str, Any]:
    """The outcome of running a kernel as its own C (if it is C), as the model, and as C printed from the model.

    `loops` are those to print, by default in the kernel's own order.
    """
    start = initial_memory(kernel, parameters, seed)
    outputs = live_out_arrays(kernel)
    interpreted = copied(start)
    try:
        trace = execute(kernel, parameters, interpreted)
    except IndexError as error:
        raise InputError(Diagnostic(f"the kernel leaves an array: {error}", None, "see the warnings of info")) from None
    ways: dict[str, int] = {}
    for way, program in _compiled_ways(kernel, loops):
        memory = copied(start)
        program.run(parameters, memory)
        ways[way] = len(mismatches(interpreted, memory, outputs))
    return {
        "kernel": kernel.name,
        "parameters": dict(parameters),
        "instances": len({event.time for event in trace}),
        "match": not any(ways.values()),
        "mismatches": sum(ways.values()),
        "ways": ways,
        "outputs": {name: len(start[name].cells) for name in outputs},
    }


def _compiled_ways(kernel: Kernel, loops: Node | None) -> Iterator[tuple[str, CompiledKernel]]:
    if kernel.original is not None:
        yield "original C", compile_original(kernel)
    yield "printed C", compile_printed(kernel, loops)


def run_accelerator(
    accelerator: Accelerator,
    parameters: Mapping[str, int],
    *,
    target: str = "c",
    flavour: Flavour = "vitis",
    seed: int = 0,
    checked: bool = False,
    sequential: bool = False,
) -> dict[str, Any]:
    """The outcome of running the generated accelerator against the original program on the same data."""
    kernel = accelerator.kernel
    expected, actual = trial(kernel, parameters, seed)
    if target == "hls":
        program = compile_hls(accelerator, flavour, parameters)
    else:
        program = compile_c(accelerator, checked=checked, sequential=sequential)
    words = program.run(parameters, actual)
    outputs = live_out_arrays(kernel)
    wrong = len(mismatches(expected, actual, outputs))
    loaded, stored = predicted_words(accelerator, parameters)
    return {
        "target": target,
        "kernel": kernel.name,
        "parameters": dict(parameters),
        "match": wrong == 0,
        "mismatches": wrong,
        "outputs": {name: len(expected[name].cells) for name in outputs},
        "loaded": words.loaded,
        "stored": words.stored,
        "predicted": {"loaded": loaded, "stored": stored},
    }


def trial(kernel: Kernel, parameters: Mapping[str, int], seed: int = 0) -> tuple[Memory, Memory]:
    """What the original program leaves of generated data, and the same data before a run."""
    start = initial_memory(kernel, parameters, seed)
    check_in_bounds(kernel, parameters)
    expected = copied(start)
    compile_reference(kernel).run(parameters, expected)
    return expected, start


def is_right(outcome: Mapping[str, Any]) -> bool:
    """Whether a run gave the memory of the original program and moved the words that were predicted, if any were.

    What computes no data has no `match`.
    """
    moved = {key: outcome.get(key) for key in ("loaded", "stored")}
    return bool(outcome.get("match", True)) and outcome.get("predicted") in (None, moved)


def check_in_bounds(kernel: Kernel, parameters: Mapping[str, int]) -> None:
    """Raise `InputError` where an access surely leaves its array for these parameters."""
    finding = next(out_of_bounds(kernel, parameters), None)
    if finding is not None:
        raise InputError(Diagnostic(f"the kernel leaves an array: {finding.text()}", finding.span))
