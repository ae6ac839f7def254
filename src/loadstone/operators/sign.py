"""Operations on the sign bit of floating-point numbers, without a register; NaNs and subnormal numbers are kept."""

from __future__ import annotations

from loadstone.operators.formats import Float
from loadstone.operators.pipeline import Operator, Pipeline, shared
from loadstone.rtl import cat


@shared
def make_negate(format: Float) -> Operator:
    """-a."""
    p = Pipeline(f"{format.name}_negate", f"-a in {format.name} precision.")
    a = p.operand("a", format.type)
    return p.finished(cat(~a[-1], a[:-1]))


@shared
def make_copy_sign(format: Float) -> Operator:
    """|a| with the sign of b."""
    p = Pipeline(f"{format.name}_copy_sign", f"|a| with the sign of b in {format.name} precision.")
    a, b = p.operand("a", format.type), p.operand("b", format.type)
    return p.finished(cat(b[-1], a[:-1]))


@shared
def make_absolute(format: Float) -> Operator:
    """|a|."""
    p = Pipeline(f"{format.name}_absolute", f"|a| in {format.name} precision.")
    a = p.operand("a", format.type)
    return p.finished(cat(0, a[:-1]))
