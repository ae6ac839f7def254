"""Loops that end early, or count in ways of their own: their iterations, jumps and induction variables."""
