"""Decision trees say what the maps say that they are made from, and obey the algebra of RR-7697, section 2.2."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Mapping
from itertools import product
from pathlib import Path
from typing import TypeVar

import islpy as isl
import pytest

import loadstone as ls
from kernels import EXAMPLES, ROOT, random_kernel, tiny_parameters
from loadstone.poly import fixed
from loadstone.poly.enumeration import pairs, points
from loadstone.poly.limits import LimitReached, operation_limit
from loadstone.transfer import Plan, make_plan, quast
from loadstone.transfer import selection_tree as trees
from loadstone.transfer.first_last import first_read, first_read_before_write, last_write
from loadstone.transfer.selection_tree import BOTTOM, Leaf, Quast
from loadstone.transfer.strips import memory_arrays
from loadstone.transfer.tile_accesses import tile_to_exposed_reads, tile_to_written
from loadstone.transform.legality import maps_of
from loadstone.transform.tiling import TiledKernel, Tiling, requested, tiled

QUICK = (
    "polymul",
    "matmul",
    "fir",
    "devos_3_1",
    "histogram",
    "threshold",
    "lpsf_vfbu",
    "jacobi-1d",
    "trisolv",
    "durbin",
)
HARD = ("jacobi-2d", "seidel-2d", "heat-3d")
SECONDS_PER_TREE = 60
CHECK_LIMIT = 5_000_000
SAMPLED_STRIPS = 6
DIM = isl.dim_type
MATMUL = """
void matmul(int N, int a[N + 1][N + 1], int b[N + 1][N + 1], int c[N + 1][N + 1])
{
#pragma scop
  for (int i = 0; i <= N; i++)
    for (int j = 0; j <= N; j++)
      for (int k = 0; k <= N; k++)
S:      c[i][j] += a[i][k] * b[k][j];
#pragma endscop
}
"""
FIRST_OP_READ = """[N, T0] -> { c[m] -> S2[0, m] : 0 <= m and N-10T0-9 <= m <= N-10T0 and 0 <= 10T0 <= N;
    c[m] -> S2[10T0-N+m, N-10T0] : N-10T0+1 <= m <= 2N-10T0 and 0 <= 10T0 <= N }"""
FIRST_READ_IN_TILE = """[N, T0] -> {
    [T] -> c[m] : 0 <= 10T0 <= N and T = 0 and 0 <= m and N-10T0-9 <= m <= N-10T0;
    [T] -> c[m] : 0 <= 10T0 <= N and T >= 0 and m+10T0-N >= 1 and 10T <= m+10T0-N <= 10T+9 and m+10T0-N <= N }"""
TILE = "0 <= x <= N and 0 <= y <= N and 0 <= 32T0 <= N and 0 <= 32T1 <= N"
ROW, COLUMN = "32T0 <= x <= 32T0+31", "32T1 <= y <= 32T1+31"
FIRST_READS = {
    "a": f"[N, T0, T1] -> {{ a[x,y] -> S[x, 32T1, y] : {TILE} and {ROW} }}",
    "b": f"[N, T0, T1] -> {{ b[x,y] -> S[32T0, y, x] : {TILE} and {COLUMN} }}",
    "c": f"[N, T0, T1] -> {{ c[x,y] -> S[x, y, 0] : {TILE} and {ROW} and {COLUMN} }}",
}
Values = dict[tuple[int, ...], trees.Evaluated]
T = TypeVar("T")
LAST_WRITE = f"[N, T0, T1] -> {{ c[x,y] -> S[x, y, N] : {TILE} and {ROW} and {COLUMN} }}"


def tile_of_operation(tiles: TiledKernel, element_to_instance: isl.UnionPwMultiAff) -> isl.UnionMap:
    """Elements to the tile of the strip that runs their instance: floor(theta / size) [RR-7697, 3.3]."""
    tile_of = isl.UnionMap.empty(element_to_instance.get_space())
    for statement in tiles.kernel.statements:
        tile_of = tile_of.union(tiles.instance_to_strip_tile(statement.name).to_union_map())
    return isl.UnionMap.from_union_pw_multi_aff(element_to_instance).apply_range(tile_of)


def tiles_of(path: Path | str) -> TiledKernel:
    kernel = ls.parse(path)
    assert kernel.tiling is not None
    return requested(kernel, kernel.tiling)


def example(name: str) -> Path:
    return next(path for path in EXAMPLES if path.stem == name)


@pytest.fixture(scope="module")
def polymul() -> TiledKernel:
    return tiles_of(ROOT / "examples" / "polymul.c")


@pytest.fixture(scope="module")
def matmul(tmp_path_factory: pytest.TempPathFactory) -> TiledKernel:
    path = tmp_path_factory.mktemp("quast") / "matmul.c"
    path.write_text(MATMUL)
    return tiled(ls.parse(path), Tiling(32))


def relation(function: isl.UnionPwMultiAff) -> isl.UnionMap:
    return isl.UnionMap.from_union_pw_multi_aff(function)


def operation_tree(tiles: TiledKernel, array: str, function: isl.UnionPwMultiAff) -> Quast:
    return quast.quast_of(function, quast.strip_context(tiles, array))


def test_first_read_of_the_polynomial_product(polymul: TiledKernel) -> None:
    """FirstOpRead of RR-7697, 2.2."""
    assert relation(first_read(polymul, "c")).is_equal(isl.UnionMap(FIRST_OP_READ))
    assert relation(first_read_before_write(polymul, "c")).is_equal(isl.UnionMap(FIRST_OP_READ))


def test_tree_of_the_polynomial_product(polymul: TiledKernel) -> None:
    """The simplified tree of RR-7697, 2.2.1: three tests, two values, and no floor."""
    tree = operation_tree(polymul, "c", first_read(polymul, "c"))
    assert trees.emit_quast(tree).splitlines() == [
        "if N - 10T0 - x0 >= 0",
        "  if 10T0 + x0 - N + 9 >= 0",
        "    S2(0, x0)",
        "  else",
        "    undefined",
        "else if 2N - 10T0 - x0 >= 0",
        "  S2(10T0 + x0 - N, N - 10T0)",
        "else",
        "  undefined",
    ]
    assert trees.map_of(tree).is_equal(isl.UnionMap(FIRST_OP_READ))


def test_inversion_of_the_polynomial_product(polymul: TiledKernel) -> None:
    """FirstReadInTile of RR-7697, 2.2.2: elements by the tile of their first read."""
    tile = tile_of_operation(polymul, first_read(polymul, "c"))
    tree = quast.quast_of(tile, quast.strip_context(polymul, "c"))
    assert trees.inverse(tree).is_equal(isl.UnionMap(FIRST_READ_IN_TILE))


@pytest.mark.parametrize("array", "abc")
def test_first_reads_of_matmul(matmul: TiledKernel, array: str) -> None:
    """The table of RR-7648, III-A."""
    expected = isl.UnionMap(FIRST_READS[array])
    assert relation(first_read_before_write(matmul, array)).is_equal(expected)
    tree = operation_tree(matmul, array, first_read_before_write(matmul, array))
    assert len(list(trees.leaves(tree.root))) == 1
    assert trees.map_of(tree).is_equal(expected)


def test_last_writes_of_matmul(matmul: TiledKernel) -> None:
    """The table of RR-7648, III-A."""
    assert relation(last_write(matmul, "c")).is_equal(isl.UnionMap(LAST_WRITE))
    for array in "ab":
        assert relation(last_write(matmul, array)).is_empty()


CONTEXT = isl.Set("[N] -> { A[x, y] : 0 <= x <= N and 0 <= y <= N }")


def leaf(text: str) -> Leaf:
    return Leaf(isl.MultiAff(f"[N] -> {{ A[x, y] -> {text} }}"))


def choice(text: str, then: trees.Tree, otherwise: trees.Tree) -> trees.Test:
    return trees.Test((isl.Aff(f"[N] -> {{ A[x, y] -> [{text}] }}"),), then, otherwise)


def test_rule_1_drops_tests_that_do_not_matter() -> None:
    inner = choice("y - 3", leaf("[x]"), BOTTOM)
    for same in (leaf("[x, y]"), BOTTOM, inner):
        simple = trees.simplified(Quast(CONTEXT, choice("x - y", same, same))).root
        assert trees.same(simple, same)


def test_rule_1_knows_values_that_are_equal_where_they_matter() -> None:
    tree = Quast(CONTEXT, choice("-x", leaf("[0]"), leaf("[x]")))
    assert trees.same(trees.simplified(tree).root, leaf("[x]"))


def test_tests_that_the_context_decides_are_dropped() -> None:
    tree = Quast(CONTEXT, choice("x + 1", choice("y - N - 1", leaf("[1]"), leaf("[2]")), leaf("[3]")))
    assert trees.same(trees.simplified(tree).root, leaf("[2]"))


def test_rule_2_moves_the_minimum_into_the_branches() -> None:
    first = Quast(CONTEXT, choice("x - y", leaf("[1]"), leaf("[3]")))
    second = Quast(CONTEXT, leaf("[2]"))
    expected = choice("x - y", leaf("[1]"), leaf("[2]"))
    assert trees.same(trees.minimum(first, second).root, expected)
    assert trees.same(trees.minimum(second, first).root, expected)


def test_rule_2_with_the_same_test_on_both_sides() -> None:
    first = Quast(CONTEXT, choice("x - y", leaf("[1]"), leaf("[4]")))
    second = Quast(CONTEXT, choice("x - y", leaf("[2]"), leaf("[3]")))
    assert trees.same(trees.minimum(first, second).root, choice("x - y", leaf("[1]"), leaf("[3]")))


def test_rule_3_undefined_is_larger_than_everything() -> None:
    tree = Quast(CONTEXT, choice("x - y", leaf("[1]"), BOTTOM))
    nothing = Quast(CONTEXT, BOTTOM)
    assert trees.same(trees.minimum(tree, nothing).root, tree.root)
    assert trees.same(trees.minimum(nothing, tree).root, tree.root)
    assert trees.same(trees.minimum(nothing, nothing).root, BOTTOM)


def test_rule_3_keeps_the_first_of_equal_values() -> None:
    first, second = Quast(CONTEXT, leaf("R[x, y]")), Quast(CONTEXT, leaf("W[x, y]"))
    assert trees.same(trees.minimum(first, second).root, first.root)
    assert trees.same(trees.minimum(second, first).root, second.root)


def test_values_of_different_length_are_not_compared() -> None:
    with pytest.raises(ValueError, match="different length"):
        trees.minimum(Quast(CONTEXT, leaf("[x, y]")), Quast(CONTEXT, leaf("[x]")))


def random_affine(chance: random.Random) -> str:
    x, y, n = (chance.choice((-2, -1, -1, 0, 0, 1, 1, 2)) for _ in range(3))
    return f"({x}x + {y}y + {n}N + {chance.randint(-3, 3)})"


def random_value(chance: random.Random) -> str:
    plain = random_affine(chance)
    return f"floor({plain}/{chance.randint(2, 5)})" if chance.random() < 0.3 else plain


def random_map(seed: int, label: str = "T") -> isl.Map:
    """The minimum of a few affine values, each on a convex set, some of them with a congruence."""
    chance = random.Random(seed)
    parts: list[str] = []
    for _ in range(chance.randint(1, 3)):
        tests = [f"{random_affine(chance)} >= 0" for _ in range(chance.randint(0, 2))]
        if chance.random() < 0.25:
            tests.append(f"{random_affine(chance)} mod {chance.randint(2, 3)} = 0")
        where = " and ".join(["0 <= x <= N", "0 <= y <= N", *tests])
        parts.append(f"A[x, y] -> {label}[{random_value(chance)}, {random_value(chance)}] : {where}")
    return isl.Map(f"[N] -> {{ {'; '.join(parts)} }}").lexmin()


def values_at(relation_: isl.UnionMap, parameters: Mapping[str, int]) -> Values:
    """What a function says, element by element."""
    return {
        element: (part.get_tuple_name(DIM.out) or "", value)
        for part in maps_of(fixed(relation_, parameters))
        for element, value in pairs(part)
    }


def check_points(tree: Quast, wanted: isl.UnionMap, size: int) -> None:
    expected = values_at(wanted, {"N": size})
    for element in product(range(size + 1), repeat=2):
        assert trees.evaluate(tree, {"N": size}, element) == expected.get(element)


@pytest.mark.parametrize("max_tests", [0, quast.MAX_TESTS])
@pytest.mark.parametrize("seed", range(40))
def test_random_maps_come_back(seed: int, max_tests: int) -> None:
    wanted = random_map(seed)
    tree = quast.quast_of(wanted, CONTEXT, max_tests)
    assert trees.map_of(tree).is_equal(wanted.to_union_map())
    assert trees.map_of(trees.simplified(tree)).is_equal(wanted.to_union_map())
    assert trees.inverse(tree).is_equal(wanted.reverse().to_union_map())
    assert disjoint([region for region, _ in trees.pieces(tree)])
    for size in (0, 4):
        check_points(tree, wanted.to_union_map(), size)


def disjoint(regions: list[isl.Set]) -> bool:
    return all(one.is_disjoint(other) for k, one in enumerate(regions) for other in regions[:k])


@pytest.mark.parametrize("seed", range(25))
def test_random_minima(seed: int) -> None:
    first, second = random_map(seed), random_map(1000 + seed)
    least = trees.minimum(quast.quast_of(first, CONTEXT), quast.quast_of(second, CONTEXT))
    assert trees.map_of(least).is_equal(first.union(second).lexmin().to_union_map())


def test_size_is_bounded_by_a_chain() -> None:
    boxes = [f"A[x, y] -> [{k}] : {3 * k} <= x <= N - {k} and {3 * k} <= y < {3 * k + 2}" for k in range(6)]
    function = isl.Map(f"[N] -> {{ {'; '.join(boxes)} }}").intersect_domain(CONTEXT)
    full, chain = quast.quast_of(function, CONTEXT, 1000), quast.quast_of(function, CONTEXT, 1)
    assert trees.count_tests(chain.root) == len(boxes) < trees.count_tests(full.root)
    assert trees.map_of(chain).is_equal(trees.map_of(full))


def labelled(tile_to_elements: isl.Map, label: str) -> isl.Map:
    return tile_to_elements.reverse().lexmin().set_tuple_name(DIM.out, label)


@pytest.mark.parametrize("name", ["polymul", "devos_3_1", "jacobi1d_sa", "trisolv"])
def test_first_access_by_minimum_of_tagged_trees(name: str) -> None:
    """Equation 4 of RR-7697: the minimum of first tile read and first tile write, without the leaves of writes."""
    tiles = tiles_of(example(name))
    plan = make_plan(tiles, keep_dead_stores=True)
    for array in memory_arrays(tiles.kernel):
        context = quast.strip_context(tiles, array.name)
        accesses = first_accesses(tiles, array.name)
        reads, writes = (quast.quast_of(part, context) for part in accesses)
        loads = trees.inverse(trees.without(trees.minimum(reads, writes), "write"))
        expected = plan[array.name].load.set_tuple_name(DIM.in_, "read").to_union_map()
        assert loads.is_equal(expected), array.name


def first_accesses(tiles: TiledKernel, array: str) -> tuple[isl.Map, isl.Map]:
    """The first tile with an exposed read, and the first tile with a write."""
    whole = tiles.kernel.arrays[array]
    return labelled(tile_to_exposed_reads(tiles, whole), "read"), labelled(tile_to_written(tiles, whole), "write")


def check_example(path: Path) -> None:
    """Every tree of an example is made in time, and equals the map that it stands for, inside of the array."""
    plan = make_plan(tiles_of(path))
    for title, make in quast.plan_trees(plan):
        start = time.monotonic()
        tree = within(quast.TREE_LIMIT, make)
        assert time.monotonic() - start < SECONDS_PER_TREE, title
        assert tree is not None or path.stem in HARD, title
        if tree is not None:
            equal = within(CHECK_LIMIT, lambda tree=tree, title=title: stands_for(tree, wanted(plan, title)))
            assert equal or (equal is None and path.stem in HARD), title
            check_samples(tree, wanted(plan, title), plan.tiles)


def check_samples(tree: Quast, relation_: isl.UnionMap, tiles: TiledKernel) -> None:
    """For some parameters and strips, the tree evaluates to what the map says, for all elements."""
    parameters = list(tiny_parameters(tiles.kernel))[-1]
    cells = fixed(tree.context, parameters)
    found = points(cells.move_dims(DIM.set, 0, DIM.param, len(parameters), len(tiles.outer)))
    places = [(point[: len(tiles.outer)], point[len(tiles.outer) :]) for point in found]
    strips = sorted({strip for strip, _ in places})
    for strip in strips[:: 1 + len(strips) // SAMPLED_STRIPS]:
        chosen = {**parameters, **dict(zip(tiles.outer, strip, strict=True))}
        expected = values_at(relation_, chosen)
        for element in (element for where, element in places if where == strip):
            assert trees.evaluate(tree, chosen, element) == expected.get(element)


def stands_for(tree: Quast, relation_: isl.UnionMap) -> bool:
    return trees.map_of(tree).is_equal(relation_.intersect_domain(tree.context.to_union_set()))


def within(limit: int, compute: Callable[[], T]) -> T | None:
    try:
        with operation_limit(limit):
            return compute()
    except LimitReached:
        return None


def wanted(plan: Plan, title: str) -> isl.UnionMap:
    """The map that the tree with this title stands for."""
    kind, _, element = title.split(" ")[:3]
    array = element.partition("[")[0]
    match kind:
        case "FirstRead":
            return relation(first_read_before_write(plan.tiles, array))
        case "LastWrite":
            return relation(last_write(plan.tiles, array))
        case "Load":
            return plan[array].load.reverse().to_union_map()
        case _:
            return plan[array].store.reverse().to_union_map()


@pytest.mark.parametrize("name", QUICK)
def test_trees_of_examples(name: str) -> None:
    check_example(example(name))


@pytest.mark.sweep
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_trees_of_all_examples(path: Path) -> None:
    check_example(path)


def check_tiles_of_operations(path: Path) -> None:
    """Theorem 2 of RR-7697: Load(T) and Store(T) are the tiles of first reads before writes and of last writes."""
    tiles = tiles_of(path)
    plan = make_plan(tiles, keep_dead_stores=True)
    for name, part in plan.arrays.items():
        first, last = first_read_before_write(tiles, name), last_write(tiles, name)
        assert tile_of_operation(tiles, first).is_equal(part.load.reverse().to_union_map()), name
        assert tile_of_operation(tiles, last).is_equal(part.store.reverse().to_union_map()), name


@pytest.mark.parametrize("name", QUICK)
def test_tiles_of_operations_are_the_plan(name: str) -> None:
    check_tiles_of_operations(example(name))


@pytest.mark.sweep
@pytest.mark.parametrize("path", [path for path in EXAMPLES if path.stem not in HARD], ids=lambda path: path.stem)
def test_tiles_of_all_operations_are_the_plan(path: Path) -> None:
    check_tiles_of_operations(path)


def test_plan_quasts_name_every_array_and_give_up_in_words(polymul: TiledKernel) -> None:
    plan = make_plan(polymul)
    shown = quast.plan_quasts(plan)
    assert [title for title, _ in shown[:4]] == [
        "FirstRead of c[x0]",
        "LastWrite of c[x0]",
        "Load of c[x0] in tile (T1)",
        "Store of c[x0] in tile (T1)",
    ]
    assert len(shown) == 4 * len(plan.arrays)
    assert quast.plan_quasts(plan, limit=10)[0][1] == "not computed: more than 10 isl operations"


Strip = tuple[int, ...]
Events = dict[tuple[Strip, tuple[int, ...]], list[tuple[bool, trees.Evaluated]]]


def events_of(tiles: TiledKernel, array: str, parameters: Mapping[str, int]) -> Events:
    """The accesses of each strip to each element of an array, in order of execution, reads of an instance first."""
    dated: list[tuple[tuple[int, ...], bool, trees.Evaluated, tuple[int, ...]]] = []
    for statement in tiles.kernel.statements:
        order = dict(pairs(fixed(tiles.instance_to_order(statement.name), parameters)))
        for access in (*statement.reads, statement.write):
            if access.array == array:
                for instance, element in pairs(fixed(access.relation, parameters)):
                    dated.append((order[instance], access is statement.write, (statement.name, instance), element))
    found: Events = {}
    for date, writes, operation, element in sorted(dated):
        found.setdefault((date[: len(tiles.outer)], element), []).append((writes, operation))
    return found


def strip_values(
    tiles: TiledKernel, function: isl.UnionPwMultiAff, parameters: Mapping[str, int], strip: Strip
) -> Values:
    return values_at(relation(function), {**parameters, **dict(zip(tiles.outer, strip, strict=True))})


def check_by_enumeration(tiles: TiledKernel, parameters: Mapping[str, int]) -> None:
    for array in memory_arrays(tiles.kernel):
        events = events_of(tiles, array.name, parameters)
        reads, exposed, writes = (f(tiles, array.name) for f in (first_read, first_read_before_write, last_write))
        for strip in {strip for strip, _ in events}:
            mine = {element: found for (where, element), found in events.items() if where == strip}
            firsts = {element: next((o for w, o in found if not w), None) for element, found in mine.items()}
            lasts = {element: next((o for w, o in reversed(found) if w), None) for element, found in mine.items()}
            starts = {element: found[0][1] for element, found in mine.items() if not found[0][0]}
            assert strip_values(tiles, reads, parameters, strip) == defined(firsts)
            assert strip_values(tiles, writes, parameters, strip) == defined(lasts)
            assert strip_values(tiles, exposed, parameters, strip) == starts


def defined(values: Mapping[tuple[int, ...], trees.Evaluated | None]) -> Values:
    return {element: value for element, value in values.items() if value is not None}


def check_random_kernel(seed: int) -> None:
    kernel, rows = random_kernel(seed)
    if not kernel.exact:
        return
    tiles = tiled(kernel, Tiling(2 + seed % 2))
    for parameters in rows[:2]:
        check_by_enumeration(tiles, parameters)


@pytest.mark.parametrize("seed", range(6))
def test_operations_of_random_kernels(seed: int) -> None:
    check_random_kernel(seed)


@pytest.mark.sweep
@pytest.mark.parametrize("seed", range(6, 60))
def test_operations_of_more_random_kernels(seed: int) -> None:
    check_random_kernel(seed)
