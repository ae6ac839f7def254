"""How fast external memories are: parts in nanoseconds, as in datasheets, and their timing in cycles of a bus."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor

from loadstone.errors import Diagnostic, InputError
from loadstone.rtl import RtlError


@dataclass(frozen=True, slots=True)
class BeatTiming:
    """What beats of one width take, in cycles: `hit` in an open row, `row_change` where a row must be opened first.

    A response can be seen `delay` cycles after its beat is through. A row holds `row_beats`.
    """

    banks: int
    row_beats: int
    hit: int
    row_change: int
    delay: int
    refresh_interval: int
    refresh: int


@dataclass(frozen=True, slots=True)
class Timing:
    """The timing of a memory, in cycles of the bus.

    Each bank has one open row of `row_bytes`; neighbouring rows are in different banks. The data bus moves
    `bits_per_cycle` from open rows; a row that must be opened takes `row_change` cycles more, in which no other data
    move. The first word of an open row comes `latency` cycles after its address. Every `refresh_interval` cycles (0:
    never) all rows are closed and nothing happens for `refresh` cycles.
    """

    name: str
    banks: int
    row_bytes: int
    bits_per_cycle: Fraction
    row_change: int
    latency: int
    refresh_interval: int = 0
    refresh: int = 0

    def __post_init__(self) -> None:
        if any(number & (number - 1) or number < 1 for number in (self.banks, self.row_bytes)):
            raise RtlError(f"{self.name}: banks and bytes of a row must be powers of two")
        if self.latency < 2 or self.bits_per_cycle <= 0 or self.row_change < 0:
            raise RtlError(f"{self.name}: a latency below 2 cycles, or no data")
        if bool(self.refresh_interval) != bool(self.refresh):
            raise RtlError(f"{self.name}: a refresh has an interval and a duration")

    def for_beats(self, data_width: int) -> BeatTiming:
        """The timing of beats of some width."""
        hit = ceil(data_width / self.bits_per_cycle)
        if self.refresh_interval and self.refresh + hit + self.row_change >= self.refresh_interval:
            raise RtlError(f"{self.name}: a refresh is not over before the next")
        return BeatTiming(
            self.banks,
            self.row_bytes * 8 // data_width,
            hit,
            hit + self.row_change,
            self.latency - 1,
            self.refresh_interval,
            self.refresh,
        )


@dataclass(frozen=True, slots=True)
class Part:
    """A memory with its controller: nanoseconds of the memory, and cycles of the bus that the controller adds.

    `word_bits` move in `word_ns` from an open row. A row change takes `row_change_ns` more. The first word of an open
    row takes `latency_ns`. Numbers are decimal text, so that they are exact.
    """

    name: str
    banks: int
    row_bytes: int
    word_bits: int
    word_ns: str
    row_change_ns: str
    latency_ns: str
    refresh_interval_ns: str = "0"
    refresh_ns: str = "0"
    controller_row_cycles: int = 0
    controller_latency_cycles: int = 0

    def at(self, clock_mhz: int) -> Timing:
        """The timing at a clock of the bus; durations are rounded up, the interval between refreshes down."""

        def cycles(nanoseconds: str) -> Fraction:
            return Fraction(nanoseconds) * clock_mhz / 1000

        return Timing(
            self.name.replace("-", "_"),
            self.banks,
            self.row_bytes,
            self.word_bits / cycles(self.word_ns),
            ceil(cycles(self.row_change_ns)) + self.controller_row_cycles,
            ceil(cycles(self.latency_ns)) + self.controller_latency_cycles,
            floor(cycles(self.refresh_interval_ns)),
            ceil(cycles(self.refresh_ns)),
        )


PAPER = Part("paper", 1, 1024, 32, "10", "70", "400")
"""The memory of [RR-7648, II-A and IV]: 32 bits in 10 ns in one row, 80 ns with a row change, 400 ns latency, all
pipelined. There is one open row in all. A row has 1024 bytes, the page of the part that was used, DDR-400 x8."""

DDR3_1600 = Part("ddr3-1600", 8, 8192, 512, "5", "35", "18.75", "7800", "160", 3, 13)
"""DDR3-1600 11-11-11, 64 bits of 2 Gb parts x8 [Micron MT41J256M8-125]: 8 banks, pages of 1 KB in each of 8 parts; a
burst of 8 moves 512 bits in 5 ns; tRTP 7.5 + tRP 13.75 + tRCD 13.75 ns; CL 13.75 + 5 ns; tREFI 7.8 us, tRFC 160 ns. The
cycles of the controller are those of LiteDRAM at 100 MHz."""

DDR4_2400 = Part("ddr4-2400", 16, 8192, 512, "3.332", "34.16", "16.66", "7800", "350", 3, 13)
"""DDR4-2400 16-16-16, 64 bits of 8 Gb parts x8 [Micron MT40A1G8-083E]: 16 banks, pages of 1 KB in each of 8 parts; a
burst of 8 moves 512 bits in 3.332 ns; tRTP 7.5 + tRP 13.33 + tRCD 13.33 ns; CL 13.33 + 3.33 ns; tREFI 7.8 us, tRFC 350
ns. The controller is taken to be like that of DDR3."""

HBM = Part("hbm", 16, 1024, 256, "2", "34", "16", "3900", "260", 3, 13)
"""A pseudo channel of HBM2 at 2 Gb/s a pin, with the timing of DRAMsim3's HBM2_8Gb_x128 [Li et al., 2020]: 64 bits, 16
banks, pages of 1 KB; a burst of 4 moves 256 bits in 2 ns; tRTP 6 + tRP 14 + tRCD 14 ns; CL 14 + 2 ns; tREFI 3.9 us,
tRFC 260 ns. The controller is taken to be like that of DDR3."""

_PARTS = {part.name: part for part in (PAPER, DDR3_1600, DDR4_2400, HBM)}
PRESETS = tuple(_PARTS)


def preset(name: str, clock_mhz: int = 100) -> Timing:
    """The timing of a known memory at a clock of the bus.

    >>> timing = preset("paper")
    >>> timing.row_change, timing.latency, timing.for_beats(32).hit, preset("paper", 300).for_beats(32).hit
    (7, 40, 1, 3)
    """
    if name not in _PARTS:
        raise InputError(Diagnostic(f"no memory '{name}'", hint=f"known are: {', '.join(PRESETS)}"))
    return _PARTS[name].at(clock_mhz)
