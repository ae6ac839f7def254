"""Testbenches in SystemVerilog: what Icarus Verilog 11 and Verilator both understand."""

from __future__ import annotations

from collections.abc import Iterator

from loadstone.emit.hdl.on_chip_bench import BenchSyntax, both_nan
from loadstone.emit.hdl.vectors import Host, Result, data_path, word_text
from loadstone.hardware.layout import ArrayLayout
from loadstone.model.types import ScalarType
from loadstone.rtl.types import Bits, address_width
from loadstone.rtl.verilog import VERILOG
from loadstone.texts import text_of

_TESTBENCH = text_of(__name__, "testbench.sv")

_FILLING = """
    for (address = 0; address < {depth}; address = address + 1) begin
      dut_{port.write} = 1;
      dut_{port.address} = address[{high}:0];
      dut_{port.data} = given_{port.data}[address];
      @(negedge clk);
    end
    dut_{port.write} = 0;"""

_COMPARING = """
    for (address = 0; address < {depth} && dut_done === 1; address = address + 1) begin
      dut_{port.address} = address[{high}:0];
      repeat ({latency}) @(negedge clk);
      words = words + 1;
      if ({differs}) begin
        mismatches = mismatches + 1;
        if (mismatches <= 10)
          $display("{name}: word %0d is %h, expected %h", address, dut_{port.word}, expected_{port.word}[address]);
      end
    end"""

_SCALAR = """
    words = words + 1;
    if ({differs}) begin
      mismatches = mismatches + 1;
      $display("{name} is %h, expected %h", dut_{port}, {expected});
    end"""

_IS_NAN = """
  function automatic logic is_nan_{width}(input logic [{width}-1:0] word);
    is_nan_{width} = (&word[{exponent}:{middle}]) === 1 && (|word[{low}:0]) === 1;
  endfunction
"""


def _type(type: Bits) -> str:
    sign = " signed" if type.signed else ""
    return f"logic{sign}" if type.width == 1 else f"logic{sign} [{type.width - 1}:0]"


def _literal(value: int, type: Bits) -> str:
    return f"{type.width}'{'s' if type.signed else ''}h{word_text(value, type)}"


def declared(name: str, type: Bits, is_input: bool) -> str:
    """The declaration of a signal, which is 0 at first if it is an input."""
    return f"  {_type(type)} {name}{' = 0' if is_input else ''};"


def _own(hosts: tuple[Host, ...], _: tuple[Result, ...]) -> dict[str, Iterator[str]]:
    return {
        "words": (line for host in hosts for line in _word_lines(host)),
        "reading": (line for host in hosts for line in _reading(host)),
    }


def _word_lines(host: Host) -> Iterator[str]:
    kind, last = _type(host.store.type), host.store.depth - 1
    yield f"  {kind} given_{host.port.data} [0:{last}];"
    if host.expected is not None:
        yield f"  {kind} expected_{host.port.word} [0:{last}];"


def _reading(host: Host) -> Iterator[str]:
    yield f'    $readmemh("{data_path(host.port.data)}", given_{host.port.data});'
    if host.expected is not None:
        yield f'    $readmemh("{data_path(host.port.word)}", expected_{host.port.word});'


def _high(store: ArrayLayout) -> int:
    """The highest bit of an address."""
    return address_width(store.depth) - 1


def _filling(host: Host) -> str:
    return _FILLING.format(port=host.port, depth=host.store.depth, high=_high(host.store))


def _comparing(host: Host, latency: int) -> str:
    differs = _differs(f"dut_{host.port.word}", f"expected_{host.port.word}[address]", host.store.element)
    return _COMPARING.format(
        name=host.name, port=host.port, depth=host.store.depth, high=_high(host.store), latency=latency, differs=differs
    )


def _scalar(result: Result) -> str:
    expected = _literal(result.expected, result.store.type)
    differs = _differs(f"dut_{result.port}", expected, result.store.element)
    return _SCALAR.format(name=result.name, port=result.port, expected=expected, differs=differs)


def _differs(found: str, expected: str, kind: ScalarType) -> str:
    """The condition that a word is wrong; all not-a-numbers count as one."""
    nan = both_nan(found, expected, kind, "&&")
    return f"{found} !== {expected}" + (f" && !{nan}" if nan else "")


VERILOG_BENCH = BenchSyntax(
    template=_TESTBENCH,
    language=VERILOG,
    assignment="    dut_{} = {};",
    is_nan=_IS_NAN,
    declared=declared,
    literal=_literal,
    filling=_filling,
    comparing=_comparing,
    scalar=_scalar,
    own=_own,
)
