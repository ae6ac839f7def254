"""Hardware as registers and wires: described in Python, printed as SystemVerilog and VHDL, interpreted, simulated."""
# pyright: reportUnusedImport=false

from loadstone.rtl.blocks import Ring, add_queue, add_ring, make_fifo, make_pipeline_register, make_skid_buffer
from loadstone.rtl.checks import check
from loadstone.rtl.conditions import all_of, any_of, mux
from loadstone.rtl.expressions import Signal, Value, cat, const, repeat
from loadstone.rtl.interpreter import Simulation
from loadstone.rtl.memory import Memory
from loadstone.rtl.module import External, Instance, Module, hierarchy
from loadstone.rtl.record import Record
from loadstone.rtl.stream import Stream
from loadstone.rtl.types import Bits, Enum, RtlError, address_width, bit, signed, unsigned
from loadstone.rtl.verilog import emit_verilog, verilog_files
from loadstone.rtl.vhdl import emit_vhdl, vhdl_files
