"""Local buffers: where each element of an array lives while a strip runs.

The mapping element -> A i mod b is chosen once for all strips and parameters. Where conflicting elements are farther
apart the larger the parameters are, no modulus can be chosen; such a subscript is not folded, and the buffer extends
over the array in that dimension. Buffers can be split: the elements in the window of a tile coordinate
(`storage.windows`), for which that is so no longer, have cells of their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, reduce
from math import prod

import islpy as isl

from loadstone.errors import Diagnostic, UnsupportedError
from loadstone.model.evaluate import evaluate
from loadstone.model.expression import Constant, Expression, binary, integer
from loadstone.model.kernel import Array, Kernel
from loadstone.model.tidy import tidy
from loadstone.poly import map_from_values, set_space
from loadstone.poly.spaces import Dim, combination, constant, without_dims
from loadstone.storage.differences import conflict_differences, unbounded_dims
from loadstone.storage.lattice import Modular, best_modular, successive_modulo
from loadstone.storage.lifetimes import Lifetimes, beyond_types, lifetimes, texts, within
from loadstone.storage.max_live import max_live, sample_parameters
from loadstone.storage.search import rounded
from loadstone.storage.windows import Windows, region, regions
from loadstone.transfer.plan import Plan
from loadstone.transform.tiling import TiledKernel


@dataclass(frozen=True, slots=True)
class Component:
    """One dimension of a local address: the sum of row * subscripts, modulo `modulus` if there is one.

    `size` is the extent of the buffer in this dimension.
    """

    row: tuple[int, ...]
    modulus: int | None
    size: Expression


@dataclass(frozen=True, slots=True)
class Part:
    """The cells of the elements in some windows, unless they are in a part before."""

    windows: Windows
    components: tuple[Component, ...]

    @property
    def size(self) -> Expression:
        """The number of cells."""
        sizes = (component.size for component in self.components)
        return tidy(reduce(lambda total, size: binary("*", total, size), sizes, integer(1)))

    @property
    def kept(self) -> int:
        """The number of subscripts that are not folded."""
        return sum(component.modulus is None for component in self.components)


@dataclass(frozen=True, eq=False, repr=False)
class Buffer:
    """The local memory of one array; where it has two copies, strips use them in turn.

    Where it is split, `parts` follow each other in it, and `components` are those of the whole if it were not.

    `large_live` is the largest number of elements that are alive at once, for parameters that are large compared with
    the tiles; `unsearched` the mapping by successive modulos, with which the search began.
    """

    array: Array
    tiles: TiledKernel
    life: Lifetimes
    components: tuple[Component, ...]
    large_live: int | None
    unsearched: Modular
    copies: int = 1
    parts: tuple[Part, ...] = ()

    def __repr__(self) -> str:
        return f"<buffer {self.mapping_text()}, copies: {self.copies}>"

    @property
    def parameters(self) -> tuple[str, ...]:
        """The parameters of the kernel."""
        return self.tiles.kernel.parameters

    @cached_property
    def mapping(self) -> isl.Map:
        """Elements to local addresses; where there are parts, the first coordinate is the number of the part."""
        if not self.parts:
            return self._mapping(self.components)
        rank, found = max(len(part.components) for part in self.parts), list[isl.Map]()
        left = isl.Set.universe(self._space)
        for number, part in enumerate(self.parts):
            here = region(self.tiles, self.array, part.windows)
            pairs = self._mapping(part.components, (number,), rank).intersect_domain(left.intersect(here))
            found.append(pairs)
            left = left.subtract(here)
        return reduce(isl.Map.union, found)

    def _mapping(
        self, components: tuple[Component, ...], first: tuple[int, ...] = (), rank: int | None = None
    ) -> isl.Map:
        space = self._space
        values = [combination(space, part.row, part.modulus) for part in components]
        missing = len(components) if rank is None else rank
        zeros = [constant(space, 0)] * (missing - len(components))
        return map_from_values(space, [*(constant(space, each) for each in first), *values, *zeros])

    @property
    def _space(self) -> isl.Space:
        return set_space(self.parameters, self.array.name, [f"x{k}" for k in range(self.array.rank)])

    def shown(self) -> str:
        """The mapping for people: where there are parts, the first whose condition holds."""
        if not self.parts:
            return self.mapping_text()
        return "; ".join(_shown(part, self.array) for part in self.parts)

    def mapping_text(self) -> str:
        """The mapping as isl prints functions: element to values, which isl reads back as a relation."""
        return str(isl.PwMultiAff.from_map(self.mapping)) if self.components else str(self.mapping)

    @property
    def folds_all(self) -> bool:
        """Whether the size does not depend on the parameters."""
        return all(isinstance(size, Constant) for size in self.extents)

    @property
    def is_whole(self) -> bool:
        """Whether it is as large as the array."""
        return not self.parts and all(part.modulus is None for part in self.components)

    @property
    def extents(self) -> tuple[Expression, ...]:
        """The extents of one copy: those of the address, or the number of cells of all parts."""
        if not self.parts:
            return tuple(part.size for part in self.components)
        sizes = (part.size for part in self.parts)
        return (tidy(reduce(lambda total, size: binary("+", total, size), sizes)),)

    def shape(self, parameters: Mapping[str, int]) -> tuple[int, ...]:
        """The extents of one copy for given parameters."""
        return tuple(max(0, int(evaluate(size, parameters, ()))) for size in self.extents)

    def cells(self, parameters: Mapping[str, int]) -> int:
        """The number of cells of one copy for given parameters."""
        return prod(self.shape(parameters))

    def all_cells(self, parameters: Mapping[str, int]) -> int:
        """The number of cells of all copies for given parameters, at least one for each copy."""
        return self.copies * max(1, self.cells(parameters))

    def most_live(self, parameters: Mapping[str, int] | None = None) -> int | None:
        """The largest number of elements that are alive at once, for given parameters; None where it is not known.

        Without parameters: for large ones, or for the defaults of the source where the size depends on parameters.
        """
        grows = any(part.modulus is None for part in self.components)
        known = _defaults(self.tiles.kernel) if parameters is None and grows else parameters
        return self.large_live if known is None else max_live(self.tiles, self.life, known)


def check_fixed_sizes(buffers: Mapping[str, Buffer], parameters: Mapping[str, int]) -> None:
    """Raise `UnsupportedError` where the size of a buffer depends on parameters that are not given."""
    grown = sorted(name for name, buffer in buffers.items() if not buffer.folds_all)
    missing = [name for name in (buffers[grown[0]].parameters if grown else ()) if name not in parameters]
    if missing:
        example = " ".join(f"-p {name}=64" for name in missing)
        grows = f"the local memory of {', '.join(grown)} grows with the parameters"
        hint = f"give the largest values that will be used with -p NAME=VALUE: {example}; or choose shorter strips"
        raise UnsupportedError(Diagnostic(f"{grows}, but HLS needs a fixed size", None, hint))


def make_buffers(
    plan: Plan, depth: int, *, power_of_two: bool | None = False, split: bool = False
) -> dict[str, Buffer]:
    """The buffers of all arrays in memory, for `depth` tiles in flight; arrays that live alike have the same one.

    With `split`, buffers have parts where fewer subscripts then grow with the parameters.

    `power_of_two` says whether moduli are powers of two; None: where that takes no more, of memories that have as many
    words as a power of two. In hardware such moduli cost nothing.
    """
    known: dict[object, Buffer] = {}
    found: dict[str, Buffer] = {}
    for name, part in plan.arrays.items():
        array = plan.tiles.kernel.arrays[name]
        life = lifetimes(plan.tiles, array, part, depth)
        kind = (array.extents, texts(life))
        known[kind] = known.get(kind) or _buffer(plan.tiles, life, name, power_of_two)
        whole = replace(known[kind], array=array, life=life)
        found[name] = _split(whole, power_of_two) if split else whole
    return found


def _split(buffer: Buffer, power_of_two: bool | None) -> Buffer:
    """The buffer in parts, where each keeps fewer subscripts than the whole does."""
    kept = sum(part.modulus is None for part in buffer.components)
    ways = regions(buffer.tiles, buffer.array) if kept else []
    if len(ways) <= 1:
        return buffer
    parts = tuple(_parts(buffer, ways, power_of_two))
    for windows in ways[:-1]:
        fewer = tuple(_parts(buffer, [way for way in ways if way != windows], power_of_two))
        if _weight(fewer) <= _weight(parts):
            parts, ways = fewer, [way for way in ways if way != windows]
    return replace(buffer, parts=parts) if _weight(parts) < (kept, 0) else buffer


def _weight(parts: Iterable[Part]) -> tuple[int, int]:
    """The most subscripts that a part keeps whole, and the cells of parts that keep none."""
    sizes = [part.size for part in parts]
    return max(part.kept for part in parts), sum(int(size.value) for size in sizes if isinstance(size, Constant))


def _parts(buffer: Buffer, ways: Sequence[Windows], power_of_two: bool | None) -> Iterator[Part]:
    """A part for each region that holds elements beside those of the regions before."""
    life, array = beyond_types(buffer.life, buffer.tiles.kernel.context), buffer.array
    left = isl.Set.universe(life.held.get_space().range())
    for windows in ways:
        here = left.intersect(region(buffer.tiles, array, windows))
        mine = within(life, here)
        if not mine.held.is_empty():
            whole, differences = _folded(mine)
            found = _modular(differences, 1, power_of_two)
            yield Part(windows, _components(array, whole, found))
        left = left.subtract(here)


def _buffer(tiles: TiledKernel, life: Lifetimes, name: str, power_of_two: bool | None) -> Buffer:
    array = tiles.kernel.arrays[name]
    large = sample_parameters(tiles, life.depth)
    live = None if large is None else max_live(tiles, life, large)
    whole, differences = _folded(beyond_types(life, tiles.kernel.context))
    least = 1 if live is None or large is None else live // max(1, prod(_extent(array, k, large) for k in whole))
    found = _modular(differences, max(1, least), power_of_two)
    return Buffer(array, tiles, life, _components(array, whole, found), live, successive_modulo(differences))


def _modular(differences: isl.Set, least: int, power_of_two: bool | None) -> Modular:
    """The mapping with few cells; with powers of two as moduli if requested, or if these take no more cells."""
    if power_of_two is not None:
        return best_modular(differences, least, power_of_two=power_of_two)
    small, simple = (best_modular(differences, least, power_of_two=each) for each in (False, True))
    return simple if simple.cells <= rounded(small.cells, power_of_two=True) else small


def _shown(part: Part, array: Array) -> str:
    space = set_space((), array.name, [f"x{k}" for k in range(array.rank)])
    values = [combination(space, component.row, component.modulus) for component in part.components]
    function = str(isl.PwMultiAff.from_map(map_from_values(space, values))) if values else "{ [] }"
    where = " and ".join(window.text("and") for window in part.windows) or "else"
    return f"{where}: {function.removeprefix('{ ').removesuffix(' }')}"


def _defaults(kernel: Kernel) -> Mapping[str, int] | None:
    """The values that the source gives to all parameters, for buffers whose size depends on them."""
    return kernel.defaults if set(kernel.parameters) <= set(kernel.defaults) else None


def _extent(array: Array, position: int, parameters: Mapping[str, int]) -> int:
    return max(0, int(evaluate(array.extents[position], parameters, ())))


def _folded(life: Lifetimes) -> tuple[tuple[int, ...], isl.Set]:
    """The subscripts that cannot be folded, and the differences in the other ones."""
    whole: list[int] = []
    differences = conflict_differences(life)
    while differences is not None and (unbounded := unbounded_dims(differences)):
        whole.append(unbounded[0])
        differences = conflict_differences(life, whole)
    if differences is None:
        return tuple(range(life.held.dim(Dim.out))), isl.Set.universe(set_space((), "", ()))
    return tuple(sorted(whole)), without_dims(differences, whole)


def _components(array: Array, whole: tuple[int, ...], found: Modular) -> tuple[Component, ...]:
    """The address: subscripts kept whole and folded ones, in the order of the subscripts if each has its own."""
    kept = [k for k in range(array.rank) if k not in whole]
    units = [tuple(int(k == position) for k in range(array.rank)) for position in range(array.rank)]
    parts = [Component(units[k], None, array.extents[k]) for k in whole]
    for row, modulus in zip(found.rows, found.moduli, strict=True):
        spread = dict(zip(kept, row, strict=True))
        parts.append(Component(tuple(spread.get(k, 0) for k in range(array.rank)), modulus, integer(modulus)))
    if all(part.row in units for part in parts):
        parts.sort(key=lambda part: units.index(part.row))
    return tuple(parts)
