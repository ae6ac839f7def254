"""Temporal locality: reuse distances of a kernel, LRU misses, the loops that carry reuses [Devos, 3.2]."""
# pyright: reportUnusedImport=false

from loadstone.locality.advice import Suggestion, suggestions
from loadstone.locality.measurement import measure
from loadstone.locality.order import Order, order_of
from loadstone.locality.profile import Profile, exceeding, misses
from loadstone.locality.symbolic import SymbolicReuse, symbolic_reuses
from loadstone.locality.trace import TraceRow, trace_table
