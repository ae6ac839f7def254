"""A testbench in Python, for cocotb 1.9 and 2: registers over their bus, external memory as a model with stalls."""

from __future__ import annotations

from loadstone.emit.hdl.benches import Bench
from loadstone.emit.hdl.folder import Language
from loadstone.hardware.accelerator.registers import DONE, ENABLE, START

_FILE = '''\
"""Runs {top} once through its registers, on a memory in Python, and compares what it leaves.

`make cocotb` runs it, or `python {path}`; SIM chooses the simulator (icarus, verilator, ghdl).
"""

import os
import random
from pathlib import Path

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, ReadOnly

FOLDER = Path(__file__).resolve().parent
TOP = "{top}"
WORD = {bytes}  # bytes of a beat
STALLS = 0.2  # how often a channel of the memory stops
LIMIT = {limit}  # the most cycles of a run

CONTROL, STATUS, CYCLES = {control:#04x}, {status:#04x}, {cycles:#04x}
ERROR, ERROR_ADDRESS = {error:#04x}, {error_address:#04x}
START, ENABLE, DONE = {start}, {enable}, {done}
WRITES = [  # offset, word
{writes}
]
RESULTS = [  # offset, word, mask
{results}
]


def image(name):
    """The bytes of memory in a file of words."""
    words = (FOLDER / "data" / name).read_text().split()
    return bytearray(b"".join(int(word, 16).to_bytes(WORD, "little") for word in words))


def give(dut, **values):
    """Sets inputs."""
    for name, value in values.items():
        getattr(dut, name).value = value


def seen(dut, name):
    """A signal as a number."""
    return int(getattr(dut, name).value)


async def cycle(dut):
    """Waits until the middle of the next cycle, in which inputs change."""
    await FallingEdge(dut.clk)

{registers}

{memory}

@cocotb.test()
async def leaves_what_is_expected(dut):
    memory, registers = Memory(dut, image("memory.hex")), Registers(dut)
    dut.rst.value = 1
    cocotb.start_soon(Clock(dut.clk, 10, "ns").start())
    for _ in range(3):
        await cycle(dut)
    dut.rst.value = 0
    cocotb.start_soon(memory.serve())
    for offset, word in WRITES:
        await registers.write(offset, word)
    await registers.write(CONTROL, START | ENABLE)
    for _ in range(LIMIT):
        await cycle(dut)
        if seen(dut, "irq"):
            break
    assert await registers.read(STATUS) & DONE, f"not done after {{LIMIT}} cycles"
    error, address = await registers.read(ERROR), await registers.read(ERROR_ADDRESS)
    assert not error, f"error {{error}} at address {{address:#x}}"
    await registers.write(STATUS, DONE)
    await cycle(dut)
    assert not seen(dut, "irq"), "the interrupt was not cleared"
    for offset, word, mask in RESULTS:
        found = await registers.read(offset)
        assert (found ^ word) & mask == 0, f"register {{offset:#x}} is {{found:#x}}, expected {{word:#x}}"
    expected, compared = image("expected.hex"), image("compared.hex")
    wrong = [k for k, byte in enumerate(memory.data) if (byte ^ expected[k]) & compared[k]]
    assert not wrong, f"{{len(wrong)}} bytes differ, the first at {{wrong[0]:#x}}"
    dut._log.info("PASS: %d bytes, %d cycles", len(memory.data), await registers.read(CYCLES))


def main():
    """Builds the hardware and runs the test."""
    try:
        from cocotb_tools.runner import get_runner
    except ImportError:
        from cocotb.runner import get_runner
    simulator = os.environ.get("SIM", "{simulator}")
    sources = [FOLDER / line for line in (FOLDER / "files.f").read_text().split()]
    language = ["--std=08"] if simulator == "ghdl" else []
    options = ["--ieee-asserts=disable-at-0"] if simulator == "ghdl" else []
    common = {{"hdl_toplevel": TOP, "build_dir": FOLDER / "cocotb_build"}}
    runner = get_runner(simulator)
    runner.build(sources=sources, build_args=language, timescale=("1ns", "1ps"), always=True, **common)
    found = runner.test(test_module=Path(__file__).stem, test_args=language, plusargs=options, **common)
    text = Path(found).read_text()
    raise SystemExit("<failure" in text or "<error" in text or "<testcase" not in text)


if __name__ == "__main__":
    main()
'''

_LITE = '''
class Registers:
    """A master of AXI4-Lite."""

    def __init__(self, dut):
        self.dut = dut
        for name in ("awvalid", "wvalid", "bready", "arvalid", "rready", "awaddr", "araddr", "wdata", "wstrb"):
            getattr(dut, f"s_axil_{name}").value = 0

    async def write(self, offset, word):
        """Writes a word."""
        give(self.dut, s_axil_awaddr=offset, s_axil_awvalid=1, s_axil_wdata=word, s_axil_wstrb=15, s_axil_wvalid=1)
        waiting = {"aw", "w"}
        while waiting:
            await ReadOnly()
            taken = {name for name in waiting if seen(self.dut, f"s_axil_{name}ready")}
            await cycle(self.dut)
            give(self.dut, **{f"s_axil_{name}valid": 0 for name in taken})
            waiting -= taken
        await self.response("b")

    async def read(self, offset):
        """The word at an offset."""
        give(self.dut, s_axil_araddr=offset, s_axil_arvalid=1)
        await ReadOnly()
        while not seen(self.dut, "s_axil_arready"):
            await cycle(self.dut)
        await cycle(self.dut)
        self.dut.s_axil_arvalid.value = 0
        return await self.response("r")

    async def response(self, channel):
        """Takes a response; the data of a read."""
        give(self.dut, **{f"s_axil_{channel}ready": 1})
        while not seen(self.dut, f"s_axil_{channel}valid"):
            await cycle(self.dut)
        assert seen(self.dut, f"s_axil_{channel}resp") == 0
        data = seen(self.dut, "s_axil_rdata") if channel == "r" else 0
        await cycle(self.dut)
        give(self.dut, **{f"s_axil_{channel}ready": 0})
        return data
'''

_AGENT = '''
class Registers:
    """A host of Avalon-MM."""

    def __init__(self, dut):
        self.dut = dut
        give(dut, s_read=0, s_write=0, s_address=0, s_writedata=0, s_byteenable=15)

    async def write(self, offset, word):
        """Writes a word."""
        give(self.dut, s_address=offset // 4, s_writedata=word, s_write=1)
        while seen(self.dut, "s_waitrequest"):
            await cycle(self.dut)
        await cycle(self.dut)
        self.dut.s_write.value = 0

    async def read(self, offset):
        """The word at an offset."""
        give(self.dut, s_address=offset // 4, s_read=1)
        while seen(self.dut, "s_waitrequest"):
            await cycle(self.dut)
        await cycle(self.dut)
        self.dut.s_read.value = 0
        while not seen(self.dut, "s_readdatavalid"):
            await cycle(self.dut)
        return seen(self.dut, "s_readdata")
'''

_AXI_MEMORY = '''
class Memory:
    """A slave of AXI4 that serves bursts in order; its channels stop at random, but keep what they show."""

    def __init__(self, dut, data):
        self.dut, self.data, self.random = dut, data, random.Random(1)
        self.reads, self.writes, self.beats = [], [], []  # addresses; addresses and last beats; data and strobes
        self.responses = 0
        self.shows = {"r": False, "b": False}
        self.drive()

    def goes(self):
        """Whether a channel does not stop in this cycle."""
        return self.random.random() >= STALLS

    def drive(self):
        """Sets the inputs of a cycle."""
        self.shows["r"] = bool(self.reads) and (self.shows["r"] or self.goes())
        self.shows["b"] = self.responses > 0 and (self.shows["b"] or self.goes())
        address, is_last = self.reads[0] if self.reads else (0, False)
        word = int.from_bytes(self.data[address : address + WORD], "little")
        give(self.dut, axi_rvalid=int(self.shows["r"]), axi_rdata=word, axi_rlast=int(is_last), axi_rresp=0)
        give(self.dut, axi_bvalid=int(self.shows["b"]), axi_bresp=0)
        give(self.dut, axi_arready=int(self.goes()), axi_awready=int(self.goes()), axi_wready=int(self.goes()))

    def moves(self, channel):
        """Whether a word moves on a channel in this cycle."""
        return seen(self.dut, f"axi_{channel}valid") and seen(self.dut, f"axi_{channel}ready")

    def burst(self, channel):
        """The addresses of a burst, and whether each is the last."""
        first, length = seen(self.dut, f"axi_{channel}addr"), seen(self.dut, f"axi_{channel}len")
        assert seen(self.dut, f"axi_{channel}burst") == 1 and 1 << seen(self.dut, f"axi_{channel}size") == WORD
        assert first // 4096 == (first + WORD * (length + 1) - 1) // 4096, "a burst crosses 4 KB"
        start = first // WORD * WORD
        return [((start + WORD * k) % len(self.data), k == length) for k in range(length + 1)]

    def observe(self):
        """Takes what moves in this cycle."""
        if self.moves("r"):
            del self.reads[0]
            self.shows["r"] = False
        if self.moves("b"):
            self.responses -= 1
            self.shows["b"] = False
        if self.moves("ar"):
            self.reads += self.burst("ar")
        if self.moves("aw"):
            self.writes += self.burst("aw")
        if self.moves("w"):
            self.beats.append([seen(self.dut, f"axi_w{field}") for field in ("data", "strb", "last")])
        while self.writes and self.beats:
            self.store(*self.writes.pop(0), *self.beats.pop(0))

    def store(self, address, is_last, word, strobe, last):
        """Writes the bytes of a beat whose strobes are set."""
        assert last == int(is_last), "the last beat is marked wrongly"
        for lane, byte in enumerate(word.to_bytes(WORD, "little")):
            if strobe >> lane & 1:
                self.data[address + lane] = byte
        self.responses += is_last
'''

_AVALON_MEMORY = '''
class Memory:
    """An agent of Avalon-MM with a port that reads and one that writes; both stop at random."""

    def __init__(self, dut, data):
        self.dut, self.data, self.random = dut, data, random.Random(1)
        self.reads, self.writes = [], []  # addresses
        self.responses = 0
        self.drive()

    def goes(self):
        """Whether a port does not stop in this cycle."""
        return self.random.random() >= STALLS

    def drive(self):
        """Sets the inputs of a cycle."""
        shows = bool(self.reads) and self.goes()
        address = self.reads.pop(0) if shows else 0
        word = int.from_bytes(self.data[address : address + WORD], "little")
        give(self.dut, avalon_read_readdatavalid=int(shows), avalon_read_readdata=word, avalon_read_response=0)
        answers = self.responses > 0 and self.goes()
        self.responses -= answers
        give(self.dut, avalon_write_writeresponsevalid=int(answers), avalon_write_response=0)
        for port in ("read", "write"):
            give(self.dut, **{f"avalon_{port}_waitrequest": int(not self.goes())})

    def moves(self, port):
        """Whether a port takes a word in this cycle."""
        return seen(self.dut, f"avalon_{port}_{port}") and not seen(self.dut, f"avalon_{port}_waitrequest")

    def burst(self, port):
        """The addresses of a burst."""
        first, count = (seen(self.dut, f"avalon_{port}_{name}") for name in ("address", "burstcount"))
        return [(first // WORD * WORD + WORD * k) % len(self.data) for k in range(count)]

    def observe(self):
        """Takes what moves in this cycle."""
        if self.moves("read"):
            self.reads += self.burst("read")
        if self.moves("write"):
            self.writes = self.writes or self.burst("write")
            word, strobe = (seen(self.dut, f"avalon_write_{name}") for name in ("writedata", "byteenable"))
            self.store(self.writes.pop(0), word, strobe)
            self.responses += not self.writes

    def store(self, address, word, strobe):
        """Writes the bytes of a word that are enabled."""
        for lane, byte in enumerate(word.to_bytes(WORD, "little")):
            if strobe >> lane & 1:
                self.data[address + lane] = byte
'''


_SERVE = '''
    async def serve(self):
        """Serves the bus for ever."""
        while True:
            self.drive()
            await ReadOnly()
            self.observe()
            await cycle(self.dut)
'''


def emit_cocotb_bench(bench: Bench, top: str, path: str, language: Language) -> str:
    """The testbench for cocotb of the module `top`; `path` is the name of its file."""
    return _FILE.format(
        top=top,
        path=path,
        bytes=bench.design.bus.bytes,
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
