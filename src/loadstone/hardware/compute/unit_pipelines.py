"""The datapaths of a design as pipelines: what instances wait for, and the ports that they use, as numbers."""

from __future__ import annotations

from collections.abc import Iterator

from loadstone.hardware.compute.unit import ComputeUnit, Hazard
from loadstone.model.kernel import WRITE
from loadstone.parallel.pipelines import WRITES, Pipeline, Use, Wait


def pipelines_of(compute: ComputeUnit) -> dict[str, Pipeline]:
    """The datapaths of a design as numbers."""
    return {name: _pipeline(compute, name) for name in compute.datapaths}


def _pipeline(compute: ComputeUnit, name: str) -> Pipeline:
    table, signature = compute.times[name], compute.signatures[name]
    uses = [Use((compute.statements[name].write.array, WRITES), table.write)]
    for slot in table.slots.values():
        if compute.stores[slot.array].depth:
            uses.append(Use((slot.array, f"read {slot.port}"), slot.asked))
    waits = tuple(wait for hazard in compute.hazards if hazard.statement == name for wait in _waits(compute, hazard))
    return Pipeline(table.write, 1, tuple(uses), waits, tuple(signature.values.values()), signature.masks)


def _waits(compute: ComputeUnit, hazard: Hazard) -> Iterator[Wait]:
    """What lanes of a statement wait for."""
    if not hazard.probe.addressed:
        yield Wait(hazard.writer, hazard.probe.window)
        return
    for one, other in hazard.lanes:
        theirs = _argument(compute, hazard.writer, WRITE, one)
        mine = _argument(compute, hazard.statement, hazard.position, other)
        yield Wait(hazard.writer, hazard.probe.window, theirs, mine)


def _argument(compute: ComputeUnit, statement: str, position: int, lane: int) -> int:
    """The argument that is the address of an access of a lane."""
    signature = compute.signatures[statement]
    return signature.names.index(signature.lanes[lane].arguments[signature.addresses[position]])
