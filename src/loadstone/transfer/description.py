"""A plan described for programs: the JSON of `loadstone plan`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import islpy as isl

from loadstone.transfer.baselines import Baseline, baselines
from loadstone.transfer.plan import ArrayPlan, Plan
from loadstone.transfer.volumes import count, total
from loadstone.transform.tiling import tiling_info


def plan_info(plan: Plan, parameters: Mapping[str, int] | None = None, *, per_tile: bool = False) -> dict[str, Any]:
    """The plan as JSON; with parameter values, integers stand beside the closed forms.

    `per_tile` adds the volumes of single tiles, in closed form.
    """
    tiles = plan.tiles
    arrays = {
        name: _array(part, parameters) | (_tile_volumes(part) if per_tile else {}) for name, part in plan.arrays.items()
    }
    loads = [part.load_volume for part in plan.arrays.values()]
    stores = [part.store_volume for part in plan.arrays.values()]
    whole: dict[str, Any] = {"load": _text(total(loads)), "store": _text(total(stores))}
    if parameters is not None:
        whole["values"] = {key: sum(array["values"][key] for array in arrays.values()) for key in ("load", "store")}
    return {
        "kernel": tiles.kernel.name,
        "parameters": list(tiles.kernel.parameters),
        "exact": plan.exact,
        **({"reason": plan.reason} if plan.reason else {}),
        "tiling": tiling_info(tiles),
        "arrays": arrays,
        "volume": whole,
    }


def comparison(plan: Plan, parameters: Mapping[str, int]) -> list[dict[str, Any]]:
    """Words loaded and stored by the plan and by other ways of moving the data, for given parameters."""
    own = Baseline(
        "this plan",
        tuple(part.strip_to_loaded for part in plan.arrays.values()),
        tuple(part.strip_to_stored for part in plan.arrays.values()),
    )
    return [
        {
            "way": way.name,
            "load": sum(count(part, parameters) for part in way.loads),
            "store": sum(count(part, parameters) for part in way.stores),
        }
        for way in (own, *baselines(plan.tiles))
    ]


def _array(part: ArrayPlan, parameters: Mapping[str, int] | None) -> dict[str, Any]:
    described: dict[str, Any] = {
        "load": str(part.load),
        "store": str(part.store),
        "load_volume": _text(part.load_volume),
        "store_volume": _text(part.store_volume),
    }
    if parameters is not None:
        described["values"] = {
            "load": count(part.strip_to_loaded, parameters),
            "store": count(part.strip_to_stored, parameters),
        }
    return described


def _tile_volumes(part: ArrayPlan) -> dict[str, Any]:
    return {"load_per_tile": _text(part.load_per_tile), "store_per_tile": _text(part.store_per_tile)}


def _text(polynomial: isl.PwQPolynomial | None) -> str | None:
    return None if polynomial is None else str(polynomial)
