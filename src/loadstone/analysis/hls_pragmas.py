"""What becomes of the pragmas of HLS tools: used, kept in HLS output, met by what is generated anyway, or ignored."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from loadstone.model.hls_pragma import HlsPragma
from loadstone.model.kernel import Kernel

Fate = Literal["used", "kept", "met", "ignored"]
PARTITIONS = ("cyclic", "block", "complete")
_PORTS = ("m_axi", "s_axilite", "axis", "ap_memory", "bram", "ap_none", "ap_vld", "ap_ack", "ap_hs", "ap_fifo")
_KEPT_OF_PORTS = (
    *("bundle", "latency", "num_read_outstanding", "num_write_outstanding"),
    *("max_read_burst_length", "max_write_burst_length", "max_widen_bitwidth"),
)
_REASONS = {
    "LOOP_TRIPCOUNT": "the bounds of loops are known exactly",
    "LOOP_FLATTEN": "loops are generated from the tiling",
    "LOOP_MERGE": "loops are generated from the tiling; a schedule can fuse them",
    "DEPENDENCE": "dependences are computed exactly",
    "STREAM": "depths of streams follow from the plan",
    "ARRAY_RESHAPE": "words of local memories keep their width",
    "BIND_OP": "operators are chosen by the synthesis tool",
    "ALLOCATION": "operators are chosen by the synthesis tool",
    "LATENCY": "latencies follow from the generated loops",
    "OCCURRENCE": "conditions are part of the generated statements",
    "PERFORMANCE": "intervals follow from the generated loops",
    "EXPRESSION_BALANCE": "results must not change by a single bit",
    "AGGREGATE": "there are no structures in generated ports",
    "DISAGGREGATE": "there are no structures in generated ports",
    "RESET": "generated programs have no state from one run to the next",
    "STABLE": "arguments are read once",
    "TOP": "the kernel is the top; --function chooses another",
    "PROTOCOL": "ports are generated",
    "FUNCTION_INSTANTIATE": "all functions are inlined",
}


@dataclass(frozen=True, slots=True)
class PragmaOutcome:
    """What became of a pragma, and why."""

    pragma: HlsPragma
    fate: Fate
    reason: str

    def as_json(self) -> dict[str, str | int]:
        """The outcome for programs."""
        span = self.pragma.span
        return {"pragma": self.pragma.text, "line": span.line, "outcome": self.fate, "reason": self.reason}


def pragma_outcomes(kernel: Kernel) -> list[PragmaOutcome]:
    """What becomes of each pragma of a kernel."""
    return [PragmaOutcome(pragma, *_outcome(pragma, kernel)) for pragma in kernel.pragmas]


def _outcome(pragma: HlsPragma, kernel: Kernel) -> tuple[Fate, str]:
    match pragma.directive:
        case "UNROLL":
            return _unroll(pragma, kernel)
        case "PIPELINE":
            return _pipeline(pragma, kernel)
        case "ARRAY_PARTITION":
            return _partition(pragma, kernel)
        case "BIND_STORAGE" | "RESOURCE":
            return _on_buffer(pragma, kernel, "")
        case "INTERFACE":
            return _interface(pragma, kernel)
        case "DATAFLOW":
            return "met", "load, compute and store run as a dataflow region"
        case "INLINE" if "off" not in pragma.words:
            return "met", "all functions are inlined"
        case "INLINE":
            return "ignored", "all functions are inlined"
        case _:
            return "ignored", _REASONS.get(pragma.directive, "this directive is not known")


def suggested_lanes(kernel: Kernel) -> HlsPragma | None:
    """The pragma whose factor is the default number of lanes: the one with the largest."""
    unrolled = [(pragma.number("factor") or 0, pragma) for pragma in kernel.pragmas if pragma.directive == "UNROLL"]
    factor, pragma = max(unrolled, key=lambda pair: pair[0], default=(0, None))
    return pragma if factor > 1 else None


def _unroll(pragma: HlsPragma, kernel: Kernel) -> tuple[Fate, str]:
    factor = pragma.number("factor")
    if factor is None:
        return "ignored", "lanes need a number: give factor=4, or --unroll 4"
    if factor < 2:
        return "met", "one instance at a time is the default"
    if pragma is not suggested_lanes(kernel):
        return "ignored", "another pragma suggests more lanes, or as many"
    return "used", f"{factor} lanes are the default of --unroll, as far as the tiling allows"


def pipeline_interval(kernel: Kernel) -> int:
    """The initiation interval of compute loops in HLS output: the largest that a pragma gives."""
    pipelined = (pragma for pragma in kernel.pragmas if pragma.directive == "PIPELINE" and "off" not in pragma.words)
    return max((pragma.number("ii") or 1 for pragma in pipelined), default=1)


def _pipeline(pragma: HlsPragma, kernel: Kernel) -> tuple[Fate, str]:
    if "off" in pragma.words:
        return "ignored", "compute loops are pipelined"
    interval, chosen = pragma.number("ii") or 1, pipeline_interval(kernel)
    if "ii" in pragma.options and pragma.number("ii") is None:
        return "ignored", "its interval is not a number"
    if interval != chosen:
        return "ignored", f"another pragma asks for an interval of {chosen}, and one loop computes all"
    more = "; its other options are ignored" if pragma.words or set(pragma.options) - {"ii"} else ""
    return "kept", f"the compute loop of HLS output has II={interval}{more}"


def buffer_pragmas(kernel: Kernel, array: str, directives: tuple[str, ...]) -> list[HlsPragma]:
    """The pragmas for the local buffer of an array."""
    return [p for p in kernel.pragmas if p.directive in directives and p.options.get("variable") == array]


def _on_buffer(pragma: HlsPragma, kernel: Kernel, condition: str) -> tuple[Fate, str]:
    name = pragma.options.get("variable", "")
    if name not in kernel.arrays:
        return "ignored", f"'{name}' is not an array of the kernel"
    if kernel.arrays[name].rank == 0:
        return "ignored", f"'{name}' is a scalar, held in a register"
    return "kept", f"on the local buffer of {name} in HLS output{condition}"


def partition_problem(pragma: HlsPragma, rank: int) -> str | None:
    """Why a partition does not fit a buffer of any size, if so: buffers have one dimension, filled row by row."""
    kind, dimension = pragma.choice("type", PARTITIONS), pragma.number("dim")
    dimension = 1 if dimension is None else dimension
    if kind is None and pragma.options.get("type"):
        return f"'{pragma.options['type']}' is no way to partition"
    if kind in (None, "complete"):
        return None if dimension == 0 or rank == 1 else "local buffers have one dimension, and only dim=0 is all of it"
    if pragma.number("factor") is None:
        return "its factor is not a number"
    if kind == "block" and rank > 1:
        return "local buffers have one dimension, which blocks of a row do not divide"
    return None if dimension == rank else "local buffers have one dimension, filled row by row"


def _partition(pragma: HlsPragma, kernel: Kernel) -> tuple[Fate, str]:
    name = pragma.options.get("variable", "")
    fate, reason = _on_buffer(pragma, kernel, "")
    if fate == "ignored":
        return fate, reason
    problem = partition_problem(pragma, kernel.arrays[name].rank)
    if problem:
        return "ignored", problem
    needs_rows = kernel.arrays[name].rank > 1 and pragma.choice("type", PARTITIONS) == "cyclic"
    condition = f", if its rows are multiples of {pragma.options['factor']} words" if needs_rows else ""
    return _on_buffer(pragma, kernel, condition)


def port_options(kernel: Kernel, array: str) -> dict[str, str]:
    """What pragmas say of the port of an array, as far as it is kept."""
    ports = [p for p in kernel.pragmas if p.directive == "INTERFACE" and p.options.get("port") == array]
    found = [p.options for p in ports if p.choice("mode", _PORTS) == "m_axi"]
    return {name: value for options in found for name, value in options.items() if name in _KEPT_OF_PORTS}


def _interface(pragma: HlsPragma, kernel: Kernel) -> tuple[Fate, str]:
    mode, port = pragma.choice("mode", _PORTS), pragma.options.get("port", "")
    if mode == "s_axilite":
        return "met", "scalars, addresses and control are in registers"
    if port not in kernel.arrays:
        return "ignored", f"'{port}' is not an array of the kernel"
    if mode != "m_axi":
        return "ignored", "arrays and streams are moved over m_axi"
    dropped = sorted(set(pragma.options) - {"mode", "port", *_KEPT_OF_PORTS})
    more = f"; {', '.join(dropped)} as generated" if dropped else ""
    return "kept", f"on the port of {port} in HLS output{more}"
