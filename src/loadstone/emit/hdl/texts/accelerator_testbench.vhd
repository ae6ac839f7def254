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
    variable status, cycles, error, error_address, error_address_high : word_t := (others => '0');
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
    read_register({error_address_high}, error_address_high);
    if error /= 0 then
      fail("error " & to_string(to_integer(error)) & " at address " & to_hstring(error_address_high & error_address));
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
