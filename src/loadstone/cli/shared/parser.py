"""The parser of a command: options in groups, and which of them were given."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Mapping, Sequence
from difflib import get_close_matches
from itertools import groupby
from typing import Any, NoReturn

from loadstone.errors import Diagnostic, InputError
from loadstone.options import Mode, Option, without_effect


class CommandParser(argparse.ArgumentParser):
    """A parser that remembers its options, so that defaults are told from what was given."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named, allow_abbrev=False)
        self.options: dict[str, Option] = {}

    def add(self, title: str, options: Iterable[Option]) -> None:
        """Add options as a group under a title; neighbours of one destination exclude each other."""
        group = self.add_argument_group(title)
        for dest, same in groupby(options, lambda option: option.dest):
            alternatives = group.add_mutually_exclusive_group()
            for option in same:
                self.options[dest] = option
                alternatives.add_argument(option.flag, **_how(option))

    def complete(self, parsed: argparse.Namespace, words: Sequence[str]) -> argparse.Namespace:
        """What was parsed of words, with defaults for the rest; `given` names the options that were given."""
        given = frozenset(vars(parsed)) & set(self.options)
        defaults: dict[str, Any] = {}
        for option in self.options.values():
            defaults[option.dest] = list[Any]() if option.repeated else option.default
        return argparse.Namespace(**{**defaults, **vars(parsed), "given": given, "words": words})

    def error(self, message: str) -> NoReturn:
        """Raise `InputError` with what is wrong, and what was probably meant."""
        near = _did_you_mean(message, [option.flag for option in self.options.values()])
        raise InputError(Diagnostic(message, None, near or f"{self.prog} --help lists the options"))


def _how(option: Option) -> dict[str, Any]:
    """How argparse takes an option."""
    how: dict[str, Any] = {"dest": option.dest, "help": option.help, "default": argparse.SUPPRESS}
    if option.constant is not None:
        return how | {"action": "store_const", "const": option.constant}
    whole = option.choices is not None and all(isinstance(choice, int) for choice in option.choices)
    read = option.read or (int if whole else str)
    how |= {"metavar": option.metavar, "choices": option.choices, "type": _reader(read)}
    return how | ({"action": "append"} if option.repeated else {})


def _reader(read: Callable[[str], Any]) -> Callable[[str], Any]:
    """A reader whose complaints argparse shows."""

    def reader(text: str) -> Any:
        try:
            return read(text)
        except ValueError as error:
            raise argparse.ArgumentTypeError(str(error)) from None

    return reader


def _did_you_mean(message: str, flags: list[str]) -> str:
    """The option that is nearest to one that is not known: of the same letters, or else alike."""
    words = [word.partition("=")[0] for word in message.split() if word.startswith("-")]
    alike = [flag for word in words for flag in flags if sorted(word) == sorted(flag)]
    near = alike or [match for word in words for match in get_close_matches(word, flags, n=1, cutoff=0.7)]
    return f"did you mean {near[0]}?" if near and "unrecognized" in message else ""


def check_modes(parsed: argparse.Namespace, modes: Iterable[Mode], names: Mapping[Mode, str]) -> None:
    """Raise `InputError` for an option that was given and takes effect in none of the modes.

    `names` say how the command is told to work in a mode.
    """
    present = frozenset(modes)
    for option in without_effect(parsed.parser.options.values(), parsed.given, present):
        here = " and ".join(name for mode, name in names.items() if mode in present)
        ways = [names[mode] for mode in option.modes if mode in names]
        hint = f"it takes effect with {', '.join(ways)}" if ways else ""
        raise InputError(Diagnostic(f"{option.flag} has no effect with {here}", None, hint))


def refuse(parsed: argparse.Namespace, names: Iterable[str], where: str, hint: str = "") -> None:
    """Raise `InputError` if one of some options was given where it has no effect: with or without something."""
    refused = frozenset(names)
    for dest, option in parsed.parser.options.items():
        if dest in refused & parsed.given:
            raise InputError(Diagnostic(f"{option.flag} has no effect {where}", None, hint))
