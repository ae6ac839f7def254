
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
