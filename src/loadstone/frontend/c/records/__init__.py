"""Structures of C: where their members lie, and arrays in their place."""
