"""Names of classes in generated Python."""

from __future__ import annotations

from collections.abc import Set


def class_name(name: str, taken: Set[str]) -> str:
    """The class for an accelerator: the words of its name, written together, unless the file needs that name itself.

    >>> class_name("vector_sum", {"Soc"}), class_name("soc", {"Soc"})
    ('VectorSum', 'SocAccelerator')
    """
    wish = "".join(part.capitalize() for part in name.split("_"))
    return f"{wish}Accelerator" if wish in taken else wish
