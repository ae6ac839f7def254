"""Testbenches of accelerators behind registers in SystemVerilog."""

from __future__ import annotations

from loadstone.emit.hdl.benches import Bench
from loadstone.emit.hdl.verilog_bench import declared
from loadstone.texts import text_of

_TEXT = text_of(__name__, "accelerator_testbench.sv")

_AXI = text_of(__name__, "axi_registers.sv")

_AVALON = text_of(__name__, "avalon_registers.sv")


def emit_verilog_bench(bench: Bench) -> str:
    """The testbench in SystemVerilog, as Icarus Verilog 11 and Verilator understand it."""

    def offset(value: int) -> str:
        return f"{bench.registers.address_width}'h{value:02x}"

    return bench.filled(
        _TEXT,
        _AXI if bench.protocol == "axi" else _AVALON,
        offset,
        "      .{name}({name})",
        signals="\n".join(declared(port.name, port.type, port.driver == "master") for port in bench.ports),
        writes="\n".join(
            f"    write_register({offset(each.offset)}, 32'h{each.word:08x});  // {each.meaning}"
            for each in bench.trial.writes
        ),
        results="\n".join(
            f"    check_register({offset(each.offset)}, 32'h{each.word:08x}, 32'h{each.mask:08x});  // {each.meaning}"
            for each in bench.trial.results
        ),
    )
