"""Testbenches of accelerators behind registers, in SystemVerilog and VHDL-2008.

They fill external memory from a file, write the registers over the bus of the slave, wait until the run is done, and
compare memory and registers with what is expected.
"""

from __future__ import annotations

from dataclasses import dataclass

from loadstone.bus.lite import PREFIXES, slave_ports
from loadstone.bus.ports import BusPort, Protocol
from loadstone.emit.accelerator_image import RegisterWord, Trial
from loadstone.emit.hdl_vectors import digits
from loadstone.hardware.accelerator import AcceleratorDesign
from loadstone.hardware.registers import CONTROL, CYCLES, DONE, ENABLE, START, STATUS, RegisterMap
from loadstone.rtl.module import Module
from loadstone.rtl.types import Bits, bit


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

    def offset(self, name: str) -> int:
        """The offset of a register."""
        return self.registers.by_name[name].offset


_VERILOG = """\
// Fills the memory of {top}, runs it once through its registers, and compares what it leaves with what is expected.
// +vcd writes a waveform, +limit=CYCLES is how long a run may take.
`timescale 1ns / 1ps

module testbench;
  localparam integer DEPTH = {depth};  // words of memory

  logic clk = 0;
  logic rst = 1;
{signals}
  logic fill = 0;
  logic fill_valid = 0;
  logic fill_ready;
  logic [{high}:0] fill_data = 0;
  logic look = 0;
  logic word_valid;
  logic [{high}:0] word;
  logic irq;
  logic [{error_high}:0] bus_error;

  logic [{high}:0] given [0:DEPTH-1];
  logic [{high}:0] expected [0:DEPTH-1];
  logic [{high}:0] compared [0:DEPTH-1];
  logic [31:0] status = 0;
  logic [31:0] cycles = 0;
  integer place = 0;
  integer limit = {limit};
  integer words = 0;
  integer mismatches = 0;

  {top} bench (
{ports}
  );

  always #5 clk = !clk;
{tasks}
  task automatic check_register(input [{offset_high}:0] offset, input [31:0] value, input [31:0] mask);
    logic [31:0] found;
    read_register(offset, found);
    words = words + 1;
    if (((found ^ value) & mask) !== 0) begin
      mismatches = mismatches + 1;
      $display("register %h is %h, expected %h", offset, found, value);
    end
  endtask

  task automatic pulse_reset;
    rst = 1;
    repeat (2) @(negedge clk);
    rst = 0;
    @(negedge clk);
  endtask

  task automatic fill_memory;
    fill = 1;
    fill_valid = 1;
    place = 0;
    while (place < DEPTH) begin
      fill_data = given[place];
      #1;
      if (fill_ready) place = place + 1;
      @(negedge clk);
    end
    fill_valid = 0;
    fill = 0;
  endtask

  task automatic compare_memory;
    look = 1;
    place = 0;
    while (place < DEPTH) begin
      @(negedge clk);
      if (word_valid) begin
        words = words + 1;
        if (((word ^ expected[place]) & compared[place]) !== 0) begin
          mismatches = mismatches + 1;
          if (mismatches <= 10) $display("word %0d of memory is %h, expected %h", place, word, expected[place]);
        end
        place = place + 1;
      end
    end
    look = 0;
  endtask

  initial begin
    if ($test$plusargs("vcd")) begin
      $dumpfile("testbench.vcd");
      $dumpvars(0, testbench);
    end
    if ($value$plusargs("limit=%d", limit)) $display("at most %0d cycles", limit);
    $readmemh("data/memory.hex", given);
    $readmemh("data/expected.hex", expected);
    $readmemh("data/compared.hex", compared);

    pulse_reset;
    fill_memory;
    pulse_reset;
    read_register({status}, status);
    if (status !== 1) $fatal(1, "FAIL: not ready after reset");
{writes}
    write_register({control}, {start});
    while (!status[1] && cycles < limit) begin
      read_register({status}, status);
      read_register({cycles}, cycles);
    end
    if (!status[1]) $fatal(1, "FAIL: not done after %0d cycles", limit);
    read_register({cycles}, cycles);
    if (irq !== 1) $fatal(1, "FAIL: no interrupt");
    write_register({status}, {done});
    if (irq !== 0) $fatal(1, "FAIL: the interrupt was not cleared");
{results}
    compare_memory;
    if (bus_error !== 0) $fatal(1, "FAIL: rule %0d of the bus was broken", bus_error);
    else if (mismatches != 0) $fatal(1, "FAIL: %0d of %0d words differ, %0d cycles", mismatches, words, cycles);
    else $display("PASS: %0d words, %0d cycles", words, cycles);
    $finish;
  end
endmodule
"""

_VERILOG_AXI = """
  task automatic write_register(input [{offset_high}:0] offset, input [31:0] value);
    logic takes_address, takes_data;
    s_axil_awaddr = offset;
    s_axil_wdata = value;
    s_axil_wstrb = 15;
    s_axil_awvalid = 1;
    s_axil_wvalid = 1;
    while (s_axil_awvalid || s_axil_wvalid) begin
      takes_address = s_axil_awready;
      takes_data = s_axil_wready;
      @(negedge clk);
      if (takes_address) s_axil_awvalid = 0;
      if (takes_data) s_axil_wvalid = 0;
    end
    s_axil_bready = 1;
    while (!s_axil_bvalid) @(negedge clk);
    @(negedge clk);
    s_axil_bready = 0;
  endtask

  task automatic read_register(input [{offset_high}:0] offset, output [31:0] value);
    s_axil_araddr = offset;
    s_axil_arvalid = 1;
    while (!s_axil_arready) @(negedge clk);
    @(negedge clk);
    s_axil_arvalid = 0;
    s_axil_rready = 1;
    while (!s_axil_rvalid) @(negedge clk);
    value = s_axil_rdata;
    @(negedge clk);
    s_axil_rready = 0;
  endtask
"""

_VERILOG_AVALON = """
  task automatic write_register(input [{offset_high}:0] offset, input [31:0] value);
    s_address = offset[{offset_high}:2];
    s_writedata = value;
    s_byteenable = 15;
    s_write = 1;
    while (s_waitrequest) @(negedge clk);
    @(negedge clk);
    s_write = 0;
  endtask

  task automatic read_register(input [{offset_high}:0] offset, output [31:0] value);
    s_address = offset[{offset_high}:2];
    s_read = 1;
    while (s_waitrequest) @(negedge clk);
    @(negedge clk);
    s_read = 0;
    while (!s_readdatavalid) @(negedge clk);
    value = s_readdata;
    @(negedge clk);
  endtask
"""


def emit_verilog_bench(bench: Bench) -> str:
    """The testbench in SystemVerilog, as Icarus Verilog 11 and Verilator understand it."""
    offset_high = bench.registers.address_width - 1
    tasks = _VERILOG_AXI if bench.protocol == "axi" else _VERILOG_AVALON

    def offset(value: int) -> str:
        return f"{offset_high + 1}'h{value:02x}"

    return _VERILOG.format(
        top=bench.module.name,
        error_high=bench.module["bus_error"].width - 1,
        depth=bench.trial.depth,
        high=bench.design.bus.data_width - 1,
        limit=bench.limit,
        signals="\n".join(f"  {_verilog_type(port.type)} {port.name}{_initial(port)};" for port in bench.ports),
        ports=",\n".join(f"      .{name}({name})" for name in _connected(bench)),
        tasks=tasks.format(offset_high=offset_high),
        offset_high=offset_high,
        control=offset(bench.offset(CONTROL)),
        status=offset(bench.offset(STATUS)),
        cycles=offset(bench.offset(CYCLES)),
        start=START | ENABLE,
        done=DONE,
        writes="\n".join(
            f"    write_register({offset(each.offset)}, 32'h{each.word:08x});  // {each.meaning}"
            for each in bench.trial.writes
        ),
        results="\n".join(
            f"    check_register({offset(each.offset)}, 32'h{each.word:08x}, 32'h{each.mask:08x});  // {each.meaning}"
            for each in bench.trial.results
        ),
    )


def _connected(bench: Bench) -> tuple[str, ...]:
    return ("clk", "rst", *(port.name for port in bench.module.of_kind("input", "output")))


def _verilog_type(type: Bits) -> str:
    return "logic" if type.width == 1 else f"logic [{type.width - 1}:0]"


def _initial(port: BusPort) -> str:
    return " = 0" if port.driver == "master" else ""


_VHDL = """\
-- Fills the memory of {top}, runs it once through its registers, and compares what it leaves with what is expected.
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use std.textio.all;

entity testbench is
  generic (LIMIT : natural := {limit});  -- how many cycles a run may take
end entity;

architecture test of testbench is
  constant DEPTH : natural := {depth};  -- words of memory
  subtype offset_t is unsigned({offset_high} downto 0);
  subtype word_t is unsigned(31 downto 0);
  subtype data_t is unsigned({high} downto 0);
  signal clk : std_logic := '0';
  signal rst : std_logic := '1';
{signals}
  signal fill, fill_valid, look : std_logic := '0';
  signal fill_ready, word_valid, irq : std_logic;
  signal fill_data : data_t := (others => '0');
  signal word : data_t;
  signal bus_error : unsigned({error_high} downto 0);
begin
  clk <= not clk after 5 ns;

  bench : entity work.{top} port map (
{ports}
  );

  process
    file given : text open read_mode is "data/memory.hex";
    file expected : text open read_mode is "data/expected.hex";
    file compared : text open read_mode is "data/compared.hex";
    variable status, cycles : word_t := (others => '0');
    variable words, mismatches : natural := 0;

    procedure tick is
    begin
      wait until falling_edge(clk);
    end procedure;

    procedure fail(reason : string) is
    begin
      write(output, "FAIL: " & reason & LF);
      std.env.finish(1);
      wait;
    end procedure;

    procedure next_word(file source : text; result : out data_t) is
      variable row : line;
      variable digits : std_logic_vector(data_t'range);
    begin
      readline(source, row);
      hread(row, digits);
      result := unsigned(digits);
    end procedure;
{procedures}
    procedure compare(name : string; found, right, mask : unsigned) is
    begin
      words := words + 1;
      if ((found xor right) and mask) /= 0 then
        mismatches := mismatches + 1;
        if mismatches <= 10 then
          write(output, name & " is " & to_hstring(found) & ", expected " & to_hstring(right) & LF);
        end if;
      end if;
    end procedure;

    procedure check_register(name : string; offset : offset_t; value, mask : word_t) is
      variable found : word_t;
    begin
      read_register(offset, found);
      compare(name, found, value, mask);
    end procedure;

    procedure pulse_reset is
    begin
      rst <= '1';
      tick;
      tick;
      rst <= '0';
      tick;
    end procedure;

    procedure fill_memory is
      variable data : data_t;
    begin
      fill <= '1';
      fill_valid <= '1';
      for place in 1 to DEPTH loop
        next_word(given, data);
        fill_data <= data;
        loop
          wait for 1 ns;
          exit when fill_ready = '1';
          tick;
        end loop;
        tick;
      end loop;
      fill_valid <= '0';
      fill <= '0';
    end procedure;

    procedure compare_memory is
      variable right, mask : data_t;
    begin
      look <= '1';
      for place in 0 to DEPTH - 1 loop
        loop
          tick;
          exit when word_valid = '1';
        end loop;
        next_word(expected, right);
        next_word(compared, mask);
        compare("word " & to_string(place) & " of memory", word, right, mask);
      end loop;
      look <= '0';
    end procedure;
  begin
    pulse_reset;
    fill_memory;
    pulse_reset;
    read_register({status}, status);
    if status /= 1 then
      fail("not ready after reset");
    end if;
{writes}
    write_register({control}, x"{start:08x}");
    while status(1) = '0' and cycles < LIMIT loop
      read_register({status}, status);
      read_register({cycles}, cycles);
    end loop;
    if status(1) = '0' then
      fail("not done after " & to_string(LIMIT) & " cycles");
    end if;
    read_register({cycles}, cycles);
    if irq /= '1' then
      fail("no interrupt");
    end if;
    write_register({status}, x"{done:08x}");
    if irq /= '0' then
      fail("the interrupt was not cleared");
    end if;
{results}
    compare_memory;
    if bus_error /= 0 then
      fail("rule " & to_string(to_integer(bus_error)) & " of the bus was broken");
    elsif mismatches /= 0 then
      fail(to_string(mismatches) & " of " & to_string(words) & " words differ, "
           & to_string(to_integer(cycles)) & " cycles");
    end if;
    write(output, "PASS: " & to_string(words) & " words, " & to_string(to_integer(cycles)) & " cycles" & LF);
    std.env.finish(0);
    wait;
  end process;
end architecture;
"""

_VHDL_AXI = """
    procedure write_register(offset : offset_t; value : word_t) is
      variable has_address, has_data, takes_address, takes_data : boolean := false;
    begin
      s_axil_awaddr <= offset;
      s_axil_wdata <= value;
      s_axil_wstrb <= x"f";
      s_axil_awvalid <= '1';
      s_axil_wvalid <= '1';
      while not (has_address and has_data) loop
        takes_address := s_axil_awready = '1';
        takes_data := s_axil_wready = '1';
        tick;
        has_address := has_address or takes_address;
        has_data := has_data or takes_data;
        s_axil_awvalid <= '0' when has_address else '1';
        s_axil_wvalid <= '0' when has_data else '1';
      end loop;
      s_axil_bready <= '1';
      while s_axil_bvalid /= '1' loop
        tick;
      end loop;
      tick;
      s_axil_bready <= '0';
    end procedure;

    procedure read_register(offset : offset_t; value : out word_t) is
    begin
      s_axil_araddr <= offset;
      s_axil_arvalid <= '1';
      while s_axil_arready /= '1' loop
        tick;
      end loop;
      tick;
      s_axil_arvalid <= '0';
      s_axil_rready <= '1';
      while s_axil_rvalid /= '1' loop
        tick;
      end loop;
      value := s_axil_rdata;
      tick;
      s_axil_rready <= '0';
    end procedure;
"""

_VHDL_AVALON = """
    procedure write_register(offset : offset_t; value : word_t) is
    begin
      s_address <= offset({offset_high} downto 2);
      s_writedata <= value;
      s_byteenable <= x"f";
      s_write <= '1';
      while s_waitrequest /= '0' loop
        tick;
      end loop;
      tick;
      s_write <= '0';
    end procedure;

    procedure read_register(offset : offset_t; value : out word_t) is
    begin
      s_address <= offset({offset_high} downto 2);
      s_read <= '1';
      while s_waitrequest /= '0' loop
        tick;
      end loop;
      tick;
      s_read <= '0';
      while s_readdatavalid /= '1' loop
        tick;
      end loop;
      value := s_readdata;
      tick;
    end procedure;
"""


def emit_vhdl_bench(bench: Bench) -> str:
    """The testbench in VHDL-2008."""
    width = bench.registers.address_width
    procedures = _VHDL_AXI if bench.protocol == "axi" else _VHDL_AVALON

    def offset(value: int) -> str:
        return f'{width}x"{value:0{digits(Bits(width))}x}"'

    return _VHDL.format(
        top=bench.module.name,
        error_high=bench.module["bus_error"].width - 1,
        depth=bench.trial.depth,
        high=bench.design.bus.data_width - 1,
        limit=bench.limit,
        signals="\n".join(map(_vhdl_signal, bench.ports)),
        ports=",\n".join(f"    {name} => {name}" for name in _connected(bench)),
        procedures=procedures.format(offset_high=width - 1),
        offset_high=width - 1,
        control=offset(bench.offset(CONTROL)),
        status=offset(bench.offset(STATUS)),
        cycles=offset(bench.offset(CYCLES)),
        start=START | ENABLE,
        done=DONE,
        writes="\n".join(
            f'    write_register({offset(each.offset)}, x"{each.word:08x}");  -- {each.meaning}'
            for each in bench.trial.writes
        ),
        results="\n".join(_vhdl_check(each, offset(each.offset)) for each in bench.trial.results),
    )


def _vhdl_signal(port: BusPort) -> str:
    type = "std_logic" if port.type == bit else f"unsigned({port.type.width - 1} downto 0)"
    zero = "'0'" if port.type == bit else "(others => '0')"
    return f"  signal {port.name} : {type}" + (f" := {zero};" if port.driver == "master" else ";")


def _vhdl_check(each: RegisterWord, offset: str) -> str:
    return f'    check_register("{each.meaning}", {offset}, x"{each.word:08x}", x"{each.mask:08x}");'
