"""Testbenches in SystemVerilog: what Icarus Verilog 11 and Verilator both understand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from loadstone.emit.hdl.vectors import (
    Host,
    Result,
    Vectors,
    connections,
    data_path,
    hosts_of,
    inputs_at_start,
    results_of,
    word_text,
)
from loadstone.hardware.harness.cycle_limits import on_chip_cycle_limit
from loadstone.hardware.layout import ArrayLayout
from loadstone.hardware.on_chip import OnChipDesign
from loadstone.model.types import ScalarType
from loadstone.rtl.types import Bits, address_width

_TESTBENCH = """\
// Fills the memories of {top}, runs it once, and compares what it leaves with the words that are expected.
// +vcd writes a waveform, +limit=CYCLES is how long a run may take.
module testbench;
  logic clk = 0;
  logic rst = 1;
{signals}
{words}

  integer address;
  integer limit = {limit};
  integer cycles = 0;
  integer words = 0;
  integer mismatches = 0;

  {top} dut (
{ports}
  );

  always #5 clk = !clk;
{functions}
  initial begin
    if ($test$plusargs("vcd")) begin
      $dumpfile("testbench.vcd");
      $dumpvars(0, testbench);
    end
    if ($value$plusargs("limit=%d", limit)) $display("at most %0d cycles", limit);
{reading}

    repeat (2) @(negedge clk);
    rst = 0;
    @(negedge clk);
    if (dut_ready !== 1) $fatal(1, "FAIL: not ready after reset");
{filling}

{inputs}
    dut_start = 1;
    @(negedge clk);
    dut_start = 0;
    while (dut_done !== 1 && cycles < limit) begin
      @(negedge clk);
      cycles = cycles + 1;
    end
{comparing}

    if (dut_done !== 1) $fatal(1, "FAIL: not done after %0d cycles", limit);
    else if (dut_error !== 0) $fatal(1, "FAIL: the start was refused: a parameter is out of range");
    else if (mismatches != 0) $fatal(1, "FAIL: %0d of %0d words differ, %0d cycles", mismatches, words, cycles);
    else $display("PASS: %0d words, %0d cycles", words, cycles);
    $finish;
  end
endmodule
"""

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
    is_nan_{width} = (&word[{high}:{middle}]) === 1 && (|word[{low}:0]) === 1;
  endfunction
"""

_FRACTION = {32: 23, 64: 52}


def emit_verilog_testbench(design: OnChipDesign, vectors: Vectors) -> str:
    """The testbench of a design; it reads its words from the files of `data_files`."""
    hosts, results = hosts_of(design, vectors), results_of(design, vectors)
    looked_at = [host for host in hosts if host.expected is not None]
    latency = design.compute.memories.latency
    comparing = [*(_comparing(host, latency) for host in looked_at), *map(_scalar, results)]
    return _TESTBENCH.format(
        top=design.module.name,
        signals=_lines(_signals(design)),
        words=_lines(line for host in hosts for line in _word_lines(host)),
        limit=on_chip_cycle_limit(design, vectors.parameters),
        ports=",\n".join(f"      .{name}({signal})" for name, signal in connections(design)),
        functions="".join(_functions([each.store for each in (*looked_at, *results)])),
        reading=_lines(line for host in hosts for line in _reading(host)),
        filling="\n".join(map(_filling, hosts)),
        inputs=_lines(_inputs(design, vectors)),
        comparing="\n".join(comparing),
    )


def _lines(lines: Iterable[str]) -> str:
    return "\n".join(lines)


def _type(type: Bits) -> str:
    sign = " signed" if type.signed else ""
    return f"logic{sign}" if type.width == 1 else f"logic{sign} [{type.width - 1}:0]"


def _literal(value: int, type: Bits) -> str:
    return f"{type.width}'{'s' if type.signed else ''}h{word_text(value, type)}"


def _signals(design: OnChipDesign) -> Iterator[str]:
    for port in design.module.of_kind("input"):
        yield f"  {_type(port.bits)} dut_{port.name} = 0;"
    for port in design.module.of_kind("output"):
        yield f"  {_type(port.bits)} dut_{port.name};"


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


def _inputs(design: OnChipDesign, vectors: Vectors) -> Iterator[str]:
    for port, value in inputs_at_start(design, vectors).items():
        yield f"    dut_{port} = {_literal(value, design.module[port].bits)};"


def _comparing(host: Host, latency: int) -> str:
    differs = _differs(f"dut_{host.port.word}", f"expected_{host.port.word}[address]", host.store.element)
    return _COMPARING.format(
        name=host.name,
        port=host.port,
        depth=host.store.depth,
        high=_high(host.store),
        latency=latency,
        differs=differs,
    )


def _scalar(result: Result) -> str:
    expected = _literal(result.expected, result.store.type)
    differs = _differs(f"dut_{result.port}", expected, result.store.element)
    return _SCALAR.format(name=result.name, port=result.port, expected=expected, differs=differs)


def _differs(found: str, expected: str, kind: ScalarType) -> str:
    """The condition that a word is wrong; all not-a-numbers count as one."""
    if kind.kind != "float":
        return f"{found} !== {expected}"
    function = f"is_nan_{kind.bits}"
    return f"{found} !== {expected} && !({function}({found}) && {function}({expected}))"


def _functions(stores: Iterable[ArrayLayout]) -> Iterator[str]:
    for width in sorted({store.element.bits for store in stores if store.element.kind == "float"}):
        middle = _FRACTION[width]
        yield _IS_NAN.format(width=width, high=width - 2, middle=middle, low=middle - 1)
