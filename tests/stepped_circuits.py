"""Accelerators that run in the cycle interpreter, with arrays at random addresses."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from loadstone.bus import Bus
from loadstone.dram import Timing
from loadstone.hardware.accelerator.top import make_accelerator_design
from loadstone.hardware.datapath.timing import MemoryTiming
from loadstone.hardware.design import AcceleratorDesign
from loadstone.hardware.harness.placement import words_needed
from loadstone.hardware.harness.system import CHANCE, WORDS, make_system
from loadstone.loops.accelerator import Accelerator, predicted_words
from loadstone.loops.ranges import parameter_limits
from loadstone.rtl import Simulation
from loadstone.simulate.hardware.system import SystemRun, check_end
from loadstone.simulate.memory import live_out_arrays, mismatches
from loadstone.simulate.prediction.model import predict_design
from loadstone.trials import trial

FAST = Timing("fast", 1, 1 << 20, Fraction(512), 0, 8)
MOST_CYCLES = 60_000


@dataclass(frozen=True)
class Circuit:
    """An accelerator on a bus, with arrays at some addresses, that runs in the cycle interpreter."""

    accelerator: Accelerator
    design: AcceleratorDesign
    parameters: Mapping[str, int]
    bases: Mapping[str, int]
    timing: Timing = FAST

    @classmethod
    def of(
        cls,
        accelerator: Accelerator,
        parameters: Mapping[str, int],
        bus: Bus,
        lanes: int | tuple[int, ...],
        seed: int,
        memories: MemoryTiming | None = None,
    ) -> Circuit:
        """The circuit with arrays at random addresses."""
        limits = parameter_limits(accelerator.kernel, parameters)
        design = make_accelerator_design(accelerator, limits, bus, memories, unroll=lanes, stalls=True)
        source, bases, free = random.Random(seed), dict[str, int](), 0
        for name in design.bases:
            held = [each for each in design.element_bytes if design.variable(each) == name]
            widest = max(design.element_bytes[each] for each in held)
            bases[name] = -(-free // widest) * widest + widest * source.randrange(2 * bus.bytes // widest)
            free = bases[name] + max(design.external[each].depth * design.element_bytes[each] for each in held)
        return cls(accelerator, design, parameters, bases)

    def run(self, chance: int) -> int:
        """Runs it, with stalls and pauses by chance, and compares memory and words; the cycles."""
        kernel = self.accelerator.kernel
        expected, actual = trial(kernel, self.parameters)
        run = SystemRun(self.design, self.timing, self.parameters, actual, self.bases)
        system = make_system(self.design, self.timing, words_needed(self.design, self.bases), stalls=True)
        simulation = Simulation(system)
        simulation.memory(WORDS)[:] = run.image(self.bases)
        for port, value in {**run.inputs(self.bases), CHANCE: chance, "pause_chance": chance, "start": 1}.items():
            simulation.set(port, value)
        simulation.step()
        simulation.set("start", 0)
        cycles = simulation.run_until("done", MOST_CYCLES)
        outputs = {port.name: simulation.get(port.name) for port in system.of_kind("output")}
        check_end(kernel.name, outputs)
        run.read_back(self.bases, list(simulation.memory(WORDS)), outputs)
        assert not mismatches(expected, actual, live_out_arrays(kernel))
        moved = outputs["loaded_elements"], outputs["stored_elements"]
        assert moved == predicted_words(self.accelerator, self.parameters)
        return cycles

    def predicted(self) -> int:
        """The cycles by the model."""
        return predict_design(self.accelerator, self.design, self.parameters, self.timing, self.bases).cycles
