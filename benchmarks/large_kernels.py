"""Large kernels for `analysis.py`: many statements, lattice-Boltzmann steps, stencils in space and time."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise, product

Vector = tuple[int, ...]


def one_nest(statements: int, arrays: int) -> str:
    """Statements in one nest, three reads each: of the statement before, and of two neighbours in other arrays."""
    names = [f"a{k % arrays}" for k in range(statements + 1)]
    body = "\n".join(
        f"      {names[k + 1]}[i][j] = {names[k]}[i][j] + {names[k]}[i - 1][j] * {names[max(k - 7, 0)]}[i][j - 1];"
        for k in range(statements)
    )
    return _function("one_nest", _arrays(names, "[n + 2][n + 2]"), _loops(("i", "j"), "1", "n", body))


def chain(statements: int, arrays: int) -> str:
    """Nests one behind the other, each with one statement that reads three neighbours in the array before."""
    names = [f"a{k % arrays}" for k in range(statements + 1)]
    nests = "\n".join(
        f"  for (int i = 1; i <= n; i++)\n    {new}[i] = {old}[i - 1] + {old}[i] * {old}[i + 1];"
        for old, new in pairwise(names)
    )
    return _function("chain", _arrays(names, "[n + 2]"), nests)


def _arrays(names: Sequence[str], extents: str) -> str:
    return ", ".join(("int n", *(f"double {name}{extents}" for name in dict.fromkeys(names))))


def lattice_boltzmann(velocities: Sequence[Vector]) -> str:
    """A step per time between two grids: density and speed of a cell, then each of its distributions; skewed tiles."""
    rank = len(velocities[0])
    axes = ("z", "y", "x")[-rank:]
    here = _cell(axes, [0] * rank)

    def source(k: int) -> str:
        return f"f[t % 2]{_cell(axes, [-v for v in velocities[k]])}[{k}]"

    lines = [f"rho{here} = {' + '.join(source(k) for k in range(len(velocities)))};"]
    for axis, name in enumerate(axes):
        moving = [(v[axis], k) for k, v in enumerate(velocities) if v[axis]]
        lines.append(f"u{name}{here} = (0.0 {' '.join(f'{_sign(s)} {source(k)}' for s, k in moving)}) / rho{here};")
    square = " + ".join(f"u{name}{here} * u{name}{here}" for name in axes)
    for k, velocity in enumerate(velocities):
        along = " ".join(f"{_sign(s)} u{name}{here}" for s, name in zip(velocity, axes, strict=True) if s)
        new = f"0.1 * rho{here} * (1.0 + 3.0 * (0.0 {along}) - 1.5 * ({square}))"
        lines.append(f"f[(t + 1) % 2]{here}[{k}] = 0.4 * {source(k)} + 0.6 * {new};")
    loops = _loops(axes, "1", "n", "\n".join(f"      {line}" for line in lines))
    time = f"  for (int t = 0; t < steps; t++) {{\n{loops}\n  }}"
    cells = "[n + 2]" * rank
    moments = ", ".join(f"double {name}{cells}" for name in ("rho", *(f"u{axis}" for axis in axes)))
    arrays = f"int steps, int n, double f[2]{cells}[{len(velocities)}], {moments}"
    return _function(f"d{rank}q{len(velocities)}", arrays, time, _skewed(axes, len(lines)))


def stencil(neighbours: Sequence[Vector]) -> str:
    """A stencil in space, with time, between two grids."""
    axes = ("i", "j", "k")
    total = " + ".join(f"a[t % 2]{_cell(axes, neighbour)}" for neighbour in neighbours)
    body = f"      a[(t + 1) % 2][i][j][k] = 0.1 * ({total});"
    time = f"  for (int t = 0; t < steps; t++) {{\n{_loops(axes, '1', 'n', body)}\n  }}"
    return _function("stencil", "int steps, int n, double a[2][n + 2][n + 2][n + 2]", time, _skewed(axes, 1))


def _skewed(axes: Sequence[str], statements: int) -> str:
    """A tiling along time and the axes, skewed by time, of the same point for all statements."""
    point = ", ".join(("t", *(f"t + {axis}" for axis in axes)))
    schedule = "; ".join(f"S{k}: {point}" for k in range(statements))
    return f"#pragma loadstone tile schedule({schedule}) size({', '.join(['4'] + ['8'] * len(axes))})\n"


def _cell(axes: Sequence[str], offset: Sequence[int]) -> str:
    moved = (f"{axis} {_sign(by)} {abs(by)}" if by else axis for axis, by in zip(axes, offset, strict=True))
    return "".join(f"[{subscript}]" for subscript in moved)


def _sign(number: int) -> str:
    return "+" if number > 0 else "-"


def _loops(iterators: Sequence[str], first: str, last: str, body: str) -> str:
    heads = "\n".join(f"    for (int {name} = {first}; {name} <= {last}; {name}++)" for name in iterators)
    return f"{heads} {{\n{body}\n    }}"


def _function(name: str, parameters: str, body: str, tiling: str = "") -> str:
    return f"void {name}({parameters})\n{{\n{tiling}#pragma scop\n{body}\n#pragma endscop\n}}\n"


def _velocities(rank: int, most: int) -> list[Vector]:
    """The velocities with entries -1, 0 and 1, of which at most some are not 0; rest first."""
    every = [v for v in product((0, 1, -1), repeat=rank) if sum(map(abs, v)) <= most]
    return sorted(every, key=lambda v: sum(map(abs, v)))


KERNELS = {
    "nest-100": one_nest(100, 101),
    "nest-100-of-2": one_nest(100, 2),
    "chain-100": chain(100, 101),
    "chain-100-of-2": chain(100, 2),
    "d2q9": lattice_boltzmann(_velocities(2, 2)),
    "d3q19": lattice_boltzmann(_velocities(3, 2)),
    "stencil-9": stencil([(0, 0, 0), *product((-1, 1), repeat=3)]),
    "stencil-27": stencil(list(product((-1, 0, 1), repeat=3))),
}
"""Their names and sources."""
