"""Reuse distances measured: the kernel runs for given parameters, compiled where there is a C compiler."""

from __future__ import annotations

from collections.abc import Mapping

from loadstone.locality.compiled import can_compile, count_compiled
from loadstone.locality.counter import Counts
from loadstone.locality.interpreted import count_interpreted
from loadstone.locality.order import Order, order_of
from loadstone.locality.profile import PairCount, Profile, default_size
from loadstone.locality.references import Reference, references_of
from loadstone.locality.run import Run
from loadstone.model.kernel import Kernel
from loadstone.poly.limits import LimitReached, operation_limit
from loadstone.simulate.memory import check_parameters
from loadstone.transform.tiling import TiledKernel

_NEVER = 2**63


def measure(
    program: Kernel | TiledKernel | Order,
    parameters: Mapping[str, int],
    *,
    size: int | None = None,
    line: int = 1,
    scalars: bool = False,
    seed: int = 0,
    compiled: bool | None = None,
) -> Profile:
    """The reuse distances of a kernel in its own order, that of a tiling, or another one, for given parameters.

    Reuses of at least `size` elements are long; by default `default_size` says so. Lines of `line` elements count as
    one element each. Scalars are registers and do not count, unless `scalars`. `seed` chooses the inputs of kernels
    whose accesses depend on data. `compiled` chooses C or the interpreter; by default C if there is a compiler.
    """
    order = order_of(program)
    check_parameters(order.kernel, parameters)
    references = references_of(order.kernel, scalars=scalars)
    run = Run(order, parameters, references, _NEVER if size is None else size, line, seed)
    in_c = can_compile() if compiled is None else compiled
    return _profile(_compiled(run) if in_c else count_interpreted(run), references, size)


def _compiled(run: Run) -> Counts:
    """The counts of a compiled run; interpreted where isl cannot generate its loops."""
    try:
        with operation_limit():
            return count_compiled(run)
    except LimitReached:
        return count_interpreted(run)


def _profile(counts: Counts, references: tuple[Reference, ...], asked: int | None) -> Profile:
    size = default_size(counts.cold) if asked is None else asked
    pairs = (
        PairCount(
            references[use],
            references[reuse],
            depth,
            tally.count,
            tally.total,
            tally.largest,
            tuple(tally.bins[: tally.largest.bit_length() + 1]),
            sum(tally.bins[size.bit_length() :]) if asked is None else tally.long,
        )
        for (use, reuse, depth), tally in sorted(counts.tallies.items())
    )
    return Profile(counts.cold, tuple(sorted(counts.distances.items())), tuple(pairs), size)
