"""Operations of the inverse wavelet transform, and what its fixed point costs [Devos, appendix A].

    python benchmarks/fixed_point.py

Operations are counted in the statements of `idwt/idwt.c`, without the addition for rounding: per two samples as in A.3,
per second for CIF (288 x 352, 4:2:0) with three levels and 30 frames (A.8, A.9). The peak signal-to-noise ratio (A.11)
is that of the image which the kernel computes in integers, against the same program in floating point without rounding,
for random subbands, at 72 x 88 pixels. The thesis defines it and has no number for a given transform.
"""

from __future__ import annotations

import random
import sys
from collections import Counter
from collections.abc import Sequence
from itertools import groupby
from math import log10
from pathlib import Path

import loadstone as ls
from loadstone.model.expression import Binary, Cast, Constant, Expression, Operand, Unary, walk
from loadstone.model.kernel import Kernel
from loadstone.simulate.interpreter import Trace, execute
from loadstone.simulate.memory import initial_memory
from loadstone.transfer.volumes import count

SOURCE = Path(__file__).parent / "idwt" / "idwt.c"
CIF, SMALL = {"r": 36, "c": 44}, {"r": 9, "c": 11}
FRAMES, COLOURS, PEAK = 30, 1.5, 255
PER_TWO_SAMPLES = {"*": 9, "+": 14}
"""Multiplications and additions of the 9/7 filters by convolution [Devos, A.3]."""
PER_SECOND = {"*": 53.9e6, "+": 83.8e6}
"""For CIF at 30 frames per second, three levels [Devos, A.9]."""
Cell = tuple[str, tuple[int, ...]]


def operations(value: Expression) -> Counter[str]:
    """The multiplications and additions of a statement, without that for rounding."""
    found = Counter(part.op for part in walk(value) if isinstance(part, Binary))
    return Counter({"*": found["*"], "+": found["+"] - found[">>"]})


def per_two_samples(kernel: Kernel) -> Counter[str]:
    """Operations of an even and an odd sample."""
    even, odd = kernel.statements[:2]
    return operations(even.value) + operations(odd.value)


def per_second(kernel: Kernel) -> dict[str, float]:
    """Operations per second for CIF."""
    total = Counter[str]()
    for statement in kernel.statements:
        instances = count(statement.domain, CIF)
        total.update({op: number * instances for op, number in operations(statement.value).items()})
    return {op: COLOURS * FRAMES * number for op, number in total.items()}


def unrounded(value: Expression, operands: Sequence[float]) -> float:
    """The value of a statement in floating point; a shift to the right, and the half added before it, is a division."""
    match value:
        case Constant():
            return float(value.value)
        case Operand():
            return operands[value.position]
        case Unary("-"):
            return -unrounded(value.operand, operands)
        case Cast():
            return unrounded(value.operand, operands)
        case Binary(">>"):
            scale = 2 ** unrounded(value.right, operands)
            return (unrounded(value.left, operands) - scale / 2) / scale
        case Binary("+" | "-" | "*"):
            left, right = unrounded(value.left, operands), unrounded(value.right, operands)
            return left * right if value.op == "*" else left + right if value.op == "+" else left - right
        case _:
            raise ValueError(f"no value in floating point: {value}")


def in_floating_point(kernel: Kernel, trace: Trace, start: dict[Cell, float]) -> dict[Cell, float]:
    """The memory after the instances of a trace, in floating point."""
    values = {statement.name: statement.value for statement in kernel.statements}
    memory = dict(start)
    for _, events in groupby(trace, key=lambda event: event.time):
        accesses = list(events)
        reads = {event.position: memory[event.array, event.element] for event in accesses if not event.is_write}
        operands = [reads[position] for position in range(len(reads))]
        (write,) = (event for event in accesses if event.is_write)
        memory[write.array, write.element] = unrounded(values[write.statement], operands)
    return memory


def psnr(kernel: Kernel) -> float:
    """10 log(255^2 / mean square error), of random subbands."""
    source = random.Random(97)
    memory = initial_memory(kernel, SMALL)
    start: dict[Cell, float] = {}
    for name in ("a3", "a2", "a1"):
        for cell in memory[name].elements():
            memory[name][cell] = source.randint(-PEAK, PEAK)
            start[name, cell] = float(memory[name][cell])
    trace = execute(kernel, SMALL, memory)
    exact = in_floating_point(kernel, trace, start)
    errors = [(float(memory["x"][cell]) - exact["x", cell]) ** 2 for cell in memory["x"].elements()]
    return 10 * log10(PEAK**2 * len(errors) / sum(errors))


def main() -> int:
    """Print the numbers; 1 where operations are not those of the thesis."""
    kernel = ls.parse(SOURCE)
    samples, seconds = per_two_samples(kernel), per_second(kernel)
    print(f"{'':16}{'published':>12}{'ours':>12}")
    for op, name in (("*", "multiplications"), ("+", "additions")):
        print(f"{name:16}{PER_TWO_SAMPLES[op]:12}{samples[op]:12}  per two samples")
        print(f"{'':16}{PER_SECOND[op] / 1e6:12.1f}{seconds[op] / 1e6:12.1f}  million per second")
    print(f"PSNR of integers against floating point: {psnr(kernel):.1f} dB")
    right = all(samples[op] == PER_TWO_SAMPLES[op] for op in samples)
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
