"""Kernels written in Python: same meaning as plain Python, same model as C, refusals where the problem stands."""

from __future__ import annotations

import ast
import itertools
import linecache
import math
from collections.abc import Callable, Mapping
from keyword import iskeyword
from pathlib import Path
from types import FunctionType
from typing import Annotated, Any

import islpy as isl
import pytest

from c_to_python import NotExpressible, python_source
from loadstone.errors import InputError
from loadstone.frontend.build import build_kernel
from loadstone.frontend.c.preprocess import read_source
from loadstone.frontend.c.program import read_c
from loadstone.frontend.python import kernel, read_python
from loadstone.model.kernel import Access, Kernel, Statement
from loadstone.simulate.interpreter import execute
from loadstone.simulate.memory import Buffer, Memory, copied, initial_memory, live_out_arrays, mismatches, same
from random_kernels import kernel_from_seed

VALUES = (0, 1, 2, 5, 7)
EXAMPLES = Path(__file__).parents[2] / "examples"
ONLY_C = ("typedef", "-- >", "struct ")
"""What Python cannot express: typedefs with formats, steps in conditions, structures."""
C_EXAMPLES = sorted(
    path
    for path in EXAMPLES.rglob("*.c")
    if path.parent.name not in ("accumulators", "sparse") and not any(words in path.read_text() for words in ONLY_C)
)
SIZE = 3
SCALE = 0.5
TAPS = (1, 2, 1)
Spelled = "double[n]"


def square(x: float) -> float:
    """Nothing but a product."""
    return x * x


def read(folder: Path, source: str, function: str | None = None) -> Kernel:
    path = folder / "kernel.py"
    path.write_text(source, encoding="utf-8")
    return read_python(path, function)


def diagnostics(call: Callable[[], object]) -> list[tuple[int, int, str]]:
    """Line, column and message of each problem that a call reports; every one has a caret."""
    with pytest.raises(InputError) as caught:
        call()
    found = [d for d in caught.value.diagnostics if d.span]
    assert len(found) == len(caught.value.diagnostics)
    assert all(d.text().count("^") >= 1 for d in found)
    return [(d.span.line, d.span.column, d.message) for d in found if d.span]


class Cells:
    """An array for plain Python: `a[i, j]` and `a[i][j]`, over a buffer or, without one, over anything."""

    def __init__(self, buffer: Buffer | None, prefix: tuple[int, ...] = (), rank: int = 1) -> None:
        self.buffer: Any = buffer if buffer is not None else {}
        self.prefix = prefix
        self.rank = len(buffer.extents) if buffer else rank

    def __getitem__(self, index: int | tuple[int, ...]) -> Any:
        whole = self._index(index)
        if len(whole) == self.rank:
            return self.buffer[whole]
        view = Cells(None, whole, self.rank)
        view.buffer = self.buffer
        return view

    def __setitem__(self, index: int | tuple[int, ...], value: Any) -> None:
        self.buffer[self._index(index)] = self.buffer.type.wrap(value) if isinstance(self.buffer, Buffer) else value

    def _index(self, index: int | tuple[int, ...]) -> tuple[int, ...]:
        return (*self.prefix, *(index if isinstance(index, tuple) else (index,)))


class _Plain(ast.NodeTransformer):
    """Makes the function runnable: no decorators, no annotations, local arrays created where they are declared."""

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.decorator_list = []
        return self.generic_visit(node)

    def visit_arg(self, node: ast.arg) -> ast.AST:
        node.annotation = None
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        rank = ast.unparse(node.annotation).count("[")
        value = node.value or ast.parse(f"Cells(None, (), {rank})", mode="eval").body
        return ast.Assign([node.target], value)


def plain_function(source: str, name: str) -> Callable[..., object]:
    """The kernel as an ordinary Python function."""
    tree = ast.fix_missing_locations(_Plain().visit(ast.parse(source)))
    space: dict[str, Any] = {"Cells": Cells}
    exec(compile(tree, "plain", "exec"), space)
    return space[name]


def run_plain(source: str, model: Kernel, parameters: Mapping[str, int], memory: Memory) -> None:
    """Run the function itself on the memory of the kernel, which it changes."""
    function = plain_function(source, model.name)
    assert isinstance(function, FunctionType)
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    arguments: list[object] = []
    for name in names:
        array = memory.get(name)
        arguments.append(parameters.get(name) if array is None else Cells(array) if array.extents else array[()])
    result = function(*arguments)
    returned = [name for name in live_out_arrays(model) if not memory[name].extents]
    if len(returned) == 1:
        memory[returned[0]][()] = memory[returned[0]].type.wrap(result)  # type: ignore[arg-type]


KERNELS = {
    "matmul": """
def matmul(n: int, a: "int[n][n]", b: "int[n][n]", c: "int[n][n]"):
    '''Written with both kinds of subscripts.'''
    for i in range(n):
        for j in range(n):
            for k in range(n):
                c[i, j] += a[i][k] * b[k, j]
""",
    "polymul": """
def polymul(n: int, a: "int[n + 1]", b: "int[n + 1]", c: "int[2 * n + 1]"):
    for i in range(2 * n + 1):
        c[i] = 0
    for i in range(n + 1):
        for j in range(n + 1):
            c[i + j] += a[i] * b[j]
""",
    "jacobi": """
def jacobi(t: int, n: int, a: "double[n]", b: "double[n]"):
    for k in range(t):
        for i in range(1, n - 1):
            b[i] = 0.33333 * (a[i - 1] + a[i] + a[i + 1])
        for i in range(1, n - 1):
            a[i] = b[i]
""",
    "cholesky": """
import math
def cholesky(n: int, a: "double[n][n]"):
    for i in range(n):
        for j in range(i):
            for k in range(j):
                a[i, j] -= a[i, k] * a[j, k]
            a[i, j] /= a[j, j]
        for k in range(i):
            a[i, i] -= a[i, k] * a[i, k]
        a[i, i] = math.sqrt(abs(a[i, i]))
""",
    "durbin": """
def durbin(n: int, r: "double[n]", y: "double[n]"):
    z: "double[n]"
    if n >= 1:
        y[0] = -r[0]
        beta = 1.0
        alpha = -r[0]
        for k in range(1, n):
            beta = (1 - alpha * alpha) * beta
            total: float = 0.0
            for i in range(k):
                total += r[k - i - 1] * y[i]
            alpha = -(r[k] + total) / beta
            for i in range(k):
                z[i] = y[i] + alpha * y[k - i - 1]
            for i in range(k):
                y[i] = z[i]
            y[k] = alpha
""",
    "steps": """
def steps(n: int, a: "int[2 * n + 3]"):
    for i in range(n, -1, -2):
        a[i] = a[i] + i
    for i in range(1, 2 * n, 3):
        a[i] -= 2 * i
    for i in range(n - 3, n):
        if i >= 0:
            a[i] ^= 5
""",
    "guards": """
def guards(n: int, a: "int[n][n]", b: "int[n]"):
    for i in range(n):
        for j in range(n):
            if 1 <= i < n - 1 and not (j == 0 or j == i):
                a[i, j] = i - j
            elif (i + j) % 3 == 2 or i // 2 == j:
                a[i, j] += b[j] if j > 1 else 7
            else:
                pass
""",
    "division": """
def division(n: int, a: "int[n]", b: "int[n]", q: "int[n]", r: "int[n]", x: "double[n]"):
    for i in range(n):
        d = b[i] * 2 + 1
        q[i] = (a[i] - 40) // d
        r[i] = (a[i] - 40) % d
        x[i] = a[i] / d + (i - 3) // 2 - (1 - i) % 4
""",
    "numbers": """
import math
from math import exp as e_to, floor
def numbers(n: int, scale: float, a: "double[n]", b: "double[n]", k: "int[n]"):
    for i in range(n):
        b[i] = max(a[i], scale, 0.25) * min(i, 3) + math.pi
        b[i] += e_to(-a[i]) ** 2 - pow(a[i], 0.5) + abs(a[i] - 1)
        k[i] = floor(a[i] * 10) + int(b[i]) + round(b[i]) + abs(k[i])
        a[i] = float(k[i]) + (k[i] > 3) + (not k[i]) + (k[i] < 5 and a[i] > 0.5)
        k[i] = (k[i] << 2 & 0xff | 3) >> 1 ^ ~i
""",
    "total": """
def total(n: int, a: "double[n]"):
    s = 0.0
    for i in range(n):
        if a[i] > 0.5:
            s += a[i]
    return s
""",
    "scopes": """
def scopes(n: int, a: "double[n]", b: "double[n]"):
    for i in range(n):
        t = a[i]
        b[i] = t * 2
    for i in range(n):
        t = b[i]
        j = n - 1 - i
        a[j] = t + 1
    for i in range(n):
        if i > 2:
            u = a[i]
        else:
            u = b[i] - 1.5
        a[i] = u * u
""",
    "helpers": """
TAPS = [1, 2, 1]
BASE = (0.5, 0.25)
HALF = 0.5 * 2
def weight(x: float, k: int) -> float:
    "Calls another one."
    return scaled(x) * TAPS[k] if k > 0 else HALF * x
def scaled(x: float) -> float:
    return x * BASE[1]
def helpers(n: int, a: "double[n + 2]", b: "double[n]"):
    for i in range(n):
        for k in range(3):
            b[i] += weight(a[i + k], k) * TAPS[k]
""",
    "indirect": """
def indirect(n: int, index: "int[n]", a: "int[n]", h: "int[n]"):
    for i in range(n):
        h[index[i]] += a[i]
""",
    "shadowed": """
i = 3
n = 8
def shadowed(n: int, a: "int[n]"):
    for i in range(n):
        a[i] = i * n
""",
}


@pytest.mark.parametrize("name", KERNELS)
def test_means_what_plain_python_means(name: str, tmp_path: Path) -> None:
    model = read(tmp_path, KERNELS[name], name)
    for values in itertools.product(VALUES, repeat=len(model.parameters)):
        parameters = dict(zip(model.parameters, values, strict=True))
        expected = initial_memory(model, parameters)
        actual = copied(expected)
        run_plain(KERNELS[name], model, parameters, expected)
        execute(model, parameters, actual)
        assert not mismatches(expected, actual, live_out_arrays(model)), parameters


def test_live_out_are_written_arrays_and_returned_scalars(tmp_path: Path) -> None:
    assert set(live_out_arrays(read(tmp_path, KERNELS["total"]))) == {"s"}
    assert set(live_out_arrays(read(tmp_path, KERNELS["durbin"]))) == {"y"}
    assert set(live_out_arrays(read(tmp_path, KERNELS["matmul"]))) == {"c"}


def test_float_is_double_and_float32_is_float(tmp_path: Path) -> None:
    head = 'def f(n: int, x: "np.float32[n]", y: ls.float32["n"], z: float[n]):\n'
    source = head + "    for i in range(n):\n        y[i] = x[i] * z[i] + y[i]\n"
    model = read(tmp_path, source)
    assert [str(model.arrays[name].type) for name in "xyz"] == ["float", "float", "double"]


def same_accesses(left: Statement, right: Statement) -> bool:
    """Whether two statements agree in domain, schedule and accesses, up to their names."""
    pairs: list[tuple[Access, Access]] = list(zip((*left.reads, left.write), (*right.reads, right.write), strict=True))
    return (
        left.domain.set_tuple_name("S").is_equal(right.domain.set_tuple_name("S"))
        and anonymous(left.schedule).is_equal(anonymous(right.schedule))
        and all(a.array == b.array and a.exact == b.exact for a, b in pairs)
        and all(anonymous(a.relation).is_equal(anonymous(b.relation)) for a, b in pairs)
    )


def anonymous(relation: isl.Map) -> isl.Map:
    return relation.set_tuple_name(isl.dim_type.in_, "S")


def check_same_model(program: Any, folder: Path) -> tuple[Kernel, Kernel]:
    """A C program and its transcript in Python give the same kernel."""
    expected = build_kernel(program)
    actual = read(folder, python_source(program, expected.parameters), program.name)
    assert actual.parameters == expected.parameters
    assert actual.context.is_equal(expected.context)
    assert len(actual.statements) == len(expected.statements)
    assert all(map(same_accesses, expected.statements, actual.statements))
    assert {a.name: a.type for a in actual.arrays.values()} == {a.name: a.type for a in expected.arrays.values()}
    return expected, actual


@pytest.mark.parametrize("path", C_EXAMPLES, ids=lambda path: path.stem)
def test_examples_give_the_same_model_as_in_c(path: Path, tmp_path: Path) -> None:
    program = read_c(read_source(path), {}, (), None)
    if any(iskeyword(symbol.name) for symbol in program.symbols):
        pytest.skip("a name of the kernel is a word of Python")
    check_same_model(program, tmp_path)


@pytest.mark.parametrize("seed", range(40))
def test_random_kernels_give_the_same_model_as_in_c(seed: int, tmp_path: Path) -> None:
    random = kernel_from_seed(seed)
    path = tmp_path / "kernel.c"
    path.write_text(random.source, encoding="utf-8")
    try:
        expected, actual = check_same_model(read_c(read_source(path), {}, (), None), tmp_path)
    except NotExpressible as error:
        pytest.skip(str(error))
    for values in random.parameters:
        parameters = {name: values.get(name, 3) for name in expected.parameters}
        left = initial_memory(expected, parameters)
        right = copied(left)
        execute(expected, parameters, left)
        execute(actual, parameters, right)
        assert not mismatches(left, right, tuple(expected.arrays))


C_AND_PYTHON = {
    "triangle": (
        "void k(int n, double a[n][n]) { for (int i = 0; i < n; i++) for (int j = i; j >= 0; j -= 2) a[i][j] += i; }",
        'def k(n: int, a: "double[n][n]"):\n  for i in range(n):\n    for j in range(i, -1, -2):\n      a[i, j] += i\n',
    ),
    "guard": (
        "void k(int n, int a[n]) { for (int i = 0; i < n; i++) if (1 <= i && i < n - 1 || i % 2 == 0) a[i] = n - i; }",
        'def k(n: int, a: "int[n]"):\n  for i in range(n):\n    if 1 <= i < n - 1 or i % 2 == 0:\n      a[i] = n - i\n',
    ),
    "scalar": (
        "double k(int n, double a[n], double x) { double s = 0; for (int i = 0; i < n; i++) s += x * a[i]; return s; }",
        'def k(n: int, a: "double[n]", x: float):\n  s = 0.0\n  for i in range(n):\n    s += x * a[i]\n  return s\n',
    ),
    "alias": (
        "void k(int n, int a[n + 1]) { for (int i = 0; i < n; i++) { int j = i + 1; a[j] = a[n - j]; } }",
        'def k(n: int, a: "int[n + 1]"):\n  for i in range(n):\n    j = i + 1\n    a[j] = a[n - j]\n',
    ),
    "data": (
        "void k(int n, int a[n], int b[n]) { for (int i = 0; i < n; i++) if (a[i] > 0) b[a[i]] = i; else b[i] = 0; }",
        'def k(n: int, a: "int[n]", b: "int[n]"):\n  for i in range(n):\n    if a[i] > 0:\n      b[a[i]] = i\n'
        "    else:\n      b[i] = 0\n",
    ),
}


@pytest.mark.parametrize("name", C_AND_PYTHON)
def test_written_by_hand_in_both_languages(name: str, tmp_path: Path) -> None:
    c_text, python_text = C_AND_PYTHON[name]
    path = tmp_path / "kernel.c"
    path.write_text(c_text, encoding="utf-8")
    expected, actual = build_kernel(read_c(read_source(path), {}, (), None)), read(tmp_path, python_text)
    assert actual.domain.is_equal(expected.domain)
    assert actual.schedule.is_equal(expected.schedule)
    assert all(map(same_accesses, expected.statements, actual.statements))
    assert live_out_arrays(actual) == live_out_arrays(expected)
    assert actual.original is None


def test_decorator_without_options() -> None:
    @kernel
    def scale(n: int, a: Annotated[Any, "double[n]"]):
        for i in range(n):
            a[i] = square(a[i]) * SCALE + TAPS[i % 3] * SIZE

    assert isinstance(scale, Kernel)
    assert scale.name == "scale"
    assert scale.parameters == ("n",)
    memory = initial_memory(scale, {"n": 4})
    expected = [x * x * 0.5 + TAPS[i % 3] * 3 for i, x in enumerate(memory["a"].cells)]
    execute(scale, {"n": 4}, memory)
    assert all(map(same, memory["a"].cells, expected))


def test_decorator_sees_its_closure() -> None:
    width, root = 3, math.sqrt

    @kernel
    def shifted(n: int, a: Annotated[Any, Spelled], b: Annotated[Any, "float32[n + width]"]):
        for i in range(n):
            b[i + width] = root(a[i])

    assert shifted.statements[0].write.relation.is_equal(isl.Map("[n] -> { S0[i] -> b[i + 3] : 0 <= i < n }"))
    assert shifted.arrays["b"].type.bits == 32


def test_decorator_options() -> None:
    size = 8

    @kernel(tile=(size, 16), schedule={"S0": "t, t + i"}, strip=2, defaults={"n": 40}, assume="n >= 1 and m < n")
    def stencil(n: int, m: int, a: Annotated[Any, "double[m][n]"]):
        assert m > 3
        for t in range(1, m):
            for i in range(n):
                a[t, i] = a[t - 1, i]

    tiling = stencil.tiling
    assert tiling is not None
    assert (tiling.sizes, tiling.strip, len(tiling.schedule[0][1])) == ((8, 16), 2, 2)
    assert stencil.defaults == {"n": 40}
    assert stencil.context.is_equal(isl.Set("[n, m] -> { : 3 < m < n }").align_params(stencil.context.get_space()))


def test_options_in_other_forms(tmp_path: Path) -> None:
    source = """
import loadstone as ls
T = 4
@ls.kernel(tile=[T, 2 * T], schedule="S0: t, t + i; S1: t, t + i + 1", assume=["n > 2", "m > 0"])
def k(n: int = 12, m: int = 5, *, x: float = 2.5, a: "double[n]", b: "double[n]"):
    for t in range(m):
        for i in range(1, n - 1):
            b[i] = a[i - 1] + a[i + 1] * x
        for i in range(1, n - 1):
            a[i] = b[i]
"""
    model = read(tmp_path, source)
    assert model.tiling is not None
    assert model.tiling.sizes == (4, 8)
    assert [name for name, _ in model.tiling.schedule] == ["S0", "S1"]
    assert model.defaults == {"n": 12, "m": 5}
    assert model.context.is_subset(isl.Set("[n, m] -> { : n > 2 and m > 0 }"))


def test_file_is_read_without_being_run(tmp_path: Path) -> None:
    source = 'import loadstone as ls\nraise SystemExit\n@ls.kernel\ndef k(n: int, a: "int[n]"):\n    a[0] = n\n'
    assert read(tmp_path, source + "def other(x):\n    return x\n").name == "k"


def test_file_and_decorator_agree(tmp_path: Path) -> None:
    source = "from loadstone.frontend.python import int32, kernel\nN = 4\nif True:\n  @kernel(tile=(N, 8))\n" + "".join(
        f"  {line}\n"
        for line in (
            'def k(a: int32["N", N]):',
            "  for i in range(N):",
            "    for j in range(i):",
            "      a[i, j] = 1 // 2",
        )
    )
    path = tmp_path / "kernel.py"
    read_model = read(tmp_path, source)
    linecache.checkcache(str(path))
    space: dict[str, Any] = {}
    exec(compile(source, str(path), "exec"), space)
    run_model: Kernel = space["k"]
    assert run_model.schedule.is_equal(read_model.schedule)
    assert run_model.tiling is not None
    assert read_model.tiling is not None
    assert run_model.tiling.sizes == read_model.tiling.sizes == (4, 8)
    assert [str(s.span) for s in run_model.statements] == [str(s.span) for s in read_model.statements]
    assert str(read_model.statements[0].span) == f"{path}:8:9"


def test_notebook_cells_are_found() -> None:
    source: str = "%timeit 1\n@kernel\ndef k(n: int, a: 'int[n]'):\n    a[0] = q\n"
    lines = [f"{line}\n" for line in source.splitlines()]
    linecache.cache["<cell 7>"] = (len(source), None, lines, "<cell 7>")
    code = compile("\n" + "".join(lines[1:]), "<cell 7>", "exec")
    found = diagnostics(lambda: exec(code, {"kernel": kernel}))
    assert found == [(4, 12, "'q' is not declared")]


def test_missing_source_is_reported() -> None:
    with pytest.raises(InputError, match="the source of 'k' is not available") as caught:
        exec("@kernel\ndef k(n: int, a: 'int[n]'):\n    a[0] = 1\n", {"kernel": kernel})
    assert "hint:" in str(caught.value)


def test_choice_among_functions(tmp_path: Path) -> None:
    first = 'def f(n: int, a: "int[n]"):\n    a[0] = 1\n'
    second = first.replace("f(", "g(")
    mark = "@ls.kernel\n"
    assert read(tmp_path, first).name == "f"
    assert read(tmp_path, first + mark + second).name == "g"
    assert read(tmp_path, mark + first + mark + second, "f").name == "f"
    assert read(tmp_path, first + second, "g").name == "g"
    assert read(tmp_path, "from loadstone import kernel as k\n" + first + "@k(tile=2)\n" + second).name == "g"
    assert "second kernel" in diagnostics(lambda: read(tmp_path, mark + first + mark + second))[0][2]
    assert "none is decorated" in diagnostics(lambda: read(tmp_path, first + second))[0][2]
    assert "no kernel" in diagnostics(lambda: read(tmp_path, "x = 1\n"))[0][2]
    with pytest.raises(InputError, match="there is no function 'h'"):
        read(tmp_path, first, "h")


def test_files_that_are_not_python(tmp_path: Path) -> None:
    assert diagnostics(lambda: read(tmp_path, "def f(:\n"))[0][:2] == (1, 7)
    with pytest.raises(InputError, match="cannot read"):
        read_python(tmp_path / "missing.py")
    (tmp_path / "bytes.py").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="UTF-8"):
        read_python(tmp_path / "bytes.py")


STATEMENTS = {
    "while n: pass": (1, "'while' loops"),
    "break": (1, "'break'"),
    "continue": (1, "'continue'"),
    "return 1": (1, "'return'"),
    "def g(): return 1": (1, "a function inside"),
    "class C: pass": (1, "a class inside"),
    "import math": (1, "an import inside"),
    "with a: pass": (1, "'with'"),
    "global z": (1, "'global'"),
    "del a": (1, "'del'"),
    "raise a": (1, "'raise'"),
    "a[0] == 1": (1, "no effect"),
    "print(a)": (1, "the call of 'print' has unknown effects"),
    "for j in a: pass": (10, "must run over a range"),
    "for j, k in range(3): pass": (5, "one iterator"),
    "for j in range(0, n, n): pass": (22, "step is not a nonzero constant"),
    "for j in range(0, n, 0): pass": (22, "step is not a nonzero constant"),
    "for j in range(n / 2): pass": (16, "must be an integer"),
    "for j in range(j): pass": (16, "uses it"),
    "for n in range(3): pass": (5, "an argument too"),
    "t = 1; u = 2.5; t = u": (21, "'t' holds integers"),
    "a[0] += x": (1, "'a' holds integers"),
    "a[0] /= 2": (1, "'a' holds integers"),
    "a[0:1] = 0": (3, "slices"),
    "a[-1] = 0": (3, "from the end"),
    "a[x] = 0": (3, "must be an integer"),
    "a = 0": (1, "cannot be assigned as a whole"),
    "p, q = 1, 2": (1, "cannot be assigned"),
    "p = q = 1": (5, "several assignments"),
    "a[0] = lambda: 1": (8, "lambda"),
    "a[0] = [k for k in a][0]": (8, "named array"),
    "a[0] = sum(k for k in a)": (11, "generators"),
    "a[0] = 'x'": (8, "strings"),
    "a[0] = 1j": (8, "values like 1j"),
    "a[0] = 2 ** 80": (8, "power"),
    "a[0] = 99999999999999999999": (8, "too large"),
    "a[0] = a.shape": (8, "attributes"),
    "a[0] = n in a": (8, "'in' and 'is'"),
    "a[0] = n and 3": (8, "'and' and 'or' of numbers"),
    "a[0] = x // 2": (8, "'//' needs integer"),
    "a[0] = x % 2": (8, "'%' needs integer"),
    "a[0] = unknown(3)": (8, "unknown effects"),
    "a[0] = os.getpid()": (8, "unknown effects"),
    "a[0] = max(n)": (8, "takes 2 arguments"),
    "a[0] = max(n, 1, key=n)": (18, "keyword"),
    "a[0] = z": (8, "'z' is not declared"),
    "a[0] = t; t = 1": (8, "before it is assigned"),
    "a[0] = (z := 3)": (9, "inside an expression"),
    "t: 'quad' = 1": (5, "not a type"),
    "t: int = 1; t: float = 2": (13, "another type"),
    "t: 'int[3]' = 0": (15, "initialised"),
    "n: int = 1": (1, "a type already"),
    "short = 1": (1, "cannot be a name in C"),
    "a[0] = n @ n": (8, "'@'"),
    "assert n > x or a": (0, ""),
}


@pytest.mark.parametrize("statement", [s for s, (column, _) in STATEMENTS.items() if column])
@pytest.mark.parametrize("margin", ["    ", "        "])
def test_refusals_point_at_the_problem(statement: str, margin: str, tmp_path: Path) -> None:
    column, message = STATEMENTS[statement]
    head = 'def k(n: int, x: float, a: "int[n]"):\n    a[0] = 1\n'
    deeper = "" if margin == "    " else "    for i in range(n):\n"
    found = diagnostics(lambda: read(tmp_path, f"{head}{deeper}{margin}{statement}\n", "k"))
    assert len(found) == 1
    assert found[0][:2] == (3 + bool(deeper), len(margin) + column)
    assert message in found[0][2]


ARGUMENTS = {
    "n": (7, "'n' has no type"),
    "n: quad": (10, "'quad' is not a type"),
    'n: int, a: "int[m]"': (23, "'m' is not declared"),
    'n: int, a: "int[n][é"': (19, "not a type"),
    "*n": (8, "'*'"),
    "n: int, é: int": (15, "cannot be a name in C"),
    "n: list[int, (]": (0, ""),
}


@pytest.mark.parametrize("arguments", [a for a, (column, _) in ARGUMENTS.items() if column])
def test_wrong_arguments(arguments: str, tmp_path: Path) -> None:
    column, message = ARGUMENTS[arguments]
    found = diagnostics(lambda: read(tmp_path, f"def k({arguments}):\n    pass\n"))
    assert found[0][:2] == (1, column)
    assert message in found[0][2]


OPTIONS = {
    "tile=0": (9, "positive number"),
    'tile=(4, "x")': (13, "positive number"),
    "tile=(4, side)": (9, "not a constant"),
    "strip=1": (10, "no size"),
    'assume="n >"': (12, "cannot read"),
    'assume="n > 0 and q > 0"': (22, "'q' is not declared"),
    'assume="n * n > 4"': (12, "not affine"),
    'defaults={"q": 3}': (14, "'q' is not a parameter"),
    'defaults={"n": 0.5}': (19, "not an integer"),
    'tile=4, schedule="S0"': (22, "expected 'STATEMENT"),
    'tile=4, schedule="S0: i, n"': (22, "2 schedule dimensions"),
    'tile=4, schedule={"S7": "i"}': (22, "no statement 'S7'"),
    'tile=4, schedule={"S0": "i + w"}': (33, "'w' is not declared"),
    "size=3": (4, "unknown option 'size'"),
    "3": (4, "by keyword"),
}


@pytest.mark.parametrize("options", OPTIONS)
def test_wrong_options(options: str, tmp_path: Path) -> None:
    column, message = OPTIONS[options]
    source = f'@kernel({options})\ndef k(n: int, a: "int[n]"):\n    for i in range(n):\n        a[i] = 1\n'
    found = diagnostics(lambda: read(tmp_path, source))
    assert [(line, place) for line, place, text in found if message in text] == [(1, column + 5)]


def test_helpers_that_cannot_be_inlined(tmp_path: Path) -> None:
    tail = 'def k(n: int, a: "int[n]"):\n    a[0] = f(n)\n'
    for helper, message in {
        "def f(x: int) -> int:\n    y = x\n    return y\n": "cannot be inlined",
        "def f(x) -> int:\n    return x\n": "lacks a type",
        "def f(x: int):\n    return x\n": "lacks a type",
        "def f(x: int) -> int:\n    return n\n": "'n' is not declared",
        "def f(x: int) -> int:\n    return f(x)\n": "recursive",
        "def f(x: int, y: int) -> int:\n    return x\n": "takes 2 arguments, not 1",
        "f = 3\n": "unknown effects",
    }.items():
        assert message in diagnostics(lambda text=helper: read(tmp_path, text + tail, "k"))[0][2]


def test_all_problems_are_reported_at_once(tmp_path: Path) -> None:
    source = """
def k(n, a: "int[n]"):
    while n:
        pass
    for i in range(n):
        t = a[i:]
        a[i] = t
        if t:
            break
"""
    assert [(line, column) for line, column, _ in diagnostics(lambda: read(tmp_path, source, "k"))] == [
        (2, 7),
        (3, 5),
        (6, 15),
        (9, 13),
    ]


def test_deep_expressions_end_in_an_error(tmp_path: Path) -> None:
    terms = " + ".join(["n"] * 900)
    assert (
        "nested too deeply"
        in diagnostics(lambda: read(tmp_path, f'def k(n: int, a: "int[n]"):\n    a[0] = {terms}\n'))[0][2]
    )
