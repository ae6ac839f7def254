"""Buses in hardware: masters that move elements over AXI4 and Avalon-MM, a monitor, and random stalls."""
# pyright: reportUnusedImport=false

from loadstone.bus.avalon import avalon_read_ports, avalon_write_ports, make_read_bridge, make_write_bridge
from loadstone.bus.axi import Channel, axi_channels, axi_ports, read_channels, write_channels
from loadstone.bus.masters import as_axi, master_ports, reading_side, writing_side
from loadstone.bus.monitor import Rule, make_axi_monitor
from loadstone.bus.ports import Bus, BusPort, Widths, attach, declare_ports, declare_wires, prefixed, widths_of
from loadstone.bus.reading import make_read_master
from loadstone.bus.stalls import make_axi_stalls, make_stall, next_random
from loadstone.bus.writing import make_write_master
