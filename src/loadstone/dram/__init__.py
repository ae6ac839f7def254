"""External memories: timing in cycles, a memory in hardware with that timing, and one at the level of bursts."""
# pyright: reportUnusedImport=false

from loadstone.dram.memory import make_memory
from loadstone.dram.timing import PRESETS, Part, Timing, preset
from loadstone.dram.transactions import Answer, Burst, Counters, TransactionMemory, served
