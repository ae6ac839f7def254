"""Process networks against enumeration: whose value each read gets, in which order, and how channels split."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, product
from pathlib import Path

import islpy as isl
import pytest

import loadstone as ls
from kernels import EXAMPLES, ROOT, random_kernel, tiny_parameters
from loadstone.errors import UnsupportedError
from loadstone.model.kernel import Kernel
from loadstone.networks.build import make_network
from loadstone.networks.crossings import Crossing
from loadstone.networks.groups import fewest_groups
from loadstone.networks.model import Channel, Network, Pattern, Process
from loadstone.networks.parts import Splitter
from loadstone.networks.patterns import PATTERNS, classified
from loadstone.networks.split import split_by_depth, split_completely
from loadstone.poly import fixed, pairs, points
from loadstone.poly.limits import LimitReached, operation_limit
from loadstone.simulate.interpreter import Instance
from loadstone.transform.choice import choose_tiling
from loadstone.transform.tiling import TiledKernel, Tiling, tiled
from oracle import traced
from strip_oracle import tiled_order
from tilings import example_tilings, random_tilings

DATA_DEPENDENT = ("histogram", "threshold")
QUICK = (
    "matmul",
    "polymul",
    "fir",
    "polybench/gemm",
    "polybench/trmm",
    "polybench/jacobi-1d",
    "polybench/atax",
    "polybench/gesummv",
    "polybench/cholesky",
)
RANDOM_LIMIT = 3_000_000
Point = tuple[int, ...]
Parameters = Mapping[str, int]
Value = tuple[Instance, Instance]
Dates = dict[Instance, Point]
Timed = tuple[Point, Point]


def parsed(folder: Path, text: str) -> Kernel:
    path = folder / "kernel.c"
    path.write_text(text)
    return ls.parse(path)


# --- What enumeration says --------------------------------------------------------------------------------------------


def dates_of(network: Network, parameters: Parameters) -> Dates:
    """The date of each instance of the network; no two have the same."""
    found: Dates = {}
    for process in network.processes.values():
        dated = pairs(fixed(process.dates, parameters))
        assert sorted(point for point, _ in dated) == points(fixed(process.domain, parameters))
        found |= {(process.name, point): date for point, date in dated}
    assert len(set(found.values())) == len(found), "a date has one instance"
    return found


def values_of(channel: Channel, parameters: Parameters) -> set[Value]:
    """The values that pass through a channel: who writes, who reads."""
    return {
        ((channel.producer, source), (channel.consumer, target))
        for source, target in pairs(fixed(channel.relation, parameters))
    }


def timed_values(values: Iterable[Value], dates: Dates, skip: int = 0) -> list[Timed]:
    """Dates of writing and reading, without their first components."""
    return [(dates[source][skip:], dates[target][skip:]) for source, target in values]


def pattern_by_enumeration(values: Iterable[Timed]) -> Pattern:
    writes = [write for write, _ in sorted(values, key=lambda value: value[1])]
    return PATTERNS[writes == sorted(writes), len(set(writes)) == len(writes)]


def most_in_flight(values: Iterable[Timed]) -> int:
    """The largest number of values that are written and not yet read; an instance reads before it writes."""
    events = sorted(event for write, read in values for event in ((read, 0, -1), (write, 1, 1)))
    return max(accumulate(change for _, _, change in events), default=0)


def implies(symbolic: Pattern, enumerated: Pattern) -> bool:
    """Whether what holds for all parameters holds for some."""
    order = "fifo" in enumerated or "reorder" in symbolic
    return order and ("register" not in enumerated or "register" in symbolic)


# --- The checks -------------------------------------------------------------------------------------------------------


def check_network(network: Network, parameters: Parameters) -> None:
    dates = dates_of(network, parameters)
    check_order(network, dates, parameters)
    check_flow(network, parameters)
    check_stores(network, parameters)
    for channel in network.channels:
        check_channel(network, channel, dates, parameters)


def check_order(network: Network, dates: Dates, parameters: Parameters) -> None:
    """Statements run in the tiled order, loads just before the first use, stores just behind the last write."""
    order = [instance for _, instance in tiled_order(network.tiles, parameters)]
    statements = set(order)
    assert sorted(statements, key=lambda instance: dates[instance]) == order
    rank = {instance: number for number, instance in enumerate(order)}
    slots = {"load": dict[Instance, int](), "store": dict[Instance, int]()}
    for channel in network.channels:
        for source, target in values_of(channel, parameters):
            assert dates[source] < dates[target]
            if source not in statements:
                slots["load"][source] = min(rank[target], slots["load"].get(source, rank[target]))
            if target not in statements:
                slots["store"][target] = rank[source] + 1
    everything = sorted(dates, key=lambda instance: dates[instance])
    before = accumulate((instance in statements for instance in everything), initial=0)
    moved = {i: number for i, number in zip(everything, before, strict=False) if i not in statements}
    assert moved == slots["load"] | slots["store"]


def check_flow(network: Network, parameters: Parameters) -> None:
    """Every read of the trace gets its value through exactly one channel, from the instance that made it."""
    expected = sources_of_reads(network.tiles.kernel, parameters)
    found: dict[tuple[Instance, int], Instance] = {}
    for channel in network.channels:
        if network.consumer(channel).kind == "compute":
            for source, target in values_of(channel, parameters):
                assert (target, channel.read) not in found, "a read has one channel"
                found[target, channel.read] = source
    assert expected.items() <= found.items()
    for unevaluated in found.keys() - expected.keys():
        others = {source for (target, _), source in expected.items() if target == unevaluated[0]}
        assert found[unevaluated] in others, "a read that is not always evaluated shares its value with another one"


def sources_of_reads(kernel: Kernel, parameters: Parameters) -> dict[tuple[Instance, int], Instance]:
    written = {statement.write.array for statement in kernel.statements}
    last: dict[tuple[str, Point], Instance] = {}
    found: dict[tuple[Instance, int], Instance] = {}
    for event in traced(kernel, parameters):
        cell, instance = (event.array, event.element), (event.statement, event.instance)
        if event.is_write:
            last[cell] = instance
        elif event.element or event.array in written:
            found[instance, event.position] = last.get(cell, (f"load_{event.array}", event.element))
    return found


def check_stores(network: Network, parameters: Parameters) -> None:
    """What is seen at the end comes from the instance that wrote it last."""
    kernel = network.tiles.kernel
    writes = [event for event in traced(kernel, parameters) if event.is_write]
    last = {(e.array, e.element): (e.statement, e.instance) for e in writes if kernel.arrays[e.array].live_out}
    expected = {(instance, (f"store_{array}", element)) for (array, element), instance in last.items()}
    stores = [channel for channel in network.channels if network.consumer(channel).kind == "store"]
    found = [value for channel in stores for value in values_of(channel, parameters)]
    assert len(found) == len(expected)
    assert set(found) == expected


def check_channel(network: Network, channel: Channel, dates: Dates, parameters: Parameters) -> None:
    """The pattern holds, and for these parameters alone it is decided exactly."""
    enumerated = pattern_by_enumeration(timed_values(values_of(channel, parameters), dates))
    assert implies(channel.pattern, enumerated), (channel.id, channel.pattern, enumerated)
    ends = network.producer(channel).dates, network.consumer(channel).dates
    decided = classified(fixed(channel.relation, parameters), *ends)
    assert decided.note or decided.pattern == enumerated, channel.id


def check_all(network: Network, rows: Iterable[Parameters]) -> None:
    """Hold a network and its splits against enumeration."""
    splits = split_by_depth(network), split_completely(network)
    for channel in splits[1].channels:
        check_split_if_possible(network, channel)
    for parameters in rows:
        check_network(network, parameters)
        for split in splits:
            check_split(network, split, parameters)


def check_split(network: Network, split: Network, parameters: Parameters) -> None:
    dates = dates_of(network, parameters)
    for whole in network.channels:
        parts = [part for part in split.channels if whole.id in (part.id, part.split_from)]
        check_parts(network, whole, parts, dates, parameters)


def check_parts(
    network: Network, whole: Channel, parts: Sequence[Channel], dates: Dates, parameters: Parameters
) -> None:
    """Parts make up the channel; if it was split, all are in order, FIFOs if its values are read once."""
    values = [value for part in parts for value in values_of(part, parameters)]
    assert len(values) == len(set(values))
    assert set(values) == values_of(whole, parameters)
    for part in parts:
        check_channel(network, part, dates, parameters)
        if part.depth is not None:
            assert all(depth_of(network, value, dates) == part.depth for value in values_of(part, parameters))
    if len(parts) > 1:
        assert {part.pattern for part in parts} <= {"fifo", "fifo-register" if "register" in whole.pattern else "fifo"}


def depth_of(network: Network, value: Value, dates: Dates) -> int:
    dims = len(network.tiles.sizes)
    source, target = (dates[instance][:dims] for instance in value)
    return next((k + 1 for k in range(dims) if source[k] != target[k]), dims + 1)


def check_split_if_possible(network: Network, channel: Channel) -> None:
    """A channel between statements that is left whole is a FIFO, or was none before tiling."""
    ends = network.producer(channel), network.consumer(channel)
    if channel.split_from is None and channel.pattern != "fifo" and all(end.kind == "compute" for end in ends):
        assert pattern_before_tiling(network, channel) != "fifo" or channel.note


def pattern_before_tiling(network: Network, channel: Channel) -> Pattern:
    ends = network.producer(channel), network.consumer(channel)
    writing, reading = (end.dates.project_out(isl.dim_type.out, 0, len(network.tiles.sizes)) for end in ends)
    return classified(channel.relation, writing, reading).pattern


# --- Examples and random kernels --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", QUICK)
def test_networks_of_examples(name: str) -> None:
    check_example(ROOT / "examples" / f"{name}.c")


@pytest.mark.sweep
@pytest.mark.parametrize(
    "path", [path for path in EXAMPLES if path.stem not in DATA_DEPENDENT], ids=lambda path: path.stem
)
def test_networks_of_all_examples(path: Path) -> None:
    check_example(path)


def check_example(path: Path) -> None:
    kernel = ls.parse(path)
    network = make_network(next(example_tilings(kernel)))
    rows = sorted(tiny_parameters(kernel), key=lambda row: sum(row.values()))
    check_all(network, (rows[0], rows[-1]))


def check_random_kernel(seed: int) -> None:
    kernel, rows = random_kernel(seed)
    if not kernel.exact:
        pytest.skip("accesses depend on data")
    try:
        with operation_limit(RANDOM_LIMIT):
            networks = [make_network(tiles) for tiles in random_tilings(kernel, seed, (1,))]
    except LimitReached:
        pytest.skip("the dependences are too many")
    for network in networks:
        check_all(network, rows[::3])


@pytest.mark.parametrize("seed", range(30))
def test_networks_of_random_kernels(seed: int) -> None:
    check_random_kernel(seed)


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(1000, 1200))
def test_networks_of_more_random_kernels(seed: int) -> None:
    check_random_kernel(seed)


@pytest.mark.parametrize("name", DATA_DEPENDENT)
def test_accesses_that_depend_on_data_are_refused(name: str) -> None:
    kernel = ls.parse(ROOT / "examples" / f"{name}.c")
    with pytest.raises(UnsupportedError, match="depends on data") as raised:
        make_network(choose_tiling(kernel))
    assert all(diagnostic.span and diagnostic.hint for diagnostic in raised.value.diagnostics)
    assert len(set(raised.value.diagnostics)) == len(raised.value.diagnostics)


@pytest.mark.parametrize("name", ["jacobi-2d", pytest.param("heat-3d", marks=pytest.mark.sweep)])
def test_stencils_are_decided_and_split(name: str) -> None:
    network = split_completely(make_network(choose_tiling(ls.parse(ROOT / f"examples/polybench/{name}.c"))))
    between = [c for c in network.channels if {c.producer, c.consumer} <= {"S0", "S1"}]
    assert {channel.pattern for channel in between} == {"fifo"}
    assert not any(channel.note for channel in network.channels)


def test_a_question_beyond_the_limit_is_answered_safely_and_noted() -> None:
    network = make_network(choose_tiling(ls.parse(ROOT / "examples/matmul.c")))
    fifo = next(channel for channel in network.channels if channel.pattern == "fifo")
    ends = network.producer(fifo).dates, network.consumer(fifo).dates
    found = classified(fifo.relation, *ends, limit=1)
    assert "reorder" in found.pattern
    assert "more than 1 isl operations" in found.note


# --- Jacobi-1D of RR-9131 ---------------------------------------------------------------------------------------------

JACOBI = """
void jacobi(int T, int N, int a[T + 1][N + 2]) {
#pragma scop
  for (int t = 1; t <= T; t++)
    for (int i = 1; i <= N; i++)
      a[t][i] = a[t-1][i-1] + a[t-1][i] + a[t-1][i+1];
#pragma endscop
}
"""
SKEWED = "[T, N] -> { S0[t, i] -> [t, t + i] }"
JACOBI_SIZES = {"T": 16, "N": 24}


@dataclass(frozen=True)
class Row:
    """A row of `enumeration` in the reference data of RR-9131; `parts` and `occupancies` by depth."""

    channel: str
    size: int
    edges: int
    parts: tuple[int, ...]
    occupancy: int
    occupancies: tuple[int, ...]


ROWS = (
    Row("c4", 2, 345, (184, 161, 0), 24, (23, 4, 0)),
    Row("c5", 2, 360, (192, 84, 84), 24, (24, 2, 1)),
    Row("c6", 2, 345, (184, 0, 161), 23, (23, 0, 2)),
    Row("c4", 4, 345, (92, 128, 125), 24, (23, 8, 4)),
    Row("c5", 4, 360, (96, 66, 198), 24, (24, 4, 4)),
    Row("c6", 4, 345, (92, 0, 253), 23, (23, 0, 4)),
)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.channel}-{row.size}")
def test_jacobi_of_the_report(row: Row, tmp_path: Path) -> None:
    network = make_network(tiled(parsed(tmp_path, JACOBI), Tiling(row.size, SKEWED)))
    assert [(c.producer, c.consumer) for c in network.channels] == [
        *[("load_a", "S0")] * 3,
        *[("S0", "S0")] * 3,
        ("S0", "store_a"),
    ]
    dates = dates_of(network, JACOBI_SIZES)
    channel = next(c for c in network.channels if c.id == row.channel)
    untiled = timed_values(values_of(channel, JACOBI_SIZES), dates, skip=2)
    assert channel.pattern == "reorder"
    assert pattern_by_enumeration(untiled) == "fifo"
    assert len(untiled) == row.edges
    assert most_in_flight(untiled) == row.occupancy
    parts = [part for part in split_by_depth(network).channels if part.split_from == row.channel]
    assert {part.pattern for part in parts} == {"fifo"}
    assert [part.id for part in parts] == [f"{row.channel}.{k + 1}" for k in range(len(parts))]
    by_depth = {part.depth: timed_values(values_of(part, JACOBI_SIZES), dates) for part in parts}
    assert tuple(len(by_depth.get(depth, ())) for depth in (1, 2, 3)) == row.parts
    assert tuple(most_in_flight(by_depth.get(depth, ())) for depth in (1, 2, 3)) == row.occupancies


@pytest.mark.parametrize("size", [2, 3, 4, 7])
def test_jacobi_is_split_into_at_most_three_fifos(size: int, tmp_path: Path) -> None:
    network = make_network(tiled(parsed(tmp_path, JACOBI), Tiling(size, SKEWED)))
    for split in (split_by_depth(network), split_completely(network)):
        for lost in ("c4", "c5", "c6"):
            parts = [channel for channel in split.channels if channel.split_from == lost]
            assert 2 <= len(parts) <= 3
            assert {part.pattern for part in parts} == {"fifo"}


LONG = """
void longer(int T, int N, int a[T][N]) {
#pragma scop
  for (int t = 0; t < T; t++)
    for (int i = 3; i < N; i++)
      a[t][i] = a[t][i-3] + 1;
#pragma endscop
}
"""


@pytest.mark.parametrize("first", [1, 2, 5, 8])
def test_a_dependence_longer_than_a_tile_defeats_depths_alone(first: int, tmp_path: Path) -> None:
    network = make_network(tiled(parsed(tmp_path, LONG), Tiling((first, 2), SKEWED)))
    [whole] = [c for c in network.channels if c.producer == c.consumer == "S0"]
    by_depth = [c for c in split_by_depth(network).channels if c.producer == c.consumer]
    completely = [c for c in split_completely(network).channels if c.producer == c.consumer]
    assert [c.pattern for c in by_depth] == ["reorder" if first > 1 else "fifo"]
    assert [c.pattern for c in completely] == (["fifo"] * 2 if first > 1 else ["fifo"])
    assert [c.id for c in by_depth] == [whole.id]
    check_all(network, [{"T": 7, "N": 13}])


# --- Completeness -----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Affine:
    """An affine function of a point: rows of coefficients with the constant last."""

    rows: tuple[Point, ...]

    def __call__(self, point: Point) -> Point:
        return tuple(sum(map(int.__mul__, row, (*point, 1))) for row in self.rows)

    def text(self, names: Sequence[str]) -> list[str]:
        return [" + ".join(f"{c}*{name}" for c, name in zip(row, (*names, "1"), strict=True)) for row in self.rows]


@dataclass(frozen=True)
class Side:
    """Writer or reader: upper bounds of its box, in which N may occur, and theta."""

    name: str
    bounds: tuple[str, ...]
    theta: Affine

    @property
    def names(self) -> list[str]:
        return [f"i{k}" for k in range(len(self.bounds))]

    def condition(self, values: Sequence[str]) -> str:
        return " and ".join(f"0 <= {value} <= {bound}" for value, bound in zip(values, self.bounds, strict=True))

    def points(self, number: int) -> Iterator[Point]:
        bounds = (int(bound.replace("2N", str(2 * number)).replace("N", str(number))) for bound in self.bounds)
        return product(*(range(bound + 1) for bound in bounds))

    def dates(self, sizes: Point, length: int) -> isl.Map:
        theta = self.theta.text(self.names)
        tile = [f"floor(({value})/{size})" for value, size in zip(theta, sizes, strict=True)]
        place = [*self.names, *["0"] * (length - len(self.names))]
        date = ", ".join([*tile, *theta, *place])
        names = ", ".join(self.names)
        return isl.Map(f"[N] -> {{ {self.name}[{names}] -> [{date}] : {self.condition(self.names)} }}")


@dataclass(frozen=True)
class Dependence:
    """Which point of the writer each point of the reader reads, and a tiling of both."""

    writer: Side
    reader: Side
    source: Affine
    sizes: Point
    number: int

    @property
    def values(self) -> set[tuple[Point, Point]]:
        writes = set(self.writer.points(self.number))
        return {(w, r) for r in self.reader.points(self.number) if (w := self.source(r)) in writes}

    def date(self, side: Side, point: Point) -> Point:
        theta = side.theta(point)
        length = max(len(self.writer.bounds), len(self.reader.bounds))
        tile = tuple(value // size for value, size in zip(theta, self.sizes, strict=True))
        return (*tile, *theta, *point, *[0] * (length - len(point)))

    def timed(self, values: Iterable[tuple[Point, Point]], skip: int = 0) -> list[Timed]:
        return [(self.date(self.writer, w)[skip:], self.date(self.reader, r)[skip:]) for w, r in values]

    @property
    def is_legal(self) -> bool:
        own = self.writer == self.reader
        return all(write < read or (write == read and not own) for write, read in self.timed(self.values))

    @property
    def patterns(self) -> tuple[Pattern, Pattern]:
        """Before and after tiling."""
        values = self.values
        untiled = self.timed(values, skip=len(self.sizes))
        return pattern_by_enumeration(untiled), pattern_by_enumeration(self.timed(values))

    def network(self) -> Network:
        length = max(len(self.writer.bounds), len(self.reader.bounds))
        dates = {side.name: side.dates(self.sizes, length) for side in (self.writer, self.reader)}
        source = self.source.text(self.reader.names)
        where = f"{self.reader.condition(self.reader.names)} and {self.writer.condition(source)}"
        reads = f"{self.reader.name}[{', '.join(self.reader.names)}] -> {self.writer.name}[{', '.join(source)}]"
        relation = isl.Map(f"[N] -> {{ {reads} : {where} }}").reverse()
        found = classified(relation, dates[self.writer.name], dates[self.reader.name])
        channel = Channel("c1", self.writer.name, self.reader.name, "a", 0, relation, found.pattern)
        kernel = Kernel("dependence", {}, isl.Set("[N] -> { : }"), (), {}, {})
        processes = {name: Process(name, "compute", value.domain(), value) for name, value in dates.items()}
        return Network(TiledKernel(kernel, {}, self.sizes, 1), processes, (channel,))


def uniform_dependence(source: random.Random) -> Dependence:
    """A distance vector between instances of one statement, hyperplanes of small coefficients."""
    dims = source.randint(1, 3)
    planes = source.choice((dims, dims, max(1, dims - 1)))
    theta = Affine(tuple((*(source.choice((0, 0, 1, 1, 2, -1)) for _ in range(dims)), 0) for _ in range(planes)))
    side = Side("S", tuple(source.choice(("N", "N", "4")) for _ in range(dims)), theta)
    shift = Affine(tuple((*(int(k == j) for j in range(dims)), source.randint(-4, 3)) for k in range(dims)))
    return Dependence(side, side, shift, random_sizes(source, planes), {1: 14, 2: 9, 3: 5}[dims])


def affine_dependence(source: random.Random) -> Dependence:
    """An affine function from one statement to another one, mostly scaled axes; hyperplanes mostly the axes."""
    dims, others = source.choice((2, 2, 2, 3)), source.choice((1, 2, 2, 3))
    planes = source.choice((dims, dims, max(1, dims - 1)))
    bounds = [tuple(source.choice(("N", "N", "4", "2N")) for _ in range(count)) for count in (others, dims)]
    writer = Side("P", bounds[0], random_affine(source, planes, others, (1,), range(-4, 1)))
    reader = Side("S", bounds[1], random_affine(source, planes, dims, (1,), (0,)))
    read = random_affine(source, others, dims, (1, 1, 2, 3), range(-2, 3))
    return Dependence(writer, reader, read, random_sizes(source, planes), {2: 9, 3: 5}[dims])


def random_affine(
    source: random.Random, rows: int, columns: int, scales: Sequence[int], constants: Sequence[int]
) -> Affine:
    def coefficient(row: int, column: int) -> int:
        if source.random() < 0.15:
            return source.choice((1, 2, -1))
        return source.choice(scales) if row == column else 0

    return Affine(tuple((*(coefficient(k, j) for j in range(columns)), source.choice(constants)) for k in range(rows)))


def random_sizes(source: random.Random, count: int) -> Point:
    return tuple(source.randint(1, 5) for _ in range(count))


def broken_fifos(seed: int, count: int) -> Iterator[Dependence]:
    """Legal tilings of dependences that were FIFOs, and no longer are."""
    source = random.Random(seed)
    while count > 0:
        dependence = source.choice((uniform_dependence, uniform_dependence, affine_dependence))(source)
        broken = dependence.is_legal and dependence.patterns == ("fifo", "reorder")
        if broken and was_fifo_for_all_parameters(dependence):
            count -= 1
            yield dependence


def was_fifo_for_all_parameters(dependence: Dependence) -> bool:
    network = dependence.network()
    return pattern_before_tiling(network, network.channels[0]) == "fifo"


def check_complete(dependence: Dependence) -> None:
    network = dependence.network()
    assert network.channels[0].pattern == "reorder"
    parts = split_completely(network).channels
    carried = [pairs(fixed(part.relation, {"N": dependence.number})) for part in parts]
    assert sum(map(len, carried)) == len(dependence.values)
    assert set[tuple[Point, Point]]().union(*carried) == dependence.values
    assert {part.pattern for part in parts} == {"fifo"}
    assert all(pattern_by_enumeration(dependence.timed(values)) == "fifo" for values in carried)


@pytest.mark.parametrize("seed", range(20))
def test_every_fifo_that_tiling_broke_is_recovered(seed: int) -> None:
    for dependence in broken_fifos(seed, 10):
        check_complete(dependence)


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(1000, 1050))
def test_every_fifo_of_thousands_is_recovered(seed: int) -> None:
    for dependence in broken_fifos(seed, 60):
        check_complete(dependence)


def no_parts(*_: object) -> tuple[Crossing, ...]:
    return ()


@pytest.mark.parametrize("seed", range(3))
def test_cuts_between_values_out_of_order_are_enough(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Crossing, "by_distance", no_parts)
    monkeypatch.setattr(Splitter, "_intervals", no_parts)
    for dependence in broken_fifos(seed, 5):
        check_complete(dependence)


@pytest.mark.parametrize(
    ("row", "sizes", "parts"),
    [
        ((0, 2, 0), (1, 1), 2),
        ((0, 3, 0), (1, 1), 3),
        ((1, 1, 0), (1, 1), 2),
        ((2, 1, 0), (1, 1), 3),
        ((1, 1, 0), (1, 2), 2),
        ((2, 1, 0), (1, 2), 2),
    ],
)
def test_large_tiles_need_no_more_parts_than_small_ones(row: Point, sizes: Point, parts: int) -> None:
    writer = Side("P", ("N", "2N"), Affine(((0, 0, 0), (1, 0, 0), (0, 1, 0))))
    reader = Side("S", ("N", "N"), Affine(((0, 0, 1), (1, 0, 0), (0, 1, 0))))
    for scale in (4, 8, 16):
        tile = (1, *(scale * size for size in sizes))
        dependence = Dependence(writer, reader, Affine(((1, 0, 0), row)), tile, 10)
        assert len(split_completely(dependence.network()).channels) == parts
        check_complete(dependence)


@pytest.mark.parametrize("seed", range(20))
def test_groups_are_the_fewest(seed: int) -> None:
    source = random.Random(seed)
    things = range(source.randint(1, 6))
    apart = {pair for pair in product(things, things) if pair[0] < pair[1] and source.random() < 0.5}
    groups = fewest_groups(things, lambda a, b: (a, b) not in apart)
    assert sorted(thing for group in groups for thing in group) == list(things)
    assert all(pair not in apart for group in groups for pair in product(group, group))
    colours = range(1, len(groups))
    colourings = (c for most in colours for c in product(range(most), repeat=len(things)))
    assert not any(all(c[a] != c[b] for a, b in apart) for c in colourings)
