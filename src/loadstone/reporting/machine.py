"""The accelerator of a report: cycles with each memory, bytes over time, area, and the clock where it was measured."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from loadstone.circuit_trials import predict_system
from loadstone.circuits import CircuitCompilation
from loadstone.dram.timing import PRESETS, preset
from loadstone.fronts.measures import built
from loadstone.fronts.space import Measure
from loadstone.hardware.design import element_bytes
from loadstone.loops.accelerator import words_of_arrays
from loadstone.rtl.programs.synthesis import Resources, synthesize
from loadstone.simulate.hardware.timeline import activities_svg
from loadstone.trials import instance_count

CLOCK_MHZ = 100
"""The clock of the bus for which memories have their timing."""
MOST_ACTIVITIES = 900
AREA: Mapping[Measure, str] = {"lut": "LUT", "ff": "FF", "blocks": "block memories", "dsp": "multipliers"}


@dataclass(frozen=True, slots=True)
class Speed:
    """A prediction with a memory: its cycles, and the bytes that the bus and this memory move in a cycle at most."""

    memory: str
    cycles: int
    peak: float


@dataclass(frozen=True, slots=True)
class Machine:
    """An accelerator on its bus, for the parameters of a report.

    `area` is estimated, or that of `synthesised`; `sampled`: some tiles stand for all in the predictions. The timeline
    is that with the first memory.
    """

    protocol: str
    width: int
    lanes: int
    instances: int
    moved: int
    speeds: tuple[Speed, ...]
    area: Mapping[Measure, int]
    synthesised: Resources | None
    sampled: bool
    timeline: str

    @property
    def milliseconds(self) -> dict[str, float]:
        """The time of a run with each memory, at the clock of the bus."""
        return {each.memory: each.cycles / CLOCK_MHZ / 1000 for each in self.speeds}

    def as_json(self) -> dict[str, object]:
        """The figures of the accelerator."""
        clock = None if self.synthesised is None else self.synthesised.fmax_mhz
        return {
            "bytes": self.moved,
            "cycles": {each.memory: each.cycles for each in self.speeds},
            "bytes_per_cycle": {each.memory: round(self.moved / max(1, each.cycles), 4) for each in self.speeds},
            "area": dict(self.area),
            "mhz": clock,
        }


def machine_of(circuit: CircuitCompilation, device: str | None = None) -> Machine:
    """The accelerator of a compilation; open tools measure its area and clock on a device, where one is named."""
    values, bus = circuit.values, circuit.bus
    runs = {name: predict_system(circuit, preset(name, CLOCK_MHZ)) for name in PRESETS}
    first = runs[PRESETS[0]]
    hits = {name: preset(name, CLOCK_MHZ).for_beats(bus.data_width).hit for name in PRESETS}
    synthesised = None if device is None else synthesize(circuit.controlled, device)
    return Machine(
        protocol=bus.protocol,
        width=bus.data_width,
        lanes=circuit.design.lanes.count,
        instances=instance_count(circuit.accelerator.kernel, values),
        moved=_bytes_moved(circuit),
        speeds=tuple(Speed(name, run.cycles or 0, bus.data_width / 8 / hits[name]) for name, run in runs.items()),
        area=built(circuit) if synthesised is None else _measured(synthesised),
        synthesised=synthesised,
        sampled=first.sample is not None,
        timeline=activities_svg(first.activities[:MOST_ACTIVITIES]),
    )


def _bytes_moved(circuit: CircuitCompilation) -> int:
    words = words_of_arrays(circuit.accelerator, circuit.values)
    return sum(size * sum(words[name]) for name, size in element_bytes(circuit.accelerator).items())


def _measured(found: Resources) -> dict[Measure, int]:
    return {"blocks": found.bram, "lut": found.lut, "ff": found.ff, "dsp": found.dsp}
