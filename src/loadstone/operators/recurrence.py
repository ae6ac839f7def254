"""Quotients and square roots digit by digit, some bits in each stage of a pipeline."""

from __future__ import annotations

from loadstone.operators.pipeline import Pipeline
from loadstone.rtl import RtlError, Signal, Value, cat, const, mux


def divided(
    p: Pipeline, start: Value, digits: Signal, zeros: int, divisor: Signal, bits_per_stage: int
) -> tuple[Signal, Signal]:
    """Quotient and remainder of the number `start digits 0...0` by a divisor that exceeds `start`.

    The quotient has a bit for each digit and zero, found by restoring division: each step brings down a digit, and
    takes away the divisor where it fits.
    """
    count = digits.width + zeros
    remainder, quotient, left = start, None, digits
    for step in range(1, count + 1):
        _begin(p, step, count, bits_per_stage, "the quotient")
        partial = p.wire(f"partial{step}", cat(remainder, left[-1] if step <= digits.width else const(0)))
        trial = p.wire(f"trial{step}", partial - divisor)
        fits = p.wire(f"fits{step}", ~trial[-1])
        width = min(partial.width, divisor.width)
        remainder = p.wire(f"remainder{step}", mux(fits, trial.as_unsigned()[:width], partial[:width]))
        quotient = p.wire(f"quotient{step}", fits if quotient is None else cat(quotient, fits))
        left = p.wire(f"digits{step}", left[:-1]) if step < digits.width else left
    assert quotient is not None
    assert isinstance(remainder, Signal)
    return quotient, remainder


def square_root(p: Pipeline, digits: Signal, count: int, bits_per_stage: int) -> tuple[Signal, Signal]:
    """`count` bits of the root of `digits 0...0`, a number of 2 * count bits, and the remainder.

    Each step brings down two digits, and takes away 4 root + 1 where it fits.
    """
    assert digits.width % 2 == 0
    remainder: Signal | None = None
    root: Signal | None = None
    left = digits
    for step in range(1, count + 1):
        _begin(p, step, count, bits_per_stage, "the root")
        pair = left[-2:] if 2 * step <= digits.width else cat(const(0), const(0))
        partial = p.wire(f"partial{step}", pair if remainder is None else cat(remainder, pair))
        trial = p.wire(f"trial{step}", partial - (const(1) if root is None else cat(root, const(0), const(1))))
        fits = p.wire(f"fits{step}", ~trial[-1])
        width = min(partial.width, step + 1)
        remainder = p.wire(f"remainder{step}", mux(fits, trial.as_unsigned()[:width], partial[:width]))
        root = p.wire(f"root{step}", fits if root is None else cat(root, fits))
        left = p.wire(f"digits{step}", left[:-2]) if 2 * step < digits.width else left
    assert root is not None
    assert remainder is not None
    return root, remainder


def _begin(p: Pipeline, step: int, count: int, bits_per_stage: int, what: str) -> None:
    """Begins a stage where a step is the first of one."""
    if bits_per_stage < 1:
        raise RtlError(f"a stage finds one bit at least, not {bits_per_stage}")
    if (step - 1) % bits_per_stage == 0:
        last = min(step + bits_per_stage - 1, count)
        p.stage(f"Bit {step} of {what}." if last == step else f"Bits {step} to {last} of {what}.")
