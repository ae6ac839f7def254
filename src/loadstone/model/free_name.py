"""Names for new things.

>>> free_name("i", {"i", "i2"})
'i3'
"""

from __future__ import annotations

from collections.abc import Set


def free_name(wanted: str, taken: Set[str], separator: str = "") -> str:
    """The wanted name, with a number behind it if it is taken."""
    numbered = (f"{wanted}{separator}{number}" for number in range(2, len(taken) + 3))
    return wanted if wanted not in taken else next(name for name in numbered if name not in taken)
