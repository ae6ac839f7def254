"""Names in generated programs: those of the source, unless the program needs them for something else."""

from __future__ import annotations

from dataclasses import dataclass, replace

from loadstone.loops.accelerator import Accelerator
from loadstone.loops.model import Block, For, If, Instance, Node, walk
from loadstone.model.expression import Cast, Expression, Variable, rebuilt
from loadstone.model.types import INT, ScalarType

_C = """auto break case char const continue default do double else enum extern float for goto if inline int long
register restrict return short signed sizeof static struct switch typedef union unsigned void volatile while bool true
false main errno NULL EOF"""
_CPP = """alignas alignof and and_eq asm bitand bitor catch class compl concept const_cast constexpr decltype delete
dynamic_cast explicit export friend mutable namespace new noexcept not not_eq nullptr operator or or_eq private
protected public reinterpret_cast requires static_assert static_cast template this thread_local throw try typeid
typename using virtual wchar_t xor xor_eq std hls ihc component"""
_OWN = """load compute store load_tile load_early load_late take_tile compute_tile store_tile loaded computed stored
strip_computed words loaded_words stored_words at more point p run in_flight is_first is_next tiles copy cell state
argument k_ min max floord modulo sequential tokens send receive abs size_t overrun DEPTH accelerate loading computing
queue ORDERED WORDS LOCAL gate runs threads threads_ran shared done open_state close_state run_load run_compute
run_store"""
_TESTBENCH = """memory parameters status moved expected ignored known wrong way first argc argv counts sizes fill
reference allocate place array count limit given next_random"""
RESERVED = frozenset(f"{_C} {_CPP} {_OWN} {_TESTBENCH}".split())
SUFFIXES = ("_local", "_cell", "_at", "_tag", "_read", "_write", "_words", "_host")


@dataclass(frozen=True, slots=True)
class Names:
    """What the kernel's parameters, arrays and loops are called in a generated program."""

    names: dict[str, str]
    types: dict[str, ScalarType]

    def __getitem__(self, name: str) -> str:
        return self.names.get(name, name)

    def written(self, expression: Expression) -> Expression:
        """The expression of a statement with the names of the program."""
        if isinstance(expression, Variable):
            return replace(expression, name=self[expression.name])
        return rebuilt(expression, self.written)

    def counted(self, expression: Expression) -> Expression:
        """The expression of a loop with the names of the program, computed in signed integers."""
        if isinstance(expression, Variable):
            named = replace(expression, name=self[expression.name])
            kind = self.types.get(expression.name, INT)
            return named if kind.signed else Cast(replace(named, type=kind), INT)
        return rebuilt(expression, self.counted)

    def loops(self, node: Node) -> Node:
        """The loop tree with the names of the program."""
        match node:
            case For():
                return replace(
                    node,
                    iterator=self[node.iterator],
                    start=self.counted(node.start),
                    condition=self.counted(node.condition),
                    step=self.counted(node.step),
                    body=self.loops(node.body),
                )
            case If(condition=condition, then=then, otherwise=otherwise):
                other = None if otherwise is None else self.loops(otherwise)
                return If(self.counted(condition), self.loops(then), other)
            case Block(items=items):
                return Block(tuple(map(self.loops, items)))
            case Instance(statement=statement, arguments=arguments):
                return Instance(statement, tuple(map(self.counted, arguments)))


def names_of(accelerator: Accelerator) -> Names:
    """Names for all that the source names, and for the coordinates of elements, which are members of a point."""
    kernel = accelerator.kernel
    given = [*kernel.parameters, *kernel.arrays]
    iterators = [part.iterator for part in walk(accelerator.compute) if isinstance(part, For)]
    subscripts = {f"x{k}" for k in range(max((array.rank for array in kernel.arrays.values()), default=0))}
    taken = {*RESERVED, *accelerator.plan.tiles.coordinates, *(subscripts & set(kernel.parameters))}
    names: dict[str, str] = {}
    for name in (*given, *iterators):
        safe = name
        while safe in taken or any(f"{safe}{suffix}" in given for suffix in SUFFIXES) or safe in names.values():
            safe += "_"
        names.setdefault(name, safe)
    for scan in (*accelerator.loads, *accelerator.stores):
        names.update({step.variable: f"p->x{position}" for position, step in enumerate(scan.steps)})
    return Names(names, dict(kernel.parameter_types))
