"""The Array-OL examples against programs in Python."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from xml.etree import ElementTree

import pytest

import loadstone as ls
from loadstone.cli.main import main
from loadstone.simulate.interpreter import execute
from loadstone.simulate.memory import Memory, initial_memory

EXAMPLES = Path(__file__).parents[2] / "examples" / "arrayol"
FRAMES = {"frames": 2}
Grid = dict[tuple[int, ...], int]


def executed(name: str, parameters: dict[str, int]) -> tuple[Memory, Memory]:
    """What an example starts from, and what it makes of it."""
    kernel = ls.parse(EXAMPLES / f"{name}.yaml")
    start, memory = (initial_memory(kernel, parameters, 5) for _ in range(2))
    execute(kernel, parameters, memory)
    return start, memory


def grid(memory: Memory, name: str) -> Grid:
    return {at: int(memory[name][at]) for at in product(*map(range, memory[name].extents))}


def int32(value: int) -> int:
    return (value + 2**31) % 2**32 - 2**31


def int16(value: int) -> int:
    return (value + 2**15) % 2**16 - 2**15


def quotient(value: int, by: int) -> int:
    return value // by if value >= 0 else -(-value // by)


def test_the_matrix_product() -> None:
    start, memory = executed("matmul", {})
    a, b = grid(start, "a"), grid(start, "b")
    for (i, j), value in grid(memory, "c").items():
        assert value == int32(sum(a[i, k] * b[k, j] for k in range(16)))


def halved(image: Grid, size: int) -> Grid:
    window = list(product(range(-1, 3), repeat=2))
    return {
        (f, i, j): int16(quotient(sum(image[f, (2 * i + y) % size, (2 * j + x) % size] for y, x in window), 16))
        for f, i, j in product(range(2), range(size // 2), range(size // 2))
    }


def test_the_image_pyramid() -> None:
    start, memory = executed("pyramid", FRAMES)
    image = grid(start, "image")
    half = halved(image, 16)
    quarter = halved(half, 8)
    assert grid(memory, "top") == quarter
    for name, large, small in (("detail1", image, half), ("detail2", half, quarter)):
        expected = {(f, i, j): int16(large[f, i, j] - small[f, i // 2, j // 2]) for f, i, j in large}
        assert grid(memory, name) == expected


def test_the_radar_chain() -> None:
    start, memory = executed("radar", FRAMES)
    echoes, weights, code = (grid(start, name) for name in ("echoes", "weights", "code"))
    for f in range(2):
        beams = {
            (b, p, r): int32(sum(weights[b, k] * echoes[f, k, p, r] for k in range(4)))
            for b, p, r in product(range(3), range(8), range(16))
        }
        compressed = {
            (b, p, r): int32(sum(code[k,] * beams[b, p, r + k] for k in range(5)))
            for b, p, r in product(range(3), range(8), range(12))
        }
        doppler = {
            (b, d, r): int32(sum((d * p % 8 - 4) * compressed[b, p, r] for p in range(8))) for b, d, r in compressed
        }
        for (b, d, r), level in doppler.items():
            around = sum(doppler[b, d, (r + k) % 12] for k in (-2, -1, 1, 2))
            assert memory["hits"][f, b, d, r] == (int32(4 * level) > int32(around))


def test_a_picture_has_all_tasks_arrays_and_tilers(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "tasks.svg"
    assert main(["info", str(EXAMPLES / "downscaler.yaml"), "-o", str(target)]) == 0
    root = ElementTree.parse(target).getroot()
    texts = [node.text or "" for node in root.iter("{http://www.w3.org/2000/svg}text")]
    for title in ("hd", "sd", "wide", "middle", "small", "frame [inf]", "horizontal [3, 18]", "vertical [9, 2]"):
        assert title in texts
    assert any("x: pattern [11], paving [[8, 0], [0, 1]], fitting [[1], [0]], wraps" in text for text in texts)
    assert len(list(root.iter("{http://www.w3.org/2000/svg}path"))) == 6
    capsys.readouterr()
    wrong = {("info", "matmul.c", "x.svg"): "has no tasks to draw", ("info", "downscaler.yaml", "x.png"): "cannot draw"}
    for (command, name, file), message in wrong.items():
        path = EXAMPLES / name if name.endswith("yaml") else EXAMPLES.parent / name
        assert main([command, str(path), "-o", str(tmp_path / file)]) == 2
        assert message in capsys.readouterr().err
