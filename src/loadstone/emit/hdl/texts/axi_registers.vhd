
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
