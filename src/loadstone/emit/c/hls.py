"""Shared by the HLS back ends: the top function with its limit, processes with private memory."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from loadstone.emit.c.code import INDENT, Cells, Function, Text, word_type
from loadstone.emit.c.program import Program
from loadstone.model.expression import Expression


def array_declaration(cells: Cells) -> str:
    """The declaration of a memory."""
    banks = f"[{cells.banks}]" if cells.banks > 1 else ""
    return f"{word_type(cells.type)} {cells.name}[{cells.count}]{banks}"


def with_own_memory(process: Function, more: Callable[[Cells], Iterable[str]] = lambda _: ()) -> Function:
    """The process, with declarations of its private memories, and lines more behind each."""
    owned = [p for p in process.parameters if isinstance(p, Cells) and p.owner is not None]
    lines = ((f"LOCAL {array_declaration(cells)};", *more(cells)) for cells in owned)
    declared = (Text(line) for group in lines for line in group)
    return replace(process, offer=tuple(p for p in process.offer if p not in owned), body=(*declared, *process.body))


def header(program: Program, parts: Sequence[str]) -> str:
    """The interface of a program, which begins with some parts."""
    guard = f"{program.name.upper()}_HPP"
    lines = [
        *(f"/* {program.summary} */", f"#ifndef {guard}", f"#define {guard}", "", *program.definitions),
        *(*parts, *program.promise("sets loaded_words to -1"), f"{_signature(program)};", "", "#endif", ""),
    ]
    return "\n".join(lines)


def emit_beginning(program: Program, includes: str, sizes: Iterable[Expression] = ()) -> list[str]:
    """The first lines of the program: what it includes, in which `@` is its name, and helpers, also those of sizes."""
    return [
        f"/* {program.summary} */",
        *includes.replace("@", program.name).split("\n"),
        *(["typedef bool _Bool;"] if program.has_booleans else []),
        "",
        *program.beginning(sizes),
    ]


def guard(program: Program) -> list[str]:
    """Lines that return from the top function where it refuses the parameters."""
    if program.limit is None:
        return []
    body = ("*loaded_words = -1;", "*stored_words = 0;", "return;")
    return [f"if ({program.limit.refused.text}) {{", *(INDENT + line for line in body), "}"]


def counted(program: Program, work: Iterable[str]) -> list[str]:
    """Lines that run the processes, between declarations of counters and their sums."""
    return [
        *(f"long {counter.name} = 0;" for counter in program.counters),
        *work,
        f"*loaded_words = {program.counted('load')};",
        f"*stored_words = {program.counted('store')};",
    ]


def top_function(program: Program, body: Iterable[str]) -> list[str]:
    """The top function."""
    return [_signature(program), "{", *(INDENT + line for line in body), "}", ""]


def _signature(program: Program) -> str:
    return program.signature('extern "C" void', "top")
