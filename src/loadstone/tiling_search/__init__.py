"""Loadstone decides: tilings that move the fewest words in a local memory, and how far from what is possible."""
