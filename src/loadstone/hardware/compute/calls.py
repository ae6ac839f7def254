"""What a controller gives the statements of a kernel: iterators that bodies use, and addresses of elements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce

import islpy as isl

from loadstone.hardware.compute.local_layout import bank_count
from loadstone.hardware.datapath.lowering import Arguments
from loadstone.hardware.layout import ArrayLayouts
from loadstone.loops.model import Instance, Node, with_instances
from loadstone.model.affine import NotAffine, affine_value
from loadstone.model.expression import Cast, Expression, Select, Variable, integer, rebuilt, substituted, walk
from loadstone.model.free_name import free_name
from loadstone.model.from_isl import from_ast
from loadstone.model.kernel import WRITE, Access, Statement
from loadstone.model.tidy import tidy
from loadstone.model.types import INT
from loadstone.poly.spaces import inputs_to_parameters, set_space
from loadstone.rtl.types import Bits, common_type


@dataclass(frozen=True, slots=True, eq=False)
class Lane:
    """A datapath of a statement: what the controller calls its arguments, and the mask that says whether it starts."""

    arguments: Mapping[str, str]
    mask: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Signature:
    """What a controller gives a statement by name, as functions of its iterators, and what goes to which lane.

    Addresses are names of arguments of datapaths, by positions of accesses. `masks` are names of further arguments that
    instances have behind their iterators.
    """

    values: Mapping[str, Expression]
    addresses: Mapping[int, str]
    lanes: tuple[Lane, ...]
    masks: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the arguments, in order."""
        return tuple(self.values)

    def typed(self, types: Sequence[Bits]) -> Arguments:
        """The arguments of a datapath with types, from those of the controller in order."""
        given = dict(zip(self.values, types, strict=True))
        found = {
            name: reduce(common_type, (given[lane.arguments[name]] for lane in self.lanes))
            for name in self.lanes[0].arguments
        }
        places = set(self.addresses.values())
        addresses = {position: (name, found[name]) for position, name in self.addresses.items()}
        return Arguments({name: type for name, type in found.items() if name not in places}, addresses)


def signature(statement: Statement, parameters: Sequence[str], stores: ArrayLayouts) -> Signature:
    """The arguments that a statement needs."""
    accesses = {**dict(enumerate(statement.reads)), WRITE: statement.write}
    known = {
        position: _where_read(statement, access, exact(stores[access.array].address(access.subscripts)))
        for position, access in accesses.items()
        if stores[access.array].depth and _is_affine(access, statement, parameters)
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
    values = {**iterators, **places}
    addresses = {position: names[key] for position, key in keys.items()}
    return Signature(values, addresses, (Lane({name: name for name in values}),))


def _where_read(statement: Statement, access: Access, address: Expression) -> Expression:
    """The address of an access; 0 for instances that do not need it, since it may be none of the memory."""
    needed = access.relation.domain()
    if not access.exact or statement.domain.is_subset(needed):
        return address
    variables = inputs_to_parameters(isl.Map.from_domain(statement.domain), statement.iterators).params()
    there = inputs_to_parameters(isl.Map.from_domain(needed), statement.iterators).params()
    condition = from_ast(isl.AstBuild.from_context(variables).expr_from_set(there.gist(variables)))
    return Select(condition, address, integer(0), INT)


def with_lanes(one: Signature, moved: Sequence[dict[str, Expression]], masked: Sequence[bool]) -> Signature:
    """The signature of a statement with lanes, each with its own iterators; a masked lane may stay idle.

    What is the same for all lanes is given once.
    """
    values = dict(one.values)
    masks = tuple(_free(f"mask_{number}", values) for number in range(len(moved)))
    lanes: list[Lane] = []
    for number, (iterators, mask, may_miss) in enumerate(zip(moved, masks, masked, strict=True)):
        arguments: dict[str, str] = {}
        for name, value in one.values.items():
            here = exact(substituted(value, iterators))
            arguments[name] = name if here == exact(value) else _free(f"{name}_lane_{number}", one.values)
            values[arguments[name]] = here
        lanes.append(Lane(arguments, mask if may_miss else None))
        if may_miss:
            values[mask] = Variable(mask, INT)
    return Signature(values, one.addresses, tuple(lanes), masks)


def _free(wish: str, taken: Mapping[str, Expression]) -> str:
    """A name that is not taken."""
    return free_name(wish, set(taken), "_")


def _copied_array(access: Access, stores: ArrayLayouts) -> str:
    """The array, if its memory has copies or banks: then addresses choose one, and are not those of other arrays."""
    store = stores[access.array]
    return access.array if store.copies > 1 or bank_count(store) > 1 else ""


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
        names = (*statements[name].iterators, *signatures[name].masks)
        values = dict(zip(names, instance.arguments, strict=True))
        return Instance(name, tuple(exact(substituted(value, values)) for value in signatures[name].values.values()))

    return with_instances(tree, called)
