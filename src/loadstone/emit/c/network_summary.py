"""What generated programs of networks say of themselves."""

from __future__ import annotations

from loadstone.emit.c.network_program import NetworkProgram


def summary(program: NetworkProgram) -> str:
    """What the network is, in one line."""
    processes, channels = len(program.network.processes), len(program.network.channels)
    return f"{program.kernel.name} as a network of {processes} processes and {channels} channels. Written by Loadstone."


def promise(program: NetworkProgram, refusal: str) -> list[str]:
    """What the top function does, as a comment; `refusal` is what it does with other parameters."""
    both = ", ".join(array.name for array in program.loaded if array in program.stored)
    lines = ["Executes the kernel and counts the words that it moves."]
    if program.kernel.parameters:
        lines.append(f"Streams and memories have the sizes for {program.made_for()}; with other parameters, {refusal}.")
    if both:
        lines.append(f"Results of {both} go to memories of their own, of which other elements do not change.")
    return ["/* " + "\n   ".join(lines) + " */"]
