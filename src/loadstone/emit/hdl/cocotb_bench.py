"""A testbench in Python, for cocotb 1.9 and 2: registers over their bus, external memory as a model with stalls.

On AXI, models that others wrote are used where they are installed.
"""

from __future__ import annotations

from loadstone.emit.hdl.accelerator_bench import Bench
from loadstone.emit.hdl.folder import Language
from loadstone.hardware.accelerator.registers import DONE, ENABLE, START
from loadstone.hardware.accelerator.shell import ignored_ports
from loadstone.hardware.harness.placement import far
from loadstone.rtl.shell import Shell
from loadstone.texts import text_of

_FILE = text_of(__name__, "cocotb_test.txt")

_LITE = text_of(__name__, "cocotb_axi_registers.txt")

_AGENT = text_of(__name__, "cocotb_avalon_registers.txt")

_AXI_MEMORY = text_of(__name__, "cocotb_axi_memory.txt")

_AVALON_MEMORY = text_of(__name__, "cocotb_avalon_memory.txt")


_SERVE = text_of(__name__, "cocotb_serve.txt")


_MODELS = text_of(__name__, "cocotb_models.txt")

_INDEPENDENT = text_of(__name__, "cocotb_axi_models.txt")

_OTHERS = "Memory and host are those of cocotbext-axi where it is installed, unless OWN_MODELS is set.\n"


def emit_cocotb_bench(bench: Bench, top: Shell, path: str, language: Language) -> str:
    """The testbench for cocotb of the module `top`; `path` is the name of its file."""
    clocks = {"clock": top.clocking.clock, "reset": top.clocking.reset, "active": int(not top.clocking.low)}
    is_axi = bench.protocol == bench.design.bus.protocol == "axi"
    return _FILE.format(
        top=top.name,
        **clocks,
        others=_OTHERS if is_axi else "",
        models=_INDEPENDENT.format(**clocks) if is_axi else _MODELS,
        inactive=int(top.clocking.low),
        ignored="".join(f", {name}=0" for name in ignored_ports(bench.design.bus.protocol, bench.protocol)),
        path=path,
        bytes=bench.design.bus.bytes,
        far=far(bench.design.bus),
        limit=bench.limit,
        **bench.offsets(int),
        start=START,
        enable=ENABLE,
        done=DONE,
        writes="\n".join(
            f"    (0x{each.offset:02x}, 0x{each.word:08x}),  # {each.meaning}" for each in bench.trial.writes
        ),
        results="\n".join(
            f"    (0x{each.offset:02x}, 0x{each.word:08x}, 0x{each.mask:08x}),  # {each.meaning}"
            for each in bench.trial.results
        ),
        registers=_LITE if bench.protocol == "axi" else _AGENT,
        memory=(_AXI_MEMORY if bench.design.bus.protocol == "axi" else _AVALON_MEMORY) + _SERVE,
        simulator="icarus" if language == "verilog" else "ghdl",
    )
