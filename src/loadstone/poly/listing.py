"""Fast enumeration: isl generates loops that visit the pairs of a map, and Python runs them.

The loops are generated once for all parameters. After that a pair takes less than a microsecond, about fifty times
less than isl takes for a point.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

import islpy as isl

from loadstone.poly.enumeration import Pair, pairs
from loadstone.poly.limits import LimitReached, operation_limit
from loadstone.poly.names import fixed, renamed_dims
from loadstone.poly.spaces import Dim, has_divisions

LOOPS_LIMIT = 2_000_000
_INDENT = "    "
_INFIX = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "div": "//",
    "fdiv_q": "//",
    "pdiv_q": "//",
    "pdiv_r": "%",
    "zdiv_r": "%",
    "eq": "==",
    "le": "<=",
    "lt": "<",
    "ge": ">=",
    "gt": ">",
    "and_": "and",
    "and_then": "and",
    "or_": "or",
    "or_else": "or",
}

Visit = Callable[..., Iterator[Pair]]


def each_pair(value: isl.Map, parameters: Mapping[str, int]) -> Iterable[Pair]:
    """The pairs of a map that is bounded for given parameters, each once, in no particular order.

    isl enumerates the pairs where generating loops fails or exceeds its operation limit.

    >>> sorted(each_pair(isl.Map("[n] -> { [x] -> [y] : 0 <= x < n and 2 y = x }"), {"n": 5}))
    [((0,), (0,)), ((2,), (1,)), ((4,), (2,))]
    """
    names, visit = _visit(value)
    if visit is None:
        return pairs(fixed(value, parameters))
    return visit(*(parameters.get(name, 0) for name in names))


@lru_cache(maxsize=512)
def _visit(value: isl.Map) -> tuple[tuple[str, ...], Visit | None]:
    """The generator of the pairs, with the parameters that it takes; None where isl has none."""
    names = tuple(value.get_dim_name(Dim.param, k) or "" for k in range(value.dim(Dim.param)))
    try:
        with operation_limit(LOOPS_LIMIT):
            text = _program(value, [f"p{k}" for k in range(len(names))])
    except (LimitReached, isl.Error):
        return names, None
    scope: dict[str, Visit] = {}
    exec(text, scope)
    return names, scope["visit"]


def _program(value: isl.Map, parameters: Sequence[str]) -> str:
    """The text of the generator, which takes the parameters by these names.

    A side of the map that the other one determines needs no loops.
    """
    value = renamed_dims(value, parameters, Dim.param)
    inputs, outputs = value.dim(Dim.in_), value.dim(Dim.out)
    loops = value.wrap().flatten().set_tuple_name("pair").identity()
    if value.is_single_valued():
        loops = loops.project_out(Dim.out, inputs, outputs)
    elif value.is_injective():
        loops = loops.project_out(Dim.out, 0, inputs)
    schedule = loops.reset_tuple_id(Dim.out).to_union_map()
    build = isl.AstBuild.from_context(isl.Set.universe(value.get_space().params()))
    if has_divisions(schedule):
        build = build.set_options(atomic_everywhere(schedule))
    node = build.node_from_schedule_map(schedule)
    head = f"def visit({', '.join(parameters)}):"
    return "\n".join([head, f"{_INDENT}yield from ()", *_lines(node, inputs, _INDENT)])


def atomic_everywhere(schedule: isl.UnionMap) -> isl.UnionMap:
    """The option by which isl makes one loop for each dimension, and does not think that it has one iteration."""
    return isl.UnionMap.from_domain_and_range(schedule.range().universe(), isl.UnionSet("{ atomic[x] }"))


def _lines(node: isl.AstNode, inputs: int, indent: str) -> Iterator[str]:
    """The statements of a node."""
    inner = indent + _INDENT
    match str(isl.ast_node_type(node.get_type()).name):
        case "for_":
            yield f"{indent}for {_text(node.for_get_iterator())} in {_range(node)}:"
            yield from _lines(node.for_get_body(), inputs, inner)
        case "if_":
            yield f"{indent}if {_text(node.if_get_cond())}:"
            yield from _lines(node.if_get_then_node(), inputs, inner)
            if node.if_has_else_node():
                yield f"{indent}else:"
                yield from _lines(node.if_get_else_node(), inputs, inner)
        case "block":
            children = node.block_get_children()
            for position in range(children.n_ast_node()):
                yield from _lines(children.get_at(position), inputs, indent)
        case "user":
            call = node.user_get_expr()
            arguments = [_text(call.get_op_arg(k)) for k in range(1, call.get_op_n_arg())]
            yield f"{indent}yield {_tuple(arguments[:inputs])}, {_tuple(arguments[inputs:])}"
        case other:
            raise AssertionError(f"unexpected AST node {other}")


def _range(node: isl.AstNode) -> str:
    """The values of the iterator of a loop, whose condition compares it with one bound."""
    start = _text(node.for_get_init())
    if node.for_is_degenerate():
        return f"({start},)"
    condition = node.for_get_cond()
    strict = isl.ast_expr_op_type(condition.get_op_type()).name == "lt"
    end = f"{_text(condition.get_op_arg(1))}{'' if strict else ' + 1'}"
    return f"range({start}, {end}, {_text(node.for_get_inc())})"


def _tuple(arguments: Iterable[str]) -> str:
    return f"({''.join(f'{argument}, ' for argument in arguments)})"


def _text(expression: isl.AstExpr) -> str:
    match expression.get_type():
        case isl.ast_expr_type.int:
            return str(expression.get_val().to_python())
        case isl.ast_expr_type.id:
            return expression.get_id().get_name()
        case _:
            return _operation(expression)


def _operation(expression: isl.AstExpr) -> str:
    arguments = [_text(expression.get_op_arg(k)) for k in range(expression.get_op_n_arg())]
    match str(isl.ast_expr_op_type(expression.get_op_type()).name):
        case "minus":
            return f"(-{arguments[0]})"
        case "cond" | "select":
            return f"({arguments[1]} if {arguments[0]} else {arguments[2]})"
        case "min" | "max" as function:
            return f"{function}({', '.join(arguments)})"
        case kind:
            return f"({f' {_INFIX[kind]} '.join(arguments)})"
