"""`loadstone count`: the number of integer points of a set, or of the images of a map, in closed form; its vertices."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

import islpy as isl

from loadstone.cli.shared.console import console, shown, table
from loadstone.counting.cardinality import COUNT_OPERATIONS, count, parts_of, with_values
from loadstone.counting.reading import Relation, read_relation
from loadstone.counting.vertices import Vertices, vertices_of
from loadstone.errors import refused
from loadstone.files import UnreadableFile, file_text, unreadable
from loadstone.poly.limits import within_limit
from loadstone.poly.names import names_of


def run(arguments: argparse.Namespace) -> int:
    """Print the piecewise quasi-polynomial, or the number for given parameters."""
    relation = read_relation(given_text(arguments.set), "SET")
    values = dict(arguments.parameters)
    check_parameters(values, names_of(relation.get_space()))
    if arguments.vertices:
        return _show_vertices(relation, values, arguments)
    parts = [count(with_values(part, values), arguments.limit or COUNT_OPERATIONS) for part in parts_of(relation)]
    total = _total(relation, parts)
    value = _number(relation, values, parts)
    text = total if value is None else str(value)
    return shown(arguments, lambda: {"count": total, "value": value}, lambda: console().print(text, markup=False))


def given_text(argument: str) -> str:
    """The text of an argument: itself, that of a file for @FILE, or standard input for -."""
    if argument == "-":
        return sys.stdin.read()
    if not argument.startswith("@"):
        return argument
    try:
        return file_text(Path(argument[1:]))
    except UnreadableFile as reason:
        raise unreadable(argument[1:], reason) from None


def check_parameters(values: dict[str, int], names: tuple[str, ...]) -> None:
    """Refuse values for parameters that there are not."""
    for name in values:
        if name not in names:
            known = ", ".join(names) or "none"
            raise refused(f"'{name}' is not a parameter", None, f"parameters are: {known}")


def _total(relation: Relation, parts: list[isl.PwQPolynomial]) -> str:
    """The closed form as text: a sum for the sets of a union, and a function of all domains for maps."""
    if not parts:
        return "{ 0 }"
    total = isl.UnionPwQPolynomial.from_pw_qpolynomial(parts[0])
    for part in parts[1:]:
        total = total.add(isl.UnionPwQPolynomial.from_pw_qpolynomial(part))
    text = str(total)
    return text.replace("{  }", "{ 0 }") if isinstance(relation, isl.UnionSet) else text


def _number(relation: Relation, values: dict[str, int], parts: list[isl.PwQPolynomial]) -> int | None:
    """The number of points of a set whose parameters are all known."""
    if isinstance(relation, isl.UnionMap) or set(names_of(relation.get_space())) - set(values):
        return None
    return sum(part.eval(isl.Point.zero(part.get_domain_space())).to_python() for part in parts)


def _show_vertices(relation: Relation, values: dict[str, int], arguments: argparse.Namespace) -> int:
    """Print the vertices of each polytope of a set, and its chambers."""
    if isinstance(relation, isl.UnionMap):
        raise refused("a map has no vertices", None, "make its inputs parameters: [t] -> { [i] : ... }")
    sets = [part for part in (with_values(part, values) for part in parts_of(relation)) if isinstance(part, isl.Set)]
    limit = arguments.limit or COUNT_OPERATIONS
    found = within_limit("the vertices", limit, lambda: [each for part in sets for each in vertices_of(part)])
    if arguments.json:
        print(json.dumps({"polytopes": [_vertex_info(each) for each in found]}))
        return 0
    for each in found:
        rows = [(vertex.text, _condition(vertex.parameters)) for vertex in each.vertices]
        chambers = [
            (_condition(chamber.parameters), str(len(chamber.vertices)), " ".join(v.text for v in chamber.vertices))
            for chamber in each.chambers
        ]
        console().print(table(("vertex", "where"), rows))
        console().print()
        console().print(table(("chamber", ">vertices", ""), chambers))
    return 0


def _vertex_info(found: Vertices) -> dict[str, Any]:
    """The vertices and chambers of a polytope for programs; parameters as sets that isl reads."""
    return {
        "vertices": [{"vertex": vertex.text, "where": str(vertex.parameters)} for vertex in found.vertices],
        "chambers": [
            {"where": str(chamber.parameters), "vertices": [vertex.text for vertex in chamber.vertices]}
            for chamber in found.chambers
        ],
    }


def _condition(parameters: isl.Set) -> str:
    """The conditions on parameters alone."""
    return (
        str(parameters).partition("{")[2].rpartition("}")[0].removeprefix(" rat:").partition(":")[2].strip() or "always"
    )
