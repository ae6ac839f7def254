"""Running kernels: interpreted with a trace, and compiled; the memories that they work on."""

from loadstone.simulate.interpreter import Event, Trace, execute
from loadstone.simulate.memory import Memory, initial_memory, mismatches

__all__ = ["Event", "Memory", "Trace", "execute", "initial_memory", "mismatches"]
