"""Arithmetic in hardware: pipelined operators on integers, fixed-point and IEEE floating-point numbers."""
# pyright: reportUnusedImport=false

from loadstone.operators.add_sub import make_add, make_subtract
from loadstone.operators.compare import make_compare, make_maximum, make_minimum
from loadstone.operators.convert import make_convert, make_from_integer, make_to_integer
from loadstone.operators.divide import make_divide
from loadstone.operators.fixed import (
    make_fixed_add,
    make_fixed_convert,
    make_fixed_divide,
    make_fixed_from_float,
    make_fixed_multiply,
    make_fixed_subtract,
)
from loadstone.operators.formats import BFLOAT16, DOUBLE, HALF, SINGLE, Fixed, Float
from loadstone.operators.functions.exponential import make_exponential
from loadstone.operators.functions.logarithm import make_logarithm
from loadstone.operators.functions.power import make_power
from loadstone.operators.functions.trigonometric import make_cosine, make_sine
from loadstone.operators.integer import make_integer_divide, make_integer_modulo, make_integer_multiply
from loadstone.operators.integral import make_integral
from loadstone.operators.multiply import make_multiply
from loadstone.operators.pipeline import Operator, Pipeline
from loadstone.operators.sign import make_absolute, make_copy_sign, make_negate
from loadstone.operators.square_root import make_square_root
