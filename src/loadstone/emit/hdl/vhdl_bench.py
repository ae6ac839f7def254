"""Testbenches in VHDL-2008."""

from __future__ import annotations

from collections.abc import Iterator

from loadstone.emit.hdl.on_chip_bench import BenchSyntax, both_nan
from loadstone.emit.hdl.vectors import Host, Result, data_path, digits, word_text
from loadstone.hardware.layout import ArrayLayout
from loadstone.model.types import ScalarType
from loadstone.rtl.types import Bits, address_width, bit
from loadstone.rtl.vhdl import VHDL
from loadstone.texts import text_of

_TESTBENCH = text_of(__name__, "testbench.vhd")

_FILLING = """
    for address in 0 to {last} loop
      next_word(given_{port.data}, word_{port.data});
      dut_{port.write} <= '1';
      dut_{port.address} <= {address};
      dut_{port.data} <= {word};
      tick;
    end loop;
    dut_{port.write} <= '0';"""

_COMPARING = """
    for address in 0 to {last} loop
      dut_{port.address} <= {address};
      for cycle in 1 to {latency} loop
        tick;
      end loop;
      next_word(expected_{port.word}, word_{port.data});
      found_{port.data} := {found};
      compare("{name}: word " & to_string(address), found_{port.data}, word_{port.data}, {same});
    end loop;"""

_SCALAR = """
    found_{port} := {found};
    word_{port} := {expected};
    compare("{name}", found_{port}, word_{port}, {same});"""

_IS_NAN = """
    function is_nan_{width}(word : std_logic_vector({high} downto 0)) return boolean is
    begin
      return (and word({exponent} downto {middle})) = '1' and (or word({low} downto 0)) = '1';
    end function;
"""


def _type(type: Bits) -> str:
    if type == bit:
        return "std_logic"
    return f"{'signed' if type.signed else 'unsigned'}({type.width - 1} downto 0)"


def _literal(value: int, type: Bits) -> str:
    text = word_text(value, type)
    return f"'{text}'" if type == bit else f'{type.width}x"{text}"'


def _declared(name: str, type: Bits, is_input: bool) -> str:
    return f"  signal {name} : {_type(type)}{f' := {_literal(0, type)}' if is_input else ''};"


def _own(hosts: tuple[Host, ...], results: tuple[Result, ...]) -> dict[str, Iterator[str]]:
    return {"files": (line for host in hosts for line in _files(host)), "variables": _variables(hosts, results)}


def _files(host: Host) -> Iterator[str]:
    port = host.port
    yield f'    file given_{port.data} : text open read_mode is "{data_path(port.data)}";'
    if host.expected is not None:
        yield f'    file expected_{port.word} : text open read_mode is "{data_path(port.word)}";'


def _variables(hosts: tuple[Host, ...], results: tuple[Result, ...]) -> Iterator[str]:
    """Room for a word of each array and scalar: in whole hexadecimal digits, as files have them."""
    for host in hosts:
        found = "" if host.expected is None else f", found_{host.port.data}"
        yield f"    variable word_{host.port.data}{found} : {_padded(host.store.type)};"
    for result in results:
        yield f"    variable word_{result.port}, found_{result.port} : {_padded(result.store.type)};"


def _padded(type: Bits) -> str:
    return f"std_logic_vector({4 * digits(type) - 1} downto 0)"


def _address(store: ArrayLayout) -> str:
    """The address as its port has it, a bit where there are two words."""
    width = address_width(store.depth)
    return "to_unsigned(address, 1)(0)" if width == 1 else f"to_unsigned(address, {width})"


def _filling(host: Host) -> str:
    word = _unpadded(f"word_{host.port.data}", host.store.type)
    return _FILLING.format(port=host.port, last=host.store.depth - 1, address=_address(host.store), word=word)


def _unpadded(word: str, type: Bits) -> str:
    """The value of a word for a signal of a type."""
    if type == bit:
        return f"{word}(0)"
    return f"{'signed' if type.signed else 'unsigned'}({word}({type.width - 1} downto 0))"


def _found(signal: str, type: Bits) -> str:
    """The bits of a signal, in whole hexadecimal digits."""
    zeros = 4 * digits(type) - type.width
    bits = signal if type == bit else f"std_logic_vector({signal})"
    return f'"{"0" * zeros}" & {bits}' if zeros else bits


def _comparing(host: Host, latency: int) -> str:
    port = host.port
    return _COMPARING.format(
        name=host.name,
        port=port,
        last=host.store.depth - 1,
        address=_address(host.store),
        latency=latency,
        found=_found(f"dut_{port.word}", host.store.type),
        same=_same(f"found_{port.data}", f"word_{port.data}", host.store.element),
    )


def _scalar(result: Result) -> str:
    return _SCALAR.format(
        name=result.name,
        port=result.port,
        found=_found(f"dut_{result.port}", result.store.type),
        expected=f'x"{word_text(result.expected, result.store.type)}"',
        same=_same(f"found_{result.port}", f"word_{result.port}", result.store.element),
    )


def _same(found: str, expected: str, kind: ScalarType) -> str:
    """The condition that a word is right; all not-a-numbers count as one."""
    nan = both_nan(found, expected, kind, "and")
    return f"{found} = {expected}" + (f" or {nan}" if nan else "")


VHDL_BENCH = BenchSyntax(
    template=_TESTBENCH,
    language=VHDL,
    assignment="    dut_{} <= {};",
    is_nan=_IS_NAN,
    declared=_declared,
    literal=_literal,
    filling=_filling,
    comparing=_comparing,
    scalar=_scalar,
    own=_own,
)
