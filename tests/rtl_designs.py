"""Modules for the tests of the RTL model: random expressions, and one module for each thing that it can say."""

from __future__ import annotations

import random
from collections.abc import Callable

from loadstone.rtl import Bits, Enum, Module, Value, all_of, any_of, bit, cat, make_fifo, mux, repeat, signed, unsigned

Maker = Callable[[random.Random, Value, Value], Value]

WIDEST = 90
MAKERS: tuple[Maker, ...] = (
    lambda r, a, b: a + b,
    lambda r, a, b: a - b,
    lambda r, a, b: a * b,
    lambda r, a, b: a & b,
    lambda r, a, b: a | b,
    lambda r, a, b: a ^ b,
    lambda r, a, b: ~a,
    lambda r, a, b: -a,
    lambda r, a, b: a == b,
    lambda r, a, b: a != b,
    lambda r, a, b: a < b,
    lambda r, a, b: a <= b,
    lambda r, a, b: a > b,
    lambda r, a, b: a >= b,
    lambda r, a, b: a << r.randrange(5),
    lambda r, a, b: a >> r.randrange(a.width + 2),
    lambda r, a, b: a << b.as_unsigned().resized(min(b.width, 6)),
    lambda r, a, b: a >> b.as_unsigned().resized(min(b.width, 6)),
    lambda r, a, b: a[b.as_unsigned().resized(min(b.width, 4))],
    lambda r, a, b: cat(a, b),
    lambda r, a, b: cat(a, r.randrange(9), b[0]),
    lambda r, a, b: repeat(a, 2),
    lambda r, a, b: mux(b.any(), a, b),
    lambda r, a, b: mux(a < b, a, b - 1),
    lambda r, a, b: a.all(),
    lambda r, a, b: a.parity(),
    lambda r, a, b: any_of(a[0], b[-1], a == b) & all_of(~a[-1], 1, b.any()),
    lambda r, a, b: a.as_signed(),
    lambda r, a, b: a.as_unsigned(),
    lambda r, a, b: a.resized(r.randint(1, a.width + 3)),
    lambda r, a, b: (a + b).resized(r.randint(1, a.width)),
    lambda r, a, b: (a * b).resized(r.randint(1, a.width)),
    lambda r, a, b: (a - b).wrapped(Bits(r.randint(1, 9), bool(r.getrandbits(1)))),
    lambda r, a, b: part(r, a + b),
    lambda r, a, b: part(r, a),
    lambda r, a, b: a + r.randrange(-40, 40),
    lambda r, a, b: r.randrange(-40, 40) - a,
    lambda r, a, b: a * r.randrange(-9, 40),
    lambda r, a, b: a < r.randrange(-40, 40),
    lambda r, a, b: a == r.randrange(-40, 40),
    lambda r, a, b: -(a - b).resized(a.width + b.width + 3),
    lambda r, a, b: ~a.resized(a.width + 3),
    lambda r, a, b: a.resized(a.width + 3).any(),
    lambda r, a, b: (a + b).resized(a.width).parity(),
)


def part(r: random.Random, value: Value) -> Value:
    low = r.randrange(value.width)
    return value[low : r.randint(low + 1, value.width)]


def random_module(name: str, seed: int, widths: tuple[int, ...], count: int) -> Module:
    """Random expressions over inputs of some widths; each maker is used at the root of at least one output."""
    r = random.Random(seed)
    m = Module(name, f"Random expressions, seed {seed}.")
    leaves: list[Value] = [m.input(f"u{width}", unsigned(width)) for width in widths]
    leaves += [m.input(f"s{width}", signed(width)) for width in widths]
    leaves.append(m.parameter("FIXED", signed(7), -5))
    pool = list(leaves)
    for k in range(count):
        value = MAKERS[k % len(MAKERS)](r, r.choice(pool), r.choice(pool))
        value = value.resized(WIDEST) if value.width > WIDEST else value
        place = r.randrange(4)
        if place == 0:
            pool.append(m.wire(f"w{k}", value))
        elif place == 1:
            pool.append(m.stored(f"r{k}", value, reset=0 if r.getrandbits(1) else None))
        else:
            pool.append(value)
        m.output(f"y{k}", pool[-1])
        pool = pool[-24:] + leaves
    return m


def machine() -> Module:
    """Three states, a combinational choice over all of them, a switch on numbers, registers with and without reset."""
    m = Module("machine", "Waits for start,\ncounts to a limit, and says so.")
    start, value = m.input("start", bit, "begins a run"), m.input("value", signed(4))
    limit = m.parameter("LIMIT", unsigned(6), 5, "how far to count")
    m.parameter("WIDE", unsigned(40), 1 << 39)
    state = m.register("state", Enum("state_t", ("IDLE", "RUN", "FINISH")), reset="IDLE")
    count = m.register("count", unsigned(6), reset=0, comment="cycles of the run")
    free = m.register("free", signed(4))
    m.section("Control")
    with m.clocked("The states."):
        m.assign(free, value)
        with m.switch(state):
            with m.case("IDLE"), m.when(start & (value > -3)):
                m.assign(state, "RUN")
            with m.case("RUN"):
                m.assign(count, (count + 1).resized(6))
                with m.when(count == limit):
                    m.assign(state, "FINISH")
                with m.elsewhen(value == -8):
                    m.assign(state, "IDLE")
                with m.otherwise():
                    m.assign(free, -1)
            with m.default():
                m.assign(count, 0)
                m.assign(state, "IDLE")
    choices(m)
    m.output("held", free)
    m.output("running", state != "IDLE")
    return m


def choices(m: Module) -> None:
    """Combinational outputs of the machine, by cases over members, numbers and a bit."""
    state, start, value, wide = m["state"], m["start"], m["value"], m["WIDE"]
    code, kind = m.output("code", unsigned(2)), m.output("kind", signed(3))
    with m.combinational("One number for each state."):
        with m.switch(state):
            with m.case("IDLE"):
                m.assign(code, 1)
            with m.case("RUN"):
                m.assign(code, 2)
            with m.case("FINISH"):
                m.assign(code, 3)
        m.assign(kind, 0)
        with m.switch(value):
            with m.case(-8, 3):
                m.assign(kind, 1)
            with m.case(0):
                m.assign(kind, -4)
            with m.default(), m.when(value[3]):
                m.assign(kind, 2)
    with m.combinational():
        top = m.output("top", bit)
        with m.switch(start):
            with m.case(0):
                m.assign(top, wide[39])
            with m.case(1):
                m.assign(top, wide[0])


def hierarchy_of_machines() -> Module:
    """Two instances of a module with parameters, one inside the other's choice of inputs, and a child without clock."""
    child = machine()
    sum_of = Module("sum_of")
    left, right = sum_of.input("left", unsigned(2)), sum_of.input("right", unsigned(2))
    sum_of.output("total", left + right)
    m = Module("machines")
    start, value = m.input("start", bit), m.input("value", signed(4))
    one = m.instance(
        "one", child, {"start": start, "value": value}, {"LIMIT": 2, "WIDE": (1 << 40) - 1}, "Counts to 2."
    )
    two = m.instance("two", child, {"start": ~one["running"], "value": -3})
    both = m.instance("both", sum_of, {"left": one["code"], "right": two["code"]})
    m.output("total", both["total"])
    m.output("held", one["held"] + two["held"])
    return m


def memories() -> Module:
    """A memory of each kind."""
    m = Module("memories")
    a, b = m.input("a", unsigned(4)), m.input("b", unsigned(4))
    data, write, enable = m.input("data", signed(20)), m.input("write", bit), m.input("enable", bit)
    for latency in (1, 2):
        single = m.memory(f"single{latency}", signed(20), 16, latency=latency, comment="One port.")
        m.output(f"single{latency}_out", single.access(a, data, write, enable))
        simple = m.memory(f"simple{latency}", signed(20), 16, latency=latency, initial=(-5, 7, 3))
        simple.write(a, data, write)
        m.output(f"simple{latency}_out", simple.read(b, enable))
        double = m.memory(f"double{latency}", signed(20), 32, latency=latency, collision="any", style="block")
        m.output(f"double{latency}_out", double.access(cat(0, a), data, write, enable))
        m.output(f"double{latency}_other", double.access(cat(1, b), data, ~write, name=f"q{latency}"))
    lookup = m.memory(
        "lookup", unsigned(70), 16, latency=0, initial=tuple((k * 0x123456789ABCDEF01) for k in range(16))
    )
    m.output("table_out", lookup.read(a))
    m.output("table_other", lookup.read(b ^ 1))
    lookup.write(b, cat(data, data, data, a).resized(70), enable)
    flags = m.memory("flags", bit, 2, latency=1, collision="any")
    flags.write(a[0], write)
    m.output("flag", flags.read(b[0]))
    odd = m.memory("odd", unsigned(9), 11)
    odd.write(mux(a < 11, a, 0), data[3:12], enable)
    m.output("odd_out", odd.read(b, b < 11))
    return m


def cleared() -> Module:
    """Counters in an instance that is reset by its own user, too."""
    inner = Module("counter")
    count = inner.register("count", unsigned(6), reset=5)
    with inner.clocked():
        inner.assign(count, (count + 1).wrapped(count.bits))
    inner.output("total", count)
    m = Module("cleared")
    clear = m.input("clear", bit)
    later = m.stored("later", clear & (m.input("often", unsigned(3)) == 0), reset=0)
    m.output("one", m.instance("one_i", inner, {}, clear=clear)["total"])
    m.output("other", m.instance("other_i", inner, {}, clear=later)["total"])
    return m


def designs() -> tuple[Module, ...]:
    """All modules of the tests."""
    return (
        random_module("narrow", 1, (1, 2, 3, 5, 8), 2 * len(MAKERS)),
        random_module("broad", 2, (1, 7, 31, 33, 64, 70), 2 * len(MAKERS)),
        hierarchy_of_machines(),
        memories(),
        cleared(),
        *(make_fifo(f"fifo{depth}", unsigned(9), depth) for depth in (1, 2, 3, 4, 9)),
    )


def combined(modules: tuple[Module, ...]) -> Module:
    """One module that holds others side by side, so that simulators are built once for all."""
    m = Module("combined")
    for module in modules:
        inputs = {port.name: m.input(f"{module.name}_{port.name}", port.bits) for port in module.of_kind("input")}
        instance = m.instance(f"{module.name}_i", module, inputs)
        for port in module.of_kind("output"):
            m.output(f"{module.name}_{port.name}", instance[port.name])
    return m


def random_cycles(module: Module, seed: int, count: int) -> list[dict[str, int]]:
    """Random inputs: reset at first and now and then, extreme values more often than others."""
    r = random.Random(seed)
    return [
        {
            **({"rst": int(k < 2 or r.randrange(50) == 0)} if module.has_reset else {}),
            **{port.name: random_value(r, port.bits) for port in module.of_kind("input")},
        }
        for k in range(count)
    ]


def random_value(r: random.Random, type: Bits) -> int:
    if r.randrange(4) == 0:
        return r.choice((type.minimum, type.maximum, 0, type.wrap(1), type.wrap(-1)))
    return r.randint(type.minimum, type.maximum)
