"""Reading a plan that the user brings: the JSON of `loadstone plan`, of which only the load and store maps count."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import islpy as isl

from loadstone.errors import Diagnostic, InputError, Problems, Source, Span
from loadstone.files import UnreadableFile, file_text, unreadable
from loadstone.model.kernel import Array
from loadstone.poly.names import names_of
from loadstone.transfer.tile_accesses import tile_space
from loadstone.transform.tiling import TiledKernel

Moved = dict[str, isl.Map]


def read_plan(path: str | Path, tiles: TiledKernel) -> tuple[Moved, Moved]:
    """The load and store maps of a plan file, by array; raises `InputError` with every problem of the file."""
    try:
        text = file_text(Path(path))
    except UnreadableFile as reason:
        raise unreadable(f"'{path}'", reason) from None
    return parse_plan(Source(str(path), text), tiles)


def parse_plan(source: Source, tiles: TiledKernel) -> tuple[Moved, Moved]:
    """The load and store maps of a plan in JSON: `{"arrays": {"c": {"load": MAP, "store": MAP}}}`.

    An array or a map that is left out moves nothing. Maps are as in our own plans: tiles of the strip to elements, the
    parameters of the kernel and the outer tile coordinates as parameters.
    """
    problems = Problems()
    arrays = _arrays(source)
    load: Moved = {}
    store: Moved = {}
    for name, described in arrays.items():
        array = tiles.kernel.arrays.get(name)
        if array is None:
            known = ", ".join(tiles.kernel.arrays)
            problems.add(f"the kernel has no array '{name}'", _span(source, name), f"arrays are: {known}")
        elif not isinstance(described, dict):
            problems.add(f"array '{name}' must be an object with the keys load and store", _span(source, name))
        else:
            for key, moved in (("load", load), ("store", store)):
                text = cast("Mapping[str, Any]", described).get(key)
                if text is not None:
                    moved[name] = _read_map(text, f"the {key} map of '{name}'", array, tiles, source, problems)
    problems.raise_if_any()
    return load, store


def _arrays(source: Source) -> Mapping[str, Any]:
    try:
        whole: Any = json.loads(source.text)
    except json.JSONDecodeError as error:
        raise InputError(Diagnostic(f"not JSON: {error.msg}", source.span(error.lineno, error.colno))) from error
    except RecursionError:
        hint = "maps are texts, and nothing in a plan is nested deeper than its arrays"
        raise InputError(Diagnostic(f"{source.name} is nested too deeply to be a plan", None, hint)) from None
    arrays: Any = cast("Mapping[str, Any]", whole).get("arrays") if isinstance(whole, dict) else None
    if not isinstance(arrays, dict):
        hint = '{"arrays": {"c": {"load": "[N, T0] -> { [T1] -> c[m] : ... }", "store": ...}}}'
        raise InputError(Diagnostic(f"{source.name} holds no plan: there is no object 'arrays' in it", None, hint))
    return cast("Mapping[str, Any]", arrays)


def _read_map(text: object, what: str, array: Array, tiles: TiledKernel, source: Source, problems: Problems) -> isl.Map:
    """The map of a text; a problem is recorded, and the map empty, if it is none of this array."""
    space = tile_space(tiles, array)
    hint = f"it must be like {isl.Map.universe(space)}"
    empty = isl.Map.empty(space)
    span = _span(source, text)
    try:
        relation = isl.UnionMap.read_from_str(isl.DEFAULT_CONTEXT, text) if isinstance(text, str) else None
    except isl.Error:
        relation = None
    if relation is None:
        problems.add(f"{what} is not a map that isl can read", span, hint)
        return empty
    unknown = sorted(_parameters(relation) - _parameters(empty))
    if unknown:
        problems.add(f"{what} has the unknown parameter {unknown[0]}", span, hint)
        return empty
    found: list[isl.Map] = []
    relation.align_params(space.params()).foreach_map(found.append)
    if any(not part.get_space().has_equal_tuples(space) for part in found):
        problems.add(f"{what} does not map the tiles of a strip to elements of '{array.name}'", span, hint)
        return empty
    return found[0] if found else empty


def _parameters(relation: isl.Map | isl.UnionMap) -> set[str]:
    return set(names_of(relation.get_space()))


def _span(source: Source, value: object) -> Span | None:
    """Where a value stands in the JSON text."""
    offset = source.text.find(json.dumps(value))
    return source.span_at(offset) if offset >= 0 else None
