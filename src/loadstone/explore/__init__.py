"""Loadstone decides: tilings that move the fewest words, how far they are from what is possible, and exploration."""
