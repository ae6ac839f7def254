"""Kernels as Array-OL specifications, where their accesses are tilers.

`accesses.py` takes subscripts apart, `nests.py` finds the repetition of a loop nest, `borders.py` joins what stands
under conditions on it, `patterns.py` gives each access its pattern, `specification.py` puts tasks together.
"""

from loadstone.emit.arrayol.specification import specification_of as specification_of
