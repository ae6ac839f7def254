"""Finding the kernel in a C file: the statements, the function around them, and what it holds beside them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice

from pycparser import c_ast

from loadstone.errors import Diagnostic, InputError, refused
from loadstone.frontend.c.parse import Parsed
from loadstone.frontend.c.trees import items_of, names_used, walk

_LOOPS = (c_ast.For, c_ast.While, c_ast.DoWhile)


@dataclass(frozen=True, slots=True)
class Scop:
    """The statements of the kernel: `text[start:end]` in their function, or its `whole` body; `node` opens them."""

    function: c_ast.FuncDef
    node: c_ast.Node
    items: tuple[c_ast.Node, ...]
    start: int
    end: int
    whole: bool


@dataclass(frozen=True, slots=True)
class Outside:
    """What the function holds beside the kernel: declarations before it, names used before and after it."""

    declarations: tuple[c_ast.Decl, ...]
    before: frozenset[str]
    after: frozenset[str]


def find_scop(parsed: Parsed, wanted: str | None, number: int | None = None) -> Scop:
    """The kernel of a file; `wanted` names its function where there are several, `number` counts marked ones from 1."""
    functions = [node for node in parsed.tree.ext if isinstance(node, c_ast.FuncDef)]
    named = [f for f in functions if wanted in (None, f.decl.name)]
    if wanted and not named:
        known = ", ".join(f.decl.name for f in functions) or "none"
        raise InputError(Diagnostic(f"there is no function '{wanted}'", None, f"functions in the file: {known}"))
    marked = [scop for f in named for scop in _marked(f, parsed)]
    if number is not None:
        return _numbered(marked, number, parsed)
    if len(marked) > 1:
        raise _second_scop(marked, parsed)
    return marked[0] if marked else _whole(_only_candidate(named, parsed), parsed)


def _numbered(marked: list[Scop], number: int, parsed: Parsed) -> Scop:
    if number > len(marked):
        start = parsed.preprocessed.source.span(1, 1)
        how_many = f"{len(marked)} '#pragma scop'" if marked else "no '#pragma scop'"
        raise refused(f"there is no kernel number {number}: the file has {how_many}", start, "see --scop")
    return sorted(marked, key=lambda scop: scop.start)[number - 1]


class SeveralKernelsError(InputError):
    """A file marks several kernels, `how_many`, and none was chosen."""

    def __init__(self, diagnostic: Diagnostic, how_many: int) -> None:
        super().__init__(diagnostic)
        self.how_many = how_many


def _second_scop(marked: list[Scop], parsed: Parsed) -> InputError:
    _, second, *_ = marked
    hint = f"choose one with --scop N, from 1 to {len(marked)}"
    names = list(dict.fromkeys(scop.function.decl.name for scop in marked))
    if len(names) > 1:
        hint += f", or with --function NAME: {', '.join(names)}"
    diagnostic = Diagnostic("this is a second '#pragma scop'", parsed.span(second.node), hint)
    return SeveralKernelsError(diagnostic, len(marked))


def _only_candidate(functions: list[c_ast.FuncDef], parsed: Parsed) -> c_ast.FuncDef:
    """The function of a file without marks: the only one, the only one with a loop, or the one that no other calls."""
    if not functions:
        start = parsed.preprocessed.source.span(1, 1)
        raise refused("there is no kernel in this file", start, "write a loop nest, or a function that holds one")
    with_loops = [f for f in functions if any(isinstance(node, _LOOPS) for node in walk(f))]
    candidates = with_loops or functions
    if len(candidates) > 1:
        candidates = _not_called(functions) if len(_not_called(functions)) == 1 else candidates
    if len(candidates) > 1:
        names = ", ".join(f.decl.name for f in candidates)
        hint = f"mark the kernel, or choose one with --function NAME: {names}"
        message = "there are several functions, and none is marked with '#pragma scop'"
        raise refused(message, parsed.span(candidates[1]), hint)
    return candidates[0]


def _not_called(functions: list[c_ast.FuncDef]) -> list[c_ast.FuncDef]:
    """The functions that no other of them calls."""
    calls = (part.name for f in functions for part in walk(f.body) if isinstance(part, c_ast.FuncCall))
    called = {name.name for name in calls if isinstance(name, c_ast.ID)}
    return [f for f in functions if f.decl.name not in called]


def _whole(function: c_ast.FuncDef, parsed: Parsed) -> Scop:
    text = parsed.preprocessed.text
    opening = 0 if parsed.bare else text.index("{", parsed.offset(function.body)) + 1
    end = len(text) if parsed.bare else _closing_brace(text, opening)
    return Scop(function, function, tuple(function.body.block_items or ()), opening, end, True)


def _closing_brace(text: str, start: int) -> int:
    depth = 1
    for offset in range(start, len(text)):
        depth += (text[offset] == "{") - (text[offset] == "}")
        if depth == 0:
            return offset
    return len(text)


def _marked(function: c_ast.FuncDef, parsed: Parsed) -> Iterator[Scop]:
    blocks = (node for node in walk(function.body) if isinstance(node, c_ast.Compound))
    return (scop for block in blocks for scop in _marked_in(block, function, parsed))


def _marked_in(block: c_ast.Compound, function: c_ast.FuncDef, parsed: Parsed) -> Iterator[Scop]:
    opening: c_ast.Node | None = None
    inside: list[c_ast.Node] = []
    for item in items_of(block):
        match pragma_words(item)[:1]:
            case ["scop"] if opening is not None:
                raise _unclosed(opening, parsed)
            case ["scop"]:
                opening, inside = item, []
            case ["endscop"] if opening is None:
                hint = "open the kernel with '#pragma scop' in the same block"
                raise refused("'#pragma endscop' without '#pragma scop'", parsed.span(item), hint)
            case ["endscop"] if opening is not None:
                yield _between(opening, inside, item, function, parsed)
                opening = None
            case _:
                inside.append(item)
    if opening is not None:
        raise _unclosed(opening, parsed)


def _unclosed(node: c_ast.Node, parsed: Parsed) -> InputError:
    hint = "close the kernel with '#pragma endscop' in the same block"
    return refused("'#pragma scop' is never closed", parsed.span(node), hint)


def _between(
    opening: c_ast.Node, items: list[c_ast.Node], closing: c_ast.Node, function: c_ast.FuncDef, parsed: Parsed
) -> Scop:
    text = parsed.preprocessed.text
    start = text.index("\n", parsed.offset(opening))
    end = text.rindex("#", 0, parsed.offset(closing))
    return Scop(function, opening, tuple(items), start, max(start, end), False)


def pragma_words(node: c_ast.Node) -> list[str]:
    """The words of a pragma; nothing for other nodes."""
    return str(node.string or "").split() if isinstance(node, c_ast.Pragma) else []


def outside(scop: Scop) -> Outside:
    """What the function holds outside of the kernel; in a loop around the kernel, before is also after."""
    walker = _Walker(frozenset(map(id, scop.items)))
    walker.visit(scop.function.body)
    declarations = () if scop.whole else tuple(walker.declarations)
    return Outside(declarations, frozenset(walker.before), frozenset(walker.after))


def names_set(scop: Scop) -> frozenset[str]:
    """The variables that the kernel sets whatever they held before, by `=` or in a call that gets them."""
    found: set[str] = set()
    for node in (node for item in scop.items for node in walk(item)):
        match node:
            case c_ast.Assignment(op="=", lvalue=target):
                found.update(islice(names_used(target), 1))
            case c_ast.FuncCall(args=c_ast.ExprList(exprs=arguments)):
                found.update(name for argument in arguments for name in names_used(argument))
            case _:
                pass
    return frozenset(found)


@dataclass(slots=True)
class _Walker:
    """Walks a function in the order of its text; `inside` are the identities of the kernel's statements."""

    inside: frozenset[int]
    declarations: list[c_ast.Decl] = field(default_factory=list[c_ast.Decl])
    before: list[str] = field(default_factory=list[str])
    after: list[str] = field(default_factory=list[str])
    met: bool = False

    def visit(self, node: c_ast.Node) -> bool:
        """Collect names and declarations below a node; returns whether the kernel is there."""
        holds_kernel = False
        start = len(self.before)
        for _, child in node.children():
            if id(child) in self.inside:
                self.met = holds_kernel = True
            else:
                holds_kernel = self._child(child) or holds_kernel
        if holds_kernel and isinstance(node, _LOOPS):
            self.before, self.after = self.before + self.after, self.after + self.before[start:]
        return holds_kernel

    def _child(self, child: c_ast.Node) -> bool:
        was_met = self.met
        if isinstance(child, c_ast.ID):
            (self.after if was_met else self.before).append(child.name)
        visible = len(self.declarations)
        holds_kernel = self.visit(child)
        if not holds_kernel and not isinstance(child, c_ast.DeclList):
            del self.declarations[visible:]
        if isinstance(child, c_ast.Decl) and child.name and not was_met:
            self.declarations.append(child)
        return holds_kernel
