"""The pane of designs: the front of tile sizes and lanes as it fills. Cycles are predicted; nothing is compiled."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from loadstone.fronts.asking import ask
from loadstone.fronts.front import Front
from loadstone.fronts.page import emit_plot
from loadstone.fronts.search import fronts, in_turn
from loadstone.fronts.space import Design
from loadstone.fronts.store import Store, content_of
from loadstone.pipeline import Compilation
from loadstone.processes import time_limit
from loadstone.serve.subject import Json, Subject

SHARE = 0.75
"""The part of the time of a request after which the front is taken as it is."""


def front_pane(subject: Subject) -> Iterator[Json]:
    """Designs that no other one beats in cycles and cells: sizes and lanes vary, all else is as chosen."""
    request = subject.request
    choices, hardware = replace(request.choices, sizes=None), replace(request.hardware, unroll=None)
    compilation = Compilation(subject.kernel, choices, subject.given)
    question = ask(compilation, Design(choices, hardware, request.memory), {}, ("cycles", "cells"), {})
    given = (word for name, value in subject.given.items() for word in ("-p", f"{name}={value}"))
    start = ("kernel.c", *given)
    with Store(None, content_of(question.subject)) as store:
        for answer in fronts(question, store, in_turn, SHARE * time_limit()):
            front = Front(question, answer, start)
            done = answer.space - answer.left
            yield {**front.as_json(), "done": done, "certainty": front.certainty, "svg": emit_plot(front.plot)}
