"""The model of generated programs: statements that know their names, and what accelerators and networks are in it."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

import loadstone as ls
from kernels import EXAMPLES
from loadstone.emit.c.code import (
    PLAIN,
    Block,
    Cells,
    Fence,
    Function,
    Get,
    Helper,
    Pipelined,
    Pointer,
    Put,
    Stream,
    Syntax,
    Text,
    Value,
    code,
    under,
)
from loadstone.emit.c.intel import INTEL
from loadstone.emit.c.of_accelerator import allocated_program, fixed_program
from loadstone.emit.c.of_network import network_program
from loadstone.emit.c.program import Program
from loadstone.emit.c.threads import C
from loadstone.emit.c.vitis import VITIS
from loadstone.loops.accelerator import Accelerator
from loadstone.model.expression import integer
from loadstone.model.types import BOOL, FLOAT, INT
from loadstone.networks.build import make_network
from loadstone.networks.sizes import sized
from loadstone.pipeline import plan_tiles
from loadstone.storage.local_plan import with_buffers
from tilings import example_tilings

WORDS = Stream("s", FLOAT, 4, "words")
N, A = Value("n"), Pointer("a", "int")
TURN = Helper((0, "turn"), "turn", ("static int turn(void);",))
PARAMETERS = {"matmul": {"n": 5}, "jacobi-1d": {"tsteps": 3, "n": 6}, "trisolv": {"n": 5}, "atax": {"m": 4, "n": 5}}


def test_a_text_uses_what_stands_in_it() -> None:
    inner = code("@[@ - 1]", A, N)
    assert inner == Text("a[n - 1]", frozenset({"a", "n"}))
    assert code("@ = @(@);", "x", TURN, inner) == Text("x = turn(a[n - 1]);", frozenset({"a", "n", TURN}))


def test_a_function_takes_what_its_body_uses() -> None:
    inner = Block(code("if (@ > 0)", N), (Get(WORDS, Text("x = ")),))
    function = Function("Some.", "void", "f", (A, N, WORDS, Value("m")), (inner,))
    assert function.parameters == (N, WORDS)
    assert function.call({"n": code("@ + 1", Value("k"))}) == Text("f(k + 1, s)", frozenset({"f", "k", "s"}))


@pytest.mark.parametrize(
    ("syntax", "expected"),
    [
        (C, ["x = float_get(s);", "float_put(s, x + 1);"]),
        (VITIS, ["#pragma HLS pipeline II=1", "x = s.read();", "ORDERED(a, b);", "s.write(x + 1);"]),
        (INTEL, ["x = s.read();", "ihc_fence();", "s.write(x + 1);"]),
    ],
)
def test_a_back_end_chooses_syntax(syntax: Syntax, expected: list[str]) -> None:
    body = (Pipelined(), Get(WORDS, Text("x = ")), Fence(("a", "b")), Put(WORDS, Text("x + 1")))
    assert list(syntax.lines(body)) == expected


def test_parameters_by_their_roles() -> None:
    shared, own = (Cells("c", BOOL, (integer(8),), 8, owner) for owner in (None, "load"))
    assert [C.declared(p) for p in (N, A, shared, WORDS)] == ["int n", "int *a", "bool *c", "struct float_stream *s"]
    assert [VITIS.declared(p) for p in (shared, WORDS)] == ["bool c[8]", "hls::stream<float> &s"]
    declared = ["c_host &c", "bool *c", "ihc::stream<float, ihc::buffer<4>> &s"]
    assert [INTEL.declared(p) for p in (shared, own, WORDS)] == declared


def test_single_statements_need_no_braces() -> None:
    one, two = Text("one();"), Text("two();")
    assert list(PLAIN.lines(under(N_IS_ONE, (one,)))) == ["if (n == 1)", "  one();"]
    assert list(PLAIN.lines(under(N_IS_ONE, (one, two)))) == ["if (n == 1) {", "  one();", "  two();", "}"]
    assert list(PLAIN.lines((Block(Text(""), (one,)),))) == ["{", "  one();", "}"]


N_IS_ONE = code("@ == 1", N)


def programs(stem: str) -> Iterator[Program]:
    """An accelerator with allocated and with fixed memory, and a network."""
    tiles = next(example_tilings(ls.parse(next(path for path in EXAMPLES if path.stem == stem))))
    accelerator = Accelerator(with_buffers(plan_tiles(tiles), 2))
    yield allocated_program(accelerator, checked=True)
    yield fixed_program(accelerator, PARAMETERS[stem])
    network = make_network(tiles)
    yield network_program(network, sized(network, PARAMETERS[stem]), PARAMETERS[stem])


def names_in(function: Function) -> set[str]:
    """The names in the text of a function that are not members, in comments or texts."""
    code = re.sub(r'/\*.*?\*/|"[^"]*"', " ", "\n".join(PLAIN_STREAMS.lines(function.body)))
    return set(re.findall(r"(?<!->)(?<!\.)\b[A-Za-z_]\w*", code))


PLAIN_STREAMS = Syntax(get="@", put="@ = %;")


@pytest.mark.parametrize("stem", list(PARAMETERS))
def test_functions_are_given_what_stands_in_their_text(stem: str) -> None:
    """Names that statements say they use, against those in the printed text."""
    for program in programs(stem):
        every = (*program.functions, *program.processes)
        helpers = {use.name for function in every for use in function.uses if isinstance(use, Helper)}
        defined = {function.name for function in every}
        for function in every:
            offered = {p.name for p in function.offer} | defined
            assert {p.name for p in function.parameters} == names_in(function) & {p.name for p in function.offer}
            assert names_in(function) & offered == {use for use in function.uses if use in offered}
        assert helpers <= {name for function in every for name in names_in(function)}
        assert {f.name for f in program.functions} <= {name for function in every for name in names_in(function)}


def test_an_accelerator_is_a_network_of_three_processes() -> None:
    allocated, fixed, network = programs("matmul")
    for program in (allocated, fixed):
        assert [process.name for process in program.processes] == ["load", "compute", "store"]
        assert {stream.name for stream in program.streams} >= {"loaded", "computed", "stored"}
    assert [cells.owner for cells in fixed.cells] == [None, None, None]
    assert [(stream.name, stream.type) for stream in fixed.streams][-1] == ("c_words", INT)
    assert [process.name for process in network.processes] == ["load_c", "load_a", "load_b", "S0", "store_c"]
    assert [external.name for external in network.duplicated] == ["c"]
    assert not allocated.duplicated
