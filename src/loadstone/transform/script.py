"""Scripts of loop transformations.

One step per line; `#` begins a comment; `#include "other.steps"` reads another script. Long sequences are built from
short ones:

    sequence shifted(first, second, by)     # `$name` stands for an argument
      fuse $first.i with $second.i
      shift [$second].i by $by
    end
    shifted S1 S2 1

Calls of URUK are read, too: see `uruk.py`.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from loadstone.errors import Diagnostic, InputError, Source, Span
from loadstone.files import UnreadableFile, file_text, is_inside, unreadable
from loadstone.transform.loop_names import StepError
from loadstone.transform.step_syntax import Step, read_step
from loadstone.transform.steps import BY_WORD
from loadstone.transform.uruk import CALL, UrukCall

DEEPEST = 64
"""How deep sequences may call each other, and scripts include each other."""
_SEQUENCE = re.compile(r"sequence\s+(?P<name>[\w-]+)\s*\((?P<parameters>[^)]*)\)\s*")
_INCLUDE = re.compile(r"#include\s+[\"<](?P<file>[^\">]+)[\">]\s*")
_ARGUMENT = re.compile(r"\$\{(\w+)\}|\$(\w+)")


@dataclass(frozen=True, slots=True)
class Word:
    """A word of a script and where it stands."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class ScriptStep:
    """A step of a script, its words, and the calls of sequences that led to it, innermost first."""

    step: Step
    words: tuple[Word, ...]
    calls: tuple[Span, ...] = ()

    def problem(self, error: StepError) -> Diagnostic:
        """What is wrong with the step, at the word that is to blame."""
        return problem_of(error, self.words, self.calls)


Line = tuple[Word, ...]
"""The words of a line of a script."""


@dataclass(frozen=True, slots=True)
class _Sequence:
    """A named sequence of lines with parameters."""

    parameters: tuple[str, ...]
    lines: tuple[Line, ...]


def read_script(path: Path, without: Collection[str] = ()) -> tuple[ScriptStep, ...]:
    """The steps of a script in a file, without lines that begin with some words."""
    return _steps_of(script_source(path), path.parent, without)


def parse_script(text: str, name: str = "script", without: Collection[str] = ()) -> tuple[ScriptStep, ...]:
    """The steps of a script given as text, without lines that begin with some words."""
    return _steps_of(Source(name, text), Path(), without)


def script_source(path: Path, span: Span | None = None) -> Source:
    """The text of a script, which is named at a place."""
    try:
        return Source(str(path), file_text(path))
    except UnreadableFile as reason:
        raise unreadable(f"the script '{path}'", reason, span) from None


def _steps_of(source: Source, folder: Path, without: Collection[str]) -> tuple[ScriptStep, ...]:
    sequences: dict[str, _Sequence] = {}
    lines = _top_level(source, folder, folder, sequences, ())
    kept = (line for line in lines if line[0].text not in without)
    return tuple(_expanded(kept, sequences, {}, ()))


def _top_level(
    source: Source, folder: Path, root: Path, sequences: dict[str, _Sequence], including: tuple[Path, ...]
) -> Iterator[Line]:
    """The lines outside of sequences, with those of scripts included from `root`; sequences are noted as defined."""
    open_sequence: tuple[re.Match[str], Span, list[Line]] | None = None
    for number, text in enumerate(source.text.splitlines(), 1):
        include = _INCLUDE.fullmatch(text.strip())
        line = tuple(words_of(source, number, text))
        if include:
            yield from _included(folder / include["file"], root, sequences, including, source.span(number, 1))
        elif not line:
            continue
        elif line[0].text == "sequence":
            open_sequence = _head(line, text), line[0].span, []
        elif line[0].text == "end":
            sequences.update(_closed(open_sequence, line[0].span))
            open_sequence = None
        elif open_sequence is not None:
            open_sequence[2].append(line)
        else:
            yield line
    if open_sequence is not None:
        raise InputError(Diagnostic("this sequence has no end", open_sequence[1], "close it with 'end'"))


def _included(
    path: Path, root: Path, sequences: dict[str, _Sequence], including: tuple[Path, ...], span: Span
) -> Iterator[Line]:
    if not is_inside(path, [root]):
        hint = "put it into the folder of the script, or below"
        raise InputError(Diagnostic(f"'{path}' is outside of the script's folder", span, hint))
    if path.resolve() in including or len(including) > DEEPEST:
        raise InputError(Diagnostic(f"'{path.name}' includes itself", span))
    yield from _top_level(script_source(path, span), path.parent, root, sequences, (*including, path.resolve()))


def words_of(source: Source, number: int, text: str) -> Iterator[Word]:
    """The words of a line, without its comment."""
    for found in re.finditer(r"\S+", text.split("#", maxsplit=1)[0]):
        yield Word(found[0], source.span(number, found.start() + 1))


def _head(line: Line, text: str) -> re.Match[str]:
    head = _SEQUENCE.fullmatch(text.split("#", maxsplit=1)[0].strip())
    if head is None:
        hint = "sequence name(first, second)"
        raise InputError(Diagnostic("a sequence needs a name and parameters in parentheses", line[0].span, hint))
    if head["name"] in BY_WORD:
        raise InputError(Diagnostic(f"'{head['name']}' is the name of a step", line[1].span, "choose another"))
    return head


def _closed(open_sequence: tuple[re.Match[str], Span, list[Line]] | None, span: Span) -> dict[str, _Sequence]:
    if open_sequence is None:
        raise InputError(Diagnostic("there is no sequence to end", span))
    head, _, lines = open_sequence
    parameters = tuple(name.strip() for name in head["parameters"].split(",") if name.strip())
    return {head["name"]: _Sequence(parameters, tuple(lines))}


def _expanded(
    lines: Iterable[Line],
    sequences: Mapping[str, _Sequence],
    arguments: Mapping[str, str],
    calls: tuple[Span, ...],
) -> Iterator[ScriptStep]:
    """The steps of lines, those of sequences in place of their calls."""
    for line in lines:
        words = tuple(replace(word, text=_filled(word, arguments)) for word in line)
        first = words[0]
        called = sequences.get(first.text)
        if called is not None:
            yield from _called(called, words, sequences, calls)
        else:
            yield _step(words, sequences, calls)


def _filled(word: Word, arguments: Mapping[str, str]) -> str:
    def argument(found: re.Match[str]) -> str:
        name = found[1] or found[2]
        if name not in arguments:
            known = ", ".join(f"${name}" for name in arguments) or "none"
            raise InputError(Diagnostic(f"there is no argument '${name}'", word.span, f"arguments are: {known}"))
        return arguments[name]

    return _ARGUMENT.sub(argument, word.text)


def _called(
    sequence: _Sequence, words: tuple[Word, ...], sequences: Mapping[str, _Sequence], calls: tuple[Span, ...]
) -> Iterator[ScriptStep]:
    name, given = words[0], words[1:]
    if len(given) != len(sequence.parameters):
        wanted = " ".join(sequence.parameters)
        message = f"'{name.text}' takes {len(sequence.parameters)} arguments, not {len(given)}"
        raise InputError(Diagnostic(message, name.span, f"usage: {name.text} {wanted}".rstrip()))
    if len(calls) >= DEEPEST:
        raise InputError(Diagnostic(f"'{name.text}' calls itself", name.span))
    arguments = dict(zip(sequence.parameters, (word.text for word in given), strict=True))
    yield from _expanded(sequence.lines, sequences, arguments, (name.span, *calls))


def _step(words: tuple[Word, ...], sequences: Mapping[str, _Sequence], calls: tuple[Span, ...]) -> ScriptStep:
    first = words[0]
    whole = " ".join(word.text for word in words)
    if CALL.fullmatch(whole):
        return ScriptStep(UrukCall(whole), words, calls)
    kind = BY_WORD.get(first.text)
    if kind is None:
        known = ", ".join(sorted({*BY_WORD, *sequences}))
        raise InputError(
            problem_of(StepError(f"there is no step '{first.text}'", "", f"steps are: {known}"), words, calls)
        )
    try:
        return ScriptStep(read_step(kind, [word.text for word in words]), words, calls)
    except StepError as error:
        raise InputError(problem_of(error, words, calls)) from None


def problem_of(error: StepError, words: Sequence[Word], calls: Sequence[Span]) -> Diagnostic:
    """What is wrong with a step, at the word that is to blame."""
    exact = (word for word in words if word.text == error.argument)
    close = (word for word in words if error.argument and error.argument in word.text)
    blamed = next(exact, None) or next(close, words[0])
    called = [f"called from {span.source.name}:{span.line}" for span in calls]
    return Diagnostic(error.message, blamed.span, "; ".join(part for part in (error.hint, *called) if part))
