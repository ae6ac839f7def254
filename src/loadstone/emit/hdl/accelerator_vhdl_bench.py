"""Testbenches of accelerators behind registers in VHDL-2008."""

from __future__ import annotations

from loadstone.bus.ports import BusPort
from loadstone.emit.hdl.benches import Bench
from loadstone.emit.hdl.vectors import digits
from loadstone.rtl.types import Bits, bit
from loadstone.texts import text_of

_TEXT = text_of(__name__, "accelerator_testbench.vhd")

_AXI = text_of(__name__, "axi_registers.vhd")

_AVALON = text_of(__name__, "avalon_registers.vhd")


def emit_vhdl_bench(bench: Bench) -> str:
    """The testbench in VHDL-2008."""
    width = bench.registers.address_width

    def offset(value: int) -> str:
        return f'{width}x"{value:0{digits(Bits(width))}x}"'

    return bench.filled(
        _TEXT,
        _AXI if bench.protocol == "axi" else _AVALON,
        offset,
        "    {name} => {name}",
        signals="\n".join(map(_vhdl_signal, bench.ports)),
        writes="\n".join(
            f'    write_register({offset(each.offset)}, x"{each.word:08x}");  -- {each.meaning}'
            for each in bench.trial.writes
        ),
        results="\n".join(
            f'    check_register("{each.meaning}", {offset(each.offset)}, x"{each.word:08x}", x"{each.mask:08x}");'
            for each in bench.trial.results
        ),
    )


def _vhdl_signal(port: BusPort) -> str:
    type = "std_logic" if port.type == bit else f"unsigned({port.type.width - 1} downto 0)"
    zero = "'0'" if port.type == bit else "(others => '0')"
    return f"  signal {port.name} : {type}" + (f" := {zero};" if port.driver == "master" else ";")
