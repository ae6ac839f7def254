library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
use std.textio.all;

entity testbench is
end entity;

architecture test of testbench is
  signal clk : std_logic := '0';
{signals}
begin
  tb_dut : entity work.{module} port map (
{ports}
  );

  process
    file tb_source : text open read_mode is "inputs.hex";
    file tb_sink : text open write_mode is "outputs.hex";
    variable tb_row : line;
    variable tb_taken : std_logic_vector({inputs} downto 0);
    variable tb_given : std_logic_vector({outputs} downto 0) := (others => '0');
    file tb_count : text open write_mode is "waited.txt";
    variable tb_rows, tb_waited : natural := 0;
  begin
    while not endfile(tb_source) loop
      readline(tb_source, tb_row);
      hread(tb_row, tb_taken);
{taken}
      wait for 1 ns;
{given}
      hwrite(tb_row, tb_given);
      writeline(tb_sink, tb_row);
      clk <= '1';
      wait for 1 ns;
      clk <= '0';
      wait for 1 ns;
      tb_rows := tb_rows + 1;
      if tb_rows = {before} then
        while {done} /= '1' and tb_waited < {limit} loop
          clk <= '1';
          wait for 1 ns;
          clk <= '0';
          wait for 1 ns;
          tb_waited := tb_waited + 1;
        end loop;
      end if;
    end loop;
    write(tb_row, tb_waited);
    writeline(tb_count, tb_row);
    wait;
  end process;
end architecture;
