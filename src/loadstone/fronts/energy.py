"""Energy of a run: words of external memory, cells of local memories, and operations, from a table that can be changed.

The numbers are those of a 45 nm process at 0.9 V [Horowitz], for 32 bits: a word of DRAM takes 640 pJ (1.3 nJ for 64
bits), an SRAM of 8 KB 5 pJ (10 pJ for 64 bits). Division is not in that table: four multiplications stand for one. What
a clock and idle parts take is not counted, so that a table tells designs apart and no more.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from functools import lru_cache
from pathlib import Path
from typing import Any, cast

from loadstone.errors import Diagnostic, InputError
from loadstone.model.expression import Binary, Call, Cast, Constant, Expression, Operand, Select, Unary, Variable, walk
from loadstone.model.kernel import Kernel, Statement
from loadstone.transfer.strips import in_memory
from loadstone.transfer.volumes import count

TABLE_BITS = 32
_PRODUCTS, _QUOTIENTS = {"*"}, {"/", "%", "floordiv", "mod"}


@dataclass(frozen=True, slots=True)
class EnergyTable:
    """Picojoules of 32 bits: a word moved, a cell read or written, and operations on whole numbers and on others."""

    word: float = 640.0
    cell: float = 5.0
    add: float = 0.1
    multiply: float = 3.1
    divide: float = 12.4
    float_add: float = 0.9
    float_multiply: float = 3.7
    float_divide: float = 14.8


DEFAULT_TABLE = EnergyTable()


def read_table(path: str | Path) -> EnergyTable:
    """The table of a JSON file; entries that it lacks are those of the default one."""
    try:
        return _table(json.loads(Path(path).read_text()))
    except (OSError, ValueError) as error:
        raise InputError(Diagnostic(f"cannot read the energies in '{path}': {error}")) from None


def _table(given: Any) -> EnergyTable:
    """A table with some entries; raises `ValueError` for others than there are."""
    known = [each.name for each in fields(EnergyTable)]
    entries = cast("dict[str, Any]", given) if isinstance(given, dict) else {"": given}
    if not all(name in known and _is_energy(value) for name, value in entries.items()):
        raise ValueError(f"entries are numbers of at least 0 for {', '.join(known)}")
    return EnergyTable(**entries)


def _is_energy(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value >= 0


def energy(kernel: Kernel, parameters: Mapping[str, int], bits: int, table: EnergyTable) -> int:
    """The nanojoules of a run whose words have so many bits together, rounded up.

    Each word that moves takes a cell as well: it is written when it is loaded, and read when it is stored.
    """
    moved = bits / TABLE_BITS * (table.word + table.cell)
    return -int(-(moved + _computing(kernel, tuple(parameters.items()), table)) // 1000)


@lru_cache(maxsize=16)
def _computing(kernel: Kernel, parameters: tuple[tuple[str, int], ...], table: EnergyTable) -> float:
    """The picojoules of all instances."""
    values = dict(parameters)
    return sum(count(each.domain, values) * _of_instance(kernel, each, table) for each in kernel.statements)


def _of_instance(kernel: Kernel, statement: Statement, table: EnergyTable) -> float:
    """The picojoules of an instance: its accesses of local memories, and its operations."""
    arrays = [kernel.arrays[access.array] for access in (*statement.reads, statement.write)]
    accessed = sum(array.type.storage.bits for array in arrays if in_memory(array))
    parts = [part for whole in _expressions(statement) for part in walk(whole)]
    return accessed / TABLE_BITS * table.cell + sum(_of_operation(part, table) for part in parts)


def _expressions(statement: Statement) -> Iterator[Expression]:
    yield statement.value
    if statement.condition is not None:
        yield statement.condition


def _of_operation(part: Expression, table: EnergyTable) -> float:
    match part:
        case Constant() | Variable() | Operand() | Cast():
            return 0.0
        case Unary() | Select():
            return _scaled(part, table.add, table.float_add)
        case Binary(op=op) if op in _PRODUCTS:
            return _scaled(part, table.multiply, table.float_multiply)
        case Binary(op=op) if op in _QUOTIENTS:
            return _scaled(part, table.divide, table.float_divide)
        case Call():
            return _scaled(part, table.divide, table.float_divide)
        case Binary():
            return _scaled(part, table.add, table.float_add)


def _scaled(part: Expression, whole: float, floating: float) -> float:
    return part.type.storage.bits / TABLE_BITS * (floating if part.type.kind == "float" else whole)
