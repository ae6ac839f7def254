"""Random Array-OL specifications, and what they mean by the definition of tilers."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise, product
from typing import Any

Element = tuple[int, ...]
Cells = dict[Element, int]


def box(sizes: Sequence[int]) -> list[Element]:
    return list(product(*map(range, sizes)))


def element(port: Mapping[str, Any], repetition: Element, position: Element, shape: Sequence[int]) -> Element | None:
    """The formula of Array-OL: (origin + paving r + fitting i) mod shape; None where it leaves an array."""
    found = [
        o
        + sum(p * r for p, r in zip(paving, repetition, strict=True))
        + sum(f * i for f, i in zip(fitting, position, strict=True))
        for o, paving, fitting in zip(port["origin"], port["paving"], port["fitting"], strict=True)
    ]
    if port.get("wrap"):
        found = [k % size for k, size in zip(found, shape, strict=True)]
    inside = all(0 <= k < size for k, size in zip(found, shape, strict=True))
    return tuple(found) if inside else None


class Wrong(Exception):
    """A specification that leaves an array, writes an element twice, or reads one that nobody writes."""


class View:
    """An array, or a pattern of one: reads and writes end in the array."""

    def __init__(self, shape: Sequence[int], name: str = "") -> None:
        self.shape, self.name, self.cells = list(shape), name, dict[Element, int]()

    def read(self, at: Element) -> int:
        if at not in self.cells:
            raise Wrong(f"{self.name}{at} is read and not written")
        return self.cells[at]

    def write(self, at: Element, value: int) -> None:
        if at in self.cells:
            raise Wrong(f"{self.name}{at} is written twice")
        self.cells[at] = value


class PatternView(View):
    """The pattern that a port takes of another view in a repetition."""

    def __init__(self, port: Mapping[str, Any], repetition: Element, around: View) -> None:
        super().__init__(port["pattern"])
        self.around = around
        self.places: dict[Element, Element] = {}
        for position in box(self.shape):
            place = element(port, repetition, position, around.shape)
            if place is None:
                raise Wrong(f"{position} leaves its array")
            self.places[position] = place

    def read(self, at: Element) -> int:
        return self.around.read(self.places[at])

    def write(self, at: Element, value: int) -> None:
        self.around.write(self.places[at], value)


def executed(task: Mapping[str, Any], views: Mapping[str, View]) -> None:
    """Execute a task on what it sees; tasks stand in an order in which they can be executed."""
    if "body" in task:
        _elementary(task, views)
        return
    for repetition in box(task.get("repetition", [])):
        own: dict[str, View] = {
            name: PatternView(port, repetition, views[port["array"]])
            for name, port in (*task["inputs"].items(), *task["outputs"].items())
        }
        own |= {name: View(array["shape"], name) for name, array in task.get("arrays", {}).items()}
        for each in task["tasks"].values():
            executed(each, own)


def _elementary(task: Mapping[str, Any], views: Mapping[str, View]) -> None:
    """y[i] = 3 x[i] + before[i], or 1, in any order: earlier repetitions first."""
    made: dict[Element, Cells] = {}
    before = task["inputs"].get("before")
    outputs = {
        r: PatternView(task["outputs"]["y"], r, views[task["outputs"]["y"]["array"]]) for r in box(task["repetition"])
    }

    def pattern(repetition: Element) -> Cells:
        if repetition not in made:
            x = PatternView(task["inputs"]["x"], repetition, views[task["inputs"]["x"]["array"]])
            earlier = before and tuple(a - b for a, b in zip(repetition, before["distance"], strict=True))
            last = pattern(earlier) if earlier in outputs else None
            added = before["initial"] if before else 1
            made[repetition] = {
                at: wrapped(3 * x.read(at) + (added if last is None else last[at])) for at in box(x.shape)
            }
        return made[repetition]

    for repetition, output in outputs.items():
        for at, value in pattern(repetition).items():
            output.write(at, value)


def wrapped(value: int) -> int:
    return (value + 2**31) % 2**32 - 2**31


def evaluated(specification: Mapping[str, Any], start: Cells) -> dict[str, Cells]:
    """All arrays of a specification whose input is `a`; raises `Wrong` for one that is wrong."""
    views = {name: View(array["shape"], name) for name, array in specification["arrays"].items()}
    views["a"].cells.update(start)
    for task in specification["tasks"].values():
        executed(task, views)
    return {name: view.cells for name, view in views.items()}


def random_port(source: random.Random, array: str, shape: list[int], repetition: list[int], pattern: list[int]) -> Any:
    """A tiler of small numbers, which may leave its array."""

    def matrix(columns: int) -> list[list[int]]:
        return [[source.choice((0, 0, 1, 1, 2, -1)) for _ in range(columns)] for _ in shape]

    return {
        "array": array,
        "pattern": pattern,
        "origin": [source.randrange(size) for size in shape],
        "paving": matrix(len(repetition)),
        "fitting": matrix(len(pattern)),
        "wrap": source.random() < 0.8,
    }


def blocks(source: random.Random, array: str, repetition: list[int], pattern: list[int], wrong: float = 0.15) -> Any:
    """A tiler that covers its array once; one number of it is wrong now and then."""
    rank = len(repetition)
    paving = [[pattern[k] * (k == row) for k in range(rank)] for row in range(rank)]
    fitting = [[int(k == row) for k in range(rank)] for row in range(rank)]
    if source.random() < wrong:
        matrix = source.choice((paving, fitting))
        matrix[source.randrange(rank)][source.randrange(rank)] += source.choice((1, -1))
    return {"array": array, "pattern": pattern, "origin": [0] * rank, "paving": paving, "fitting": fitting}


def body(pattern: Sequence[int], has_before: bool) -> str:
    at = "".join(f"[k{k}]" for k in range(len(pattern)))
    loops = "".join(f"for (int k{k} = 0; k{k} < {size}; k{k}++) " for k, size in enumerate(pattern))
    return f"{loops}y{at} = 3 * x{at} + {f'before{at}' if has_before else '1'};"


def sizes(source: random.Random, rank: int, most: int) -> list[int]:
    return [source.randrange(1, most) for _ in range(rank)]


def random_task(source: random.Random, read: str, shape: list[int], written: str) -> tuple[Any, list[int]]:
    """An elementary task with a random input and blocks as output, and the shape of what it writes."""
    rank = source.choice((1, 2))
    repetition, pattern = sizes(source, rank, 4), sizes(source, rank, 4)
    inputs = {"x": random_port(source, read, shape, repetition, pattern)}
    distance = [source.randrange(-2, 3) for _ in range(rank)]
    has_before = any(distance) and source.random() < 0.4
    if has_before:
        inputs["before"] = {"output": "y", "distance": distance, "initial": source.randrange(9)}
    outputs = {"y": blocks(source, written, repetition, pattern)}
    task = {"repetition": repetition, "inputs": inputs, "outputs": outputs, "body": body(pattern, has_before)}
    return task, [r * p for r, p in zip(repetition, pattern, strict=True)]


def random_chain(
    source: random.Random, start: list[int], names: Sequence[str]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Tasks one after the other, and the shapes of what they write."""
    tasks, shapes, shape = dict[str, Any](), dict[str, Any](), start
    for read, written in pairwise(names):
        make = random_compound if source.random() < 0.35 and len(names) == 3 else random_task
        tasks[f"make_{written}"], shape = make(source, read, shape, written)
        shapes[written] = {"shape": shape, "type": "int32"}
    return tasks, shapes


def random_compound(source: random.Random, read: str, shape: list[int], written: str) -> tuple[Any, list[int]]:
    """A compound task with a chain inside: the last array of the chain is a pattern of it."""
    taken = sizes(source, source.choice((1, 2)), 4)
    inner, arrays = random_chain(source, taken, ["in_", *(["mid"] if source.random() < 0.5 else []), "out", ""][:-1])
    pattern = arrays.pop("out")["shape"]
    repetition = sizes(source, len(pattern), 4)
    task = {
        "repetition": repetition,
        "inputs": {"in_": random_port(source, read, shape, repetition, taken)},
        "outputs": {"out": blocks(source, written, repetition, pattern)},
        **({"arrays": arrays} if arrays else {}),
        "tasks": inner,
    }
    return task, [r * p for r, p in zip(repetition, pattern, strict=True)]


def random_specification(seed: int) -> Any:
    """Two tasks one after the other, compound ones among them."""
    source = random.Random(seed)
    shape = [source.randrange(2, 6) for _ in range(source.choice((1, 2)))]
    tasks, shapes = random_chain(source, shape, ["a", "b", "c"])
    arrays = {"a": {"shape": shape, "type": "int32"}, **shapes}
    return {"application": "random", "arrays": arrays, "tasks": tasks}


def elementary_names(tasks: Mapping[str, Any], around: str = "") -> Iterator[tuple[str, Any]]:
    """All tasks by their paths."""
    for name, task in tasks.items():
        yield f"{around}{name}", task
        yield from elementary_names(task.get("tasks", {}), f"{around}{name}.")
