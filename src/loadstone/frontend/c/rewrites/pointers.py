"""Pointers that a kernel declares, replaced by what they point to, from where they are set to the end of the block.

int *row;  for (...) { row = &a[i * m]; row[j] = x; }  ->  for (...) { int row_at = i * m; a[row_at + j] = x; }
int *p = a;  for (...) { *p = x; p++; }                ->  int p_steps = 0; for (...) { a[p_steps] = x; p_steps++; }
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from pycparser import c_ast

from loadstone.errors import InputError, Problems, Span, refused
from loadstone.frontend.c.declarations import Environment
from loadstone.frontend.c.rewrites.places import Substitution, moves_by_steps, place_of, sets_of, with_steps_counted
from loadstone.frontend.c.trees import items_of, mapped, names_declared, names_used


@dataclass(frozen=True, slots=True)
class _Set:
    """A pointer that is set by a statement."""

    name: str
    value: c_ast.Node


@dataclass(slots=True)
class Pointers:
    """Replaces the local pointers of one kernel; `fresh` makes names, `ranks` are numbers of dimensions."""

    environment: Environment
    span: Callable[[c_ast.Node], Span]
    problems: Problems
    fresh: Callable[[str], str]
    ranks: Mapping[str, int]

    def statements(self, nodes: Sequence[c_ast.Node], parameters: Collection[str]) -> list[c_ast.Node]:
        """The statements without the pointers that they set, among them those of the parameters that they step."""
        items, started = list(nodes), list[c_ast.Node]()
        hidden = {name for each in items for name in names_declared(each)}
        for name in (each for each in parameters if each not in hidden):
            if self.ranks.get(name) and any(chain.from_iterable(sets_of(each, name) for each in items)):
                here = c_ast.ID(name, items[0].coord)
                declared, items = self._replaced(_Set(name, here), items)
                started += declared
        return [*started, *self._block(items, set())]

    def _block(self, items: list[c_ast.Node], pointers: set[str]) -> list[c_ast.Node]:
        result: list[c_ast.Node] = []
        while items:
            item = items.pop(0)
            pointers |= set(_pointers_in([item]))
            found = _setting(item, pointers)
            if found is None:
                result.append(self._inside(item, pointers))
                continue
            try:
                declared, items = self._replaced(found, items)
                result.extend(declared)
            except InputError as error:
                self.problems.extend(error)
                return result
        return result

    def _inside(self, node: c_ast.Node, pointers: set[str]) -> c_ast.Node:
        """The statement with what its blocks become."""
        if isinstance(node, c_ast.Compound):
            return c_ast.Compound(self._block(items_of(node), set(pointers)), node.coord)
        if isinstance(node, c_ast.If | c_ast.For | c_ast.While | c_ast.DoWhile | c_ast.Label):
            return mapped(node, lambda child: self._inside(child, pointers))
        return node

    def _replaced(self, found: _Set, rest: list[c_ast.Node]) -> tuple[list[c_ast.Node], list[c_ast.Node]]:
        """The declarations of what a pointer is set to, and what follows without it, up to where it is set again."""
        place = place_of(found.value, self.environment, self.ranks)
        if place is None:
            hint = "point to an array, a row of one, or an element: int *p = &a[i]"
            raise refused(f"what '{found.name}' points to is not known", self.span(found.value), hint)
        until = next((k for k, each in enumerate(rest) if _is_set_anew(each, found.name)), len(rest))
        later = rest[:until]
        noted, place = place.fixed(lambda: self.fresh(f"{found.name}_at"))
        self._check_steps(found, later)
        counted, place, later = with_steps_counted(found.name, place, later, self.fresh)
        substitution = Substitution(self.span, self.environment, {}, {found.name: place}, keeps_labels=True)
        return [*noted, *counted], [*map(substitution.substituted, later), *rest[until:]]

    def _check_steps(self, found: _Set, later: list[c_ast.Node]) -> None:
        if not moves_by_steps(later, found.name):
            moved = next(chain.from_iterable(sets_of(each, found.name) for each in later))
            hint = f"set it in the block where it is used, step it, or subscript it: {found.name}[k]"
            raise refused(f"the pointer '{found.name}' is set where others of its uses follow", self.span(moved), hint)


def _pointers_in(nodes: Sequence[c_ast.Node]) -> Iterator[str]:
    """The pointers that statements declare."""
    for node in nodes:
        if isinstance(node, c_ast.Decl) and isinstance(node.type, c_ast.PtrDecl) and "static" not in node.storage:
            yield node.name


def _setting(node: c_ast.Node, pointers: set[str]) -> _Set | None:
    """The pointer that a statement declares with a value, or sets."""
    match node:
        case c_ast.Decl(name=name, init=c_ast.Node() as value, type=c_ast.PtrDecl()) if name in pointers:
            return _Set(name, value)
        case c_ast.Assignment(op="=", lvalue=c_ast.ID(name=name), rvalue=value) if name in pointers:
            return _Set(name, value)
        case _:
            return None


def _is_set_anew(node: c_ast.Node, name: str) -> bool:
    found = _setting(node, {name})
    return (
        found is not None and name not in names_used(found.value) and all(part is node for part in sets_of(node, name))
    )
