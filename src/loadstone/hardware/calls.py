"""What a controller gives the statements of a kernel: iterators that bodies use, and addresses of elements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from loadstone.hardware.lowering import WRITE, Arguments
from loadstone.hardware.stores import Stores
from loadstone.loops.model import Instance, Node, with_instances
from loadstone.model.affine import NotAffine, affine_value
from loadstone.model.expression import Cast, Expression, Variable, rebuilt, substituted, walk
from loadstone.model.kernel import Access, Statement
from loadstone.model.tidy import tidy
from loadstone.model.types import INT
from loadstone.poly.spaces import set_space
from loadstone.rtl.types import Bits


@dataclass(frozen=True, slots=True, eq=False)
class Signature:
    """The arguments of a statement by name, as functions of its iterators; addresses go by positions of accesses."""

    values: Mapping[str, Expression]
    addresses: Mapping[int, str]

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the arguments, in order."""
        return tuple(self.values)

    def typed(self, types: Sequence[Bits]) -> Arguments:
        """The arguments with types, in order."""
        found = dict(zip(self.values, types, strict=True))
        places = set(self.addresses.values())
        addresses = {position: (name, found[name]) for position, name in self.addresses.items()}
        return Arguments({name: type for name, type in found.items() if name not in places}, addresses)


def signature(statement: Statement, parameters: Sequence[str], stores: Stores) -> Signature:
    """The arguments that a statement needs."""
    accesses = {**dict(enumerate(statement.reads)), WRITE: statement.write}
    known = {
        position: exact(stores[access.array].address(access.subscripts))
        for position, access in accesses.items()
        if access.subscripts and _is_affine(access, statement, parameters)
    }
    rest = [subscript for position, a in accesses.items() if position not in known for subscript in a.subscripts]
    bodies = [statement.value, *([] if statement.condition is None else [statement.condition]), *rest]
    used = {part.name for body in bodies for part in walk(body) if isinstance(part, Variable)}
    iterators = {name: Variable(name, INT) for name in statement.iterators if name in used}
    keys = {position: (address, _copied_array(accesses[position], stores)) for position, address in known.items()}
    names: dict[tuple[Expression, str], str] = {}
    for position, key in keys.items():
        names.setdefault(key, _address_name(accesses[position], len(names), iterators))
    places = {name: address for (address, _), name in names.items()}
    return Signature({**iterators, **places}, {position: names[key] for position, key in keys.items()})


def _copied_array(access: Access, stores: Stores) -> str:
    """The array, if its memory has copies: then addresses choose one, and are not those of other arrays."""
    return access.array if stores[access.array].copies > 1 else ""


def _address_name(access: Access, number: int, taken: Mapping[str, Expression]) -> str:
    """A name for an address that no iterator has."""
    name = f"{access.array}_address_{number}"
    return name if name not in taken else f"{name}_"


def _is_affine(access: Access, statement: Statement, parameters: Sequence[str]) -> bool:
    space = set_space(parameters, statement.name, statement.iterators)
    try:
        for subscript in access.subscripts:
            affine_value(subscript, space)
    except NotAffine:
        return False
    return True


def exact(expression: Expression) -> Expression:
    """An affine expression without conversions: numbers are exact."""
    match expression:
        case Cast(operand=operand):
            return exact(operand)
        case Variable(name=name):
            return Variable(name, INT)
        case _:
            return tidy(replace(rebuilt(expression, exact), type=INT))


def with_signatures(tree: Node, statements: Mapping[str, Statement], signatures: Mapping[str, Signature]) -> Node:
    """The tree with the arguments of signatures in place of the iterators; other instances have none."""

    def called(instance: Instance) -> Instance:
        name = instance.statement
        if name not in signatures:
            return Instance(name, ())
        values = dict(zip(statements[name].iterators, instance.arguments, strict=True))
        return Instance(name, tuple(exact(substituted(value, values)) for value in signatures[name].values.values()))

    return with_instances(tree, called)
