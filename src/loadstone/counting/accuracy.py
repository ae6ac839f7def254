"""When continuous extrema are good enough, and what to evaluate where they are not [Devos, 4.5.3]."""

from __future__ import annotations

from collections.abc import Iterator
from math import comb, inf, isfinite

import islpy as isl

from loadstone.counting.cardinality import number_of_points
from loadstone.counting.pieces import Piece
from loadstone.counting.relative_error import amplification, product_error, rivlin_error
from loadstone.poly.dimensions import at_coordinate, at_least, at_most
from loadstone.poly.spaces import Dim
from loadstone.poly.terms import compiled, degrees, terms

LARGEST_SPLIT = 1_000
MOST_SAMPLES = 64


def guarantee(piece: Piece) -> float | None:
    """What the continuous range of a polynomial may exceed its discrete one by, relative to it; None if not known.

    Known over intervals, also of every d-th number, and over boxes, for given parameters. In one variable the smaller
    of MRE and what Rivlin's method says of this polynomial [Devos, 4.5.4].
    """
    shapes = _shapes(piece)
    if shapes is None:
        return None
    error = product_error(shapes.values())
    if len(shapes) == 1 and error > 0:
        error = min(error, _rivlin(piece, shapes[0][1]))
    return error if isfinite(error) else None


def _rivlin(piece: Piece, size: int) -> float:
    """Rivlin's bound for a polynomial over size + 1 numbers in equal steps, from its range over some of them."""
    if size == 0:
        return inf
    low, high = (float(end.to_python()) for end in (piece.domain.dim_min_val(0), piece.domain.dim_max_val(0)))
    step = (high - low) / size
    function = compiled(piece.value)
    chosen = {round(k * size / MOST_SAMPLES) for k in range(MOST_SAMPLES + 1)}
    values = [float(function.value((round(low + step * k),))) for k in chosen]
    if max(values) == min(values):
        return inf
    return rivlin_error(_coefficients(piece, low, step), size, (min(values), max(values)))


def _coefficients(piece: Piece, low: float, step: float) -> list[float]:
    """The coefficients of f(low + step x), from that of x^0 on."""
    found = [0.0] * (max(degrees(piece.value).values(), default=0) + 1)
    for term in terms(piece.value):
        exponent = dict(term.powers).get(0, 0)
        for k in range(exponent + 1):
            found[k] += float(term.coefficient) * comb(exponent, k) * low ** (exponent - k) * step**k
    return found


def _shapes(piece: Piece) -> dict[int, tuple[int, int]] | None:
    """The degree and the size of each dimension of an interval or a box without parameters; None for other domains."""
    domain = piece.domain
    if piece.has_parameters or not domain.is_bounded() or domain.n_basic_set() != 1:
        return None
    found = degrees(piece.value)
    if domain.dim(Dim.set) == 1:
        points = number_of_points(domain)
        return None if points is None else {0: (found.get(0, 0), points - 1)}
    if not domain.is_box():
        return None
    return {k: (found.get(k, 0), _size(domain, k)) for k in range(domain.dim(Dim.set))}


def _size(domain: isl.Set, position: int) -> int:
    return domain.dim_max_val(position).sub(domain.dim_min_val(position)).to_python()


def evaluated(piece: Piece, accuracy: float) -> Iterator[Piece]:
    """The piece with variables evaluated at their whole numbers until continuous extrema are accurate enough.

    First the variable with the largest K(g, N), whose range typically is small [Devos, 4.5.3]. The sizes are those of
    the box around a domain that is none; domains without bounds, or with parameters, stay as they are.
    """
    domain = piece.domain
    if piece.has_parameters or not domain.is_bounded() or domain.is_empty():
        yield piece
        return
    found = degrees(piece.value)
    shapes = {k: (found.get(k, 0), _size(domain, k)) for k in range(domain.dim(Dim.set))}
    curved = {k: shape for k, shape in shapes.items() if shape[0] > 1 and shape[1] > 0}
    if product_error(curved.values()) <= accuracy:
        yield piece
        return
    worst = max(curved, key=lambda k: amplification(*curved[k]))
    if curved[worst][1] > LARGEST_SPLIT:
        yield piece
        return
    for number in range(domain.dim_min_val(worst).to_python(), domain.dim_max_val(worst).to_python() + 1):
        part = at_coordinate(domain, worst, number)
        if not part.is_empty():
            yield from evaluated(Piece(part, piece.value), accuracy)


def halved(piece: Piece, times: int) -> Iterator[Piece]:
    """The piece on both halves of its longest curved dimension, and so on, so many times.

    Domains without bounds, or with parameters, stay as they are.
    """
    domain = piece.domain
    if not times or piece.has_parameters or not domain.is_bounded() or domain.is_empty():
        yield piece
        return
    sizes = {k: _size(domain, k) for k in _curved(piece)}
    longest = max(sizes, key=lambda k: sizes[k], default=None)
    if longest is None or sizes[longest] == 0:
        yield piece
        return
    middle = (domain.dim_min_val(longest).to_python() + domain.dim_max_val(longest).to_python()) // 2
    for half in (at_most(domain, longest, middle), at_least(domain, longest, middle + 1)):
        if not half.is_empty():
            yield from halved(Piece(half, piece.value), times - 1)


def _curved(piece: Piece) -> set[int]:
    """The variables in terms that are not affine."""
    return {
        position
        for term in terms(piece.value)
        if sum(exponent for _, exponent in term.powers) > 1
        for position, _ in term.powers
    }
