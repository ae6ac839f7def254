"""The model of accelerators against their hardware: cycles, rows that are opened, and what both cost.

    python benchmarks/prediction.py [NAME ...]

For each example its own tiling and default parameters, on two memories, and some larger runs. `model` are the cycles
of the complete model, `sample` those of a sample, both with their error. Then follow processor times: `hardware` to
generate, build and simulate in Verilator (builds that are cached cost nothing, so the first time counts), `model` for a
sample, the best of three, without the plan and the design that both need. Exits with 1 where cycles are off by more
than 5 %.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

import loadstone as ls
from loadstone.circuit_trials import run_system
from loadstone.circuits import CircuitCompilation
from loadstone.dram.timing import preset
from loadstone.errors import UnsupportedError
from loadstone.options import RunOptions
from loadstone.simulate.prediction.model import Prediction, predict_design

EXAMPLES = Path(__file__).parent.parent / "examples"
MEMORIES = ("paper", "ddr4-2400")
WITHIN = 0.05


class Case(NamedTuple):
    """A run: an example, with its own tiling and parameters where none are given."""

    name: str
    sizes: tuple[int, ...] | None = None
    parameters: dict[str, int] | None = None
    memories: tuple[str, ...] = MEMORIES


LARGE = (
    Case("dma", (512,), {"n": 65536}, ("paper",)),
    Case("vector_sum", (512,), {"n": 65536}, ("paper",)),
    Case("matmul", (32, 32, 32), {"n": 256}, ("paper",)),
)


def cases(names: list[str]) -> Iterator[Case]:
    """The large runs, and all examples."""
    examples = (Case(path.stem) for path in sorted(EXAMPLES.rglob("*.c")))
    yield from (case for case in (*LARGE, *examples) if not names or case.name in names)


def compiled(case: Case) -> CircuitCompilation:
    """The accelerator of a case."""
    kernel = ls.parse(next(path for path in EXAMPLES.rglob("*.c") if path.stem == case.name))
    return ls.accelerator(kernel, parameters=case.parameters or dict(kernel.defaults), sizes=case.sizes)


def shown(case: Case) -> bool:
    """Whether the model is close enough for a case, which is printed."""
    circuit = compiled(case)
    accelerator, design, parameters = circuit.accelerator, circuit.design, circuit.values
    close = True
    for memory in case.memories:
        timing, start = preset(memory), processor_time()
        found = run_system(circuit, timing, RunOptions(target="verilog", no_baseline=True)).as_json()
        hardware = processor_time() - start
        model = predict_design(accelerator, design, parameters, timing)
        sample, modelled = timed(partial(predict_design, accelerator, design, parameters, timing, sampled=True))
        error, sample_error = (each.cycles / found["cycles"] - 1 for each in (model, sample))
        close = close and max(abs(error), abs(sample_error)) <= WITHIN
        rows = f"{found['memory']['row_changes']}/{model.row_changes}"
        print(
            f"{case.name:16}{memory:11}{found['cycles']:11}{model.cycles:11}{100 * error:+8.2f} %{rows:>15}"
            f"{sample.cycles:11}{100 * sample_error:+8.2f} %{hardware:9.1f} s{1000 * modelled:8.1f} ms"
            f"{hardware / modelled:8.0f}",
            flush=True,
        )
    return close


def processor_time() -> float:
    """The seconds that this process and those that it waited for have had of processors."""
    return sum(os.times()[:4])


def timed(predicted: Callable[[], Prediction]) -> tuple[Prediction, float]:
    """A prediction, and the least processor time of three."""
    results: list[tuple[float, Prediction]] = []
    for _ in range(3):
        start = time.process_time()
        result = predicted()
        results.append((time.process_time() - start, result))
    least, result = min(results, key=lambda each: each[0])
    return result, least


def main() -> int:
    """Prints the table; 1 if a prediction is off."""
    print(
        f"{'example':16}{'memory':11}{'cycles':>11}{'model':>11}{'error':>10}{'rows opened':>15}"
        f"{'sample':>11}{'error':>10}{'hardware':>11}{'model':>11}{'ratio':>8}"
    )
    close = True
    for case in cases(sys.argv[1:]):
        try:
            close = shown(case) and close
        except UnsupportedError as error:
            print(f"{case.name:16}{str(error).splitlines()[0]}")
    return 0 if close else 1


if __name__ == "__main__":
    sys.exit(main())
