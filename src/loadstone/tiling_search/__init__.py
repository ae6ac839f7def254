"""Loadstone decides: tilings that move the fewest words in a local memory, and how far they are from what is possible."""
