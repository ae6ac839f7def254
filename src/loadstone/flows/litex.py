"""Accelerators in LiteX: a wrapper, and a SoC with LiteDRAM for simulation, in which a host runs the testbench."""

from __future__ import annotations

import re
from collections.abc import Iterator

from loadstone.emit.hdl.accelerator import AcceleratorFolder
from loadstone.emit.hdl.image import RegisterWord
from loadstone.flows.class_name import class_name
from loadstone.flows.interfaces import Interface, Port, interfaces_of
from loadstone.hardware.accelerator.registers import CONTROL, DONE, ERROR_KIND, START, STATUS
from loadstone.texts import text_of

_WRAPPER, _SOC = text_of(__name__, "litex_wrapper.txt"), text_of(__name__, "litex_soc.txt")
_HOST, _MAKEFILE = text_of(__name__, "litex_host.cpp"), text_of(__name__, "litex.mk")
MAIN_RAM, REGISTERS = 0x4000_0000, 0x9000_0000
"""Where memory and registers are on the bus of the SoC."""
_DRAM = "MT48LC16M16"
_POLLED_CYCLES = 50_000_000
_WORD = 0xFFFF_FFFF
_TAKEN = frozenset({"EventManager", "Instance", "Path", "Pins", "Platform", "Signal", "Soc"})
"""What the wrapper and the SoC import and define."""


def wrapper_name(folder: AcceleratorFolder) -> str:
    """The class that wraps an accelerator."""
    return class_name(folder.name, _TAKEN)


def litex_files(folder: AcceleratorFolder) -> dict[str, str]:
    """The files of the flow by their paths."""
    name, module = folder.name, wrapper_name(folder)
    known = {"kernel": folder.design.kernel.name, "name": name, "module": module}
    files = {
        f"{name}_litex.py": _emit_wrapper(folder),
        f"{name}_soc.py": _SOC.format(**known, dram=_DRAM, registers=REGISTERS, main_ram=MAIN_RAM),
        "host.cpp": _HOST.format(name=name, limit=_POLLED_CYCLES),
        "host.txt": "".join(f"{line}\n" for line in _script(folder)),
        "Makefile": _MAKEFILE.format(name=name, sources=" ".join(f"../{path}" for path in folder.sources)),
    }
    return {f"litex/{path}": text for path, text in files.items()}


def _emit_wrapper(folder: AcceleratorFolder) -> str:
    bus = folder.design.bus
    ports = (line for interface in interfaces_of(folder) for line in _connections(folder, interface))
    return _WRAPPER.format(
        kernel=folder.design.kernel.name,
        name=folder.name,
        module=wrapper_name(folder),
        top=folder.top.name,
        sources="\n".join(f'    "{path}",' for path in folder.sources),
        data_width=bus.data_width,
        address_width=bus.address_width,
        ports="\n".join(f"            {line}," for line in ports),
    )


def _connections(folder: AcceleratorFolder, interface: Interface) -> Iterator[str]:
    """The arguments of the instance for the ports of an interface."""
    for signal, port in interface.ports.items():
        yield f"{'i' if port.direction == 'input' else 'o'}_{port.name}={_signal(folder, interface, signal, port)}"


def _signal(folder: AcceleratorFolder, interface: Interface, signal: str, port: Port) -> str:
    match interface.kind:
        case "clock":
            return 'ClockSignal("sys")'
        case "reset":
            return f'{"~" if folder.top.clocking.low else ""}ResetSignal("sys")'
        case "interrupt":
            return "self.ev.done.trigger"
        case "axi":
            return f"master.{_channel(signal)}"
        case "registers of axi":
            bits = f"[:{port.type.width}]" if signal.endswith("addr") else ""
            return f"self.control.{_channel(signal)}{bits}"
        case "avalon" | "registers of avalon":
            raise AssertionError(interface.kind)


def _channel(signal: str) -> str:
    """A signal of AXI as LiteX names it: a field of a channel.

    >>> _channel("awaddr"), _channel("rvalid")
    ('aw.addr', 'r.valid')
    """
    return re.sub("^(aw|ar|w|b|r)", r"\1.", signal)


def _script(folder: AcceleratorFolder) -> Iterator[str]:
    """What the host does: fills memory, runs the accelerator, looks at memory."""
    trial, registers = folder.trial, folder.registers
    for at, word in enumerate(_words(folder, trial.given)):
        yield f"w {MAIN_RAM + 4 * at:08x} {word:08x}"
    for each in trial.writes:
        yield f"w {REGISTERS + each.offset:08x} {_given(folder, each):08x}"
    yield f"w {REGISTERS + registers.by_name[CONTROL].offset:08x} {START:08x}"
    yield f"p {REGISTERS + registers.by_name[STATUS].offset:08x} {DONE:08x}"
    yield f"r {REGISTERS + registers.by_name[ERROR_KIND].offset:08x} {0:08x} {_WORD:08x}"
    for each in trial.results:
        yield f"r {REGISTERS + each.offset:08x} {each.word:08x} {each.mask & _WORD:08x}"
    masks = _words(folder, trial.compared)
    for at, (word, mask) in enumerate(zip(_words(folder, trial.expected), masks, strict=True)):
        yield f"r {MAIN_RAM + 4 * at:08x} {word:08x} {mask:08x}"


def _given(folder: AcceleratorFolder, word: RegisterWord) -> int:
    """A word of a register; addresses are those of the SoC."""
    register = folder.registers.by_name[word.name]
    if register.group != "base":
        return word.word
    return MAIN_RAM + folder.trial.bases[register.subject] >> 8 * (word.offset - register.offset) & _WORD


def _words(folder: AcceleratorFolder, beats: tuple[int, ...]) -> Iterator[int]:
    """The words of 32 bits in beats of the bus."""
    for beat in beats:
        yield from (beat >> at & _WORD for at in range(0, folder.design.bus.data_width, 32))
