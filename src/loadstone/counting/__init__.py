"""Counting integer points, bounds on quasi-polynomials, live elements of schedules [Devos, chapter 4]."""
# pyright: reportUnusedImport=false

from loadstone.counting.bounding import (
    AddVariables,
    DropFractions,
    Exact,
    Hybrid,
    Method,
    ModClasses,
    PerFraction,
    PolyApproximation,
    SplitPeriods,
    bound,
)
from loadstone.counting.cardinality import count
from loadstone.counting.extremum import Extremum, as_text, number
from loadstone.counting.pieces import Piece, pieces_of, with_parameters
from loadstone.counting.reading import read_quasi_polynomial, read_relation
from loadstone.counting.schedule_memory import Lifetime, live_count, live_elements, memory_size, read_schedule
from loadstone.counting.schedule_search import search
