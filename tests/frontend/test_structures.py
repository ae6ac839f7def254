"""Arrays of structures in external memory keep their layout."""

from __future__ import annotations

import ctypes
import random
import shutil
import subprocess
from collections.abc import Iterator
from itertools import product
from operator import mul
from pathlib import Path

import islpy as isl
import pytest
from pycparser import c_ast
from pycparser.c_parser import CParser

import loadstone as ls
from kernels import ROOT
from loadstone.circuits import CircuitCompilation
from loadstone.dram.timing import preset
from loadstone.emit.c.code import Text
from loadstone.emit.c.comparison.reference import emit_reference
from loadstone.emit.c.external.structures import member_reference
from loadstone.emit.c.of_accelerator import allocated_program
from loadstone.emit.c.targets import emit_library
from loadstone.errors import UnsupportedError
from loadstone.frontend.c.declarations import Environment
from loadstone.frontend.c.records.layout import Layout, layout_of
from loadstone.frontend.c.trees import innermost
from loadstone.hardware.harness.placement import placed
from loadstone.loops.accelerator import Accelerator
from loadstone.model.evaluate import evaluate
from loadstone.model.kernel import Kernel
from loadstone.model.record import Member, Record, Step
from loadstone.simulate.hardware.system import SystemRun
from loadstone.simulate.memory import copied, initial_memory, live_out_arrays, mismatches
from loadstone.simulate.programs.compiled import compile_reference
from loadstone.simulate.programs.generated import compile_c, compile_hls
from random_triples import CHECKS, Triple

TYPES = """typedef struct { unsigned char r, g, b; } pixel;
struct filter { short w[3][2], bias; };
struct mixed { int count; float weight; };
"""


def parsed(tmp_path: Path, head: str, body: str) -> Kernel:
    path = tmp_path / "f.c"
    path.write_text(f"{TYPES}void f({head})\n{{\n{body}\n}}\n")
    return ls.parse(path)


@pytest.mark.parametrize(
    ("head", "target", "element", "size"),
    [
        ("pixel x[n]", "x[i].g", "[i, 1]", 3),
        ("pixel *x", "x[i].b", "[i, 2]", 3),
        ("pixel x[n][n]", "x[i][2].r", "[i, 2, 0]", 3),
        ("pixel *x", "x[i * n + 1].g", "[i, 1, 1]", 3),
        ("struct filter *x", "x[i].w[2][1]", "[i, 5]", 7),
        ("struct filter *x", "x[3].w[i][1]", "[3, 2i + 1]", 7),
        ("struct filter *x", "x[i].bias", "[i, 6]", 7),
    ],
)
def test_members_are_words_of_their_structure(tmp_path: Path, head: str, target: str, element: str, size: int) -> None:
    kernel = parsed(tmp_path, f"int n, {head}", f"for (int i = 0; i < n; i++) {target} = 1;")
    written = kernel.statements[0].write
    expected = isl.Map(f"[n] -> {{ S0[i] -> x{element} : 0 <= i < n }}").intersect_params(kernel.context)
    known = kernel.context if "* n" not in target else kernel.context.intersect(isl.Set("[n] -> { : n > 1 }"))
    assert written.relation.intersect_params(known).is_equal(expected.intersect_params(known))
    assert evaluate(kernel.arrays["x"].extents[-1], {}, ()) == size


def test_original_has_the_types_of_the_user(tmp_path: Path) -> None:
    kernel = parsed(tmp_path, "int n, pixel *x", "for (int i = 0; i < n; i++) { pixel p = x[i]; x[i].g = p.r; }")
    text = emit_reference(kernel, "reference")
    assert "pixel (*x) = loadstone_memory[0];" in text
    assert "x[i].g = p.r;" in text
    assert "} pixel;" in text


def test_members_of_several_types_are_arrays_of_their_own(tmp_path: Path) -> None:
    kernel = parsed(tmp_path, "int n, struct mixed *x", "for (int i = 0; i < n; i++) x[i].weight = x[i].count;")
    assert list(kernel.arrays) == ["x_count", "x_weight"]
    member = Member((Step("weight"),), 4, ())
    assert kernel.arrays["x_weight"].record == Record("x", "struct mixed", 8, (member,))


def test_words_of_structures_in_structures_lie_as_in_c(tmp_path: Path) -> None:
    """Structures in an array are no words that follow each other by member."""
    inner = "struct pairs { struct { int a, b; } p[2]; int c; };\n"
    path = tmp_path / "f.c"
    path.write_text(f"{inner}void f(int n, struct pairs *x)\n{{ for (int i = 0; i < n; i++) x[i].p[1].a = x[i].c; }}\n")
    record = ls.parse(path).arrays["x_p_a"].record
    assert record == Record("x", "struct pairs", 20, (Member((Step("p", (2,)), Step("a")), 0, (8,)),))


def test_structures_without_a_layout_are_taken_apart(tmp_path: Path) -> None:
    """Bit fields and pointers to elsewhere."""
    path = tmp_path / "f.c"
    path.write_text(
        "struct loose { int *data; int n : 4; float w; };\n"
        "void f(int n, struct loose *x) { for (int i = 0; i < n; i++) x[0].data[i] = 1; }\n"
    )
    assert all(array.record is None for array in ls.parse(path).arrays.values())


TYPES_OF_MEMBERS = ("char", "short", "int", "float", "double", "unsigned char", "long long")


def random_members(source: random.Random, depth: int) -> str:
    """The members of a structure, some of them structures and arrays."""
    lines: list[str] = []
    for number in range(source.randint(2, 4)):
        extents = "".join(f"[{source.randint(1, 3)}]" for _ in range(source.randint(0, 2)))
        nested = depth and source.random() < 0.3
        kind = f"struct {{ {random_members(source, depth - 1)} }}" if nested else source.choice(TYPES_OF_MEMBERS)
        lines.append(f"{kind} m{number}{extents};")
    return " ".join(lines)


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
def test_members_lie_where_gcc_has_them(tmp_path: Path) -> None:
    source = random.Random(17)
    environment = Environment()
    found: list[tuple[str, Layout]] = []
    text = ""
    for number in range(40):
        code = f"struct s{number} {{ {random_members(source, 2)} }};\n"
        tree = CParser().parse(code).ext[0]
        environment.declare(tree)
        found.append((f"struct s{number}", layout_of(tree.type, structure_in, environment)))
        text += code
    lines = [f'printf("%zu\\n", sizeof({name}));' for name, _ in found]
    elements = [(name, path(*place)) for name, each in found for place, _ in places(each)]
    lines += [f'printf("%zu\\n", offsetof({name}, {element}));' for name, element in elements]
    program = f"#include <stddef.h>\n#include <stdio.h>\n{text}int main(void) {{ {' '.join(lines)} }}\n"
    (tmp_path / "offsets.c").write_text(program)
    subprocess.run(["gcc", "offsets.c", "-o", "offsets"], cwd=tmp_path, check=True)
    printed = subprocess.run(["./offsets"], cwd=tmp_path, check=True, capture_output=True, text=True).stdout
    expected = [each.size for _, each in found]
    expected += [offset for _, each in found for _, offset in places(each)]
    assert list(map(int, printed.split())) == expected


def structure_in(node: c_ast.Node) -> c_ast.Struct | None:
    """The structure at the bottom of a type."""
    kind = getattr(innermost(node), "type", None)
    return kind if isinstance(kind, c_ast.Struct) else None


Place = tuple[tuple[Member, tuple[int, ...]], int]


def places(layout: Layout) -> Iterator[Place]:
    """The elements of all members, and where they lie."""
    for member, _ in layout.members:
        for element in product(*map(range, member.extents)):
            yield (member, element), member.offset + sum(map(mul, element, member.strides))


def path(member: Member, element: tuple[int, ...]) -> str:
    """An element of a member, as C writes it."""
    return member_reference(Text(""), member, [Text(str(index)) for index in element]).text.removeprefix(".")


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
@pytest.mark.parametrize(("rows", "cols"), [(0, 0), (1, 17), (7, 15)])
def test_programs_agree_with_the_user(rows: int, cols: int) -> None:
    kernel = ls.parse(ROOT / "examples" / "gray.c")
    accelerator = Accelerator(ls.plan(kernel))
    parameters = {"rows": rows, "cols": cols}
    start = initial_memory(kernel, parameters, seed=3)
    expected = copied(start)
    compile_reference(kernel).run(parameters, expected)
    for program in (compile_c(accelerator, checked=True), compile_hls(accelerator, "vitis", parameters)):
        actual = copied(start)
        program.run(parameters, actual)
        assert not mismatches(expected, actual, live_out_arrays(kernel))


RECORDS = """#include <stdint.h>
struct sample { int16_t value; uint8_t flags; float weight; struct { uint8_t kind; double scale; } tag[2]; };
#pragma loadstone default(n = 7)
void records(int n, struct sample s[n], const struct sample *only, float sum[n])
{
#pragma scop
  for (int i = 1; i < n; i++) {
    s[i].value = s[i - 1].value + s[i].flags;
    s[i].tag[1].scale = s[i].tag[0].scale * only->tag[1].kind;
    sum[i] = s[i].weight * s[i].value;
  }
#pragma endscop
}
"""


@pytest.fixture
def records(tmp_path: Path) -> Kernel:
    """Structures with members of several types, by array and by pointer."""
    path = tmp_path / "records.c"
    path.write_text(RECORDS)
    return ls.parse(path)


def test_programs_take_the_types_of_the_user(records: Kernel) -> None:
    files = emit_library(allocated_program(Accelerator(ls.plan(records))), None)
    head = "records_accelerator(int n, struct sample *s, const struct sample *only, float *sum, "
    assert head in files["records.h"]
    assert files["records.h"].count("double scale;") == 1
    assert "s[s_tag_scale_structure(" in files["records.c"]
    assert ".tag[p->x1].scale" in files["records.c"]


def test_words_are_reached_by_the_members_of_the_user() -> None:
    files = emit_library(allocated_program(Accelerator(ls.plan(ls.parse(ROOT / "examples" / "gray.c")))), None)
    assert "const struct pixel *image, struct pixel *result" in files["gray.h"]
    assert "return image[structure].g;" in files["gray.c"]


@pytest.mark.parametrize("way", ["c", "vitis", "intel", "network", "hardware", "network hardware"])
def test_structures_in_every_back_end(way: str, records: Kernel) -> None:
    check(records, way, 1, 7)


def check(kernel: Kernel, way: str, *sizes: int) -> None:
    """Fails unless a back end leaves in memory what the original does, for some values of n."""
    if way != "intel":
        CHECKS[way](Triple(0, kernel, (), ls.plan(kernel).tiles, tuple({"n": size} for size in sizes)))
        return
    for values in ({"n": size} for size in sizes):
        start = initial_memory(kernel, values)
        expected, actual = copied(start), copied(start)
        compile_reference(kernel).run(values, expected)
        compile_hls(Accelerator(ls.plan(kernel)), "intel", values).run(values, actual)
        assert not mismatches(expected, actual, live_out_arrays(kernel))


class Tag(ctypes.Structure):
    """A structure in `struct sample`."""

    _fields_ = (("kind", ctypes.c_uint8), ("scale", ctypes.c_double))


class Sample(ctypes.Structure):
    """`struct sample`, laid out by the C compiler of Python."""

    _fields_ = (
        ("value", ctypes.c_int16),
        ("flags", ctypes.c_uint8),
        ("weight", ctypes.c_float),
        ("tag", Tag * 2),
    )


def test_external_memory_of_hardware_has_the_layout_of_c(records: Kernel) -> None:
    values = {"n": 3}
    design = CircuitCompilation(records, given=values).design
    memory, bases = initial_memory(records, values), placed(design)
    words = SystemRun(design, preset("paper"), values, memory, {}).image(bases)
    data = b"".join(word.to_bytes(design.bus.bytes, "little") for word in words)
    assert set(bases) == {"s", "only", "sum"}
    found = (Sample * 3).from_buffer_copy(data, bases["s"])
    assert [each.value for each in found] == memory["s_value"].cells
    assert [each.weight for each in found] == memory["s_weight"].cells
    assert [each.tag[k].scale for each in found for k in range(2)] == memory["s_tag_scale"].cells


def test_structures_by_value(tmp_path: Path) -> None:
    body = "for (int i = 0; i < n; i++) y[i] = c.weight * c.count;"
    kernel = parsed(tmp_path, "int n, struct mixed c, float y[n]", body)
    assert "struct mixed c = *loadstone_c;" in emit_reference(kernel, "reference")
    CHECKS["c"](Triple(0, kernel, (), ls.plan(kernel).tiles, ({"n": 3},)))


def test_functions_of_the_file_stay_in_the_original(tmp_path: Path) -> None:
    path = tmp_path / "f.c"
    path.write_text(
        "struct mixed { int count; float weight; };\nint gain;\n"
        "static int scaled(struct mixed *x, int i) { int t = x[i].count; return t * gain; }\n"
        "static void step(struct mixed *x, int i) { int t = scaled(x, i); x[i].weight = t; }\n"
        "void f(int n, struct mixed x[n]) { for (int i = 0; i < n; i++) step(x, i); }\n"
    )
    kernel = ls.parse(path, function="f")
    assert "step(x, i)" in emit_reference(kernel, "reference")
    CHECKS["c"](Triple(0, kernel, (), ls.plan(kernel).tiles, ({"n": 3},)))


def test_names_that_programs_need_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "f.c"
    path.write_text("struct gate { int x; float w; };\nvoid f(int n, struct gate *a) { a[n].w = a[n].x; }\n")
    with pytest.raises(UnsupportedError, match="type 'gate'"):
        emit_library(allocated_program(Accelerator(ls.plan(ls.parse(path)))), None)


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
@pytest.mark.parametrize("way", ["c", "vitis", "intel"])
def test_structures_may_have_the_names_of_generated_ones(way: str, tmp_path: Path) -> None:
    """Members that are subscripted apart have extents of their own."""
    path = tmp_path / "f.c"
    path.write_text(
        "struct point { int x; float w; };\nstruct state { struct point p; char c; };\n"
        "void f(int n, struct state *a, float y[n])\n{ for (int i = 0; i < n; i++) y[i] = a[i].p.x * a[i + 2].p.w; }\n"
    )
    check(ls.parse(path), way, 5)


def test_structures_are_assigned_through_pointers(tmp_path: Path) -> None:
    path = tmp_path / "f.c"
    path.write_text(
        "typedef struct { int re, im; } complex_t;\n"
        "void f(int n, const complex_t a[n], complex_t *out) {\n"
        "  complex_t sum = {0, 0};\n"
        "  for (int i = 0; i < n; i++) { complex_t p = a[i]; sum.re += p.re; sum.im -= p.im; }\n"
        "  *out = sum;\n}\n"
    )
    kernel = ls.parse(path)
    CHECKS["c"](Triple(0, kernel, (), ls.plan(kernel).tiles, ({"n": 0}, {"n": 3})))
