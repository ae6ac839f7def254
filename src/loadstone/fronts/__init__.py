"""Exploration: all designs of a space, the Pareto front, and a proof that no design was missed.

`space.py` has the axes and the designs, `measures.py` what a design costs and what it costs at least, `archive.py` the
front so far, `search.py` goes through the space by branch and bound, `store.py` keeps results between runs.
"""
