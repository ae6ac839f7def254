"""A C file as a program: the kernel's statements, and the meaning of the names that they use."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pycparser import c_ast, c_generator

from loadstone.errors import Diagnostic, InputError, Problems, Source
from loadstone.frontend import syntax
from loadstone.frontend.c.declarations import Environment, ranks_declared, shape_of
from loadstone.frontend.c.dialect import Dialect, spelled_in_cpp
from loadstone.frontend.c.externals import Externals, attributed, declared_functions
from loadstone.frontend.c.hls_pragmas import hls_pragmas
from loadstone.frontend.c.inline import Inliner
from loadstone.frontend.c.lower import KILL, Lowering
from loadstone.frontend.c.original import are_defined_before, original_text, without_statics
from loadstone.frontend.c.parse import BARE_FUNCTION, Parsed, parse
from loadstone.frontend.c.pragmas import Text, read_directives
from loadstone.frontend.c.preprocess import preprocess
from loadstone.frontend.c.records.structures import Structures
from loadstone.frontend.c.returns import returned_expression
from loadstone.frontend.c.rewrites.pointers import Pointers
from loadstone.frontend.c.rewrites.statements import with_body_written_out, written_out
from loadstone.frontend.c.scop import Scop, find_scop, names_set, outside, pragma_words
from loadstone.frontend.c.streams import Streams
from loadstone.frontend.c.trees import items_of, names_declared, names_used, parameters_of, walk
from loadstone.frontend.c.type_pragmas import read_formats
from loadstone.frontend.formats import c_type_formats
from loadstone.frontend.recursion_limit import deep_recursion
from loadstone.frontend.scopes import iterators, names_in, nodes, written_names
from loadstone.model.hls_pragma import HlsPragma
from loadstone.model.kernel import Original
from loadstone.model.types import INT, ScalarType

KEYWORDS = """auto break case char const continue default do double else enum extern float for goto if inline int long
main register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while"""
"""Words that C, and a program, cannot use as names."""


@dataclass(frozen=True, slots=True)
class Unknowns:
    """What a file does not tell: functions without effects (`pure`), the files that define others, and whether ends of
    loops may be open."""

    pure: frozenset[str] = frozenset()
    files: tuple[Path, ...] = ()
    open_ends: bool = False

    def linked(self, source: Source) -> Source:
        """The source with the definitions of the other files behind it."""
        missing = next((path for path in self.files if not path.is_file()), None)
        if missing is not None:
            raise InputError(Diagnostic(f"there is no file '{missing}'", None, "--link names a C file"))
        included = "".join(f'\n#include "{path.name}"\n' for path in self.files)
        return replace(source, text=source.text + included) if included else source


def read_c(
    source: Source,
    defines: Mapping[str, str],
    include: tuple[Path, ...],
    function: str | None,
    types: Mapping[str, ScalarType] | None = None,
    unknowns: Unknowns | None = None,
    scop: int | None = None,
) -> syntax.Program:
    """The kernel of a C source as a syntax tree, with the problems that were found on the way.

    `types` replace typedefs and types of C, as the pragmas of the file do. `scop` chooses among marked kernels.
    """
    unknowns = unknowns or Unknowns()
    text = preprocess(unknowns.linked(source), defines, (*include, *(path.parent for path in unknowns.files)))
    pure = unknowns.pure | attributed(source.text)
    dialect = Dialect(text, pure=pure, scop=scop, open_ends=unknowns.open_ends)
    return read_dialect(dialect, Path(source.name).stem, function, types or {})


def read_dialect(dialect: Dialect, file: str, function: str | None, types: Mapping[str, ScalarType]) -> syntax.Program:
    """The kernel of a text that may have been translated to C; `file` names it where no function does."""
    parsed = parse(dialect.preprocessed, function)
    with deep_recursion():
        return _Reader(parsed, find_scop(parsed, function, dialect.scop), types, dialect).program(file)


def kernel_name(file: str) -> str:
    """A name for the kernel of a file, which languages of programs and of hardware accept.

    >>> kernel_name("polymul"), kernel_name("1dloop-invar"), kernel_name("dep-1,1"), kernel_name("for")
    ('polymul', 'kernel_1dloop_invar', 'dep_1_1', 'kernel_for')
    """
    words = "_".join(re.findall(r"[A-Za-z0-9_]+", file))
    return words if words[:1].isalpha() and words not in KEYWORDS.split() else f"kernel_{words}".rstrip("_")


class _Reader:
    """Reads the kernel of one file."""

    def __init__(self, parsed: Parsed, scop: Scop, types: Mapping[str, ScalarType], dialect: Dialect) -> None:
        self.parsed = parsed
        self.dialect = dialect
        self.scop = scop
        self.problems = Problems()
        self.definitions = tuple(parsed.tree.ext[_prelude_size(parsed) :])
        self.environment = Environment()
        for node in self.definitions:
            self.environment.declare(node)
        self.environment.formats.update(dialect.formats)
        self.environment.typedefs.update({name: _named_type(of) for name, of in dialect.streams.items()})
        self.pragmas = tuple(self._pragmas())
        self.formats = self._c_type_formats(types)
        self.lowering = Lowering(parsed.span, self.environment, self.problems, may_be_open=dialect.open_ends)
        self.taken = {*names_used(parsed.tree), *names_declared(parsed.tree)}
        self.structures = Structures(self.environment, parsed.span, self.problems, self.taken)
        self.expanded: frozenset[str] = frozenset()
        self.externals = Externals(
            dialect.pure,
            declared_functions(self.definitions),
            {function.decl.name for function in self._functions()},
            self.environment,
            parsed.span,
            self.problems,
            self.taken,
        )
        self.streams = Streams(dialect.streams, {**dialect.constants, **self.environment.enumerators}, parsed.span)

    def program(self, file: str) -> syntax.Program:
        """The program; `file` names the kernel where no function does."""
        symbols = (*self._globals(), *self._function_symbols())
        simple = {function.name: function for function in self._simple_functions()}
        items, result = self._without_return()
        items, text, is_own = self._expanded(items, simple)
        if not is_own or self._has_formats or self.formats:
            symbols = tuple(replace(symbol, record=None) for symbol in symbols)
        symbols = (*map(self._with_stream_shape, symbols), *self._calls())
        body = _with_result_declared(syntax.Block(tuple(self.lowering.statements(items))), result)
        directives = self._directives(body, symbols)
        scalars = _undeclared_iterators(body, symbols)
        return syntax.Program(
            kernel_name(file) if self.parsed.bare else self.scop.function.decl.name,
            _without_killed(_with_result(symbols, result), {*directives.killed, *_killed(items)}),
            tuple(simple.values()),
            body,
            directives,
            self._original({*simple, *self.expanded}, text, scalars, symbols, _statics(body)),
            self.parsed.span(self.scop.node),
            self.parsed.bare,
            self.lowering.unsupported,
            self.problems.found,
            self.formats,
            tuple(self._hls_pragmas()),
            self.externals.types,
            may_be_open=self.dialect.open_ends,
        )

    def _directives(self, body: syntax.Block, symbols: tuple[syntax.Symbol, ...]) -> syntax.Directives:
        """What pragmas say, and what statements say of variables that the kernel does not change."""
        found = read_directives(self.pragmas, self.lowering.expression_at, self.problems)
        fixed = {symbol.name for symbol in symbols if symbol.type.is_integer and not symbol.extents}
        fixed -= written_names(body) | set(iterators(body))
        return replace(found, hints=tuple(each for each in self.lowering.assumptions if names_in(each) <= fixed))

    def _calls(self) -> Iterator[syntax.Symbol]:
        """The scalars that keep calls in order."""
        for declared in self.externals.calls.values():
            yield self.lowering.symbol(declared, initialised=True, live_out=True)

    def _hls_pragmas(self) -> Iterator[HlsPragma]:
        functions = {function.decl.name: function for function in self._functions()}
        constants = {**self.dialect.constants, **self.environment.enumerators}
        return hls_pragmas(self.scop.function, self.definitions, functions, constants, self.parsed.span)

    def _original(
        self,
        functions: Collection[str],
        text: str,
        scalars: tuple[tuple[ScalarType, str], ...],
        symbols: tuple[syntax.Symbol, ...],
        statics: tuple[syntax.Symbol, ...],
    ) -> Original | None:
        """The kernel as the user wrote it, unless types of it were given other formats."""
        if self._has_formats:
            return None
        names = [symbol.name for symbol in statics]
        if self.dialect.original is None:
            records = [symbol.record.type for symbol in symbols if symbol.record]
            return original_text(self.definitions, functions, without_statics(text, names), scalars, records)
        found = self.dialect.original(self.scop.start, self._end)
        found = replace(found, text=without_statics(found.text, names))
        elements = {symbol.name: spelled_in_cpp(symbol.type) for symbol in (*symbols, *statics)}
        outside = frozenset(symbol.name for symbol in self._globals() if not symbol.constant)
        streams = frozenset(self.streams.parameters)
        return replace(found, scalars=scalars, elements=elements, streams=streams, globals=outside)

    @property
    def _has_formats(self) -> bool:
        """Whether types of the kernel were given other formats."""
        return self.environment.formats != dict(self.dialect.formats)

    def _with_stream_shape(self, symbol: syntax.Symbol) -> syntax.Symbol:
        """A stream as the array of all its elements, in order."""
        if symbol.name not in self.streams.parameters:
            return symbol
        extents = tuple(map(self.lowering.expression, self.streams.extents(symbol.name)))
        return replace(symbol, extents=extents, live_out=True)

    def _c_type_formats(self, types: Mapping[str, ScalarType]) -> Mapping[ScalarType, ScalarType]:
        """What types of C become; what typedefs become is noted in the environment."""
        chosen = {**read_formats(self.pragmas, self.environment, self.problems), **types}
        typedefs = self.environment.typedefs
        self.environment.formats.update({name: kind for name, kind in chosen.items() if name in typedefs})
        return c_type_formats(chosen, typedefs)

    def _expanded(
        self, items: tuple[c_ast.Node, ...], simple: Mapping[str, syntax.Function]
    ) -> tuple[list[c_ast.Node], str, bool]:
        """The statements with calls expanded and structures taken apart, a text, and whether it is that of the user."""
        functions = {f.decl.name: f for f in self._functions() if f.decl.name not in simple}
        local = self._local_names()
        active = [self.scop.function.decl.name]
        inliner = Inliner(functions, self.environment, self.parsed.span, self.problems, self.taken, local, active)
        inliner.references = self.dialect.references
        inliner.ranks |= self.lowering.ranks | dict(self._ranks([*parameters_of(self.scop.function), *items]))
        inlined = self._without_streams(inliner.statements(written_out(items)))
        self.expanded = frozenset(inliner.expanded)
        pointers = Pointers(self.environment, self.parsed.span, self.problems, inliner.fresh, inliner.ranks)
        inlined = pointers.statements(inlined, self._pointer_parameters())
        self.externals.ranks.update({**self.lowering.ranks, **dict(self._ranks(inlined))})
        changed = self.structures.statements(self.externals.statements(inlined))
        if not self.structures.used and are_defined_before(self.definitions, {*simple, *self.expanded}):
            return changed, self._text(), True
        block = c_generator.CGenerator().visit(c_ast.Compound(changed))
        return changed, block.strip().removeprefix("{").removesuffix("}"), False

    def _ranks(self, items: Iterable[c_ast.Node]) -> Iterator[tuple[str, int]]:
        """The numbers of dimensions of what statements declare."""
        return (each for item in items for each in ranks_declared(item, self.environment))

    def _without_streams(self, items: list[c_ast.Node]) -> list[c_ast.Node]:
        """The statements with streams as arrays."""
        try:
            return self.streams.statements(items)
        except InputError as error:
            self.problems.extend(error)
            return []

    def _functions(self) -> Iterator[c_ast.FuncDef]:
        """The functions of the file."""
        functions = (node for node in self.definitions if isinstance(node, c_ast.FuncDef))
        return (with_body_written_out(f) for f in functions if f.decl.name != BARE_FUNCTION)

    def _local_names(self) -> Collection[str]:
        parameters = () if self.parsed.bare else (p.name for p in parameters_of(self.scop.function))
        return {*parameters, *names_declared(self.scop.function.body)}

    def _pointer_parameters(self) -> Collection[str]:
        """The parameters of the kernel's function that the function may move, as they are its own."""
        parameters = () if self.parsed.bare else parameters_of(self.scop.function)
        before, after = outside(self.scop).before, outside(self.scop).after
        pointers = (p.name for p in parameters if shape_of(p.type, self.environment).extents)
        return [name for name in pointers if self.scop.whole or name not in before | after]

    def _pragmas(self) -> Iterator[Text]:
        """The texts of the loadstone pragmas of the file's top level and of the kernel's function."""
        preprocessed = self.parsed.preprocessed
        for node in (*self.definitions, *walk(self.scop.function)):
            if pragma_words(node)[:1] == ["loadstone"]:
                start = preprocessed.text.index("loadstone", self.parsed.offset(node)) + len("loadstone")
                end = preprocessed.text.index("\n", start)
                yield Text(preprocessed.text[start:end], start, preprocessed.span_at)

    def _globals(self) -> Iterator[syntax.Symbol]:
        for node in self.definitions:
            if isinstance(node, c_ast.Decl) and node.name and not isinstance(node.type, c_ast.FuncDecl):
                yield from self._symbols(node, initialised=True, live_out=True)

    def _function_symbols(self) -> Iterator[syntax.Symbol]:
        around, changed = outside(self.scop), names_set(self.scop)
        for node in parameters_of(self.scop.function):
            by_value = not shape_of(node.type, self.environment).extents
            by_value = by_value and (self.scop.function.decl.name, node.name) not in self.dialect.references
            self.streams.declare(node)
            yield from self._symbols(node, initialised=True, live_out=not by_value or node.name in around.after)
        for node in around.declarations:
            self.environment.declare(node)
            static = "static" in node.storage or "extern" in node.storage
            known = node.name in around.before or node.init is not None or static or node.name not in changed
            yield from self._symbols(node, initialised=known, live_out=node.name in around.after or static)

    def _symbols(self, node: c_ast.Decl, *, initialised: bool, live_out: bool) -> Iterator[syntax.Symbol]:
        """The symbols of a declaration; what kernels cannot hold is only noted."""
        for part in self.structures.shared_declarations(node):
            try:
                symbol = self.lowering.symbol(part, initialised=initialised, live_out=live_out)
                yield replace(symbol, record=self.structures.records.get(symbol.name))
            except InputError as error:
                self.lowering.unsupported[part.name] = error.diagnostics[0]

    def _simple_functions(self) -> Iterator[syntax.Function]:
        """Functions of scalars that return an expression without side effects."""
        for node in self._functions():
            expression = returned_expression(items_of(node.body))
            if expression is not None and not set(names_used(expression)) & set(self._hidden_from(node)):
                yield from self._simple_function(node, expression)

    def _hidden_from(self, node: c_ast.FuncDef) -> Iterator[str]:
        """The local names of the kernel that a function does not mean when it uses them."""
        own = {parameter.name for parameter in parameters_of(node)}
        return (name for name in self._local_names() if name not in own)

    def _simple_function(self, node: c_ast.FuncDef, expression: c_ast.Node) -> Iterator[syntax.Function]:
        parameters = [(p.name, shape_of(p.type, self.environment)) for p in parameters_of(node)]
        result = shape_of(node.decl.type.type, self.environment)
        if result.element is None or result.extents or any(s.extents for _, s in parameters):
            return
        types = tuple((name, shape.element) for name, shape in parameters if shape.element)
        if len(types) == len(parameters):
            try:
                yield syntax.Function(node.decl.name, types, self.lowering.expression(expression), result.element)
            except InputError:
                return

    def _without_return(self) -> tuple[tuple[c_ast.Node, ...], str | None]:
        """The kernel's statements without a final return, and the scalar that it returns."""
        items = self.scop.items
        if not self.scop.whole or not items or not isinstance(items[-1], c_ast.Return):
            return items, None
        match items[-1].expr:
            case None | c_ast.Constant() | c_ast.UnaryOp(op="-", expr=c_ast.Constant()):
                return items[:-1], None
            case c_ast.ID(name=name):
                return items[:-1], name
            case _:
                hint = "assign it to a variable, and return the variable"
                self.problems.add("the kernel returns an expression", self.parsed.span(items[-1].expr), hint)
                return items[:-1], None

    def _text(self) -> str:
        """The kernel's statements as written, macros expanded, without a final return."""
        return self.parsed.preprocessed.text[self.scop.start : self._end]

    @property
    def _end(self) -> int:
        """Where the kernel's statements end, before a final return."""
        final = self.scop.items[-1] if self.scop.whole and self.scop.items else None
        return self.parsed.offset(final) if isinstance(final, c_ast.Return) else self.scop.end


def _named_type(words: str) -> c_ast.Node:
    """The type that some words name."""
    return c_ast.TypeDecl("", [], None, c_ast.IdentifierType(words.split()))


def _killed(items: Sequence[c_ast.Node]) -> Iterator[str]:
    """The variables whose values the kernel gives up, at the end."""
    for position, item in enumerate(items):
        match item:
            case c_ast.FuncCall(name=c_ast.ID(name=name), args=c_ast.ExprList(exprs=arguments)) if name == KILL:
                later = {used for other in items[position + 1 :] for used in names_used(other)}
                yield from (each.name for each in arguments if isinstance(each, c_ast.ID) and each.name not in later)
            case _:
                pass


def _without_killed(symbols: tuple[syntax.Symbol, ...], killed: set[str]) -> tuple[syntax.Symbol, ...]:
    return tuple(replace(symbol, live_out=symbol.live_out and symbol.name not in killed) for symbol in symbols)


def _with_result(symbols: tuple[syntax.Symbol, ...], result: str | None) -> tuple[syntax.Symbol, ...]:
    return tuple(replace(s, live_out=s.live_out or s.name == result) for s in symbols)


def _with_result_declared(block: syntax.Block, result: str | None) -> syntax.Block:
    """The body with the returned scalar's declaration, at its top level, marked live-out."""
    return syntax.Block(
        tuple(
            syntax.Declare(replace(item.symbol, live_out=True))
            if isinstance(item, syntax.Declare) and item.symbol.name == result
            else item
            for item in block.items
        )
    )


def _statics(body: syntax.Block) -> tuple[syntax.Symbol, ...]:
    """The variables declared in a kernel that keep their values from one call to the next."""
    return tuple(n.symbol for n in nodes(body) if isinstance(n, syntax.Declare) and not n.symbol.local)


def _undeclared_iterators(body: syntax.Block, symbols: tuple[syntax.Symbol, ...]) -> tuple[tuple[ScalarType, str], ...]:
    """The iterators that the text uses and does not declare itself."""
    types = {symbol.name: symbol.type for symbol in symbols}
    declared = {item.symbol.name for item in body.items if isinstance(item, syntax.Declare)}
    loops = (node for node in nodes(body) if isinstance(node, syntax.For) and node.declared is None)
    used = dict.fromkeys(loop.iterator for loop in loops)
    return tuple((types.get(name, INT), name) for name in used if name not in declared)


def _prelude_size(parsed: Parsed) -> int:
    found = (k for k, node in enumerate(parsed.tree.ext) if node.coord and node.coord.line > 1)
    return next(found, len(parsed.tree.ext))
