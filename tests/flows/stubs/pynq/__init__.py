"""A stand-in for PYNQ on simulated hardware: its registers and memory are those of an accelerator in Verilator.

`LOADSTONE_DEVICE` names the library with the simulated device, `LOADSTONE_COMPONENT` the description of its IP.
"""

from __future__ import annotations

import ctypes
import os
from typing import Any, ClassVar, Protocol
from xml.etree import ElementTree

import numpy as np

PAGE = 4096
SPIRIT = "{http://www.spiritconsortium.org/XMLSchema/SPIRIT/1685-2009}"


class Port(Protocol):
    """What is needed of a simulated device: registers, and bytes of its memory."""

    @property
    def base(self) -> int:
        """Where its memory begins."""
        ...

    @property
    def size(self) -> int:
        """The bytes of its memory."""
        ...

    def read(self, offset: int) -> int:
        """A word of a register."""
        ...

    def write(self, offset: int, word: int) -> None:
        """Write a word of a register."""
        ...

    def load(self, place: int, data: bytes) -> None:
        """Write bytes of memory."""
        ...

    def dump(self, place: int, size: int) -> bytes:
        """Bytes of memory."""
        ...


class LibraryPort:
    """A device in a library."""

    def __init__(self, path: str) -> None:
        self.library = ctypes.CDLL(path)
        results = {"device_memory": ctypes.c_void_p, "device_read": ctypes.c_uint32}
        for name, result in {**results, **dict.fromkeys(("device_bytes", "device_base"), ctypes.c_uint64)}.items():
            getattr(self.library, name).restype = result
        self.base, self.size = self.library.device_base(), self.library.device_bytes()
        self.memory = (ctypes.c_uint8 * self.size).from_address(self.library.device_memory())

    def read(self, offset: int) -> int:
        """A word of a register."""
        return self.library.device_read(ctypes.c_uint32(offset))

    def write(self, offset: int, word: int) -> None:
        """Write a word of a register."""
        self.library.device_write(ctypes.c_uint32(offset), ctypes.c_uint32(word))

    def load(self, place: int, data: bytes) -> None:
        """Write bytes of memory."""
        self.memory[place : place + len(data)] = list(data)

    def dump(self, place: int, size: int) -> bytes:
        """Bytes of memory."""
        return bytes(self.memory[place : place + size])


class Device:
    """The device, with memory that is handed out page by page; what is freed can be taken again."""

    def __init__(self, port: Port) -> None:
        self.port = port
        self.taken: dict[int, int] = {}

    def take(self, size: int) -> int:
        """The first place with so many free bytes."""
        place = 0
        for begin, end in sorted(self.taken.items()):
            if place + size <= begin:
                break
            place = -(-end // PAGE) * PAGE
        if place + size > self.port.size:
            raise MemoryError("the memory of the device is full")
        self.taken[place] = place + size
        return place


_devices: list[Device] = []


def connect(port: Port) -> None:
    """Let this be the device."""
    _devices[:] = [Device(port)]


def device() -> Device:
    """The one device."""
    if not _devices:
        connect(LibraryPort(os.environ["LOADSTONE_DEVICE"]))
    return _devices[0]


class PynqBuffer(np.ndarray):
    """Memory of the device; what the processor writes is seen there only after a flush, and the reverse."""

    place: int

    @property
    def device_address(self) -> int:
        """The address that the device uses."""
        return device().port.base + self.place

    def flush(self) -> None:
        """Let the device see what was written here."""
        device().port.load(self.place, self.tobytes())

    def invalidate(self) -> None:
        """See what the device has written."""
        np.asarray(self)[...] = np.frombuffer(device().port.dump(self.place, self.nbytes), self.dtype)

    def freebuffer(self) -> None:
        """Give the memory back."""
        del device().taken[self.place]


def allocate(shape: tuple[int, ...], dtype: Any = np.uint32) -> PynqBuffer:
    """Memory of the device, as the processor caches it."""
    buffer = np.full(shape, 0x5A, dtype=np.uint8).astype(dtype).view(PynqBuffer)
    buffer.place = device().take(buffer.nbytes)
    return buffer


class MMIO:
    """Words of registers."""

    def read(self, offset: int = 0) -> int:
        """A word."""
        return device().port.read(offset)

    def write(self, offset: int, value: int) -> None:
        """Write a word; PYNQ takes no negative numbers."""
        assert 0 <= value < 1 << 32
        device().port.write(offset, value)


class DefaultIP:
    """The driver of an IP; subclasses are bound by the kinds of IP that they name."""

    bindto: ClassVar[list[str]] = []
    drivers: ClassVar[dict[str, type]] = {}

    def __init_subclass__(cls) -> None:
        for kind in cls.bindto:
            DefaultIP.drivers[kind] = cls

    def __init__(self, description: dict[str, Any]) -> None:
        self.mmio = MMIO()
        self.description = description

    def read(self, offset: int = 0) -> int:
        """A word of a register."""
        return self.mmio.read(offset)

    def write(self, offset: int, value: int) -> None:
        """Write a word of a register."""
        self.mmio.write(offset, value)


class Overlay:
    """A bitstream with one IP, which `LOADSTONE_COMPONENT` describes."""

    def __init__(self, bitfile: str) -> None:
        root = ElementTree.parse(os.environ["LOADSTONE_COMPONENT"]).getroot()
        names = [root.findtext(f"{SPIRIT}{tag}") or "" for tag in ("vendor", "library", "name", "version")]
        assert bitfile == f"{names[2]}.bit"
        self.ip_dict = {f"{names[2]}_0": {"type": ":".join(names)}}

    def __getattr__(self, name: str) -> Any:
        if name not in self.ip_dict:
            raise AttributeError(name)
        return DefaultIP.drivers[self.ip_dict[name]["type"]](self.ip_dict[name])
