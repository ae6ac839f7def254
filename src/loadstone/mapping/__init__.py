"""Array-OL applications on processors with local memories and FIFOs: computation masks transfers [Corvino, 3, 4].

`processors.py` has the architecture and the matrices of definitions 3 to 7, `times.py` equations 1 to 6, `criteria.py`
the mapping criteria and what they allow, `measures.py` internal memory and latency, `fusions.py` the exploration, and
`passes.py` what a fusion executes.
"""
