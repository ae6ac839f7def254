"""Requests are read as the command line is; what is wrong is said."""

from __future__ import annotations

from typing import Any

import pytest

from loadstone.errors import InputError
from loadstone.serve.panes import NAMES, branches
from loadstone.serve.request import read_request

GOOD = {"id": 3, "source": "int x;", "panes": ["tiles", "kernel"]}


def test_options_are_those_of_the_command_line() -> None:
    options = {"sizes": "8,4", "local": "64KiB", "strip": "2", "unroll": "4", "bus_width": "64", "power_of_two": True}
    request = read_request({**GOOD, "options": options, "parameters": {"n": 12}, "memory": "hbm"}, NAMES)
    assert (request.choices.sizes, request.choices.local, request.choices.strip) == ((8, 4), 16384, 2)
    assert (request.hardware.unroll, request.hardware.bus_width, request.choices.power_of_two) == (4, 64, True)
    assert (request.id, request.panes, request.parameters, request.memory) == (3, ("kernel", "tiles"), {"n": 12}, "hbm")


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ([1, 2], "a request is an object"),
        ({**GOOD, "source": 5}, "'source' is no text"),
        ({**GOOD, "source": "int x;\x00"}, "control characters"),
        ({**GOOD, "panes": ["kernel", "secrets"]}, "a pane is not known"),
        ({**GOOD, "panes": None}, "a pane is not known"),
        ({**GOOD, "id": 1.5}, "id is no whole number"),
        ({**GOOD, "parameters": {"n": 1 << 60}}, "n is no whole number of a sensible size"),
        ({**GOOD, "parameters": [1]}, "'parameters' is no object"),
        ({**GOOD, "options": {"vcd": "/etc/passwd"}}, "an option is not known"),
        ({**GOOD, "options": {"sizes": "8,x"}}, "--tile: '8,x' is not a list of whole numbers"),
        ({**GOOD, "options": {"depth": "0"}}, "--depth: must be at least 1"),
        ({**GOOD, "options": {"depth": 2}}, "--depth is no text"),
        ({**GOOD, "options": {"bus": "pci"}}, "--bus is none of axi, avalon"),
        ({**GOOD, "memory": "litedram"}, "the memory is not known"),
    ],
)
def test_what_is_wrong_is_said(wrong: Any, said: str) -> None:
    with pytest.raises(InputError, match=said.replace("[", r"\[")):
        read_request(wrong, NAMES)


def test_panes_are_computed_in_groups() -> None:
    assert branches(("kernel", "reuse", "c", "network", "curve")) == [["c"], ["network", "reuse"], ["curve"]]
