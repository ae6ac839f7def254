"""The task graph of a specification as SVG: arrays, tasks with their tilers, compound tasks around their tasks.

Arrays and tasks stand in columns from left to right, each behind what it reads.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from loadstone.frontend.arrayol.printing import sizes_text
from loadstone.frontend.arrayol.specification import Before, Port, Specification, Task
from loadstone.markup import Markup, element

_LINE, _CHARACTER, _PAD, _GAP, _COLUMN = 18.0, 7.4, 10.0, 22.0, 56.0
_STYLE = (
    "text{font:12px monospace;fill:#1a2b3c}.name{font-weight:bold}.array{fill:#e8f0fa;stroke:#4a76b0}"
    ".task{fill:#fdf6e7;stroke:#b08030}.compound{fill:#f7f7f7;stroke:#888;stroke-dasharray:5 3}"
    ".edge{fill:none;stroke:#4a76b0;stroke-width:1.4}.edge.out{stroke:#b08030}"
)


@dataclass(slots=True)
class _Node:
    """A box with lines of text, perhaps with a drawing below them; lines by the name of a port are where edges end."""

    title: str
    kind: str
    lines: Mapping[str, str]
    inside: _Drawing | None = None
    x: float = 0.0
    y: float = 0.0

    @property
    def width(self) -> float:
        """As wide as the longest line, and what is inside."""
        longest = max(len(text) for text in (self.title, *self.lines.values()))
        return max(longest * _CHARACTER, self.inside.width if self.inside else 0.0) + 2 * _PAD

    @property
    def height(self) -> float:
        """As high as all lines, and what is inside."""
        return (1 + len(self.lines)) * _LINE + _PAD + (self.inside.height + _PAD if self.inside else 0.0)

    def row(self, port: str) -> float:
        """The height at which a port stands."""
        return self.y + _LINE * (list(self.lines).index(port) + 1.6) if port in self.lines else self.y + _LINE * 0.8

    def drawn(self) -> Markup:
        """The box, its lines, and what is inside."""
        texts = [element("text", self.title, x=self.x + _PAD, y=self.y + _LINE, class_="name")]
        texts += [
            element("text", line, x=self.x + _PAD, y=self.y + _LINE * (k + 2))
            for k, line in enumerate(self.lines.values())
        ]
        box = element("rect", x=self.x, y=self.y, width=self.width, height=self.height, rx=5, class_=self.kind)
        below = self.y + (1 + len(self.lines)) * _LINE + _PAD
        inside = [self.inside.drawn(self.x + _PAD, below)] if self.inside else []
        return element("g", box, *texts, *inside)


@dataclass(slots=True)
class _Drawing:
    """Nodes in columns, and edges between them."""

    nodes: list[_Node]
    edges: list[Markup] = field(default_factory=list[Markup])

    @property
    def width(self) -> float:
        """The width of all columns."""
        return max(node.x + node.width for node in self.nodes)

    @property
    def height(self) -> float:
        """The height of the highest column."""
        return max(node.y + node.height for node in self.nodes)

    def drawn(self, x: float, y: float) -> Markup:
        """The drawing at a place."""
        return element(
            "g", *self.edges, *(node.drawn() for node in self.nodes), transform=f"translate({x:.1f} {y:.1f})"
        )


def specification_svg(specification: Specification) -> Markup:
    """The picture of a specification."""
    shapes = {name: f"{array.type}{sizes_text(array.sizes)}" for name, array in specification.arrays.items()}
    drawing = _drawing(specification.tasks, shapes)
    width, height = drawing.width + 2 * _GAP, drawing.height + 2 * _GAP
    return element(
        "svg",
        element("title", f"tasks of {specification.name}"),
        element("style", _STYLE),
        drawing.drawn(_GAP, _GAP),
        xmlns="http://www.w3.org/2000/svg",
        role="img",
        width=width,
        height=height,
        viewBox=f"0 0 {width:.0f} {height:.0f}",
    )


def _drawing(tasks: Sequence[Task], shapes: Mapping[str, str]) -> _Drawing:
    arrays = {name: _Node(name, "array", {"": shape}) for name, shape in shapes.items()}
    boxes = {task.name: _task_node(task) for task in tasks}
    columns = _columns(tasks, shapes)
    left = 0.0
    for names in columns:
        placed = [boxes[name] if is_task else arrays[name] for is_task, name in names]
        top = 0.0
        for node in placed:
            node.x, node.y = left, top
            top += node.height + _GAP
        left += max((node.width for node in placed), default=-_COLUMN) + _COLUMN
    drawing = _Drawing([*arrays.values(), *boxes.values()])
    drawing.edges += _edges(tasks, arrays, boxes)
    return drawing


def _task_node(task: Task) -> _Node:
    title = f"{task.name} {sizes_text(task.repetition)}" if task.repetition else task.name
    lines = {port.name: f"\N{RIGHTWARDS ARROW} {port.name}: {_tiler(port)}" for port in task.inputs}
    lines |= {each.name: f"\N{CLOCKWISE OPEN CIRCLE ARROW} {each.name}: {_before(each)}" for each in task.before}
    lines |= {port.name: f"{port.name}: {_tiler(port)} \N{RIGHTWARDS ARROW}" for port in task.outputs}
    if not task.tasks:
        return _Node(title, "task", lines)
    seen = {port.name: str(list(port.tiler.pattern)) for port in (*task.inputs, *task.outputs)}
    seen |= {name: f"{array.type}{sizes_text(array.sizes)}" for name, array in task.arrays.items()}
    return _Node(title, "compound", lines, _drawing(task.tasks, seen))


def _tiler(port: Port) -> str:
    tiler = port.tiler
    parts = [f"pattern {list(tiler.pattern)}"]
    parts += [f"origin {list(tiler.origin)}"] if any(tiler.origin) else []
    parts += [f"paving {[list(row) for row in tiler.paving]}"] if tiler.paving and tiler.paving[0] else []
    parts += [f"fitting {[list(row) for row in tiler.fitting]}"] if tiler.pattern else []
    return ", ".join(parts) + (", wraps" if tiler.wraps else "")


def _before(before: Before) -> str:
    return f"{before.output} of the repetition {list(before.distance)} before, {before.initial} at the border"


def _columns(tasks: Sequence[Task], arrays: Iterable[str]) -> list[list[tuple[bool, str]]]:
    """Arrays and tasks by how many stand before them."""
    ranks: dict[tuple[bool, str], int] = {(False, name): 0 for name in arrays}
    for _ in tasks:
        for task in tasks:
            rank = 1 + max((ranks[False, port.array] for port in task.inputs), default=0)
            ranks[True, task.name] = rank
            for port in task.outputs:
                ranks[False, port.array] = max(ranks[False, port.array], rank + 1)
    return [[key for key, rank in ranks.items() if rank == column] for column in range(max(ranks.values()) + 1)]


def _edges(tasks: Sequence[Task], arrays: Mapping[str, _Node], boxes: Mapping[str, _Node]) -> Iterator[Markup]:
    for task in tasks:
        box = boxes[task.name]
        for port in task.inputs:
            array = arrays[port.array]
            yield _edge(array.x + array.width, array.y + array.height / 2, box.x, box.row(port.name), "edge")
        for port in task.outputs:
            array = arrays[port.array]
            yield _edge(box.x + box.width, box.row(port.name), array.x, array.y + array.height / 2, "edge out")


def _edge(x: float, y: float, to_x: float, to_y: float, kind: str) -> Markup:
    middle = max(20.0, abs(to_x - x) / 2)
    path = f"M{x:.1f} {y:.1f}C{x + middle:.1f} {y:.1f} {to_x - middle:.1f} {to_y:.1f} {to_x:.1f} {to_y:.1f}"
    return element("path", d=path, class_=kind)
