"""Whole accelerators: load, compute and store engines around local memories, on a bus."""
