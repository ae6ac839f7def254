"""Records: fields come out as they went in, and wrong fields are refused."""

from __future__ import annotations

import pytest

from loadstone.rtl import Module, Record, RtlError, Simulation, bit, cat, const, signed, unsigned

MOVE = Record({"last": bit, "step": signed(3), "address": unsigned(8)})


def test_fields_are_packed_from_the_top() -> None:
    m = Module("pack")
    inputs = {name: m.input(name, type) for name, type in MOVE.fields.items()}
    m.output("word", MOVE.made(**inputs))
    m.output("same", cat(*inputs.values()))
    simulation = Simulation(m)
    for name, value in {"last": 1, "step": -2, "address": 9}.items():
        simulation.set(name, value)
    assert simulation.get("word") == simulation.get("same") == (1 << 11) | (0b110 << 8) | 9


def test_fields_come_out_as_they_went_in() -> None:
    m = Module("unpack")
    word = m.input("word", MOVE.type)
    for name, value in MOVE.unpacked(word).items():
        m.output(name, value)
    simulation = Simulation(m)
    simulation.set("word", (1 << 11) | (0b110 << 8) | 9)
    assert {name: simulation.get(name) for name in MOVE.fields} == {"last": 1, "step": -2, "address": 9}


def test_a_record_of_a_record() -> None:
    outer = Record({"move": MOVE.type, "valid": bit})
    word = outer.made(move=MOVE.made(last=0, step=3, address=200), valid=1)
    inner = MOVE.unpacked(outer.unpacked(word)["move"])
    m = Module("nested")
    for name, value in inner.items():
        m.output(name, value)
    assert [Simulation(m).get(name) for name in inner] == [0, 3, 200]


def test_a_record_without_fields_is_one_bit() -> None:
    assert Record({}).type == bit
    assert Record({}).unpacked(Record({}).made()) == {}


@pytest.mark.parametrize("values", [{}, {"last": 1, "step": 0}, {"last": 1, "step": 0, "address": 0, "more": 0}])
def test_every_field_has_a_value(values: dict[str, int]) -> None:
    with pytest.raises(RtlError, match="a record of last, step, address cannot be made of"):
        MOVE.made(**values)


def test_values_that_may_not_fit_are_refused() -> None:
    with pytest.raises(RtlError, match=r"does not fit signed\(3\)"):
        MOVE.made(last=0, step=4, address=0)


def test_other_widths_are_refused() -> None:
    with pytest.raises(RtlError, match=r"is unsigned\(12\), not unsigned\(11\)"):
        MOVE.unpacked(const(0, unsigned(11)))
