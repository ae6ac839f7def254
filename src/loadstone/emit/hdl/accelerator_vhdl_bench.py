"""Testbenches of accelerators behind registers in VHDL-2008."""

from __future__ import annotations

from loadstone.bus.ports import BusPort
from loadstone.emit.hdl.benches import Bench
from loadstone.emit.hdl.vectors import digits
from loadstone.rtl.types import Bits, bit

_TEXT = """\
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
    variable status, cycles, error, error_address : word_t := (others => '0');
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
{tasks}
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
    read_register({error}, error);
    read_register({error_address}, error_address);
    if error /= 0 then
      fail("error " & to_string(to_integer(error)) & " at address " & to_hstring(error_address));
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

_AXI = """
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

_AVALON = """
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

    def offset(value: int) -> str:
        return f'{width}x"{value:0{digits(Bits(width))}x}"'

    return bench.filled(
        _TEXT,
        _AXI if bench.protocol == "axi" else _AVALON,
        offset,
        "    {name} => {name}",
        signals="\n".join(map(_vhdl_signal, bench.ports)),
        writes="\n".join(
            f'    write_register({offset(each.offset)}, x"{each.word:08x}");  -- {each.meaning}'
            for each in bench.trial.writes
        ),
        results="\n".join(
            f'    check_register("{each.meaning}", {offset(each.offset)}, x"{each.word:08x}", x"{each.mask:08x}");'
            for each in bench.trial.results
        ),
    )


def _vhdl_signal(port: BusPort) -> str:
    type = "std_logic" if port.type == bit else f"unsigned({port.type.width - 1} downto 0)"
    zero = "'0'" if port.type == bit else "(others => '0')"
    return f"  signal {port.name} : {type}" + (f" := {zero};" if port.driver == "master" else ";")
