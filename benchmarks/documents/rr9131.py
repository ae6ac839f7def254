"""Items of RR-9131, Improving Communication Patterns in Polyhedral Process Networks."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

import networks
from documents.items import Finding, Item, tested

RR = "RR-9131"
NETWORK = "tests/networks/test_network.py::"
SMALL = ("trmm", "gemm", "atax", "gesummv", "jacobi-1d")


@cache
def rows(names: tuple[str, ...]) -> tuple[networks.Row, ...]:
    """The networks of some kernels, in all tilings."""
    return tuple(networks.row_of(*task) for task in networks.tasks(names))


def table_1(names: Iterable[str]) -> Finding:
    """Channels that are FIFOs or become FIFOs."""
    found = rows(tuple(names))
    kernels = list(dict.fromkeys(row.kernel for row in found))
    whole = {name: networks.TABLE_1[name]["channels_before"] for name in kernels}
    known = sum(networks.TABLE_1[name]["fifo_split"] for name in kernels)
    best = [max((row for row in found if row.kernel == name), key=lambda row: row.depth.recovered) for name in kernels]
    channels = sum(row.before.channels for row in best)
    depth, ours = sum(row.depth.recovered for row in best), sum(row.complete.recovered for row in best)
    good = not list(networks.worse(found))
    return Finding(
        f"{known} of {sum(whole.values())} channels",
        f"{depth} of {channels} by depth, {ours} of {channels} completely",
        "reproduced" if good else "partly",
    )


def table_2(names: Iterable[str]) -> Finding:
    """Cells that the split adds."""
    found = rows(tuple(names))
    kernels = list(dict.fromkeys(row.kernel for row in found))
    fail, parts = (
        sum(networks.TABLE_2[name][key] for name in kernels) for key in ("size_fifo_fail", "size_fifo_split")
    )
    best = [max((row for row in found if row.kernel == name), key=lambda row: row.depth.recovered) for name in kernels]
    ours = sum(row.depth.fail for row in best), sum(row.depth.parts for row in best)
    return Finding(
        f"{networks.difference(fail, parts)} % more cells",
        f"{networks.difference(*ours)} % more cells by depth",
        "partly",
    )


REASON = (
    "the report tells neither tilings nor parameters; stencils tiled in time and one dimension are recovered by depth, "
    "tiled in all dimensions only completely"
)
ITEMS: tuple[Item, ...] = (
    Item(
        "9131/table 1",
        RR,
        "FIFOs before and after the split, 15 kernels",
        "python benchmarks/networks.py",
        lambda: table_1(networks.TABLE_1),
        reason=REASON,
    ),
    Item(
        "9131/table 1 small",
        RR,
        "the same, 5 kernels",
        f"python benchmarks/networks.py {' '.join(SMALL)}",
        lambda: table_1(SMALL),
        reason=REASON,
        quick=True,
    ),
    Item(
        "9131/table 2",
        RR,
        "cells before and after the split",
        "python benchmarks/networks.py",
        lambda: table_2(networks.TABLE_2),
        status="partly",
        reason="cells depend on tilings and parameters, which the report does not tell",
    ),
    tested(
        "9131/fifo",
        RR,
        "in-order, unicity, fifo",
        "3 predicates",
        NETWORK + "test_networks_of_examples",
        NETWORK + "test_networks_of_random_kernels",
    ),
    tested(
        "9131/SPLIT",
        RR,
        "SPLIT and FIFOIZE",
        "2 algorithms",
        NETWORK + "test_jacobi_of_the_report",
    ),
    tested(
        "9131/jacobi",
        RR,
        "Jacobi-1D: channels 4 to 6 split, sizes N, b1, b2",
        "(24, 4, 4)",
        NETWORK + "test_jacobi_of_the_report",
        NETWORK + "test_jacobi_is_split_into_at_most_three_fifos",
        reason="dependence (1, 1) needs 2 b1 at depth 2",
    ),
    tested(
        "9131/limits",
        RR,
        "dependences that the split fails on",
        "2 examples",
        NETWORK + "test_a_dependence_longer_than_a_tile_defeats_depths_alone",
        NETWORK + "test_every_fifo_that_tiling_broke_is_recovered",
        reason="the printed examples do not fail; (t, i) -> (t, i + 3) with b2 = 2 does, by depth; ours recovers it",
    ),
)
