-- Fills the memories of {top}, runs it once, and compares what it leaves with the words that are expected.
library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use std.textio.all;

entity testbench is
  generic (LIMIT : natural := {limit});  -- how many cycles a run may take
end entity;

architecture test of testbench is
  signal clk : std_logic := '0';
  signal rst : std_logic := '1';
{signals}
begin
  clk <= not clk after 5 ns;

  dut : entity work.{top} port map (
{ports}
  );

  process
{files}
{variables}
    variable cycles, words, mismatches : natural := 0;

    procedure tick is
    begin
      wait until falling_edge(clk);
    end procedure;

    procedure next_word(file source : text; word : out std_logic_vector) is
      variable row : line;
    begin
      readline(source, row);
      hread(row, word);
    end procedure;

    procedure compare(name : string; found, expected : std_logic_vector; same : boolean) is
    begin
      words := words + 1;
      if not same then
        mismatches := mismatches + 1;
        if mismatches <= 10 then
          write(output, name & " is " & to_hstring(found) & ", expected " & to_hstring(expected) & LF);
        end if;
      end if;
    end procedure;

    procedure fail(reason : string) is
    begin
      write(output, "FAIL: " & reason & LF);
      std.env.finish(1);
      wait;
    end procedure;
{functions}  begin
    tick;
    tick;
    rst <= '0';
    tick;
    if dut_ready /= '1' then
      fail("not ready after reset");
    end if;
{filling}

{inputs}
    dut_start <= '1';
    tick;
    dut_start <= '0';
    while dut_done /= '1' and cycles < LIMIT loop
      tick;
      cycles := cycles + 1;
    end loop;
    if dut_done /= '1' then
      fail("not done after " & to_string(cycles) & " cycles");
    end if;
    if dut_error /= '0' then
      fail("the start was refused: a parameter is out of range");
    end if;
{comparing}

    if mismatches /= 0 then
      fail(to_string(mismatches) & " of " & to_string(words) & " words differ, " & to_string(cycles) & " cycles");
    end if;
    write(output, "PASS: " & to_string(words) & " words, " & to_string(cycles) & " cycles" & LF);
    std.env.finish(0);
    wait;
  end process;
end architecture;
