"""Schedules: tilings and their legality."""

from loadstone.transform.legality import violation
from loadstone.transform.tiling import TiledKernel, Tiling, tiled

__all__ = ["TiledKernel", "Tiling", "tiled", "violation"]
