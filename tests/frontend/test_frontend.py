"""What the C front end understands: domains, schedules and accesses, compared as sets."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path

import islpy as isl
import pytest

import loadstone as ls
from loadstone.analysis.info import kernel_info
from loadstone.model.expression import Cast, Expression, walk
from loadstone.model.kernel import Access, Kernel
from loadstone.trials import compare_executions

Read = Callable[..., Kernel]
PARAMETERS = "int n, int m, double a[n], double b[n], double c[n][m]"


@pytest.fixture
def read(tmp_path: Path) -> Read:
    """Reads the kernel of a C text."""

    def parsed(text: str, **options: object) -> Kernel:
        path = tmp_path / "kernel.c"
        path.write_text(text)
        return ls.parse(path, **options)  # type: ignore[arg-type]

    return parsed


def scop(body: str, parameters: str = PARAMETERS, before: str = "", after: str = "", top: str = "") -> str:
    """A function with a marked kernel."""
    return f"{top}\nvoid f({parameters})\n{{\n{before}\n#pragma scop\n{body}\n#pragma endscop\n{after}\n}}\n"


def same_set(kernel: Kernel, found: isl.Set, text: str) -> bool:
    expected = isl.Set(text)
    return found.intersect_params(kernel.context).is_equal(expected.intersect_params(kernel.context))


def same_map(kernel: Kernel, found: isl.Map, text: str) -> bool:
    expected = isl.Map(text)
    return found.intersect_params(kernel.context).is_equal(expected.intersect_params(kernel.context))


def check_domain(kernel: Kernel, statement: str, text: str) -> None:
    found = kernel.statement(statement).domain
    assert same_set(kernel, found, text), f"{found} is not {text}"


def check_schedule(kernel: Kernel, statement: str, text: str) -> None:
    found = kernel.statement(statement)
    expected = isl.Map(text).intersect_domain(found.domain)
    assert found.schedule.intersect_domain(found.domain).is_equal(expected), f"{found.schedule} is not {text}"


def check_access(kernel: Kernel, statement: str, access: Access, text: str) -> None:
    domain = kernel.statement(statement).domain
    expected = isl.Map(text).intersect_domain(domain).intersect_params(kernel.context)
    found = access.relation.intersect_params(kernel.context)
    assert found.is_equal(expected), f"{access.relation} is not {text}"


def check_reads(kernel: Kernel, statement: str, *texts: str) -> None:
    reads = kernel.statement(statement).reads
    assert len(reads) == len(texts), [str(read.relation) for read in reads]
    for read, text in zip(reads, texts, strict=True):
        check_access(kernel, statement, read, text)


def check_write(kernel: Kernel, statement: str, text: str) -> None:
    check_access(kernel, statement, kernel.statement(statement).write, text)


def names(kernel: Kernel) -> list[str]:
    return [statement.name for statement in kernel.statements]


def extents(kernel: Kernel, array: str) -> Sequence[str]:
    return kernel_info(kernel)["arrays"][array]["extents"]


@pytest.mark.parametrize(
    ("loop", "domain"),
    [
        ("int i = 0; i < n; i++", "0 <= i < n"),
        ("int i = 0; i <= n; ++i", "0 <= i <= n"),
        ("int i = 0; n > i; i += 1", "0 <= i < n"),
        ("int i = 0; i < n; i = i + 3", "0 <= i < n and i mod 3 = 0"),
        ("int i = 1; i < n; i = 2 + i", "1 <= i < n and i mod 2 = 1"),
        ("int i = n - 1; i >= 0; i--", "0 <= i < n"),
        ("int i = n - 1; i > 0; --i", "0 < i < n"),
        ("int i = n; i >= 1; i -= 2", "1 <= i <= n and (n - i) mod 2 = 0"),
        ("int i = n; i >= 1; i = i - 4", "1 <= i <= n and (n - i) mod 4 = 0"),
        ("int i = 0; i != n; i++", "0 <= i < n"),
        ("int i = n; i != 0; i--", "0 < i <= n"),
        ("int i = 0; n != i; i++", "0 <= i < n"),
        ("int i = 0; i + 1 != n; i++", "0 <= i < n - 1"),
        ("int i = 0; i != n; i += 2", "0 <= i < n and i mod 2 = 0 and n mod 2 = 0"),
        ("int i = 0; i < n && i < m; i++", "0 <= i < n and i < m"),
        ("int i = 0; !(i >= n); i++", "0 <= i < n"),
        ("int i = 0; i < (n < m ? n : m); i++", "0 <= i < n and i < m"),
        ("int i = (n > m ? m : 0); i < n; i++", "(n > m and m <= i < n) or (n <= m and 0 <= i < n)"),
        ("int i = 0; i < MIN(n, m); i++", "0 <= i < n and i < m"),
        ("int i = 0; i < min(n, m); i++", "0 <= i < n and i < m"),
        ("int i = max(m - 3, 0); i < n; i++", "i >= m - 3 and 0 <= i < n"),
        ("int i = 0; i < smaller(n, m); i++", "0 <= i < n and i < m"),
        ("int i = 0; i < n / 2; i++", "0 <= i < n and 2i <= n - 2"),
        ("int i = 0; 2 * i < n; i++", "0 <= 2i < n"),
        ("int i = 0; i < floord(n, 3); i++", "i >= 0 and 3i <= n - 3"),
        ("int i = 0; i < ceild(n, 3); i++", "0 <= 3i < n"),
        ("int i = -2; i < n; i++", "-2 <= i < n"),
        ("int i = 'a' - 'a'; i < (int)n; i++", "0 <= i < n"),
        ("int i = 0; i < n - (n & 3); i++", "exists e: 0 <= i < 4e <= n < 4e + 4"),
        ("unsigned i = 0; i < n; i++", "0 <= i < n"),
        ("long i = 0; i < n; i++", "0 <= i < n"),
        ("int i = 5; i < 5; i++", "false"),
    ],
)
def test_loop(loop: str, domain: str, read: Read) -> None:
    top = (
        "#define MIN(x, y) ((x) < (y) ? (x) : (y))\n"
        "static int smaller(int x, int y) { if (x < y) return x; return y; }\n"
    )
    kernel = read(scop(f"for ({loop}) a[0] += 1.0;", top=top))
    check_domain(kernel, "S0", f"[n, m] -> {{ S0[i] : {domain} }}")


@pytest.mark.parametrize(
    ("condition", "domain"),
    [
        ("i < m", "i < m"),
        ("i == m || i == 0", "i = m or i = 0"),
        ("i > 1 && i < 5", "1 < i < 5"),
        ("!(i > 1 && i < 5)", "not (1 < i < 5)"),
        ("!(i % 3)", "i mod 3 = 0"),
        ("i % 2 == 1 && i / 4 == 2", "i mod 2 = 1 and 8 <= i < 12"),
        ("(i - m) % 2 == 0", "(i - m) mod 2 = 0"),
        ("i & 1", "i mod 2 = 1"),
        ("(i & 7) == 3", "i mod 8 = 3"),
        ("i >> 1 == 3", "6 <= i < 8"),
        ("i << 2 < m", "4i < m"),
        ("i != 3", "i != 3"),
        ("i", "i != 0"),
        ("i < 3 ? i < m : i > m", "(i < 3 and i < m) or (i >= 3 and i > m)"),
        ("(i < 3) == (i < m)", "(i < 3 and i < m) or (i >= 3 and i >= m)"),
        ("1", "true"),
        ("0", "false"),
    ],
)
def test_condition(condition: str, domain: str, read: Read) -> None:
    kernel = read(scop(f"for (int i = 0; i < n; i++) if ({condition}) a[i] = 1.0; else b[i] = 2.0;"))
    check_domain(kernel, "S0", f"[n, m] -> {{ S0[i] : 0 <= i < n and ({domain}) }}")
    check_domain(kernel, "S1", f"[n, m] -> {{ S1[i] : 0 <= i < n and not ({domain}) }}")


def test_else_if_chain(read: Read) -> None:
    text = "for (int i = 0; i < n; i++) if (i < 3) a[i] = 1; else if (i < m) a[i] = 2; else a[i] = 3;"
    kernel = read(scop(text))
    check_domain(kernel, "S1", "[n, m] -> { S1[i] : 3 <= i < n and i < m }")
    check_domain(kernel, "S2", "[n, m] -> { S2[i] : 3 <= i < n and i >= m }")


def test_schedules_follow_the_text(read: Read) -> None:
    body = """
    a[0] = 0;
    for (int i = 0; i < n; i++) {
        a[i] = 1;
        for (int j = m; j > 0; j--)
            c[i][j] = 2;
        b[i] = 3;
    }
    if (m > 3)
        b[0] = 4;
    else
        b[1] = 5;
    """
    kernel = read(scop(body))
    assert names(kernel) == ["S0", "S1", "S2", "S3", "S4", "S5"]
    check_schedule(kernel, "S0", "{ S0[] -> [0] }")
    check_schedule(kernel, "S1", "{ S1[i] -> [1, i, 0] }")
    check_schedule(kernel, "S2", "{ S2[i, j] -> [1, i, 1, -j, 0] }")
    check_schedule(kernel, "S3", "{ S3[i] -> [1, i, 2] }")
    order = kernel.schedule
    assert order.is_injective()
    dates = isl.UnionMap("[n, m] -> { S4[] -> S5[] }").apply_domain(order).apply_range(order)
    assert dates.is_empty() or dates.is_subset(isl.UnionMap("[n, m] -> { [a,0,0,0,0] -> [b,0,0,0,0] : a < b }"))


@pytest.mark.parametrize(
    ("subscript", "element"),
    [
        ("i", "i"),
        ("n - 1 - i", "n - 1 - i"),
        ("2 * i + 1", "2i + 1"),
        ("(i + m) * 3", "3i + 3m"),
        ("i / 2", "floor(i/2)"),
        ("i % 4", "i mod 4"),
        ("i >> 2", "floor(i/4)"),
        ("(i + 1) & 3", "(i + 1) mod 4"),
        ("1 << 4", "16"),
        ("i << 1", "2i"),
        ("+i", "i"),
        ("-(-i)", "i"),
        ("(long)i", "i"),
        ("i * SIZE", "3i"),
        ("i * sizeof(int)", "4i"),
        ("i < 2", "1 : i < 2; S0[i] -> a[0] : i >= 2"),
        ("i == 0 ? n - 1 : i - 1", "n - 1 : i = 0; S0[i] -> a[i - 1] : i > 0"),
        ("next(i)", "i + 1"),
    ],
)
def test_subscript(subscript: str, element: str, read: Read) -> None:
    top = "enum { FIRST = 1, SIZE = FIRST + 2 };\nstatic int next(int x) { return x + 1; }\n"
    kernel = read(scop(f"for (int i = 0; i < n; i++) a[{subscript}] = i + m;", top=top))
    value, _, more = element.partition(" : ")
    check_write(kernel, "S0", f"[n, m] -> {{ S0[i] -> a[{value}]{' : ' + more if more else ''} }}")
    assert kernel.exact


@pytest.mark.parametrize("sign", ["+", "-", "*", "/"])
def test_compound_assignment_reads_its_target_first(sign: str, read: Read) -> None:
    kernel = read(scop(f"for (int i = 1; i < n; i++) a[i] {sign}= b[i - 1] * a[i - 1];"))
    check_reads(kernel, "S0", "{ S0[i] -> a[i] }", "{ S0[i] -> b[i - 1] }", "{ S0[i] -> a[i - 1] }")
    check_write(kernel, "S0", "{ S0[i] -> a[i] }")


@pytest.mark.parametrize(
    "text", ["k[i]++;", "++k[i];", "k[i]--;", "--k[i];", "k[i] <<= 1;", "k[i] %= 3;", "k[i] ^= 5;"]
)
def test_update(text: str, read: Read) -> None:
    kernel = read(scop(f"for (int i = 0; i < n; i++) {text}", "int n, int k[n]"))
    check_reads(kernel, "S0", "{ S0[i] -> k[i] }")
    check_write(kernel, "S0", "{ S0[i] -> k[i] }")


def test_reads_stand_in_operand_order(read: Read) -> None:
    kernel = read(scop("for (int i = 0; i < n; i++) a[i] = b[i] * (c[i][0] + sqrt(a[i])) - (i < m ? b[0] : c[i][1]);"))
    check_reads(
        kernel,
        "S0",
        "{ S0[i] -> b[i] }",
        "{ S0[i] -> c[i, 0] }",
        "{ S0[i] -> a[i] }",
        "[m] -> { S0[i] -> b[0] : i < m }",
        "[m] -> { S0[i] -> c[i, 1] : i >= m }",
    )


def test_same_place_of_read_and_write_in_a_macro(read: Read) -> None:
    """All tokens of a macro stand at its call; they are different references nevertheless."""
    top = "#define MOVE(to, from) a[to] = a[from] + 1.0\n#define ADD(to, from) a[to] += a[from]\n"
    kernel = read(scop("for (int i = 1; i < n; i++) { MOVE(i - 1, i); ADD(i, i - 1); }", top=top))
    check_reads(kernel, "S0", "{ S0[i] -> a[i] }")
    check_write(kernel, "S0", "{ S0[i] -> a[i - 1] }")
    check_reads(kernel, "S1", "{ S1[i] -> a[i] }", "{ S1[i] -> a[i - 1] }")
    check_write(kernel, "S1", "{ S1[i] -> a[i] }")


def test_chained_assignment(read: Read) -> None:
    kernel = read(scop("for (int i = 0; i < n; i++) a[i] = b[i] = c[i][0];"))
    check_write(kernel, "S0", "{ S0[i] -> b[i] }")
    check_reads(kernel, "S1", "{ S1[i] -> b[i] }")
    check_write(kernel, "S1", "{ S1[i] -> a[i] }")


def test_comma_statement(read: Read) -> None:
    kernel = read(scop("for (int i = 0; i < n; i++) a[i] = 1, b[i] = a[i];"))
    check_write(kernel, "S0", "{ S0[i] -> a[i] }")
    check_write(kernel, "S1", "{ S1[i] -> b[i] }")
    check_schedule(kernel, "S1", "{ S1[i] -> [0, i, 1] }")


def test_labels_name_statements(read: Read) -> None:
    kernel = read(scop("for (int i = 0; i < n; i++) { a[i] = 0; S1: b[i] = 1; last: a[i] += 1; c[i][0] = 2; }"))
    assert names(kernel) == ["S0", "S1", "last", "S2"]
    check_write(kernel, "S2", "{ S2[i] -> c[i, 0] }")


@pytest.mark.parametrize(
    "body",
    [
        "int half = n / 2; for (int i = 0; i < half; i++) a[i] = half;",
        "int half; half = n / 2; for (int i = 0; i < half; i++) a[i] = half;",
        "const int two = 2; int half = n / two; for (int i = 0; i < half; i++) a[i] = half;",
        "int half = n / 2, same = half; for (int i = 0; i < same; i++) a[i] = half;",
        "typedef int count; count half = n / 2; for (count i = 0; i < half; i++) a[i] = half;",
    ],
)
def test_integer_with_one_affine_value_is_that_value(body: str, read: Read) -> None:
    kernel = read(scop(body))
    assert names(kernel) == ["S0"]
    check_domain(kernel, "S0", "[n] -> { S0[i] : 0 <= 2i <= n - 2 }")
    check_reads(kernel, "S0")


def test_integer_in_a_loop_follows_the_iterator(read: Read) -> None:
    kernel = read(
        scop("for (int i = 0; i < n; i++) { int last = 2 * i; for (int j = i; j <= last; j++) a[last - j] = 0; }")
    )
    check_domain(kernel, "S0", "[n] -> { S0[i, j] : 0 <= i < n and i <= j <= 2i }")
    check_write(kernel, "S0", "{ S0[i, j] -> a[2i - j] }")


def test_integer_that_is_used_before_its_value_is_data(read: Read) -> None:
    kernel = read(scop("int k = 0; for (int i = 0; i < n; i++) { a[i] = k; k = i; }"))
    assert "k" in kernel.arrays
    assert names(kernel) == ["S0", "S1", "S2"]


def test_local_array_with_an_extent_of_its_iteration(read: Read) -> None:
    body = "for (int i = 1; i < n; i++) { double t[i]; for (int j = 0; j < i; j++) t[j] = a[j]; a[i] = t[i - 1]; }"
    kernel = read(scop(body))
    assert extents(kernel, "t") == ["n - 1"]
    assert not kernel.arrays["t"].live_out
    assert kernel.arrays["t"].local


def test_shadowed_names(read: Read) -> None:
    body = """
    double t = 1.0;
    for (int i = 0; i < n; i++) {
        double t = a[i];
        a[i] = t;
        { float t = 2.0f; b[i] = t; }
    }
    a[0] = t;
    for (int m = 0; m < n; m++)
        for (int i = 0; i < m; i++) {
            int m = 3;
            b[i] = m;
        }
    """
    kernel = read(scop(body))
    outer, middle, inner = (kernel.statement(name).write.array for name in ("S0", "S1", "S3"))
    assert len({outer, middle, inner}) == 3
    assert kernel.arrays[inner].type.name == "float"
    assert kernel.statement("S5").reads[0].array == outer
    check_domain(kernel, "S6", "[n] -> { S6[m, i] : 0 <= m < n and 0 <= i < m }")


def test_iterator_hides_a_parameter(read: Read) -> None:
    kernel = read(scop("for (int m = 0; m < n; m++) a[m] = 0; for (int i = 0; i < m; i++) a[i] = 1;"))
    check_domain(kernel, "S0", "[n] -> { S0[i] : 0 <= i < n }")
    check_domain(kernel, "S1", "[m] -> { S1[i] : 0 <= i < m }")


def test_iterator_hides_an_iterator(read: Read) -> None:
    kernel = read(scop("for (int i = 0; i < n; i++) for (int i = 0; i < m; i++) c[0][i] = 1;"))
    check_domain(kernel, "S0", "[n, m] -> { S0[i, j] : 0 <= i < n and 0 <= j < m }")
    check_write(kernel, "S0", "{ S0[i, j] -> c[0, j] }")


def test_iterators_declared_outside(read: Read) -> None:
    kernel = read(scop("for (i = 0; i < n; i++) for (j = i; j < m; j++) c[i][j] = 1;", before="int i, j;"))
    check_domain(kernel, "S0", "[n, m] -> { S0[i, j] : 0 <= i < n and i <= j < m }")
    assert kernel.parameters == ("n", "m")
    assert kernel.statement("S0").iterators == ("i", "j")


def test_bare_nest(read: Read) -> None:
    kernel = read("for (i = 0; i < N; i++)\n  for (j = 0; j <= i; j++)\n    x[i] += alpha * A[i][j];\n")
    assert kernel.name == "kernel"
    assert kernel.parameters == ("N",)
    check_domain(kernel, "S0", "[N] -> { S0[i, j] : 0 <= j <= i < N }")
    check_reads(kernel, "S0", "{ S0[i, j] -> x[i] }", "{ S0[i, j] -> alpha[] }", "{ S0[i, j] -> A[i, j] }")
    assert extents(kernel, "A") == ["N", "N"]
    assert kernel.arrays["A"].type.name == "double"


def test_bare_nest_with_declarations_and_marks(read: Read) -> None:
    kernel = read("int N; float x[100];\n#pragma scop\nfor (int i = 0; i < N; i++) x[i] = 2 * x[i];\n#pragma endscop\n")
    assert kernel.arrays["x"].type.name == "float"
    check_domain(kernel, "S0", "[N] -> { S0[i] : 0 <= i < N }")


def test_function_taken_whole(read: Read) -> None:
    kernel = read("void clear(int n, double a[n])\n{\n  int i;\n  for (i = 0; i < n; i++)\n    a[i] = 0;\n}\n")
    assert kernel.name == "clear"
    check_domain(kernel, "S0", "[n] -> { S0[i] : 0 <= i < n }")
    assert kernel.arrays["a"].live_out


@pytest.mark.parametrize("end", ["return s;", "return 0;", "return -1;", "return;", ""])
def test_function_taken_whole_with_its_return(end: str, read: Read) -> None:
    kernel = read(f"double f(int n, double a[n]) {{ double s = 0; for (int i = 0; i < n; i++) s += a[i]; {end} }}")
    assert names(kernel) == ["S0", "S1"]
    assert kernel.arrays["s"].live_out == end.startswith("return s")
    assert not kernel.arrays["a"].live_out


def test_only_function_with_a_loop_is_taken(read: Read) -> None:
    small = "static int twice(int x) { return 2 * x; }\n"
    assert read(small + "void f(int n, int a[n]) { for (int i = 0; i < n; i++) a[i] = twice(i); }\n").name == "f"


def test_function_chosen_by_name(read: Read) -> None:
    loops = "for (int i = 0; i < n; i++) a[i] = 0;"
    text = (
        f"void f(int n, int a[n]) {{ {loops} }}\nvoid g(int n, int a[n]) {{ {loops} }}\nint main(void) {{ broken( }}\n"
    )
    text = text.replace("broken(", "return (struct unknown_type){1}.x")
    assert read(text, function="g").name == "g"


def test_locals_before_the_scop(read: Read) -> None:
    before = (
        "double unused, start = 1.0, scratch[n], seen[n], given[n], result; int k; fill(n, given); static double kept;"
    )
    body = """
    for (int i = 0; i < n; i++) {
        scratch[i] = given[i] * start;
        seen[i] = scratch[i];
        result = seen[i];
        kept = result;
    }
    """
    arrays = read(scop(body, before=before, after="print(n, seen); use(&result);")).arrays
    assert {name for name, array in arrays.items() if array.live_out} == {"seen", "result", "kept"}
    assert {name for name, array in arrays.items() if array.initialised} == {"given", "start", "kept"}
    assert "unused" not in arrays


def test_scop_in_a_loop_sees_what_comes_after(read: Read) -> None:
    text = """
    void f(int n, int steps, double a[n]) {
      double sum, before[n];
      for (int t = 0; t < steps; t++) {
        use(before);
    #pragma scop
        sum = t;
        for (int i = 0; i < n; i++) { sum += a[i]; before[i] = a[i]; }
    #pragma endscop
        print(sum);
      }
    }
    """
    kernel = read(text)
    assert kernel.arrays["before"].live_out
    assert kernel.arrays["before"].initialised
    assert kernel.arrays["sum"].live_out
    assert kernel.parameters == ("n",)


def test_loop_elsewhere_in_the_function_is_not_around_the_scop(read: Read) -> None:
    before = "double x[n]; for (int k = 0; k < n; k++) { double m = k; x[k] = m; }"
    kernel = read(scop("for (int i = 0; i < m; i++) { a[i] = x[i]; x[i] = 0; }", before=before))
    assert not kernel.arrays["x"].live_out
    assert kernel.parameters == ("n", "m")


def test_globals_and_by_value_scalars(read: Read) -> None:
    top = "double total; static int size; double table[10];\n"
    kernel = read(scop("for (int i = 0; i < size; i++) { total += x * table[i]; x = i; }", "double x", top=top))
    assert kernel.parameters == ("size",)
    assert kernel.arrays["total"].live_out
    assert not kernel.arrays["x"].live_out
    assert extents(kernel, "table") == ["10"]


def test_typedefs_and_enumerations(read: Read) -> None:
    top = """
    typedef float real;
    typedef real row[8];
    typedef struct { int unused; } other;
    enum size { SIZE = 1 << 3, LAST = SIZE - 1 };
    """
    kernel = read(scop("for (int i = 0; i <= LAST; i++) x[i][LAST] = (real)i;", "row x[SIZE]", top=top))
    assert extents(kernel, "x") == ["8", "8"]
    assert kernel.arrays["x"].type.name == "float"
    check_domain(kernel, "S0", "{ S0[i] : 0 <= i < 8 }")
    check_write(kernel, "S0", "{ S0[i] -> x[i, 7] }")


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        ("unsigned char", "unsigned char"),
        ("uint8_t", "unsigned char"),
        ("long int unsigned", "unsigned long"),
        ("size_t", "unsigned long"),
        ("short", "short"),
        ("const float", "float"),
        ("_Bool", "_Bool"),
        ("bool", "_Bool"),
        ("enum color", "int"),
    ],
)
def test_types(kind: str, name: str, read: Read) -> None:
    top = "#include <stdint.h>\n#include <stdbool.h>\nenum color { RED, GREEN };\n"
    kernel = read(scop("for (int i = 0; i < n; i++) a[i] = x[i];", f"int n, int a[n], {kind} x[n]", top=top))
    assert kernel.arrays["x"].type.name == name


@pytest.mark.parametrize(
    ("declaration", "values"),
    [
        ("const int w[] = {1, 2, -3};", (1, 2, -3)),
        ("static const int w[4] = {1, 1 << 2};", (1, 4, 0, 0)),
        ("const double w[2][3] = {{1}, {2, 3.5}};", (1.0, 0.0, 0.0, 2.0, 3.5, 0.0)),
        ("const float w[3] = {0.1, (int)2.5, 7 / 2};", (0.10000000149011612, 2.0, 3.0)),
        ("const unsigned char w[2] = {300, -1};", (44, 255)),
        ("const int w[2 * N] = {N, ONE};", (3, 1, 0, 0, 0, 0)),
    ],
)
@pytest.mark.parametrize("inside", [False, True], ids=["global", "in the scop"])
def test_constant_array_has_its_values(declaration: str, values: tuple[float, ...], inside: bool, read: Read) -> None:
    top = "#define N 3\nenum { ONE = 1 };\n"
    subscript = "w[0][i]" if "][" in declaration else "w[i]"
    body = f"for (int i = 0; i < 2; i++) a[i] = {subscript};"
    text = scop(f"{declaration} {body}", top=top) if inside else scop(body, top=top + declaration)
    assert read(text).arrays["w"].values == values


def test_constant_scalar_is_a_number(read: Read) -> None:
    kernel = read(
        scop("for (int i = 0; i < SIZE; i++) a[i] = SCALE;", top="const int SIZE = 4; static const double SCALE = 0.5;")
    )
    check_domain(kernel, "S0", "{ S0[i] : 0 <= i < 4 }")
    check_reads(kernel, "S0")


def test_array_whose_initialiser_is_not_constant_is_an_input(read: Read) -> None:
    kernel = read(scop("for (int i = 0; i < 2; i++) a[i] = w[i];", top="double w[2] = {1, 2};"))
    assert kernel.arrays["w"].values is None
    assert kernel.arrays["w"].initialised


def test_simple_functions_are_inlined(read: Read) -> None:
    top = """
    static double square(double x) { return x * x; }
    static double distance(double x, double y) { return sqrt(square(x) + square(y)); }
    static int clamp(int x, int low, int high)
    {
        if (x < low) { return low; } else if (x > high) return high;
        return x;
    }
    """
    kernel = read(scop("for (int i = 0; i < n; i++) a[clamp(i, 1, n - 1)] = distance(a[i], b[i]);", top=top))
    check_reads(kernel, "S0", "{ S0[i] -> a[i] }", "{ S0[i] -> b[i] }")
    check_write(kernel, "S0", "[n] -> { S0[i] -> a[1] : i < 1; S0[i] -> a[i] : 1 <= i < n }")


def test_functions_with_statements_and_pointers_are_expanded(read: Read) -> None:
    top = """
    static void shift(double *row, double *to, int from, double scale)
    {
        double value = row[from];
        if (from == 0) {
            *to = 0.0;
            return;
        }
        *to = scale * value;
    }
    static double largest(double *x, int n)
    {
        double best = x[0];
        for (int i = 1; i < n; i++)
            best = x[i] > best ? x[i] : best;
        return best;
    }
    """
    body = "for (int i = 0; i < n; i++) { shift(c[i], &a[n - 1 - i], i, b[i]); b[i] = largest(b, n) + 1.0; }"
    kernel = read(scop(body, top=top))
    arrays = {statement.write.array: statement.name for statement in kernel.statements}
    zero, scaled = (s.name for s in kernel.statements if s.write.array == "a")
    check_domain(kernel, zero, f"[n] -> {{ {zero}[i] : i = 0 and 0 < n }}")
    check_domain(kernel, scaled, f"[n] -> {{ {scaled}[i] : 0 < i < n }}")
    check_write(kernel, scaled, f"[n] -> {{ {scaled}[i] -> a[n - 1 - i] }}")
    check_reads(kernel, arrays["shift_value"], f"{{ {arrays['shift_value']}[i] -> c[i, i] }}")
    update = [s.name for s in kernel.statements if s.write.array == "largest_best"][1]
    check_domain(kernel, update, f"[n] -> {{ {update}[i, j] : 0 <= i < n and 1 <= j < n }}")
    check_reads(
        kernel,
        update,
        f"{{ {update}[i, j] -> b[j] }}",
        f"{{ {update}[i, j] -> largest_best[] }}",
    )
    assert not any(kernel.arrays[name].live_out for name in kernel.arrays if name not in ("a", "b"))


def test_structures_are_taken_apart(read: Read) -> None:
    top = """
    struct complex { double re, im; };
    typedef struct { struct complex at[4]; int count; } cell;
    """
    parameters = "int n, struct complex z[n], struct complex *p, cell cells[n]"
    body = """
    struct complex sum;
    sum.re = 0;
    for (int i = 0; i < n; i++) {
        sum.re += z[i].re * p->im;
        cells[i].at[i % 4].im = z[i].im;
        z[i] = sum;
        cells[i].count++;
    }
    """
    kernel = read(scop(body, parameters, top=top))
    check_reads(kernel, "S1", "{ S1[i] -> sum_re[] }", "{ S1[i] -> z[i, 0] }", "{ S1[i] -> p[0, 1] }")
    check_write(kernel, "S2", "{ S2[i] -> cells_at_im[i, i mod 4] }")
    check_write(kernel, "S3", "{ S3[i] -> z[i, 0] }")
    check_write(kernel, "S4", "{ S4[i] -> z[i, 1] }")
    assert kernel.arrays["cells_count"].type.name == "int"
    assert extents(kernel, "cells_at_im") == ["n", "4"]
    assert kernel.arrays["z"].live_out
    assert not kernel.arrays["sum_re"].live_out


def test_user_headers_and_defines(read: Read, tmp_path: Path) -> None:
    folder = tmp_path / "include"
    folder.mkdir()
    (folder / "sizes.h").write_text(
        "#ifndef SIZES\n#define SIZES\ntypedef DATA data;\n#define ROWS (SCALE * 4)\n#endif\n"
    )
    text = scop(
        "for (int i = 0; i < ROWS; i++) x[i] = 0;", "data x[ROWS]", top='#include "sizes.h"\n#include "sizes.h"\n'
    )
    kernel = read(text, include=[folder], defines={"DATA": "float", "SCALE": "3"})
    assert kernel.arrays["x"].type.name == "float"
    check_domain(kernel, "S0", "{ S0[i] : 0 <= i < 12 }")


def test_conditional_compilation(read: Read) -> None:
    body = "for (int i = 0; i < n; i++)\n#if defined(TWICE) && LEVEL > 1\na[i] = 2;\n#else\nb[i] = 1;\n#endif"
    check_write(read(scop(body)), "S0", "{ S0[i] -> b[i] }")
    check_write(read(scop(body), defines={"TWICE": "", "LEVEL": "2"}), "S0", "{ S0[i] -> a[i] }")


def test_code_around_the_kernel_does_not_matter(read: Read) -> None:
    text = r"""
    #include <stdio.h>
    #include <stdlib.h>
    #include <math.h>
    #include <sys/time.h>
    #include "omp.h"
    #define N 16
    FILE *report;
    static double A[N];
    struct timeval started;
    typedef struct node { struct node *next; double value; } node;
    extern int usage(const char *, ...) __attribute__((format(printf, 1, 2)));
    static double now(void) { struct timeval t; gettimeofday(&t, NULL); return t.tv_sec + 1e-6 * t.tv_usec; }
    static int compare(const void *x, const void *y) { return *(const double *)x < *(const double *)y ? -1 : 1; }
    void old_style(size, values) int size; double *values; { values[size] = 0; }
    node *push(node *list) { node *new = malloc(sizeof(*new)); while (list) { list = list->next; } return new; }
    int main(int argc, char **argv)
    {
        int i; double start = now();
        if (argc > 3) { fprintf(stderr, "usage: %s\n", argv[0]); return EXIT_FAILURE; }
        for (i = 0; i < N; i++) A[i] = rand() / (double)RAND_MAX;
        _Complex double z = 0;
    #pragma scop
        for (i = 1; i < N; i++)
            A[i] = cos(M_PI * A[i - 1]);
    #pragma endscop
        qsort(A, N, sizeof(double), compare);
        printf("%f %f\n", A[0], now() - start);
        do { i--; } while (i);
        return 0;
    }
    """
    kernel = read(text)
    assert kernel.name == "main"
    check_domain(kernel, "S0", "{ S0[i] : 0 < i < 16 }")
    check_reads(kernel, "S0", "{ S0[i] -> A[i - 1] }")


def test_broken_code_around_the_kernel_does_not_matter(read: Read) -> None:
    around = "int strange(void) { return __builtin_types_compatible_p(int, unknown *) @ 3; }\n"
    kernel = read(scop("for (int i = 0; i < n; i++) a[i] = 0;", top=around))
    check_domain(kernel, "S0", "[n] -> { S0[i] : 0 <= i < n }")


def test_old_style_function(read: Read) -> None:
    kernel = read(
        "void f(n, a) int n; double *a; {\n#pragma scop\nfor (int i = 0; i < n; i++) a[i] = 1;\n#pragma endscop\n}\n"
    )
    check_domain(kernel, "S0", "[n] -> { S0[i] : 0 <= i < n }")


def test_data_dependent_condition(read: Read) -> None:
    kernel = read(scop("for (int i = 1; i < n; i++) if (a[i] > 0 && i < m) b[i] = a[i - 1]; else b[i] = 0;"))
    assert not kernel.exact
    assert all(kernel.statement(name).may for name in ("S0", "S1"))
    check_domain(kernel, "S0", "[n, m] -> { S0[i] : 1 <= i < n and i < m }")
    check_domain(kernel, "S1", "[n, m] -> { S1[i] : 1 <= i < n }")
    check_reads(kernel, "S0", "{ S0[i] -> a[i] }", "{ S0[i] -> a[i - 1] }")
    assert [read.exact for read in kernel.statement("S0").reads] == [True, False]
    assert kernel.statement("S0").condition is not None


def test_condition_that_its_branch_changes_is_stored(read: Read) -> None:
    kernel = read(scop("for (int i = 0; i < n; i++) if (a[i] > 0) { a[i] = -a[i]; b[i] = 1; }"))
    assert names(kernel) == ["S0", "S1", "S2"]
    stored = kernel.statement("S0").write.array
    assert kernel.arrays[stored].rank == 0
    assert not kernel.arrays[stored].live_out
    assert kernel.statement("S1").reads[0].array == stored
    assert kernel.statement("S2").reads[0].array == stored
    assert not kernel.statement("S0").may


def test_indirect_subscripts(read: Read) -> None:
    parameters = "int n, int m, int key[n], int count[m], double a[n]"
    kernel = read(scop("for (int i = 0; i < n; i++) { count[key[i]] += 1; a[i] = a[key[i]]; }", parameters))
    assert not kernel.exact
    check_reads(kernel, "S0", "{ S0[i] -> key[i] }", "[m] -> { S0[i] -> count[k] : 0 <= k < m }")
    check_write(kernel, "S0", "[m] -> { S0[i] -> count[k] : 0 <= k < m }")
    assert [read.exact for read in kernel.statement("S0").reads] == [True, False]
    assert kernel.statement("S0").may


def test_ternary_guards_reads_out_of_range(read: Read) -> None:
    kernel = read(scop("for (int i = 0; i < n; i++) b[i] = (i > 0 ? a[i - 1] : 0) + (i < n - 1 && a[i + 1] > 0);"))
    check_reads(kernel, "S0", "{ S0[i] -> a[i - 1] : i > 0 }", "[n] -> { S0[i] -> a[i + 1] : i < n - 1 }")
    assert kernel.exact


def test_data_dependent_ternary_makes_reads_uncertain(read: Read) -> None:
    kernel = read(scop("for (int i = 1; i < n; i++) b[i] = a[i] > 0 ? a[i - 1] : 0;"))
    assert [read.exact for read in kernel.statement("S0").reads] == [True, False]
    assert not kernel.statement("S0").may


@pytest.mark.parametrize(
    ("extent", "text"),
    [("2 * n + 1", "2n + 1"), ("n - m + 3", "n - m + 3"), ("N", "20"), ("n", "n"), ("8 - m", "-m + 8")],
)
def test_extents_in_short_form(extent: str, text: str, read: Read) -> None:
    kernel = read(
        scop("for (int i = 0; i < n + m; i++) x[0][i] = 0;", f"int n, int m, double x[4][{extent}]", top="#define N 20")
    )
    assert extents(kernel, "x") == ["4", text]


def test_extents_from_accesses(read: Read) -> None:
    body = "for (int i = 0; i < n; i++) for (int j = 0; j < 3; j++) x[i + j][j] = 0;"
    kernel = read(scop(body, "int n, double **x"))
    assert extents(kernel, "x")[1] == "3"
    assert "n" in extents(kernel, "x")[0]


def test_pointer_to_rows(read: Read) -> None:
    kernel = read(
        scop("for (int i = 0; i < n; i++) { x[i][1] = 0; (*y)[i] = *z; }", "int n, double (*x)[5], int (*y)[n], int *z")
    )
    assert extents(kernel, "x")[1] == "5"
    check_write(kernel, "S1", "{ S1[i] -> y[0, i] }")
    check_reads(kernel, "S1", "{ S1[i] -> z[0] }")


def test_context_of_parameters(read: Read) -> None:
    text = scop("for (int i = 0; i < n; i++) x[i] = k;", "unsigned n, int k, int m, int x[m]")
    kernel = read(text)
    assert kernel.parameters == ("n", "m")
    assert same_set(kernel, kernel.context, "[n, m] -> { : n >= 0 and m >= 0 }")


def test_directives(read: Read) -> None:
    pragmas = """
    #pragma loadstone assume(n >= 2 * m && m > 3)
    #pragma loadstone default(n = 40, m = 8)
    #pragma loadstone tile schedule(S0: i + j, n - i) size(8, 4) strip(2)
    """
    kernel = read(scop("for (int i = 0; i < n; i++) for (int j = 0; j < m; j++) c[i][j] = 0;", before=pragmas))
    assert kernel.context.is_subset(isl.Set("[n, m] -> { : n >= 2m and m > 3 }"))
    assert kernel.defaults == {"n": 40, "m": 8}
    assert kernel.tiling is not None
    assert kernel.tiling.sizes == (8, 4)
    assert kernel.tiling.strip == 2
    assert [name for name, _ in kernel.tiling.schedule] == ["S0"]


def test_conversions_are_explicit(read: Read) -> None:
    kernel = read(scop("for (int i = 0; i < n; i++) x[i] = x[i] * 2.0 + i;", "int n, float x[n]"))
    value: Expression = kernel.statement("S0").value
    casts = [part for part in walk(value) if isinstance(part, Cast)]
    assert {cast.type.name for cast in casts} == {"float", "double"}
    assert all(cast.implicit for cast in casts)


def test_library_constants(read: Read) -> None:
    top = "#include <limits.h>\n#include <float.h>\n#define INT_MAX 7\n"
    kernel = read(scop("for (int i = 0; i < INT_MAX; i++) a[i] = FLT_MAX;", top=top))
    check_domain(kernel, "S0", "{ S0[i] : 0 <= i < 7 }")


def test_large_numbers(read: Read) -> None:
    kernel = read(scop("for (int i = 0; i < n; i++) if (i < 18446744073709551615UL) a[i] = 0;"))
    check_domain(kernel, "S0", "[n] -> { S0[i] : 0 <= i < n and i < 18446744073709551615 }")


def test_scop_pragmas_in_a_nested_block(read: Read) -> None:
    before, after = "if (m) {\n#pragma omp parallel\n{", "} }"
    kernel = read(
        scop("#pragma omp for\nfor (int i = 0; i < n; i++)\n#pragma unroll\n a[i] = 0;", before=before, after=after)
    )
    check_domain(kernel, "S0", "[n] -> { S0[i] : 0 <= i < n }")


def test_long_sum_is_understood(read: Read) -> None:
    kernel = read(scop("a[0] = " + " + ".join(f"b[{k}]" for k in range(150)) + ";"))
    assert len(kernel.statement("S0").reads) == 150


def test_statement_lines_are_those_of_the_source(read: Read) -> None:
    head = "#include <stdio.h>\n/* a\n b */\nvoid f(int n, int a[n]) {\n"
    text = head + "  for (int i = 0; i < n; i++)   \n    a[i] = i;\n  a[0] = 1;\n}\n"
    info = json.loads(json.dumps(kernel_info(read(text))))
    assert [statement["line"] for statement in info["statements"]] == [6, 7]


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
@pytest.mark.parametrize(
    "body",
    [
        "for (int i = 0; i < n; i++) { push(&z[i], a[i]); z[i].re += w.im; w = z[i]; }",
        "for (int i = 1; i < n; i++) a[i] = at(a, i - 1) + at(a, n - i) * at(c[0], i % m);",
        "for (int i = 0; i < n; i++) { struct complex v = {a[i]}, u = v; a[i] = u.re + v.im + clamp(i, 1, m); }",
        "int i, half; half = n / 2; for (i = 0; i < half; i++) { static const int k[2] = {1, 2}; a[i] *= k[i % 2]; }",
        "for (int i = 0; i < n; i++) if (a[i] > 1.0) { a[i] = b[i]; push(&w, a[i]); } else b[i] = at(a, i);",
    ],
)
def test_expanded_text_computes_the_same_as_the_model(body: str, read: Read) -> None:
    top = """
    struct complex { double re, im; };
    static void push(struct complex *to, double by)
    {
        if (by > 1.5) {
            to->re = by;
            return;
        }
        to->im = -by;
    }
    static double at(double *x, int k) { double value = x[k]; return value; }
    static int clamp(int x, int low, int high) { if (x < low) return low; return x > high ? high : x; }
    """
    kernel = read(scop(body, PARAMETERS + ", struct complex z[n], struct complex w", top=top, after="use(&w);"))
    values = dict.fromkeys(kernel.parameters, 6)
    assert compare_executions(kernel, values).is_right


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
def test_whole_function_computes_the_same_as_the_model(read: Read) -> None:
    body = "  int i;\n  double s = 0;\n  for (i = 0; i < n; i++) s += a[i];\n  return s;\n"
    kernel = read(f"double f(int n, double a[n])\n{{\n{body}}}\n")
    assert compare_executions(kernel, {"n": 5}).as_json()["outputs"] == {"s": 1}
    assert compare_executions(kernel, {"n": 5}).is_right


def test_iterators_keep_their_value_after_the_loop(read: Read) -> None:
    kernel = read(
        "void f(int n, int m, int a[n + m + 1], int b[n + 1])\n{\n  int i;\n#pragma scop\n"
        "  for (i = 0; i < n; i++) a[i] = i;\n  a[i + m] = i;\n"
        "  for (i = n - 1; i >= 0; i--) b[i] = 1;\n  b[i + 1] = 2;\n#pragma endscop\n}\n"
    )
    check_write(kernel, "S1", "[n, m] -> { S1[] -> a[n + m] }")
    check_write(kernel, "S3", "[n, m] -> { S3[] -> b[0] }")


def test_an_unknown_extent_becomes_a_parameter(read: Read) -> None:
    kernel = read(
        "void f(int n, int key[n], int *count)\n{\n#pragma scop\n"
        "  for (int i = 0; i < n; i++) count[key[i]] += 1;\n#pragma endscop\n}\n"
    )
    assert kernel.parameters == ("n", "count_size")
    check_write(kernel, "S0", "[n, count_size] -> { S0[i] -> count[x] : 0 <= i < n and 0 <= x < count_size }")


@pytest.mark.parametrize(
    "body",
    [
        "for (i = 0; i < n; i++) a[i] = 0; for (j = 0; j < m; j++) { a[i - 1] = 1; for (i = 0; i < m; i++) b[i] = 2; }",
        "for (j = 0; j < m; j++) { a[i] = 1; for (i = 0; i < n; i++) b[i] = 2; }",
        "if (m > 3) for (i = 0; i < n; i++) a[i] = 0; a[i - 1] = 1;",
        "for (i = 0; i < n; i++) { a[i] = 0; if (i == m) break; } a[i] = 1;",
    ],
)
def test_iterator_whose_value_is_not_known_cannot_be_used(body: str, read: Read) -> None:
    with pytest.raises(ls.InputError, match="the iterator 'i' is used outside of its loop"):
        read(scop(body, before="int i, j;"))


def test_pragma_without_words_does_not_matter(read: Read) -> None:
    kernel = read(scop("for (int i = 0; i < n; i++) a[i] = 0;", before="#pragma"))
    check_domain(kernel, "S0", "[n] -> { S0[i] : 0 <= i < n }")


def test_parameter_inside_of_a_function_is_a_parameter(read: Read) -> None:
    top = "int size; double x[100];\nstatic int mirrored(int k) { return size - 1 - k; }\n"
    kernel = read(scop("for (int i = 0; i <= mirrored(0); i++) x[mirrored(i)] = i;", "void", top=top))
    assert kernel.parameters == ("size",)
    check_domain(kernel, "S0", "[size] -> { S0[i] : 0 <= i < size }")
    check_write(kernel, "S0", "[size] -> { S0[i] -> x[size - 1 - i] }")


def test_names_of_a_function_are_its_own(read: Read) -> None:
    """A parameter or local variable of a function never captures a name of the caller."""
    top = "static void add(double *a, int n) { double b = 1.0; int i = n; a[i] += b; }\n"
    kernel = read(scop("for (int i = 0; i < n; i++) { add(b, i); add(a, 0); }", top=top))
    (first, second) = (s for s in kernel.statements if s.write.array in ("a", "b"))
    check_write(kernel, first.name, f"{{ {first.name}[i] -> b[i] }}")
    check_write(kernel, second.name, f"{{ {second.name}[i] -> a[0] }}")


@pytest.mark.parametrize(
    ("function", "call", "message"),
    [
        ("double f(double *x) { static int k; return x[k]; }", "a[i] = g(b);", "keeps its value between calls"),
        ("double f(double *x) { double t = x[m]; return t; }", "a[i] = g(b);", "which a local variable hides here"),
        ("double f(double *x) { double t = x[1]; return t; }", "a[i] = g(&s);", "leaves the variable"),
        ("double f(double *x) { double t = x[1]; return t; }", "a[i] = i > 0 ? g(b) : 0;", "only under a condition"),
        ("double f(double *x) { double t = x[1]; return t; }", "a[i] = g(2);", "needs an array here"),
        ("void f(double *x) { x[0] = 1; }", "a[i] = g(b);", "returns neither a number nor"),
        ("void f(double *x) { x[0] = 1; }", "g(b, i);", "takes 1 argument, not 2"),
    ],
)
def test_function_that_cannot_be_expanded(function: str, call: str, message: str, read: Read) -> None:
    top = "int m;\nstatic " + function.replace(" f(", " g(") + "\n"
    with pytest.raises(ls.InputError, match=message):
        read(scop(f"for (int i = 0; i < n; i++) {call}", top=top))


def test_defaults_are_expressions(read: Read) -> None:
    kernel = read("""
    #pragma loadstone default(n = 2 * (3 + 4), m = n / 2 - 1)
    void k(int n, int m, float x[n][m]) {
    #pragma scop
      for (int i = 0; i < n; i++)
        for (int j = 0; j < m; j++)
          x[i][j] = 0;
    #pragma endscop
    }
    """)
    assert kernel.defaults == {"n": 14, "m": 6}
