"""Process networks in hardware, with external memory, against the original program."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

import loadstone as ls
from kernels import CLASHES, EXAMPLES, ROOT, random_kernel, tiny_parameters
from loadstone.bus import Bus
from loadstone.dram.timing import preset
from loadstone.errors import LoadstoneError, UnsupportedError
from loadstone.hardware.harness.placement import placed, words_needed
from loadstone.hardware.harness.system import CHANCE, WORDS, make_system
from loadstone.hardware.network.channels import capacity, make_channel, queue_latency
from loadstone.hardware.network.links import MOST_CELLS, Link, cell_number
from loadstone.hardware.network.masters import make_turns
from loadstone.hardware.network.top import NetworkDesign, make_network_design
from loadstone.model.evaluate import evaluate
from loadstone.model.expression import integer
from loadstone.model.kernel import Kernel
from loadstone.model.types import INT
from loadstone.networks.build import make_network
from loadstone.networks.model import Channel, Network, Pattern
from loadstone.networks.sizes import ChannelSize, sized
from loadstone.networks.split import split_completely
from loadstone.poly.spaces import Dim
from loadstone.rtl import Simulation
from loadstone.rtl.programs import ghdl, verilator
from loadstone.rtl.vectors import Cycle
from loadstone.simulate.hardware.system import SystemResult, SystemRun
from loadstone.simulate.memory import Memory, live_out_arrays, mismatches
from loadstone.storage.lattice import Modular
from loadstone.transfer.volumes import count
from loadstone.transform.tiling import Tiling
from loadstone.trials import trial
from system_designs import Repeated
from tilings import example_tilings

PAPER = preset("paper")
EXAMPLE = {path.stem: path for path in EXAMPLES}
Parameters = Mapping[str, int]
SCALARS = """
void scalars(int n, const int a[n], int *last, int *total, int *untouched)
{
  int s = 3;
  for (int i = 0; i < n; i++)
    s += a[i];
  *total += s;
  for (int i = 0; i < n; i++)
    *last = a[i] - *last;
}
"""


def design_for(network: Network, parameters: Parameters, bus: Bus | None = None) -> NetworkDesign:
    limits = {name: (value, value) for name, value in parameters.items()}
    return make_network_design(network, sized(network, parameters), limits, bus)


def with_results(design: NetworkDesign, memory: Memory) -> Memory:
    """The memory with places of their own for results of arrays that are also loaded."""
    titles = {title: name for name, title in design.results.items() if title != name}
    copies = {title: replace(memory[name], cells=list(memory[name].cells)) for title, name in titles.items()}
    return {**memory, **copies}


def system_run(design: NetworkDesign, parameters: Parameters, memory: Memory) -> SystemRun:
    return SystemRun(design, PAPER, parameters, memory, {})


def check_memory(design: NetworkDesign, expected: Memory, memory: Memory) -> None:
    found = {**memory, **{name: memory[title] for name, title in design.results.items()}}
    assert not mismatches(expected, found, live_out_arrays(design.kernel))


def check_run(design: NetworkDesign, network: Network, parameters: Parameters, seed: int = 0) -> SystemResult:
    """Runs hardware on generated data, and compares memory and the elements that it moved."""
    expected, actual = trial(design.kernel, parameters, seed)
    memory = with_results(design, actual)
    outcome = system_run(design, parameters, memory).execute()
    check_memory(design, expected, memory)
    assert (outcome.loaded, outcome.stored) == (moved(network, "load", parameters), moved(network, "store", parameters))
    return outcome


def check_interpreted(network: Network, parameters: Parameters) -> None:
    """Runs hardware in the interpreter, which has nothing to compile, and compares memory."""
    design = design_for(network, parameters)
    expected, actual = trial(design.kernel, parameters)
    memory = with_results(design, actual)
    run = system_run(design, parameters, memory)
    bases = placed(run.design)
    simulation = Simulation(make_system(run.design, PAPER, words_needed(run.design, bases)))
    simulation.memory(WORDS)[:] = run.image(bases)
    for name, value in {**run.inputs(bases), "start": 1}.items():
        simulation.set(name, value)
    simulation.step()
    simulation.set("start", 0)
    simulation.run_until("done", 10_000)
    outputs = {name: simulation.get(name) for name in ("bus_error", *design.scalars_out.values())}
    assert outputs["bus_error"] == 0
    run.read_back(bases, list(simulation.memory(WORDS)), outputs)
    check_memory(design, expected, memory)


def moved(network: Network, kind: str, parameters: Parameters) -> int:
    """The elements of arrays that processes of a kind move."""
    arrays = network.tiles.kernel.arrays
    moving = [p for p in network.processes.values() if p.kind == kind]
    return sum(count(p.domain, parameters) for p in moving if arrays[p.name.removeprefix(f"{kind}_")].rank)


def check_network(network: Network, parameters: Parameters, bus: Bus | None = None) -> SystemResult:
    return check_run(design_for(network, parameters, bus), network, parameters)


def example(name: str, sizes: tuple[int, ...] | None = None, *, reuse: bool = False) -> Network:
    tiling = None if sizes is None else Tiling(sizes, "auto")
    return ls.network(ls.parse(EXAMPLE[name]), tiling, reuse=reuse)


def parsed(text: str, folder: Path) -> Kernel:
    path = folder / "kernel.c"
    path.write_text(text)
    return ls.parse(path)


def patterns(network: Network) -> set[Pattern]:
    return {channel.pattern for channel in network.channels}


def sizes_for(network: Network, rows: list[dict[str, int]]) -> dict[str, ChannelSize]:
    """Sizes that are enough for each of some parameters; values that are not in order have cells of their own."""
    found = [sized(network, row) for row in rows]
    sizes = {c.id: max((each[c.id] for each in found), key=lambda size: size.cells) for c in network.channels}
    return {c.id: sizes[c.id] if c.pattern.startswith("fifo") else whole(network, c, rows) for c in network.channels}


def whole(network: Network, channel: Channel, rows: list[dict[str, int]]) -> ChannelSize:
    """Cells for all values of a channel of one dimension."""
    domain = network.producer(channel).domain
    assert domain.dim(Dim.set) == 1
    cells = max(1, *(count(domain, row) for row in rows))
    return ChannelSize(cells, cells, Modular(((1,),), (cells,)))


def test_one_design_runs_all_sizes() -> None:
    network = example("matmul", (2, 2, 3), reuse=True)
    assert patterns(network) == {"fifo"}
    assert any(channel.forwards for channel in network.channels)
    sizes = sizes_for(network, [{"n": n} for n in range(8)])
    design = make_network_design(network, sizes, {"n": (0, 7)})
    for size in (0, 1, 2, 3, 4, 7):
        outcome = check_run(design, network, {"n": size})
        assert outcome.cycles <= 2 * size**3 + 8 * size**2 + 200


def test_values_that_are_read_again_and_in_another_order() -> None:
    network = example("polymul", (3, 5))
    assert {"fifo", "reorder-register"} <= patterns(network)
    check_interpreted(network, {"N": 4})


def test_values_that_are_read_again_in_order() -> None:
    kernel, rows = random_kernel(2)
    network = ls.network(kernel)
    assert "fifo-register" in patterns(network)
    check_interpreted(network, rows[-1])


def test_sums_wait_for_their_additions_alone() -> None:
    """Sums of floating point are taken late from their channels, but not too early."""
    check_interpreted(example("gemm"), {"ni": 2, "nj": 2, "nk": 3})


def test_scalars_are_given_and_left(tmp_path: Path) -> None:
    kernel = parsed(SCALARS, tmp_path)
    check_interpreted(ls.network(kernel), {"n": 5})


def test_names_may_clash(tmp_path: Path) -> None:
    network = ls.network(parsed(CLASHES, tmp_path))
    design = design_for(network, {"n": 5})
    assert verilator.lint(make_system(design, PAPER, 1024)) == ""


def test_the_text_has_no_warnings() -> None:
    design = design_for(example("jacobi1d_sa", (2, 3)), {"T": 5, "N": 9})
    module = make_system(design, PAPER, 1024)
    assert verilator.lint(module) == ""
    try:
        assert ghdl.lint(module) == ""
    except LoadstoneError as error:
        pytest.skip(str(error))


def repeat_runs(before: list[Cycle]) -> int:
    """Runs one design many times with stalls; the cycles. The last parameters write all that others do."""
    network = example("fir", (4, 2))
    rows = [{"L": taps, "N": size} for taps, size in ((3, 17), (5, 4), (2, 0), (4, 23), (1, 23))]
    assert {"fifo", "reorder-register"} == patterns(network)
    design = make_network_design(network, sizes_for(network, rows), {"L": (1, 5), "N": (0, 23)})
    expected, actual = trial(design.kernel, rows[-1])
    memory = with_results(design, actual)
    repeated = Repeated(design, PAPER, rows, 800)
    cycles, found = repeated.execute(memory, before, {CHANCE: 100})
    check_memory(design, expected, found)
    return cycles


def test_it_starts_again_while_the_memory_stalls() -> None:
    assert repeat_runs([]) >= 100_000


@pytest.mark.parametrize("cycle", [100, 1201])
def test_a_reset_in_mid_run_leaves_no_trace(cycle: int) -> None:
    repeat_runs([{"rst": int(k == cycle)} for k in range(cycle + 2)])


def test_channels_with_very_many_cells_are_refused() -> None:
    network, cells = example("polymul"), MOST_CELLS + 1
    many = ChannelSize(cells, cells, Modular(((1,),), (cells,)))
    sizes = dict.fromkeys((channel.id for channel in network.channels), many)
    with pytest.raises(UnsupportedError, match=r"channel c\d is not in order and needs 4097 cells"):
        make_network_design(network, sizes, {"N": (7, 7)})


@pytest.mark.parametrize("rows", [((1, 0), (0, 1)), ((1, -2), (0, 1)), ((3, 1),), ()])
def test_cells_have_the_numbers_of_the_mapping(rows: tuple[tuple[int, ...], ...]) -> None:
    mapping = Modular(rows, (3, 4)[: len(rows)])
    numbers: dict[tuple[int, ...], int] = {}
    for x in range(-5, 6):
        for y in range(-5, 6):
            number = int(evaluate(cell_number(mapping, [integer(x), integer(y)]), {}, ()))
            assert 0 <= number < mapping.cells
            assert numbers.setdefault(mapping.cell_of((x, y)), number) == number
    assert len(set(numbers.values())) == len(numbers)


def link_between(pattern: Pattern, cells: int, *, private: bool = False) -> Link:
    network = example("matmul")
    first = next(c for c in network.channels if (c.producer == c.consumer) == private)
    mapping = Modular(((1,),), (cells,)) if pattern.startswith("reorder") else None
    return Link(replace(first, pattern=pattern), ChannelSize(cells, cells, mapping), "c", INT)


@pytest.mark.parametrize("cells", [1, 2, 5])
def test_queues_hold_what_was_booked(cells: int) -> None:
    source, link = random.Random(cells), link_between("fifo-register", cells)
    simulation = Simulation(make_channel("channel", link, 3))
    waiting, way, booked, numbers = deque[int](), deque[tuple[int, int]](), 0, 0
    for time in range(600):
        takes = bool(simulation.get("there")) and source.random() < 0.5
        books = bool(simulation.get("room")) and source.random() < (0.9 if time < 300 else 0.3)
        assert simulation.get("room") == (booked < capacity(link, 3, late=False))
        sends = bool(way) and way[0][0] == time
        word = way.popleft()[1] if sends else 0
        for name, value in (("take", takes), ("book", books), ("send", sends), ("value", word)):
            simulation.set(name, int(value))
        if takes:
            assert simulation.get("word") == waiting.popleft()
        if sends:
            waiting.append(word)
        if books:
            numbers += 1
            way.append((time + 3, numbers))
        booked += books - takes
        simulation.step()
    assert numbers > 200


@pytest.mark.parametrize("cells", [1, 2, 5])
def test_cells_are_full_between_send_and_take(cells: int) -> None:
    source = random.Random(cells)
    simulation = Simulation(make_channel("channel", link_between("reorder-register", cells), 1))
    held, booked, number = dict[int, int](), set[int](), 0
    for _ in range(600):
        wanted, target = source.randrange(cells), source.randrange(cells)
        simulation.set("source", wanted)
        simulation.set("target", target)
        assert simulation.get("there") == (wanted in held)
        assert simulation.get("room") == (target not in booked)
        reads, books = wanted in held and source.random() < 0.7, target not in booked and source.random() < 0.7
        takes = reads and source.random() < 0.5
        ready = sorted(booked - set(held))
        sends = bool(ready) and source.random() < 0.8
        number += sends
        values = {"read": reads, "take": takes, "book": books, "send": sends, "filled": ready[0] if sends else 0}
        for name, value in {**values, "value": number}.items():
            simulation.set(name, int(value))
        word = held.get(wanted)
        simulation.step()
        if reads:
            assert simulation.get("word") == word
        if takes:
            del held[wanted]
            booked.discard(wanted)
        if sends:
            held[ready[0]] = number
        if books:
            booked.add(target)
    assert number > 100


@pytest.mark.parametrize("cells", [1, 2, 6])
def test_claimed_values_are_there_in_time(cells: int) -> None:
    """A process that takes a value `use` cycles after it claims it, and sends one `latency` cycles after."""
    link, use, latency = link_between("fifo", cells, private=True), 3, 5
    early = latency + queue_latency(capacity(link, 0, late=True)) - use
    source = random.Random(cells)
    simulation = Simulation(make_channel("channel", link, 0, late=True))
    pulses = {name: set[int]() for name in ("claim", "promise", "send", "take")}
    sent, taken, steps = 0, 0, 0
    for time in range(500):
        simulation.set("claim", 0)
        ready = steps < cells or bool(simulation.get("there"))
        if ready and source.random() < 0.8:
            pulses["promise"].add(time + early - 1)
            pulses["send"].add(time + latency)
            if steps >= cells:
                pulses["claim"].add(time)
                pulses["take"].add(time + use)
            steps += 1
        for name, times in pulses.items():
            simulation.set(name, int(time in times))
        simulation.set("value", sent)
        if time in pulses["take"]:
            assert simulation.get("word") == taken
            taken += 1
        sent += time in pulses["send"]
        simulation.step()
    assert taken > 60 * cells / early


def test_turns_are_fair_and_say_whose_elements_come() -> None:
    source = random.Random(1)
    simulation = Simulation(make_turns("turns", Bus(), [0, 0, 0], None))
    owners, given = deque[int](), [0, 0, 0]
    for _ in range(4000):
        valids = [source.random() < chance for chance in (0.95, 0.3, 0.95)]
        counts = [source.randrange(1, 4) for _ in valids]
        for k, (valid, many) in enumerate(zip(valids, counts, strict=True)):
            simulation.set(f"request_{k}_valid", int(valid))
            simulation.set(f"request_{k}_address", 1000 * k)
            simulation.set(f"request_{k}_count", many)
        simulation.set("request_ready", int(source.random() < 0.4))
        moves = bool(simulation.get("owned")) and source.random() < 0.9
        simulation.set("moves", int(moves))
        if moves:
            assert simulation.get("owner") == owners.popleft()
        for k in range(3):
            if simulation.get(f"request_{k}_ready") and valids[k]:
                assert simulation.get("request_valid")
                assert (simulation.get("request_address"), simulation.get("request_count")) == (1000 * k, counts[k])
                owners.extend([k] * counts[k])
                given[k] += 1
        simulation.step()
    assert min(given[0], given[2]) > 400
    assert abs(given[0] - given[2]) < 50


PLAIN = [
    *("atax", "bicg", "gesummv", "gemm", "mvt", "trmm", "syrk", "trisolv", "jacobi-1d", "seidel-2d", "cholesky"),
    *("durbin", "lu", "doitgen", "2mm", "covariance"),
]
OWN = [
    ("polymul", None),
    ("jacobi1d_sa", (2, 3)),
    ("jacobi1d_sa", (1, 4)),
    ("matmul", (2, 2, 2)),
    ("matmul", None),
    ("fir", (4, 2)),
    ("vector_sum", (8,)),
    ("dma", (8,)),
]


def check_sizes(network: Network, rows: list[dict[str, int]]) -> None:
    """Runs hardware for some parameters, and for the last ones in Verilator."""
    for parameters in rows[:-1]:
        check_interpreted(network, parameters)
    check_network(network, rows[-1])


@pytest.mark.sweep
@pytest.mark.parametrize(("name", "sizes"), OWN)
@pytest.mark.parametrize("reuse", [False, True])
def test_own_examples(name: str, sizes: tuple[int, ...] | None, reuse: bool) -> None:
    network = example(name, sizes, reuse=reuse)
    check_sizes(network, list(tiny_parameters(network.tiles.kernel, (0, 1, 3, 7))))


@pytest.mark.sweep
@pytest.mark.parametrize("name", PLAIN)
@pytest.mark.parametrize("tiled", [False, True])
def test_polybench(name: str, tiled: bool) -> None:
    kernel = ls.parse(EXAMPLE[name])
    network = split_completely(make_network(next(example_tilings(kernel)))) if tiled else ls.network(kernel)
    check_sizes(network, list(tiny_parameters(kernel, (0, 1, 3, 5))))


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(20))
def test_random_kernels(seed: int) -> None:
    kernel, rows = random_kernel(seed)
    try:
        network = ls.network(kernel, reuse=bool(seed % 2))
    except UnsupportedError as error:
        pytest.skip(str(error).splitlines()[0])
    check_network(network, rows[-1])


@pytest.mark.sweep
@pytest.mark.parametrize("bus", [Bus("avalon"), Bus(data_width=128, burst=16)])
def test_other_buses(bus: Bus) -> None:
    check_network(example("matmul", (2, 2, 2)), {"n": 5}, bus)


@pytest.mark.sweep
def test_narrow_elements_are_packed() -> None:
    kernel = ls.parse(ROOT / "examples/vector_sum.c", types={"int": "int(16)"})
    outcome = check_network(ls.network(kernel), {"n": 61})
    assert outcome.words_read < outcome.loaded == 2 * 61
