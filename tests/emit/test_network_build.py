"""Generated programs of process networks, executed: bit by bit as the original, and words as counted."""

from __future__ import annotations

import json
import multiprocessing
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

import loadstone as ls
from kernels import EXAMPLES, random_kernel, tiny_parameters
from loadstone.emit.c.targets import build_network_project
from loadstone.errors import UnsupportedError
from loadstone.model.kernel import Kernel
from loadstone.networks.build import make_network
from loadstone.networks.instances import network_words
from loadstone.networks.model import Network
from loadstone.networks.reuse import with_reuse
from loadstone.networks.sizes import sized
from loadstone.networks.split import split_completely
from loadstone.poly.limits import LimitReached, operation_limit
from loadstone.simulate.memory import Memory, copied, initial_memory, live_out_arrays, mismatches
from loadstone.simulate.programs.compiled import CompiledKernel, Words, compile_reference
from loadstone.simulate.programs.generated import compile_network
from loadstone.transform.tiling import TiledKernel, untiled
from tilings import example_tilings, random_tilings

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None or shutil.which("g++") is None, reason="needs gcc and g++")
WAYS = ("c", "vitis", "intel")
MOST_SECONDS = 30
Parameters = Mapping[str, int]
RANDOM_LIMIT = 3_000_000
QUICK_SEEDS = (1, 2, 4, 5, 6, 7, 10, 11, 13, 14, 15, 16, 17, 18, 21, 23, 24, 26, 27, 28)
QUICK = ("matmul", "polymul", "fir", "gemm", "jacobi1d_sa", "jacobi-1d", "atax", "trisolv", "lu", "cholesky")


class Hangs(AssertionError):
    """A program did not end."""


def guarded_run(program: CompiledKernel, parameters: Parameters, memory: Memory) -> Words:
    """What a program that might hang does, in a process of its own that is killed after a while."""
    here, there = multiprocessing.Pipe(duplex=False)
    child = multiprocessing.get_context("fork").Process(target=_run, args=(program, parameters, memory, there))
    child.start()
    there.close()
    try:
        if not here.poll(MOST_SECONDS):
            raise Hangs(f"no end after {MOST_SECONDS} seconds with {dict(parameters)}")
        words, cells = here.recv()
    finally:
        child.kill()
        child.join()
    for name, values in cells.items():
        memory[name].cells[:] = values
    return words


def _run(program: CompiledKernel, parameters: Parameters, memory: Memory, there: Connection) -> None:
    """Run the program twice: a second run finds nothing that the first has left."""
    program.run(parameters, copied(memory))
    words = program.run(parameters, memory)
    there.send((words, {name: buffer.cells for name, buffer in memory.items()}))


def compiled(network: Network, parameters: Parameters, way: str) -> CompiledKernel:
    sizes = sized(network, parameters)
    match way:
        case "c":
            return compile_network(network, sizes, parameters)
        case "vitis" | "intel":
            return compile_network(network, sizes, parameters, way)
        case _:
            raise ValueError(way)


def check(network: Network, parameters: Parameters, ways: Iterable[str]) -> None:
    """The network in some languages against the original program."""
    kernel = network.tiles.kernel
    start = initial_memory(kernel, parameters)
    expected = copied(start)
    compile_reference(kernel).run(parameters, expected)
    for way in ways:
        actual = copied(start)
        words = guarded_run(compiled(network, parameters, way), parameters, actual)
        assert not mismatches(expected, actual, live_out_arrays(kernel)), f"{way} {parameters}"
        assert words == network_words(network, parameters), f"{way} {parameters}"


def example(stem: str) -> Kernel:
    return ls.parse(next(path for path in EXAMPLES if path.stem == stem))


def rows_of(kernel: Kernel) -> list[dict[str, int]]:
    return list(tiny_parameters(kernel))


def small_tiles(kernel: Kernel) -> TiledKernel:
    return next(example_tilings(kernel))


def variants(tiles: TiledKernel) -> list[Network]:
    """The network of a tiling with whole channels, and with channels split."""
    whole = make_network(tiles)
    return [whole, split_completely(whole)]


def pattern_count(network: Network, pattern: str) -> int:
    return sum(channel.pattern == pattern for channel in network.channels)


@pytest.mark.parametrize("stem", QUICK)
def test_tiled_examples(stem: str) -> None:
    """Tiling has put channels out of order: these go through shared cells."""
    kernel = example(stem)
    whole = make_network(small_tiles(kernel))
    assert pattern_count(whole, "reorder") + pattern_count(whole, "reorder-register") > 0
    check(whole, rows_of(kernel)[-1], ["c"])


@pytest.mark.parametrize("stem", ["jacobi-1d", "trisolv", "lu"])
def test_split_examples(stem: str) -> None:
    kernel = example(stem)
    check(split_completely(make_network(small_tiles(kernel))), rows_of(kernel)[-2], ["c"])


@pytest.mark.parametrize("stem", ["polymul", "atax"])
def test_untiled_examples(stem: str) -> None:
    kernel = example(stem)
    check(make_network(untiled(kernel)), rows_of(kernel)[-1], ["c"])


@pytest.mark.parametrize(("stem", "way"), [("polymul", "vitis"), ("jacobi-1d", "vitis"), ("polymul", "intel")])
def test_examples_in_hls(stem: str, way: str) -> None:
    kernel = example(stem)
    check(make_network(small_tiles(kernel)), rows_of(kernel)[-1], [way])


def test_forwarded_values() -> None:
    """A reuse channel carries what its process has read."""
    kernel = example("polymul")
    reused = with_reuse(make_network(untiled(kernel)))
    assert any(channel.forwards for channel in reused.channels)
    check(reused, rows_of(kernel)[-1], ["c"])


def test_a_network_that_has_nothing_to_do() -> None:
    kernel = example("trisolv")
    check(make_network(untiled(kernel)), {"n": 0}, ["c", "vitis", "intel"])


@pytest.mark.parametrize("seed", QUICK_SEEDS)
def test_random_kernels(seed: int) -> None:
    kernel, rows = random_kernel(seed)
    network = random_network(kernel, seed, tiled=seed % 2 == 1, split=seed % 4 > 1)
    check(network, rows[-1], ["vitis" if seed % 5 == 4 else "c"])


@pytest.mark.parametrize("way", WAYS)
def test_other_parameters_are_refused(way: str) -> None:
    kernel = example("trisolv")
    program = compiled(make_network(untiled(kernel)), {"n": 3}, way)
    memory = initial_memory(kernel, {"n": 4})
    before = copied(memory)
    assert guarded_run(program, {"n": 4}, memory).loaded == -1
    assert not mismatches(before, memory, tuple(kernel.arrays))


NAMES = """
void S0(int state, int T0, int c1[state][T0], int load_c1[T0], int cell, int x0[state]) {
  for (int p = 0; p < state; p++)
    for (int words = 0; words < T0; words++) {
      load_c1[words] = load_c1[words] + x0[p];
      c1[p][words] = c1[p][words] + cell * load_c1[words];
    }
}
"""


@pytest.mark.parametrize("way", ["c", "intel"])
def test_names_of_the_source_may_be_those_of_the_program(way: str, tmp_path: Path) -> None:
    path = tmp_path / "names.c"
    path.write_text(NAMES)
    check(make_network(untiled(ls.parse(path))), {"state": 3, "T0": 4}, [way])


TYPES = """
#include <stdbool.h>
void types(unsigned n, unsigned char shift, bool flags[n], unsigned short a[n + 1], long long b[n], float *scale) {
  for (unsigned i = 0; i < n; i++) {
    flags[i] = a[i] > 20 + shift;
    a[n - i] = a[n - i] * 3u + i;
    b[i] = flags[i] * a[i] + b[i] - shift;
    *scale = *scale * 0.5f + b[i];
  }
}
"""


@pytest.mark.parametrize("way", ["c", "vitis"])
def test_words_of_many_types(way: str, tmp_path: Path) -> None:
    path = tmp_path / "types.c"
    path.write_text(TYPES)
    check(make_network(untiled(ls.parse(path))), {"n": 6}, [way])


NEGATIVE = """
void negative(int n, int a[n][n], int b[n][n]) {
  for (int i = -n; i < 0; i++)
    for (int j = 0; j < n; j++)
      a[i + n][j] = a[i + n][j] + 1;
  for (int j = 0; j < n; j++)
    for (int i = 0; i < n; i++)
      b[i][j] = a[i][j] * 2;
}
"""


def test_negative_coordinates_have_cells(tmp_path: Path) -> None:
    path = tmp_path / "negative.c"
    path.write_text(NEGATIVE)
    network = make_network(untiled(ls.parse(path)))
    assert pattern_count(network, "reorder") > 0
    check(network, {"n": 5}, ["c"])


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    kernel = example("matmul")
    network = make_network(small_tiles(kernel))
    parameters = {"n": 5}
    made = build_network_project(network, sized(network, parameters), ("c", "hls"), parameters)
    return made.write(tmp_path_factory.mktemp("built") / "out")


@pytest.mark.skipif(shutil.which("make") is None, reason="needs make")
@pytest.mark.parametrize(("folder", "goal"), [("c", "run"), ("c", "tsan"), ("c", "asan"), ("hls", "run")])
def test_what_is_written_runs(project: Path, folder: str, goal: str) -> None:
    result = subprocess.run(
        ["make", "-C", str(project / folder), goal], capture_output=True, text=True, check=False, timeout=120
    )
    assert result.returncode == 0, result.stderr
    assert "network: 0 words differ; loaded 75, stored 25" in result.stdout
    assert result.stderr == ""


def test_the_project_holds_the_network(project: Path) -> None:
    info = json.loads((project / "network.json").read_text())
    assert [channel["id"] for channel in info["channels"]] == ["c1", "c2", "c3", "c4", "c5"]


def random_network(kernel: Kernel, seed: int, *, tiled: bool, split: bool) -> Network:
    """A network of a kernel as it stands or tiled, with whole or with split channels."""
    try:
        with operation_limit(RANDOM_LIMIT):
            tiles = next(random_tilings(kernel, seed, (1,))) if tiled else untiled(kernel)
            whole = make_network(tiles)
            return split_completely(whole) if split else whole
    except LimitReached:
        pytest.skip("isl needs too many operations")
    except UnsupportedError:
        pytest.skip("accesses depend on data")


@pytest.mark.sweep
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_all_examples_in_all_ways(path: Path) -> None:
    kernel = ls.parse(path)
    for tiles in (untiled(kernel), small_tiles(kernel)):
        try:
            networks = variants(tiles)
        except UnsupportedError:
            pytest.skip("accesses depend on data")
        for network in networks:
            for parameters in (rows_of(kernel)[0], rows_of(kernel)[-1]):
                check(network, parameters, WAYS)


@pytest.mark.sweep
@pytest.mark.parametrize("tiled", [False, True])
@pytest.mark.parametrize("split", [False, True])
@pytest.mark.parametrize("seed", range(100, 200))
def test_many_random_kernels(seed: int, split: bool, tiled: bool) -> None:
    kernel, rows = random_kernel(seed)
    network = random_network(kernel, seed, tiled=tiled, split=split)
    for parameters in rows:
        check(network, parameters, ("c", WAYS[1 + seed % 2]))
