"""Channels are as large as enumeration says, and networks of that size run to the end with the right memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

import loadstone as ls
from kernels import EXAMPLES, ROOT, random_kernel, tiny_parameters
from loadstone.errors import UnsupportedError
from loadstone.model.kernel import Kernel
from loadstone.networks.build import make_network
from loadstone.networks.closed_forms import closed_form
from loadstone.networks.contraction import enumerated_mapping
from loadstone.networks.model import Channel, Network
from loadstone.networks.reuse import with_reuse
from loadstone.networks.sizes import ChannelSize, occupancies, power_of_two, sized
from loadstone.networks.split import split_by_depth, split_completely
from loadstone.networks.value_lifetimes import Life, lives, sequential_ranks
from loadstone.poly import fixed, pairs
from loadstone.poly.enumeration import Point
from loadstone.poly.names import parameter_point
from loadstone.simulate.interpreter import execute
from loadstone.simulate.memory import copied, initial_memory, live_out_arrays, mismatches
from loadstone.simulate.networks.execution import Blocked, NetworkRun, run_network
from loadstone.simulate.networks.tune import tune
from loadstone.storage.lattice import Modular
from loadstone.transform.tiling import Tiling, tiled
from tilings import example_tilings, random_tilings

NAMES = "matmul polymul fir jacobi1d_sa jacobi-1d atax gesummv gemm trmm cholesky lu"
CHOSEN = [next(path for path in EXAMPLES if path.stem == name) for name in NAMES.split()]
SEEDS = (2, 4, 5, 13, 14, 15)
MANY_SEEDS = range(10, 300)
Parameters = Mapping[str, int]


def all_reads_once(network: Network) -> Network:
    return split_completely(with_reuse(network, only_fifos=False))


def whole(network: Network) -> Network:
    return network


VARIANTS: tuple[Callable[[Network], Network], ...] = (
    whole,
    split_by_depth,
    split_completely,
    with_reuse,
    all_reads_once,
)


@cache
def example_network(path: Path) -> Network:
    kernel = ls.parse(path)
    return make_network(next(example_tilings(kernel)))


def parsed(text: str) -> Kernel:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "kernel.c"
        path.write_text(text)
        return ls.parse(path)


def largest_parameters(network: Network, count: int) -> list[dict[str, int]]:
    return list(tiny_parameters(network.tiles.kernel))[-count:]


def random_networks(seed: int) -> Iterator[tuple[Network, list[dict[str, int]]]]:
    """The network of a random kernel, if it has one, and parameters to try it with."""
    kernel, parameters = random_kernel(seed)
    for tiles in random_tilings(kernel, seed, (1,)):
        try:
            network = make_network(tiles)
        except UnsupportedError:
            return
        yield network, [p for p in parameters if not fixed(kernel.context, p).is_empty()][-2:]


def counted_occupancy(network: Network, channel: Channel, parameters: Parameters) -> int:
    """The definition, step by step: at each date first the last reads, then the write."""
    writing = dict(pairs(fixed(network.producer(channel).dates, parameters)))
    reading = dict(pairs(fixed(network.consumer(channel).dates, parameters)))
    reads: dict[Point, set[Point]] = {}
    for source, target in pairs(fixed(channel.relation, parameters)):
        reads.setdefault(writing[source], set()).add(reading[target])
    present: set[Point] = set()
    most = 0
    for date in sorted({*reads, *(date for dates in reads.values() for date in dates)}):
        present = {value for value in present if max(reads[value]) != date}
        present |= {date} & set(reads)
        most = max(most, len(present))
    return most


def check_occupancies(network: Network, parameters: Parameters) -> None:
    found = occupancies(network, parameters)
    for channel in network.channels:
        assert found[channel.id] == counted_occupancy(network, channel, parameters), channel.id


def values_of(network: Network, channel: Channel, parameters: Parameters) -> dict[Point, Life]:
    return lives(channel, sequential_ranks(network.processes.values(), parameters), parameters)


def check_cells(mapping: Modular, values: Mapping[Point, Life]) -> None:
    """No value is written to the cell of one that is still to be read."""
    busy: dict[tuple[int, ...], int] = {}
    for value, life in sorted(values.items(), key=lambda item: item[1].start):
        cell = mapping.cell_of(value)
        assert busy.get(cell, -1) <= life.start, (mapping, value)
        busy[cell] = life.end


def check_reorder_buffers(network: Network, parameters: Parameters) -> None:
    for name, size in sized(network, parameters).items():
        channel = next(c for c in network.channels if c.id == name)
        assert (size.mapping is None) == channel.pattern.startswith("fifo")
        assert max(1, size.values) <= size.cells
        if size.mapping is not None:
            values = values_of(network, channel, parameters)
            check_cells(size.mapping, values)
            check_cells(enumerated_mapping(values, size.values), values)


def run_with(network: Network, parameters: Parameters, sizes: Mapping[str, ChannelSize]) -> tuple[NetworkRun, int]:
    """The outcome of a run, and how many elements are wrong."""
    kernel = network.tiles.kernel
    actual = initial_memory(kernel, parameters)
    expected = copied(actual)
    execute(kernel, parameters, expected)
    run = run_network(network, parameters, actual, sizes)
    return run, len(mismatches(expected, actual, live_out_arrays(kernel)))


def check_run(network: Network, parameters: Parameters) -> None:
    sizes = sized(network, parameters)
    run, wrong = run_with(network, parameters, sizes)
    assert run.finished, run.blocked
    assert wrong == 0
    assert all(run.fills[name] <= size.cells for name, size in sizes.items())


def check_closed_forms(network: Network, parameters: list[dict[str, int]], channels: int) -> int:
    """The number of channels, of the first few, that have a closed form, all of which must be right."""
    found = 0
    for channel in network.channels[:channels]:
        form = closed_form(network, channel)
        if form is not None:
            found += 1
            polynomial, exact = form
            for chosen in parameters:
                point = parameter_point(chosen).align_params(polynomial.get_domain_space().params()).sample_point()
                size, most = polynomial.eval(point), occupancies(network, chosen)[channel.id]
                assert size.to_python() == most if exact else size.floor().to_python() >= most, (channel.id, chosen)
    return found


@pytest.mark.parametrize("path", CHOSEN, ids=lambda p: p.stem)
def test_occupancy_is_the_number_of_values_in_the_channel(path: Path) -> None:
    network = example_network(path)
    for variant in (whole, split_completely):
        check_occupancies(variant(network), largest_parameters(network, 1)[0])


@pytest.mark.parametrize("path", CHOSEN, ids=lambda p: p.stem)
def test_reorder_buffers_keep_values_that_are_alive_apart(path: Path) -> None:
    network = example_network(path)
    check_reorder_buffers(network, largest_parameters(network, 1)[0])


def test_a_reorder_buffer_is_folded() -> None:
    network = example_network(ROOT / "examples" / "matmul.c")
    partial_sums = next(c for c in network.channels if c.producer == c.consumer)
    size = sized(network, {"n": 9})[partial_sums.id]
    assert occupancies(network, {"n": 9})[partial_sums.id] == size.values == size.cells == 6


def test_values_that_are_too_many_to_compare_are_not_folded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("loadstone.networks.contraction.MOST_CONFLICTS", 0)
    values = {(1, 5): Life(0, 1), (3, 4): Life(2, 3)}
    assert enumerated_mapping(values, 1) == Modular(((1, 0), (0, 1)), (3, 2))
    assert enumerated_mapping({}, 0).cells == 1


@pytest.mark.parametrize("name", ["polymul", "matmul", "atax", "jacobi1d_sa"])
def test_closed_forms_are_right_where_they_exist(name: str) -> None:
    network = split_completely(example_network(next(path for path in EXAMPLES if path.stem == name)))
    found = check_closed_forms(network, largest_parameters(network, 4), len(network.channels))
    assert 2 * found > len(network.channels)


def test_a_closed_form_that_is_known() -> None:
    network = example_network(ROOT / "examples" / "polymul.c")
    loaded = next(c for c in network.channels if c.array == "a")
    form = closed_form(network, loaded)
    assert form is not None
    assert form[1]
    assert form[0].to_str() == "[N] -> { (1 + N) : N >= 0 }"


def test_sizes_are_rounded_up_to_powers_of_two() -> None:
    assert [power_of_two(size) for size in (0, 1, 2, 3, 4, 5, 513)] == [1, 1, 2, 4, 4, 8, 1024]


STENCIL = """
#pragma scop
for (int t = 1; t <= 16; t++)
  for (int i = 1; i <= 24; i++)
    S: a[t][i] = a[t - {0}][i - {1}] + 1;
#pragma endscop
"""
ROWS = [
    ((1, 1), (2, 2), 24, [23, 4, 0]),
    ((1, 0), (2, 2), 24, [24, 2, 1]),
    ((1, -1), (2, 2), 23, [23, 0, 2]),
    ((1, 1), (4, 4), 24, [23, 8, 4]),
    ((1, 0), (4, 4), 24, [24, 4, 4]),
    ((1, -1), (4, 4), 23, [23, 0, 4]),
]


@pytest.mark.parametrize(("dependence", "sizes", "original", "split"), ROWS)
def test_occupancies_of_the_report(
    dependence: tuple[int, int], sizes: tuple[int, int], original: int, split: list[int]
) -> None:
    text = f"void k(double a[18][28])\n{{\n{STENCIL.format(*dependence)}\n}}\n".replace("- -", "+ ")
    kernel = parsed(text)
    before = make_network(tiled(kernel, Tiling((1, 1), "{ S[t, i] -> [t, i] }")))
    after = split_by_depth(make_network(tiled(kernel, Tiling(sizes, "{ S[t, i] -> [t, t + i] }"))))
    assert [occupancies(before, {})[c.id] for c in before.channels if c.producer == c.consumer == "S"] == [original]
    found = {c.depth: occupancies(after, {})[c.id] for c in after.channels if c.producer == c.consumer == "S"}
    assert [found.get(depth, 0) for depth in (1, 2, 3)] == split


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("path", CHOSEN, ids=lambda p: p.stem)
def test_networks_compute_what_the_program_does(path: Path, variant: Callable[[Network], Network]) -> None:
    network = variant(example_network(path))
    check_run(network, largest_parameters(network, 1)[0])


def check_everything(network: Network, parameters: Parameters) -> None:
    check_occupancies(network, parameters)
    check_reorder_buffers(network, parameters)
    check_run(network, parameters)


@pytest.mark.parametrize("seed", SEEDS)
def test_random_kernels(seed: int) -> None:
    for network, parameters in random_networks(seed):
        for variant in (whole, all_reads_once):
            check_everything(variant(network), parameters[-1])


def test_reuse_leaves_no_channel_that_is_read_several_times() -> None:
    network = with_reuse(example_network(ROOT / "examples" / "matmul.c"), only_fifos=False)
    assert {c.pattern for c in network.channels} <= {"fifo", "reorder"}
    forwarding = [c for c in network.channels if c.forwards]
    assert [(c.id, c.split_from, c.producer, c.consumer, c.array, c.read) for c in forwarding] == [
        ("c2.reuse", "c2", "S0", "S0", "a", 1),
        ("c3.reuse", "c3", "S0", "S0", "b", 2),
    ]


def test_a_value_read_in_a_row_is_reused_through_one_place() -> None:
    text = """void k(int n, double a[n], double b[n][n]) {
#pragma scop
for (int i = 0; i < n; i++) for (int j = 0; j < n; j++) S: b[i][j] = a[i] + j;
#pragma endscop
}"""
    network = make_network(tiled(parsed(text), Tiling((1, 9))))
    reused = with_reuse(network)
    loaded = [c for c in reused.channels if c.array == "a"]
    assert [(c.id, c.pattern) for c in loaded] == [("c1.first", "fifo"), ("c1.reuse", "fifo")]
    assert occupancies(reused, {"n": 9}) == {"c1.first": 1, "c1.reuse": 1, "c2": 1}
    check_run(reused, {"n": 9})


COPY = """void k(int n, double a[n], double b[n]) {
#pragma scop
for (int i = 0; i < n; i++) S: b[i] = a[i];
#pragma endscop
}"""


def test_a_value_takes_one_cycle_and_so_does_a_place() -> None:
    network = make_network(tiled(parsed(COPY), Tiling((4,))))
    cycles = [_copy_cycles(network, 10, ChannelSize(size, size)) for size in (1, 2, 3)]
    assert cycles == [2 * 10 + 1, 10 + 2, 10 + 2]
    run, _ = run_with(network, {"n": 10}, {})
    assert run.cycles == 10 + 2
    assert run.stalls == {"load_a": 0, "S": 1, "store_b": 2}
    assert run.fills == {"c1": 2, "c2": 2}
    assert run.instances == 30


def _copy_cycles(network: Network, n: int, size: ChannelSize) -> int:
    run, wrong = run_with(network, {"n": n}, {c.id: size for c in network.channels})
    assert run.finished
    assert wrong == 0
    return run.cycles


OVERWRITE = """void k(int n, double a[n], double b[n]) {
#pragma scop
for (int i = 0; i < n; i++) R: b[i] = a[n - 1 - i];
for (int i = 0; i < n; i++) W: a[i] = i;
#pragma endscop
}"""


def test_values_are_loaded_from_the_memory_as_it_was() -> None:
    network = make_network(tiled(parsed(OVERWRITE), Tiling((1, 4))))
    run, wrong = run_with(network, {"n": 8}, sized(network, {"n": 8}))
    assert run.finished
    assert wrong == 0


def test_a_deadlock_names_the_processes_and_what_they_wait_for() -> None:
    network = example_network(ROOT / "examples" / "matmul.c")
    sizes = sized(network, {"n": 6})
    run, _ = run_with(network, {"n": 6}, {**sizes, "c4": ChannelSize(1, 1)})
    assert not run.finished
    assert run.blocked["S0"] == Blocked("c4", "full")
    assert run.blocked["store_c"] == Blocked("c5", "empty")


def test_a_cell_in_use_is_named() -> None:
    network = example_network(ROOT / "examples" / "matmul.c")
    sizes = sized(network, {"n": 6})
    run, _ = run_with(network, {"n": 6}, {**sizes, "c4": ChannelSize(1, 1, Modular(((0, 0, 0),), (1,)))})
    assert run.blocked["S0"] == Blocked("c4", "cell in use")


def test_a_channel_that_is_no_fifo_gives_wrong_values_as_one() -> None:
    network = example_network(ROOT / "examples" / "polymul.c")
    wrong_pattern = [replace(c, pattern="fifo") if c.pattern == "reorder" else c for c in network.channels]
    _, wrong = run_with(replace(network, channels=tuple(wrong_pattern)), {"N": 6}, {})
    assert wrong > 0


def test_a_channel_that_forwards_must_say_so() -> None:
    network = all_reads_once(example_network(ROOT / "examples" / "polymul.c"))
    computing = replace(network, channels=tuple(replace(c, forwards=False) for c in network.channels))
    assert run_with(computing, {"N": 6}, {})[1] > 0


@pytest.mark.parametrize("name", ["jacobi-1d", "polymul"])
def test_tuning_finds_the_least_sizes(name: str) -> None:
    network = example_network(next(path for path in EXAMPLES if path.stem == name))
    parameters = dict.fromkeys(network.tiles.kernel.parameters, 7)
    sizes = sized(network, parameters)
    tuning = tune(network, parameters, sizes)
    assert tuning.unbounded_cycles <= tuning.cycles
    for channel, found in tuning.channels.items():
        cycles = {n: _cycles(network, parameters, sizes, channel, n) for n in range(1, found.size + 1)}
        assert found.live == min(n for n, taken in cycles.items() if taken is not None)
        assert found.fast == min(n for n, taken in cycles.items() if taken is not None and taken <= tuning.cycles)
        others = {other: size for other, size in sizes.items() if other != channel}
        assert found.unbounded_cycles == run_with(network, parameters, others)[0].cycles


def test_a_single_cycle_more_is_slower() -> None:
    network = make_network(tiled(parsed(COPY), Tiling((4,))))
    tuning = tune(network, {"n": 2}, {c.id: ChannelSize(2, 2) for c in network.channels})
    assert tuning.cycles == tuning.unbounded_cycles == 4
    assert {(found.live, found.fast) for found in tuning.channels.values()} == {(1, 2)}


def _cycles(
    network: Network, parameters: Parameters, sizes: Mapping[str, ChannelSize], channel: str, cells: int
) -> int | None:
    run, _ = run_with(network, parameters, {**sizes, channel: ChannelSize(cells, cells)})
    return run.cycles if run.finished else None


@pytest.mark.sweep
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_all_examples(path: Path) -> None:
    kernel = ls.parse(path)
    for tiles in example_tilings(kernel):
        try:
            network = make_network(tiles)
        except UnsupportedError:
            return
        for changed in (variant(network) for variant in VARIANTS):
            for parameters in tiny_parameters(kernel):
                check_everything(changed, parameters)


@pytest.mark.sweep
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_closed_forms_of_all_examples(path: Path) -> None:
    kernel = ls.parse(path)
    if kernel.exact:
        network = split_completely(make_network(next(example_tilings(kernel))))
        check_closed_forms(network, list(tiny_parameters(kernel)), len(network.channels))


@pytest.mark.sweep
@pytest.mark.parametrize("seed", MANY_SEEDS)
def test_many_random_kernels(seed: int) -> None:
    for network, parameters in random_networks(seed):
        for changed in (variant(network) for variant in VARIANTS):
            for chosen in parameters:
                check_everything(changed, chosen)
