"""The whole compiler, top to bottom: kernel, tiles, plan, accelerator or process network.

A `Compilation` holds a kernel and what the user chose; each stage is computed when it is first used, and kept. Command
line, Python API, report and benchmarks all go through it. `circuits` adds hardware.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import prod
from typing import TYPE_CHECKING, Any, Literal, Self

from loadstone.analysis.hls_pragmas import suggested_lanes
from loadstone.errors import Diagnostic, InputError
from loadstone.later import Later
from loadstone.loops.accelerator import Accelerator
from loadstone.loops.ranges import parameter_limits
from loadstone.markup import table
from loadstone.model.hls_pragma import HlsPragma
from loadstone.model.kernel import Kernel
from loadstone.options import Choices, Flavour, HardwareOptions, options_of
from loadstone.poly.limits import DEFAULT_LIMIT, LimitReached, operation_limit, within_limit
from loadstone.poly.names import allows
from loadstone.storage.local_plan import LocalPlan, with_buffers
from loadstone.transfer import Plan, make_plan
from loadstone.transfer.coarse import coarse_arrays
from loadstone.transform.choice import check_tiling, choose_tiling, tiled_as
from loadstone.transform.selections import with_selections
from loadstone.transform.tiling import TiledKernel, Tiling, untiled

if TYPE_CHECKING:
    from loadstone.emit.c.compute import interleaving
    from loadstone.emit.c.external import beats as program_beats
    from loadstone.networks import build as network_build
    from loadstone.networks import closed_forms, description
    from loadstone.networks import reuse as network_reuse
    from loadstone.networks import sizes as network_sizes
    from loadstone.networks import split as network_split
    from loadstone.networks.description import Size
    from loadstone.networks.model import Channel, Network
    from loadstone.networks.sizes import ChannelSize
    from loadstone.parallel import beats as parallel_beats
    from loadstone.parallel import lanes as parallel_lanes
    from loadstone.parallel.beats import Beats
    from loadstone.parallel.lanes import Lanes
    from loadstone.tiling_search import decision as search
    from loadstone.tiling_search.decision import Decision, Goal
else:
    network_build, closed_forms = Later("loadstone.networks.build"), Later("loadstone.networks.closed_forms")
    description, network_reuse = Later("loadstone.networks.description"), Later("loadstone.networks.reuse")
    network_sizes, network_split = Later("loadstone.networks.sizes"), Later("loadstone.networks.split")
    search, parallel_lanes = Later("loadstone.tiling_search.decision"), Later("loadstone.parallel.lanes")
    parallel_beats, program_beats = Later("loadstone.parallel.beats"), Later("loadstone.emit.c.external.beats")
    interleaving = Later("loadstone.emit.c.compute.interleaving")

Split = Literal["none", "depth", "complete"]


@dataclass(frozen=True, eq=False, repr=False)
class Compilation:
    """A kernel on its way to an accelerator or a process network.

    `given` are values of parameters; defaults of the source stand in for the others. A `tiling` replaces that of
    the choices and of the source. `limit` is the number of isl operations that a stage may take. Of the options for
    `hardware`, programs take the lanes and the width of the bus.
    """

    kernel: Kernel
    choices: Choices = field(default_factory=Choices)
    given: Mapping[str, int] = field(default_factory=dict[str, int])
    tiling: Tiling | None = None
    limit: int | None = None
    hardware: HardwareOptions = field(default_factory=HardwareOptions)

    def __repr__(self) -> str:
        return f"<compilation of {self.kernel!r}>"

    def _repr_html_(self) -> str:
        rows = [(each.dest, each.flag, getattr(self.choices, each.dest)) for each in options_of(Choices)]
        return table(repr(self), ("choice", "option", "value"), rows)

    def with_stages(self, known: Mapping[str, Any]) -> Self:
        """This compilation, with stages by name that another one has computed from the same choices."""
        vars(self).update(known)
        return self

    @cached_property
    def selecting(self) -> Kernel:
        """The kernel with selections in place of conditional updates of temporaries."""
        return with_selections(self.kernel)

    @property
    def tileable(self) -> Kernel:
        """The kernel as it is tiled."""
        return self.selecting

    @cached_property
    def tiles(self) -> TiledKernel:
        """The kernel with the chosen tiling, legal or not."""
        chosen = self.choices
        if self.tiling is not None:
            return tiled_as(self.tileable, self.tiling)
        if self.decision is not None:
            return self.decision.tiles
        return choose_tiling(
            self.tileable,
            None if chosen.sizes == "auto" else chosen.sizes,
            chosen.schedule,
            chosen.strip,
            free_reductions=chosen.free_reductions,
        )

    @cached_property
    def decision(self) -> Decision | None:
        """The tiling that Loadstone chose for the values of the parameters; None unless it was asked to."""
        return search.decide(self.goal) if self.tiling is None and self.choices.sizes == "auto" else None

    @property
    def goal(self) -> Goal:
        """What a tiling would be chosen for."""
        chosen = self.choices
        return search.Goal(
            self.tileable,
            self.values,
            chosen.local,
            lambda tiles: plan_tiles(tiles, keep_dead_stores=chosen.keep_dead_stores, limit=self.limit),
            chosen.objective,
            chosen.depth,
            chosen.strips,
            self.moduli,
            self.splits,
            chosen.schedule,
            chosen.strip,
        )

    @cached_property
    def legal_tiles(self) -> TiledKernel:
        """The tiling, which respects all dependences; raises `IllegalTransformation` otherwise."""
        check_tiling(self.tiles, self.limit)
        return self.tiles

    @cached_property
    def transfers(self) -> Plan:
        """What each tile loads and stores."""
        return plan_tiles(self.tiles, keep_dead_stores=self.choices.keep_dead_stores, limit=self.limit)

    @cached_property
    def plan(self) -> LocalPlan:
        """What each tile loads and stores, with local buffers."""
        chosen = self.choices
        strips = chosen.strips if self.decision is None else self.decision.strips
        return with_buffers(self.transfers, chosen.depth, power_of_two=self.moduli, strips=strips, split=self.splits)

    @property
    def moduli(self) -> bool | None:
        """Whether the moduli of buffers are powers of two; None: where that takes no more memory."""
        return self.choices.power_of_two

    @property
    def splits(self) -> bool:
        """Whether buffers may have parts; those of tilings that are chosen may."""
        return self.choices.split_buffers or self.choices.sizes == "auto"

    @cached_property
    def accelerator(self) -> Accelerator:
        """Load, compute and store as loops."""
        return Accelerator(self.plan)

    @cached_property
    def suggestion(self) -> HlsPragma | None:
        """The pragma that the number of lanes comes from, if no option gives it."""
        return suggested_lanes(self.kernel) if self.hardware.unroll is None else None

    @property
    def lanes(self) -> tuple[int, ...]:
        """The numbers of lanes requested, along one loop or two."""
        suggested = self.suggestion.number("factor") if self.suggestion else None
        chosen = self.hardware.unroll or suggested or 1
        if chosen == "auto":
            return self.fed_lanes
        return chosen if isinstance(chosen, tuple) else (chosen,)

    @property
    def fed_lanes(self) -> tuple[int, ...]:
        """The numbers of lanes that the bus feeds, in hardware."""
        raise InputError(Diagnostic("--unroll auto needs hardware on a bus", None, "give a number of lanes"))

    def unrolled(self, flavour: Flavour, values: Mapping[str, int]) -> Lanes:
        """The lanes of HLS C++; their banks have no conflicts for parameters up to these values."""
        if flavour != "vitis":
            if self.hardware.unroll is not None:
                hint = "leave --unroll out, or use --flavour vitis"
                raise InputError(Diagnostic(f"HLS C++ of the flavour {flavour} has no lanes", None, hint))
            return parallel_lanes.NO_LANES
        accelerator = self.accelerator
        if prod(self.lanes) > 1 and any(buffer.parts for buffer in accelerator.buffers.values()):
            return parallel_lanes.no_lanes(self.lanes, "local memories are in parts, which have no banks")
        return parallel_lanes.find_lanes(accelerator, parameter_limits(self.kernel, values), self.lanes)

    def widened(self, flavour: Flavour, values: Mapping[str, int]) -> tuple[Lanes, Beats]:
        """The lanes of HLS C++ with the order inside a tile, and the elements that move at once on a wide bus."""
        lanes, width = self.unrolled(flavour, values), self.hardware.bus_width
        beats, limits = parallel_beats.NO_BEATS, parameter_limits(self.kernel, values)
        if flavour != "vitis":
            if width is not None:
                hint = "leave --bus-width out, or use --flavour vitis"
                raise InputError(Diagnostic(f"HLS C++ of the flavour {flavour} moves single elements", None, hint))
            return lanes, beats
        if width is not None:
            beats, lanes = program_beats.program_beats(self.accelerator, limits, lanes, width)
            if not beats.are_several:
                hint = "leave --bus-width out, or choose a wider bus"
                raise InputError(Diagnostic(f"no two elements of any array fit {width} bits", None, hint))
        return interleaving.interleaved(self.accelerator, limits, lanes), beats

    @cached_property
    def network_tiles(self) -> TiledKernel:
        """The tiling of the process network: the original order unless one is chosen or the source has one."""
        chosen = (self.choices.sizes, self.choices.schedule, self.choices.strip, self.kernel.tiling, self.tiling)
        if all(part is None for part in chosen) and not self.choices.free_reductions:
            if self.choices.blocks is not None:
                raise InputError(
                    Diagnostic("--blocks moves tiles, and there are none", None, "choose some with --tile")
                )
            return untiled(self.selecting)
        return self.legal_tiles

    @cached_property
    def whole_network(self) -> Network:
        """The process network, each channel whole."""
        return whole_network(self.network_tiles, limit=self.limit, blocks=self.choices.blocks)

    @cached_property
    def network(self) -> Network:
        """The process network, channels split completely."""
        return split_network(self.whole_network, "complete")

    @cached_property
    def channel_sizes(self) -> dict[str, ChannelSize]:
        """The channels of the network as large as they must be for the values of the parameters."""
        return dict(network_sizes.sized(self.network, self.values))

    @cached_property
    def values(self) -> dict[str, int]:
        """Values for all parameters; raises `InputError` where one is missing or the kernel is not defined."""
        return parameter_values(self.kernel, self.given)

    @property
    def given_values(self) -> dict[str, int] | None:
        """Values for all parameters if some are given, or there are none; otherwise None."""
        return self.values if self.given or not self.kernel.parameters else None

    @property
    def known_values(self) -> dict[str, int] | None:
        """Values for all parameters, given or from the source; None where some are missing."""
        complete = set(self.kernel.parameters) <= {*self.kernel.defaults, *self.given}
        return self.values if complete else None


def parameter_values(kernel: Kernel, given: Mapping[str, int]) -> dict[str, int]:
    """Values for all parameters: given ones, else the defaults that the source states."""
    for name in given:
        if name not in kernel.parameters:
            known = ", ".join(kernel.parameters) or "none"
            raise InputError(Diagnostic(f"'{name}' is not a parameter of the kernel", None, f"parameters are: {known}"))
    values = {**kernel.defaults, **given}
    missing = [name for name in kernel.parameters if name not in values]
    if missing:
        hint = f"give it with {kernel.options_for(missing)}"
        raise InputError(Diagnostic(f"no value for {', '.join(missing)}", None, hint))
    ordered = {name: values[name] for name in kernel.parameters}
    if not allows(kernel.context, ordered):
        shown = ", ".join(f"{name} = {value}" for name, value in ordered.items())
        hint = f"known of the parameters: {kernel.context}"
        raise InputError(Diagnostic(f"the kernel is not defined for {shown}", None, hint))
    return ordered


def whole_network(
    tiles: TiledKernel, *, compute_only: bool = False, limit: int | None = None, blocks: int | None = None
) -> Network:
    """The network of a legal tiling, each channel whole; `compute_only` leaves load and store processes out."""
    made = within_limit("the flow of values", limit, lambda: network_build.make_network(tiles, blocks))
    return made.without_transfers() if compute_only else made


def split_network(whole: Network, split: Split, *, reuse: bool = False) -> Network:
    """The network with channels that are out of order split: by depth, completely, or not at all.

    With `reuse`, values that are read several times are handed on from reader to reader: where that gives FIFOs, or
    everywhere if channels are split afterwards.
    """
    reusing = network_reuse.with_reuse(whole, only_fifos=split == "none") if reuse else whole
    match split:
        case "none":
            return reusing
        case "depth":
            return network_split.split_by_depth(reusing)
        case "complete":
            return network_split.split_completely(reusing)


def channel_sizes(
    network: Network,
    parameters: Mapping[str, int] | None,
    *,
    round_up: bool = False,
    known: Mapping[str, Size] | None = None,
) -> dict[str, Size]:
    """The values that channels hold at most: numbers for given parameters, else closed forms where there are any.

    Closed forms may be upper bounds; `known` are those of channels that have not been split. `round_up` makes powers of
    two of numbers.
    """
    if parameters is None:
        kept = known or {}
        return {c.id: kept[c.id] if c.id in kept else _closed_size(network, c) for c in network.channels}
    values = network_sizes.occupancies(network, parameters)
    return {name: network_sizes.power_of_two(number) if round_up else number for name, number in values.items()}


def _closed_size(network: Network, channel: Channel) -> Size:
    form = closed_forms.closed_form(network, channel) if network.blocks is None else None
    return None if form is None else description.Closed(*form)


def plan_tiles(tiles: TiledKernel, *, keep_dead_stores: bool = False, limit: int | None = None) -> Plan:
    """The plan of a tiling, after its legality; approximated where the exact one would exceed the operation limit."""
    check_tiling(tiles, limit)
    try:
        with operation_limit(limit or DEFAULT_LIMIT):
            return make_plan(tiles, keep_dead_stores=keep_dead_stores)
    except LimitReached as reached:
        return Plan(tiles, coarse_arrays(tiles), False, f"the exact plan needs {reached}")
