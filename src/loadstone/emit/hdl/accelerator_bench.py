"""The testbench of an accelerator behind registers; a language is only its syntax.

It fills external memory from a file, writes the registers over the bus of the slave, waits until the run is done, and
compares memory and registers with what is expected.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from loadstone.bus.lite import PREFIXES, slave_ports
from loadstone.bus.ports import BusPort, Protocol
from loadstone.emit.hdl.folder import TOOLS, Language
from loadstone.emit.hdl.image import Trial
from loadstone.emit.hdl.vectors import digits
from loadstone.emit.hdl.verilog_bench import declared
from loadstone.hardware.accelerator import registers as names
from loadstone.hardware.accelerator.registers import RegisterMap
from loadstone.hardware.design import AcceleratorDesign
from loadstone.rtl.module import Module
from loadstone.rtl.types import Bits, bit
from loadstone.texts import text_of

_OFFSETS = {
    "control": names.CONTROL,
    "status": names.STATUS,
    "cycles": names.CYCLES,
    "error": names.ERROR_KIND,
    "error_address": names.FIRST_ADDRESS,
}


@dataclass(frozen=True, slots=True, eq=False)
class Bench:
    """What a testbench is made for: an accelerator with memory, its registers, its run, and how long that may take."""

    module: Module
    design: AcceleratorDesign
    protocol: Protocol
    registers: RegisterMap
    trial: Trial
    limit: int

    @property
    def ports(self) -> tuple[BusPort, ...]:
        """The signals of the slave, by the names that they have at the module."""
        prefix, width = PREFIXES[self.protocol], self.registers.address_width
        return tuple(BusPort(prefix + port.name, port.type, port.driver) for port in slave_ports(self.protocol, width))

    def offsets(self, shown: Callable[[int], object]) -> dict[str, object]:
        """The offsets of the registers that every design has, as a language shows them."""
        offsets = {title: self.registers.by_name[name].offset for title, name in _OFFSETS.items()}
        offsets["error_address_high"] = offsets["error_address"] + 4
        return {title: shown(offset) for title, offset in offsets.items()}


@dataclass(frozen=True, slots=True, eq=False)
class _Syntax:
    """How a language writes the offset of a register, a port with its signal, a signal, a write, and a check."""

    offset: str
    port: str
    signal: Callable[[BusPort], str]
    write: str
    check: str


def _vhdl_signal(port: BusPort) -> str:
    type = "std_logic" if port.type == bit else f"unsigned({port.type.width - 1} downto 0)"
    zero = "'0'" if port.type == bit else "(others => '0')"
    return f"  signal {port.name} : {type}" + (f" := {zero};" if port.driver == "master" else ";")


_SYNTAX: dict[Language, _Syntax] = {
    "verilog": _Syntax(
        "{width}'h{value:02x}",
        "      .{name}({name})",
        lambda port: declared(port.name, port.type, port.driver == "master"),
        "    write_register({offset}, 32'h{each.word:08x});  // {each.meaning}",
        "    check_register({offset}, 32'h{each.word:08x}, 32'h{each.mask:08x});  // {each.meaning}",
    ),
    "vhdl": _Syntax(
        '{width}x"{value:0{digits}x}"',
        "    {name} => {name}",
        _vhdl_signal,
        '    write_register({offset}, x"{each.word:08x}");  -- {each.meaning}',
        '    check_register("{each.meaning}", {offset}, x"{each.word:08x}", x"{each.mask:08x}");',
    ),
}


def emit_bench(bench: Bench, language: Language) -> str:
    """The testbench with memory in hardware: VHDL-2008, or SystemVerilog for Icarus Verilog 11 and Verilator."""
    syntax, ending, width = _SYNTAX[language], TOOLS[language].ending, bench.registers.address_width

    def offset(value: int) -> str:
        return syntax.offset.format(width=width, value=value, digits=digits(Bits(width)))

    writes = (syntax.write.format(offset=offset(each.offset), each=each) for each in bench.trial.writes)
    checks = (syntax.check.format(offset=offset(each.offset), each=each) for each in bench.trial.results)
    connected = ("clk", "rst", *(port.name for port in bench.module.of_kind("input", "output")))
    return text_of(__name__, f"accelerator_testbench.{ending}").format(
        top=bench.module.name,
        error_high=bench.module["bus_error"].width - 1,
        depth=bench.trial.depth,
        high=bench.design.bus.data_width - 1,
        limit=bench.limit,
        signals="\n".join(map(syntax.signal, bench.ports)),
        ports=",\n".join(syntax.port.format(name=name) for name in connected),
        tasks=text_of(__name__, f"{bench.protocol}_registers.{ending}").format(offset_high=width - 1),
        offset_high=width - 1,
        start=names.START | names.ENABLE,
        done=names.DONE,
        writes="\n".join(writes),
        results="\n".join(checks),
        **bench.offsets(offset),
    )
