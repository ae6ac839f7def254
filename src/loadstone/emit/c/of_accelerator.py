"""An accelerator as a program: a network of three processes, load, compute and store.

An HLS compiler may reorder accesses to unrelated objects, and it takes a token and the memory behind it for unrelated.
So fences stand around the work on each tile.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from loadstone.analysis.hls_pragmas import pipeline_interval
from loadstone.emit.c.addresses import COPY
from loadstone.emit.c.code import (
    Block,
    Body,
    Fence,
    Function,
    Get,
    Independent,
    Pipelined,
    Put,
    Statement,
    Text,
    code,
    listed,
    under,
    used,
    verbatim,
    word_type,
)
from loadstone.emit.c.compute.data_bounds import InstanceCode
from loadstone.emit.c.compute.recurrences import Pipelining, has_loops
from loadstone.emit.c.interface import Interface, Style
from loadstone.emit.c.names import RESERVED, renamed
from loadstone.emit.c.printer import emit_expression, loop_code, written
from loadstone.emit.c.program import Limit, Program, called, with_assumptions
from loadstone.emit.c.transfers import Transfers, local_element
from loadstone.loops.accelerator import Accelerator
from loadstone.loops.model import For, Instance, Node
from loadstone.model.expression import Binary, Constant, integer
from loadstone.model.types import INT
from loadstone.options import Flavour
from loadstone.parallel.beats import NO_BEATS, Beats
from loadstone.parallel.lanes import NO_LANES, Lanes
from loadstone.storage.buffers import check_fixed_sizes
from loadstone.transfer.tile_accesses import existing_tiles

_TRUE, _WORDS = Text("true"), Text("words")


def allocated_program(accelerator: Accelerator, *, checked: bool = False) -> Program:
    """The program with local memory that is allocated; `checked`: aborts where a cell holds another element."""
    return _program(Interface(accelerator, Style(checked=checked)))


def fixed_program(
    accelerator: Accelerator,
    parameters: Mapping[str, int] | None,
    lanes: Lanes = NO_LANES,
    flavour: Flavour = "vitis",
    beats: Beats = NO_BEATS,
) -> Program:
    """The program with local memory of fixed sizes, large enough for the parameters, loads in bursts, lanes and beats.

    Raises `UnsupportedError` where a size depends on parameters that are not given.
    """
    check_fixed_sizes(accelerator.buffers, parameters or {})
    wide = beats.several
    style = Style(streamed=True, sizes=parameters or {}, lanes=lanes, tuned=flavour == "vitis", beats=wide)
    return _program(Interface(accelerator, style))


def called_program(accelerator: Accelerator) -> Program:
    """The program as its callers see it: its interface alone, for hardware that they drive instead."""
    given = Interface(accelerator, Style())
    known = (given.parameters, given.scalars, given.arrays)
    kernel, names, summary = accelerator.kernel, given.names, _summary(accelerator)
    limit, scratch = with_assumptions(None, kernel, names), _scratch(given)
    return Program(kernel, names, "accelerator", summary, *known, (), (), (), (), (), None, limit, scratch)


def _program(given: Interface) -> Program:
    accelerator = given.accelerator
    transfers = Transfers(given)
    processes = Processes(given, transfers)
    running = (processes.load(), processes.compute(), processes.store())
    sequential = None if given.style.streamed else processes.sequential()
    small = (*given.addresses.functions(), *transfers.walks.values(), *transfers.functions.values())
    return Program(
        accelerator.kernel,
        given.names,
        "accelerator",
        _summary(accelerator),
        given.parameters,
        given.scalars,
        given.arrays,
        given.cells,
        (*given.tokens.values(), *given.queues.values()),
        given.counters,
        called((*small, processes.compute_tile), running),
        running,
        sequential,
        with_assumptions(_limit(given), accelerator.kernel, given.names),
        "\n   ".join(filter(None, (_scratch(given), _second_ports(given), _wide_ports(given)))),
        rank=transfers.rank,
        depth=accelerator.depth,
    )


def _summary(accelerator: Accelerator) -> str:
    tiles = accelerator.plan.tiles
    sizes = " x ".join(map(str, tiles.sizes))
    return (
        f"{accelerator.kernel.name}: tiles of {sizes}, strips over {', '.join(tiles.inner)}, "
        f"{accelerator.depth} in flight. Written by Loadstone."
    )


def _scratch(given: Interface) -> str:
    """Which arrays hold temporaries between strips, and how large these are."""
    accelerator = given.accelerator
    private = {change.array for change in accelerator.kernel.privatised if change.loops} & accelerator.stored
    sizes = (
        (name, " * ".join(f"({emit_expression(given.names.counted(extent))})" for extent in array.extents))
        for name, array in accelerator.kernel.arrays.items()
        if name in private
    )
    return "\n   ".join(f"{given.names[name]} is scratch memory of {size} elements." for name, size in sizes)


def _second_ports(given: Interface) -> str:
    """Which arrays have a port of their own for results."""
    pairs = ", ".join(f"{result} is the memory of {name}" for name, result in given.divided.items())
    return f"{pairs}, or another one with the same contents: what is stored is never loaded." if pairs else ""


def _wide_ports(given: Interface) -> str:
    """Which arrays move in beats, and where they must begin and end."""
    sizes: dict[int, list[str]] = {}
    for external in given.arrays:
        sizes.setdefault(external.bits * external.beat // 8, []).extend([external.name] * (external.beat > 1))
    found = (
        f"{', '.join(names)} begin and end at multiples of {size} bytes." for size, names in sizes.items() if names
    )
    return "\n   ".join(found)


def _limit(given: Interface) -> Limit | None:
    """The parameters beyond the size of local memory."""
    sizes = given.style.sizes
    if sizes is None:
        return None
    exceeded = [
        written(given.names.counted(Binary(">", extent, integer(size), INT)))
        for buffer in given.accelerator.buffers.values()
        for extent, size in zip(buffer.extents, buffer.shape(sizes), strict=True)
        if not isinstance(extent, Constant)
    ]
    if not exceeded:
        return None
    limits = ", ".join(f"{name} = {value}" for name, value in sizes.items())
    return Limit(listed(dict.fromkeys(exceeded), " || "), f"Local memory is sized for {limits}; for larger parameters,")


@dataclass(frozen=True, eq=False)
class Processes:
    """The processes of an accelerator, and the function that executes a tile."""

    given: Interface
    transfers: Transfers

    @cached_property
    def compute_tile(self) -> Function:
        """The function that executes the statements of a tile."""
        given, kernel = self.given, self.given.accelerator.kernel
        statements = {statement.name: renamed(statement, given.names) for statement in kernel.statements}
        offered = frozenset(parameter.name for parameter in given.in_tile)
        taken = RESERVED | frozenset(given.names.names.values()) | offered
        tree = given.compute
        passing = (
            frozenset(kernel.arrays) - given.accelerator.stored - {a.name for a in kernel.arrays.values() if a.live_out}
        )
        pipelined, asked, counts = given.pipelined(tree), pipeline_interval(kernel), given.compute_counts(tree)
        is_asked = any(each.directive == "PIPELINE" and each.number("ii") for each in kernel.pragmas)

        def begun(loop: For) -> Body:
            count = counts.get(id(loop), ())
            if has_loops(loop):
                return count
            found = pipelined.get(id(loop), Pipelining(1, ()))
            memories = [given.locals[name].name for name in found.independent if name in given.locals]
            interval = asked if is_asked else found.interval
            return (Pipelined(interval, alone=bool(memories)), *map(Independent, memories), *count)

        body = InstanceCode(statements, self._element, begun, passing, taken, given.lanes, given.style.tuned).code(tree)
        return Function("Executes the statements of a tile.", "void", "compute_tile", given.in_tile, body)

    def _element(self, array: str, subscripts: Sequence[Text], is_write: bool) -> Text:
        """The reference to an element, as statements see it."""
        given = self.given
        if array in given.accelerator.buffers:
            return local_element(given, given.accelerator.kernel.arrays[array], subscripts, is_write=is_write)
        name = given.names[array]
        return Text(f"*{name}" if array in {a.name for a in given.changed} else name, frozenset({name}))

    def load(self) -> Function:
        """The load process; it drains its streams at the end."""
        strips = self._load_early_strips() if self.given.early else self._load_strips()
        start, total = verbatim("int in_flight = 0;", "long words = 0;"), code("*@ = words;", self.given.counters[0])
        return _process(self.given, "load", "fetches the inputs of the tiles", (*start, *strips, total))

    def _load_strips(self) -> Body:
        """Strips that overlap, or drain: stall until the previous strip is stored."""
        count = verbatim("tiles++;") if self._doubled else ()
        tile = (
            *(self._taken_back("if (in_flight == DEPTH)"), *self._words_of("load_tile")),
            *(Text("in_flight++;"), *count, self._send("loaded")),
        )
        body = self._over_strips((*self._head_of_strip(), *self._over(*self._tiles, tile)))
        declared = (
            verbatim("int tiles = 0; /* of the previous strip, at the start of a strip */") if self._doubled else ()
        )
        return (*declared, *body, self._taken_back("while (in_flight > 0)"))

    def _head_of_strip(self) -> Body:
        """The stall before a strip: until the strips with the same copies of buffers are stored."""
        if self._doubled:
            why = Text("/* This copy is free once all strips but the previous one are stored. */")
            return (why, self._taken_back("while (in_flight > tiles)"), Text("tiles = 0;"))
        drains = self.given.accelerator.handover.mode == "drain"
        return (self._taken_back("while (in_flight > 0)"),) if drains else ()

    @property
    def _doubled(self) -> bool:
        return any(buffer.copies > 1 for buffer in self.given.accelerator.buffers.values())

    def _load_early_strips(self) -> Body:
        """Strips that drain, with arrays that are handed over early."""
        tiles = self._over(*self._tiles, self._load_early_tile())
        return (
            Text("bool is_next = false;"),
            *self._over_strips((Text("bool is_first = true;"), *tiles, Text("is_next = true;"))),
            self._taken_back("while (in_flight > 0)"),
            *under(Text("is_next"), (self._receive("strip_computed"),)),
        )

    def _load_early_tile(self) -> Body:
        """The first tile of a strip stalls for the previous strip, others for a free place."""
        return (
            self._taken_back("if (!is_first && in_flight == DEPTH)"),
            *under(Text("is_first && is_next"), (self._receive("strip_computed"),)),
            *self._words_of("load_early"),
            self._taken_back("while (is_first && in_flight > 0)"),
            *self._words_of("load_late"),
            *(*verbatim("in_flight++;", "is_first = false;"), self._send("loaded")),
        )

    def _taken_back(self, condition: str) -> Block:
        """Under a condition, stall for the store of the oldest tile in flight."""
        return Block(Text(condition), (self._receive("stored"), Text("in_flight--;")))

    def _words_of(self, transfer: str, total: Text = _WORDS) -> Body:
        """The call of a transfer, if any; it adds to the words moved."""
        function = self.transfers.functions.get(transfer)
        return () if function is None else _fenced(code("@ += @;", total, function.call()))

    def compute(self) -> Function:
        """The compute process."""
        take = self.transfers.functions.get("take_tile")
        tile = (
            *(() if take is None else _fenced(code("@;", take.call()))),
            *(self._receive("loaded"), *self._call_compute_tile(), self._send("computed")),
        )
        after = (self._send("strip_computed"),) if self.given.early else ()
        body = self._over_strips((*self._over(*self._tiles, tile), *after))
        return _process(self.given, "compute", "executes the tiles", self._with_registers(body))

    def _with_registers(self, body: Body) -> Body:
        """Statements behind declarations of the registers of the compute process."""
        wanted = used(body) - {scalar.name for scalar in self.given.scalars}
        names = self.given.names
        kept = (array for array in self.given.changed if names[array.name] in wanted)
        return (*(Text(f"{word_type(array.type)} {names[array.name]} = 0;") for array in kept), *body)

    def _call_compute_tile(self) -> Body:
        values = {register.name: code("&@", register) for register in self.given.registers}
        return _fenced(code("@;", self.compute_tile.call(values)))

    def store(self) -> Function:
        """The store process."""
        tile = (self._receive("computed"), *self._words_of("store_tile"), self._send("stored"))
        strips, total = self._over_strips(self._over(*self._tiles, tile)), code("*@ = words;", self.given.counters[1])
        return _process(self.given, "store", "writes results back", (Text("long words = 0;"), *strips, total))

    def sequential(self) -> Function:
        """All processes in one, without overlap."""
        loaded, stored = (code("*@", counter) for counter in self.given.counters)
        loads = (self._words_of(name, loaded) for name in ("load_tile", "load_early", "load_late"))
        calls = (*(line for lines in loads for line in lines), *self._call_compute_tile())
        body = self._over_strips(self._over(*self._tiles, (*calls, *self._words_of("store_tile", stored))))
        start = (code("@ = 0;", loaded), code("@ = 0;", stored))
        comment = "Loads, computes and stores one tile after the other."
        whole = self._with_registers((*start, *body))
        return Function(comment, "void", "sequential", self.given.in_process, whole)

    def _send(self, tokens: str) -> Put:
        return Put(self.given.tokens[tokens], _TRUE)

    def _receive(self, tokens: str) -> Get:
        return Get(self.given.tokens[tokens])

    @property
    def _tiles(self) -> tuple[Node, Sequence[str]]:
        return self.given.accelerator.tiles, self.given.accelerator.plan.tiles.inner

    def _over_strips(self, body: Body) -> Body:
        """Loops over strips, which use the copies of buffers in turn."""
        loops, names = self.given.accelerator.strips, self.given.accelerator.plan.tiles.outer
        if COPY.name not in used(body):
            return self._over(loops, names, body)
        return (Text("int copy = 0;"), *self._over(loops, names, (*body, Text("copy = 1 - copy;"))))

    def _over(self, loops: Node, names: Sequence[str], body: Body) -> Body:
        """Loops around a body that sees the coordinates by their names."""
        names_used = used(body)

        def instance(leaf: Instance) -> Body:
            values = zip(names, map(written, leaf.arguments), strict=True)
            declared = (code(f"const int {n} = @;", v) for n, v in values if n != v.text and n in names_used)
            return (*declared, *body)

        tree = self.given.names.loops(loops)
        tiles = self.given.accelerator.plan.tiles
        around = existing_tiles(tiles).params() if names == tiles.inner else tiles.kernel.context
        counts = self.given.counts(loops, tree, around)
        return loop_code(tree, instance, lambda loop: counts.get(id(loop), ()))


def _fenced(work: Statement) -> Body:
    """Work on a tile between fences."""
    return (Fence(), work, Fence())


def _process(given: Interface, name: str, task: str, body: Body) -> Function:
    return Function(f"{name.capitalize()} process: {task}.", "void", name, given.in_process, body)
