"""Counting integer points, bounds on quasi-polynomials, live elements of schedules [Devos, chapter 4]."""

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

__all__ = [
    "AddVariables",
    "DropFractions",
    "Exact",
    "Extremum",
    "Hybrid",
    "Lifetime",
    "Method",
    "ModClasses",
    "PerFraction",
    "Piece",
    "PolyApproximation",
    "SplitPeriods",
    "as_text",
    "bound",
    "count",
    "live_count",
    "live_elements",
    "memory_size",
    "number",
    "pieces_of",
    "read_quasi_polynomial",
    "read_relation",
    "read_schedule",
    "search",
    "with_parameters",
]
