"""Array-OL specifications: tasks that are repeated over arrays by tilers, as kernels [Corvino, section 2].

`document.py` reads YAML with positions, `specification.py` holds what a specification says, `reading.py` makes it from
the document, `flat.py` takes hierarchies apart, `checks.py` proves single assignment, and `text.py` writes the C that
the C front end then reads.
"""

from loadstone.frontend.arrayol.kernel import read_array_ol as read_array_ol
