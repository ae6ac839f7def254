"""Vertices of polytopes with parameters, and the chambers in which they are the same [Devos, 3.3 and appendix C].

A vertex is an affine function of the parameters, and a vertex only for some of them. The parameters fall into chambers
in each of which the polytope has one set of vertices. Chambers are closed: neighbours share their border.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import islpy as isl

from loadstone.counting.pieces import flat_set
from loadstone.errors import Diagnostic, UnsupportedError
from loadstone.poly.linear import components
from loadstone.poly.spaces import Dim


@dataclass(frozen=True, slots=True, eq=False)
class Vertex:
    """A vertex: its coordinates as functions of the parameters, and the parameters for which it is one."""

    coordinates: tuple[isl.Aff, ...]
    parameters: isl.Set

    @property
    def text(self) -> str:
        """The coordinates as they are written, (5 - p, 6)."""
        return f"({', '.join(map(_affine_text, self.coordinates))})"


@dataclass(frozen=True, slots=True, eq=False)
class VertexChamber:
    """Parameters for which a polytope has the same vertices."""

    parameters: isl.Set
    vertices: tuple[Vertex, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Vertices:
    """The vertices of a polytope, and its chambers."""

    vertices: tuple[Vertex, ...]
    chambers: tuple[VertexChamber, ...]


def vertices_of(points: isl.Set) -> tuple[Vertices, ...]:
    """The vertices of each polytope of a union of polytopes.

    Raises `UnsupportedError` for points with strides: the vertices of such a set are not affine.
    """
    return tuple(_vertices(part) for part in flat_set(points).get_basic_sets() if not part.is_empty())


def _vertices(polytope: isl.BasicSet) -> Vertices:
    if polytope.dim(Dim.div):
        hint = "leave out remainders and quotients, or count the points instead"
        raise UnsupportedError(Diagnostic(f"the vertices of {polytope} are not affine", None, hint))
    found: list[isl.Vertex] = []
    cells: list[isl.Cell] = []
    described = polytope.compute_vertices()
    described.foreach_vertex(found.append)
    described.foreach_cell(cells.append)
    chambers = (VertexChamber(cell.get_domain().to_set(), _ordered(_of_cell(cell))) for cell in cells)
    return Vertices(_ordered(found), tuple(sorted(chambers, key=lambda chamber: str(chamber.parameters))))


def _of_cell(cell: isl.Cell) -> Sequence[isl.Vertex]:
    found: list[isl.Vertex] = []
    cell.foreach_vertex(found.append)
    return found


def _ordered(found: Iterable[isl.Vertex]) -> tuple[Vertex, ...]:
    vertices = (Vertex(tuple(components(each.get_expr())), each.get_domain().to_set()) for each in found)
    return tuple(sorted(vertices, key=lambda vertex: vertex.text))


def _affine_text(value: isl.Aff) -> str:
    """The function without the names of its space: 5 - p, (20 - p)/2."""
    body = str(value).partition("{")[2].rpartition("}")[0].rpartition("->")[2].strip()
    inner = body.removeprefix("[").removesuffix("]")
    return inner[1:-1] if inner.startswith("(") and inner.endswith(")") else inner
