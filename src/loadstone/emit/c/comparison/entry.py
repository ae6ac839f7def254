"""Entries of programs: `void entry(void **memory, const long long *parameters, long *words)`.

They take the arrays in the order of the kernel, the parameters, and room for the numbers of words loaded and stored.
"""

from __future__ import annotations

from loadstone.model.kernel import Kernel


def entry_head(entry: str, prefix: str = "") -> str:
    """The head of an entry; its arguments carry a prefix where the text of the kernel may use their names."""
    return f"void {entry}(void **{prefix}memory, const long long *{prefix}parameters, long *{prefix}words)"


def parameter_lines(kernel: Kernel) -> list[str]:
    """Declarations that give the parameters their values."""
    return [
        f"  const {kind} {name} = ({kind})loadstone_parameters[{k}];"
        for k, (name, kind) in enumerate(kernel.parameter_types.items())
    ]
