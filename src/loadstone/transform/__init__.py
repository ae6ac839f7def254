"""Schedules: tilings and their legality."""

from loadstone.transform.legality import check_legal, violation
from loadstone.transform.tiling import TiledKernel, Tiling, tiled

__all__ = ["TiledKernel", "Tiling", "check_legal", "tiled", "violation"]
