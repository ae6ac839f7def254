"""The testbench of on-chip hardware: it fills memories, runs once, and compares; a language is only its syntax."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from loadstone.emit.hdl.vectors import FRACTION, Host, Result, Vectors, hosts_of, inputs_at_start, results_of
from loadstone.hardware.harness.cycle_limits import on_chip_cycle_limit
from loadstone.hardware.layout import ArrayLayout
from loadstone.hardware.on_chip import OnChipDesign
from loadstone.model.types import ScalarType
from loadstone.rtl.shell import Shell
from loadstone.rtl.syntax import Syntax
from loadstone.rtl.types import Bits


@dataclass(frozen=True, slots=True, eq=False)
class BenchSyntax:
    """How a language writes the testbench, and the parts that it is put together from.

    `declared` is a signal, with its initial value if it is an input; `own` are parts that only this language has.
    """

    template: str
    language: Syntax
    assignment: str
    is_nan: str
    declared: Callable[[str, Bits, bool], str]
    literal: Callable[[int, Bits], str]
    filling: Callable[[Host], str]
    comparing: Callable[[Host, int], str]
    scalar: Callable[[Result], str]
    own: Callable[[tuple[Host, ...], tuple[Result, ...]], Mapping[str, Iterable[str]]]

    def emit(self, design: OnChipDesign, top: Shell, vectors: Vectors) -> str:
        """The testbench of a design in its shell; it reads its words from the files of `data_files`."""
        hosts, results = hosts_of(design, vectors), results_of(design, vectors)
        looked_at = [host for host in hosts if host.expected is not None]
        latency = design.compute.memories.latency
        ports = [(port, port.kind == "input") for kind in ("input", "output") for port in design.module.of_kind(kind)]
        given = inputs_at_start(design, vectors).items()
        inputs = (self.assignment.format(port, self.literal(value, design.module[port].bits)) for port, value in given)
        return self.template.format(
            top=top.name,
            limit=on_chip_cycle_limit(design, vectors.parameters),
            signals="\n".join(self.declared(f"dut_{port.name}", port.bits, is_input) for port, is_input in ports),
            ports="\n".join(self.language.tested(top, "dut_")),
            functions="".join(self._functions([each.store for each in (*looked_at, *results)])),
            filling="\n".join(map(self.filling, hosts)),
            inputs="\n".join(inputs),
            comparing="\n".join([*(self.comparing(host, latency) for host in looked_at), *map(self.scalar, results)]),
            **{part: "\n".join(lines) for part, lines in self.own(hosts, results).items()},
        )

    def _functions(self, stores: Iterable[ArrayLayout]) -> Iterator[str]:
        for width in sorted({store.element.bits for store in stores if store.element.kind == "float"}):
            middle = FRACTION[width]
            yield self.is_nan.format(width=width, high=width - 1, exponent=width - 2, middle=middle, low=middle - 1)


def both_nan(found: str, expected: str, kind: ScalarType, conjunction: str) -> str:
    """The condition that two words are both not-a-numbers; empty where there are none of a kind."""
    function = f"is_nan_{kind.bits}"
    return f"({function}({found}) {conjunction} {function}({expected}))" if kind.kind == "float" else ""
