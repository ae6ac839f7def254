"""Compiled programs on the memories of a kernel."""
