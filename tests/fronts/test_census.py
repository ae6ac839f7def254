"""What modules consist of, counted by hand."""

from __future__ import annotations

from collections import Counter

from loadstone.fronts.census import Census, census
from loadstone.rtl.module import Module
from loadstone.rtl.types import signed, unsigned


def counter() -> Module:
    m = Module("counter")
    step, wide = m.input("step", unsigned(4)), m.input("wide", signed(8))
    count = m.register("count", unsigned(10), 0)
    product = m.wire("product", wide * step)
    with m.clocked(), m.when(step != 0):
        m.assign(count, (count + step).wrapped(unsigned(10)))
    m.output("total", count)
    m.output("other", product)
    return m


def test_a_module_and_its_instances_are_counted() -> None:
    one = census(counter())
    assert (one.registers, one.comparisons, one.choices, one.logic, one.shifters) == (10, 4, 10, 0, 0)
    assert one.adders >= 10
    assert sum(one.products.values()) == 1
    inner, top = counter(), Module("top")
    step, wide = top.input("step", unsigned(4)), top.input("wide", signed(8))
    parts = [top.instance(f"part_{k}", inner, {"step": step, "wide": wide}) for k in range(3)]
    memory = top.memory("words", unsigned(16), 64)
    memory.write(parts[0]["total"][0:6], 1)
    top.output("read", memory.read(parts[1]["total"][0:6]))
    assert census(top) == one + one + one + Census(0, 0, 0, 0, 0, 0, Counter(), Counter({(16, 64, 1, 1): 1}))
