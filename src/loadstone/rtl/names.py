"""Names that SystemVerilog, VHDL and C++ all accept; VHDL does not tell capitals from small letters."""

from __future__ import annotations

import re
from collections.abc import Collection
from itertools import chain, count

_SHAPE = re.compile(r"[a-zA-Z][a-zA-Z0-9]*(_[a-zA-Z0-9]+)*")

_VERILOG = """
accept_on alias always always_comb always_ff always_latch and assert assign assume automatic before begin bind bins
binsof bit break buf bufif0 bufif1 byte case casex casez cell chandle checker class clocking cmos config const
constraint context continue cover covergroup coverpoint cross deassign default defparam design disable dist do edge
else end endcase endchecker endclass endclocking endconfig endfunction endgenerate endgroup endinterface endmodule
endpackage endprimitive endprogram endproperty endsequence endspecify endtable endtask enum event eventually expect
export extends extern final first_match for force foreach forever fork forkjoin function generate genvar global highz0
highz1 if iff ifnone ignore_bins illegal_bins implements implies import incdir include initial inout input inside
instance int integer interconnect interface intersect join join_any join_none large let liblist library local
localparam logic longint macromodule matches medium modport module nand negedge nettype new nexttime nmos nor
noshowcancelled not notif0 notif1 null or output package packed parameter pmos posedge primitive priority program
property protected pull0 pull1 pulldown pullup pulsestyle_ondetect pulsestyle_onevent pure rand randc randcase
randsequence rcmos real realtime ref reg reject_on release repeat restrict return rnmos rpmos rtran rtranif0 rtranif1
s_always s_eventually s_nexttime s_until s_until_with scalared sequence shortint shortreal showcancelled signed small
soft solve specify specparam static string strong strong0 strong1 struct super supply0 supply1 sync_accept_on
sync_reject_on table tagged task this throughout time timeprecision timeunit tran tranif0 tranif1 tri tri0 tri1 triand
trior trireg type typedef union unique unique0 unsigned until until_with untyped use uwire var vectored virtual void
wait wait_order wand weak weak0 weak1 while wildcard wire with within wor xnor xor
"""

_VHDL = """
abs access after alias all and architecture array assert assume assume_guarantee attribute begin block body buffer bus
case component configuration constant context cover default disconnect downto else elsif end entity exit fairness file
for force function generate generic group guarded if impure in inertial inout is label library linkage literal loop
map mod nand new next nor not null of on open or others out package parameter port postponed procedure process
property protected pure range record register reject release rem report restrict restrict_guarantee return rol ror
select sequence severity shared signal sla sll sra srl strong subtype then to transport type unaffected units until
use variable vmode vprop vunit wait when while with xnor xor bit bit_vector boolean character element falling_edge
false ieee integer ieee_numeric_std line natural numeric_std positive real resize resolved rising_edge rotate_left
rotate_right rtl rtl_support shift_left shift_right std std_logic std_logic_1164 std_logic_vector std_match std_ulogic
string text time to_01 to_bit to_integer to_signed to_logic to_unsigned true u_signed u_unsigned slice_of bit_of work
choose
"""

_CPP = """
alignas alignof asm atomic auto bool catch char compl concept const_cast consteval constexpr constinit decltype delete
double dynamic_cast enum eval explicit final float friend goto inline long main mutable namespace noexcept nullptr
operator override private public reinterpret_cast requires short sizeof std static_assert static_cast struct switch
template testbench thread_local contextp hiername modelname name rootp threads trace vlsymsp
throw try typeid typename volatile
"""

IMPLICIT = ("clk", "rst", "unused")
_RESERVED = frozenset((_VERILOG + _VHDL + _CPP).split())


def is_legal(name: str) -> bool:
    """Whether a name may stand in every language.

    >>> [is_legal(name) for name in ("total", "Signal", "a__b", "_a", "x1")]
    [True, False, False, False, True]
    """
    return bool(_SHAPE.fullmatch(name)) and name.lower() not in _RESERVED


def is_free(name: str, taken: Collection[str]) -> bool:
    """Whether no name in use is spelt the same in small letters; `taken` holds small letters."""
    return name.lower() not in taken and name.lower() not in IMPLICIT


def fresh(wish: str, taken: Collection[str]) -> str:
    """A legal name that is free, as close to a wish as can be.

    >>> fresh("Signal", ()), fresh("a__b", ("a_b",)), fresh("_x'", ()), fresh("sum", ("sum", "sum_2"))
    ('Signal_v', 'a_b_2', 'x', 'sum_3')
    """
    words = [word for word in re.split(r"[^a-zA-Z0-9]+", wish) if word]
    name = "_".join(words) or "v"
    name = name if name[0].isalpha() else f"v{name}"
    name = name if is_legal(name) else f"{name}_v"
    candidates = chain([name], (f"{name}_{k}" for k in count(2)))
    return next(each for each in candidates if is_free(each, taken))
