"""The load, compute and store processes of an accelerator as C functions.

C and HLS C++ share this text. A `Dialect` says how tokens travel, which pragmas loops carry, and whether elements are
transferred one by one or in bursts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from loadstone.emit.c.addresses import COPY, Addresses
from loadstone.emit.c.functions import Function, Parameter, variables_in
from loadstone.emit.c.names import Names, names_of
from loadstone.emit.c.printer import INDENT, braced, emit_expression, emit_instance, emit_loops
from loadstone.loops.accelerator import Accelerator
from loadstone.loops.model import Instance, Node
from loadstone.loops.scan import Scan
from loadstone.model.expression import Expression
from loadstone.model.kernel import Access, Array, Statement

TOKENS, STRIP_TOKENS = ("loaded", "computed", "stored"), "strip_computed"


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a language writes what C leaves open.

    `tokens` declares a parameter that is a queue of tokens (`@` is its name). `send` and `receive` move one token.
    `pipelined` lines stand at the head of the innermost loops. With `bursts`, runs of consecutive elements are
    transferred by a loop of their own. With `checked`, every local cell knows which element it holds. `words` declares
    a parameter that is a queue of words of a type (`$`), with methods `read` and `write`: where there is such a thing,
    arrays that the compute process writes are loaded through it, so that each buffer is written by one process alone.
    """

    tokens: str
    send: str
    receive: str
    pipelined: tuple[str, ...] = ()
    bursts: bool = False
    checked: bool = False
    words: str = ""
    struct: str = "struct "


@dataclass(frozen=True, eq=False)
class Processes:
    """The functions of an accelerator in a dialect."""

    accelerator: Accelerator
    dialect: Dialect
    names: Names = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "names", names_of(self.accelerator))

    @cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        """The kernel's parameters."""
        kinds = self.accelerator.kernel.parameter_types
        return tuple(Parameter(self.names[name], f"{kind} @") for name, kind in kinds.items())

    @cached_property
    def scalars(self) -> tuple[Parameter, ...]:
        """The scalars that enter by value."""
        return tuple(Parameter(self.names[a.name], f"{a.type} @") for a in self.accelerator.registers if a.initialised)

    @cached_property
    def memories(self) -> tuple[Parameter, ...]:
        """The arrays in external memory."""
        stored = self.accelerator.stored
        return tuple(
            Parameter(self.names[a.name], f"{'' if a.name in stored else 'const '}{a.type} *@")
            for a in self.accelerator.transferred
        )

    @cached_property
    def locals(self) -> tuple[Parameter, ...]:
        """The local buffers, and the tags of their cells where they are checked."""
        found: list[Parameter] = []
        for name, buffer in self.accelerator.buffers.items():
            found.append(Parameter(f"{self.names[name]}_local", f"{buffer.array.type} *@"))
            if self.dialect.checked:
                found.append(Parameter(f"{self.names[name]}_tag", "long *@"))
        return tuple(found)

    @cached_property
    def tokens(self) -> tuple[Parameter, ...]:
        """The queues of tokens between the processes."""
        names = (*TOKENS, STRIP_TOKENS) if self._early else TOKENS
        return tuple(Parameter(name, self.dialect.tokens) for name in names)

    @cached_property
    def queues(self) -> tuple[Parameter, ...]:
        """The queues of loaded words on their way to the compute process, in the order in which they are filled."""
        arrays = [self.accelerator.kernel.arrays[scan.array] for scan in self._queued]
        declared = self.dialect.words
        return tuple(Parameter(f"{self.names[a.name]}_words", declared.replace("$", str(a.type))) for a in arrays)

    @cached_property
    def _queued(self) -> tuple[Scan, ...]:
        written = {statement.write.array for statement in self.accelerator.kernel.statements}
        return tuple(scan for scan in (*self._early, *self._late) if self.dialect.words and scan.array in written)

    @property
    def coordinates(self) -> tuple[Parameter, ...]:
        """The tile coordinates."""
        return tuple(Parameter(name, "int @") for name in self.accelerator.plan.tiles.coordinates)

    @cached_property
    def registers(self) -> tuple[Parameter, ...]:
        """The scalars that the compute process changes, as its tiles see them."""
        return tuple(Parameter(self.names[a.name], f"{a.type} *@") for a in self._changed)

    @cached_property
    def _changed(self) -> tuple[Array, ...]:
        written = {statement.write.array for statement in self.accelerator.kernel.statements}
        return tuple(array for array in self.accelerator.registers if array.name in written)

    @cached_property
    def _in_tile(self) -> tuple[Parameter, ...]:
        """What functions that deal with one tile may use."""
        values = tuple(s for s in self.scalars if s.name not in {r.name for r in self.registers})
        return (
            *(*self.parameters, *self.coordinates, *values, *self.registers),
            *(*self.memories, *self.locals, *self.queues, COPY),
        )

    @cached_property
    def _in_process(self) -> tuple[Parameter, ...]:
        """What processes may use."""
        return (
            *(*self.parameters, *self.scalars, *self.memories, *self.locals),
            *(*self.queues, *self.tokens, *self.counters),
        )

    @property
    def counters(self) -> tuple[Parameter, ...]:
        """Where processes say how many words they moved."""
        return (Parameter("loaded_words", "long *@"), Parameter("stored_words", "long *@"))

    def functions(self) -> list[Function]:
        """All functions, each after those that it calls; without those of work that no tile has."""
        found = [
            *self._addresses.functions(),
            *self._walk_functions.values(),
            *self._transfers.values(),
            self._compute_tile,
            self.load,
            self.compute,
            self.store,
        ]
        called = {name for function in found for name in variables_in(function.body)}
        return [f for f in found if f.name in called or f in (self.load, self.compute, self.store)]

    @cached_property
    def _early(self) -> tuple[Scan, ...]:
        return tuple(scan for scan in self.accelerator.loads if scan.array in self.accelerator.handover.early)

    @cached_property
    def _late(self) -> tuple[Scan, ...]:
        return tuple(scan for scan in self.accelerator.loads if scan.array not in self.accelerator.handover.early)

    @cached_property
    def _addresses(self) -> Addresses:
        return Addresses(self.accelerator, self.names, self.parameters, self.dialect.checked)

    def element(self, array: str, subscripts: Sequence[str], is_write: bool) -> str:
        """The reference to an element, as the compute process and the local side of transfers see it."""
        if array in self.accelerator.buffers:
            return self._addresses.inside(self.accelerator.kernel.arrays[array], subscripts, is_write)
        name = self.names[array]
        return f"*{name}" if name in {r.name for r in self.registers} else name

    def _counted(self, expression: Expression) -> str:
        return emit_expression(self.names.counted(expression))

    @cached_property
    def _walk_functions(self) -> dict[str, Function]:
        """First and Next of all scans."""
        loads = [function for scan in self.accelerator.loads for function in self._walks(scan, "load")]
        stores = [function for scan in self.accelerator.stores for function in self._walks(scan, "store")]
        return {function.name: function for function in (*loads, *stores)}

    def _walks(self, scan: Scan, verb: str) -> Iterator[Function]:
        """First and Next of a scan."""
        array = self.accelerator.kernel.arrays[scan.array]
        offer = (*self.parameters, *self.coordinates, Parameter("p", f"{self.dialect.struct}point *@"))
        name = self.names[scan.array]
        yield Function(
            f"First: p becomes the first element of {array.name} to {verb}, if there is one.",
            "static inline bool",
            f"first_{verb}_{name}",
            offer,
            tuple(self._first(scan)),
        )
        yield Function(
            f"Next: p becomes the element of {array.name} to {verb} after p, if there is one.",
            "static inline bool",
            f"next_{verb}_{name}",
            offer,
            tuple(self._next(scan)),
        )

    def _first(self, scan: Scan) -> Iterator[str]:
        some = self._counted(scan.some)
        if some != "1":
            yield f"if (!({some}))"
            yield f"{INDENT}return false;"
        yield from self._set(scan, 0)
        yield "return true;"

    def _set(self, scan: Scan, start: int) -> Iterator[str]:
        for step in scan.steps[start:]:
            yield f"{self.names[step.variable]} = {self._counted(step.first)};"

    def _next(self, scan: Scan) -> Iterator[str]:
        for position in reversed(range(len(scan.steps))):
            step = scan.steps[position]
            more = self._counted(step.more)
            if more == "0":
                continue
            move = f"{self.names[step.variable]} = {self._counted(step.next)};"
            yield from braced(f"if ({more})", [move, *self._set(scan, position + 1), "return true;"])
        yield "return false;"

    @cached_property
    def _transfers(self) -> dict[str, Function]:
        """The flat loops that load and store what a tile needs."""
        kinds = (
            ("load_tile", "load", () if self._early else self._late, "Loads what a tile needs"),
            ("load_early", "load", self._early, "Loads what a tile needs of arrays that are never stored"),
            (
                "load_late",
                "load",
                self._late if self._early else (),
                "Loads what a tile needs of arrays that are stored as well",
            ),
            ("take_tile", "take", self._queued, "Takes over what was loaded of arrays that tiles write as well"),
            ("store_tile", "store", self.accelerator.stores, "Stores the results that are complete after a tile"),
        )
        return {
            name: Function(
                f"{comment}: {', '.join(scan.array for scan in scans)}.",
                "static long",
                name,
                self._in_tile,
                tuple(self._flat_loop(verb, scans)),
            )
            for name, verb, scans, comment in kinds
            if scans
        }

    def _flat_loop(self, verb: str, scans: Sequence[Scan]) -> Iterator[str]:
        """One loop over the elements of several arrays, in the order of addresses."""
        if any(scan.steps for scan in scans):
            rank = point_rank(self.accelerator)
            yield f"{self.dialect.struct}point point = {{{', '.join('0' for _ in range(rank))}}};"
            yield f"{self.dialect.struct}point *const p = &point;"
        yield "long words = 0;"
        if any(self._in_bursts(scan) for scan in scans):
            yield "int run;"
        yield from self._loop_over_one(verb, scans[0]) if len(scans) == 1 else self._loop_over_all(verb, scans)
        yield "return words;"

    def _loop_over_one(self, verb: str, scan: Scan) -> list[str]:
        step = [*self._transfer(verb, scan), f"more = {self._walk_call('next', verb, scan)};"]
        first = f"bool more = {self._walk_call('first', verb, scan)};"
        return [first, *braced("while (more)", [*self._pipelined([scan]), *step])]

    def _loop_over_all(self, verb: str, scans: Sequence[Scan]) -> list[str]:
        return [
            f"int at = 0; /* {', '.join(f'{number}: {scan.array}' for number, scan in enumerate(scans))} */",
            f"bool more = {self._walk_call('first', verb, scans[0])};",
            *self._advance(verb, scans),
            *braced("while (more)", [*self._pipelined(scans), *self._step(verb, scans), *self._advance(verb, scans)]),
        ]

    def _pipelined(self, scans: Sequence[Scan]) -> tuple[str, ...]:
        return () if any(map(self._in_bursts, scans)) else self.dialect.pipelined

    def _advance(self, verb: str, scans: Sequence[Scan]) -> list[str]:
        """Where an array has no more, go to the first element of the next one that has some."""
        lines: list[str] = []
        for number, scan in enumerate(scans[1:], start=1):
            first = self._walk_call("first", verb, scan)
            lines += braced(f"if (!more && at == {number - 1})", [f"at = {number};", f"more = {first};"])
        return lines

    def _walk_call(self, step: str, verb: str, scan: Scan) -> str:
        way = "load" if verb == "take" else verb
        return self._walk_functions[f"{step}_{way}_{self.names[scan.array]}"].call()

    def _step(self, verb: str, scans: Sequence[Scan]) -> list[str]:
        """Transfer the current element, or the run that begins with it, and go to the next of its array."""
        cases: list[str] = []
        for number, scan in enumerate(scans):
            body = [*self._transfer(verb, scan), f"more = {self._walk_call('next', verb, scan)};", "break;"]
            label = f"case {number}:" if number + 1 < len(scans) else "default:"
            cases += [label, *(INDENT + line for line in body)]
        return braced("switch (at)", cases)

    def _transfer(self, verb: str, scan: Scan) -> list[str]:
        array = self.accelerator.kernel.arrays[scan.array]
        coordinates = [self.names[step.variable] for step in scan.steps]
        if self._in_bursts(scan):
            return self._burst(verb, scan, array, coordinates)
        lines = [self._move(verb, array, coordinates), "words++;"]
        return lines if scan.member is None else braced(f"if ({self._counted(scan.member)})", lines)

    def _in_bursts(self, scan: Scan) -> bool:
        return self.dialect.bursts and scan.run_end is not None and scan.member is None

    def _burst(self, verb: str, scan: Scan, array: Array, coordinates: list[str]) -> list[str]:
        assert scan.run_end is not None
        last = coordinates[-1]
        move = [*self.dialect.pipelined, self._move(verb, array, [*coordinates[:-1], "k_"])]
        return [
            f"run = {self._counted(scan.run_end)};",
            *braced(f"for (int k_ = {last}; k_ <= run; k_++)", move),
            f"words += run - {last} + 1;",
            f"{last} = run;",
        ]

    def _move(self, verb: str, array: Array, coordinates: Sequence[str]) -> str:
        outside = self._addresses.outside(array, coordinates)
        inside = self.element(array.name, coordinates, verb != "store")
        queue = f"{self.names[array.name]}_words"
        if verb == "take":
            return f"{inside} = {queue}.read();"
        if verb == "load" and queue in {q.name for q in self.queues}:
            return f"{queue}.write({outside});"
        return f"{inside} = {outside};" if verb == "load" else f"{outside} = {inside};"

    @cached_property
    def _compute_tile(self) -> Function:
        def instance(leaf: Instance) -> list[str]:
            statement = self.accelerator.kernel.statement(leaf.statement)
            return emit_instance(renamed(statement, self.names), leaf.arguments, self.element)

        body = emit_loops(self.names.loops(self.accelerator.compute), instance, self.dialect.pipelined)
        return Function("Executes the statements of a tile.", "static void", "compute_tile", self._in_tile, tuple(body))

    @cached_property
    def load(self) -> Function:
        """The load process; at the end it takes what the other processes still send."""
        strips = self._load_early_strips() if self._early else self._load_strips()
        body = ["int in_flight = 0;", "long words = 0;", *strips, "*loaded_words = words;"]
        return self._process("load", "brings what the tiles need", body)

    def _load_strips(self) -> list[str]:
        """Strips that overlap, or wait until all of the strip before is stored."""
        count = ["tiles++;"] if self._doubled else []
        tile = [*self._taken_back("if (in_flight == DEPTH)"), *self._words_of("load_tile"), "in_flight++;", *count]
        body = self._over_strips([*self._head_of_strip(), *self._over_tiles([*tile, self._send("loaded")])])
        declared = ["int tiles = 0; /* of the strip before, while a strip begins */"] if self._doubled else []
        return [*declared, *body, *self._taken_back("while (in_flight > 0)")]

    def _head_of_strip(self) -> list[str]:
        """What load waits for before a strip: the stores of all that used its copies of buffers."""
        if self._doubled:
            wait = self._taken_back("while (in_flight > tiles)")
            return ["/* All strips but the one before must be stored: they used this copy. */", *wait, "tiles = 0;"]
        return self._taken_back("while (in_flight > 0)") if self.accelerator.handover.mode == "drain" else []

    @property
    def _doubled(self) -> bool:
        return any(buffer.copies > 1 for buffer in self.accelerator.buffers.values())

    def _load_early_strips(self) -> list[str]:
        """Strips that drain, with arrays that are handed over early."""
        strip = ["bool is_first = true;", *self._over_tiles(self._load_early_tile()), "is_next = true;"]
        return [
            "bool is_next = false;",
            *self._over_strips(strip),
            *self._taken_back("while (in_flight > 0)"),
            *("if (is_next)", f"{INDENT}{self._receive(STRIP_TOKENS)}"),
        ]

    def _load_early_tile(self) -> list[str]:
        """The first tile of a strip waits for the strip before, others for a free place."""
        return [
            *self._taken_back("if (!is_first && in_flight == DEPTH)"),
            *("if (is_first && is_next)", f"{INDENT}{self._receive(STRIP_TOKENS)}"),
            *self._words_of("load_early"),
            *self._taken_back("while (is_first && in_flight > 0)"),
            *self._words_of("load_late"),
            *("in_flight++;", "is_first = false;", self._send("loaded")),
        ]

    def _taken_back(self, condition: str) -> list[str]:
        """Under a condition, wait for the store of the oldest tile in flight."""
        return braced(condition, [self._receive("stored"), "in_flight--;"])

    def _words_of(self, transfer: str, total: str = "words") -> list[str]:
        """The call of a transfer, if there is anything to transfer, which adds to the words moved."""
        return [f"{total} += {self._transfers[transfer].call()};"] if transfer in self._transfers else []

    @cached_property
    def compute(self) -> Function:
        """The compute process."""
        take = self._transfers.get("take_tile")
        tile = [self._receive("loaded"), self._call_compute_tile(), self._send("computed")]
        if take is not None:
            tile.insert(0, f"{take.call()};")
        after = [self._send(STRIP_TOKENS)] if self._early else []
        body = self._over_strips([*self._over_tiles(tile), *after])
        return self._process("compute", "executes the tiles", self._with_registers(body))

    def _with_registers(self, body: list[str]) -> list[str]:
        """The lines after declarations of the scalars in them that the compute process keeps and nobody gives it."""
        wanted = variables_in(body) - {scalar.name for scalar in self.scalars}
        registers = {self.names[array.name]: array.type for array in self._changed}
        return [*(f"{kind} {name} = 0;" for name, kind in registers.items() if name in wanted), *body]

    def _call_compute_tile(self) -> str:
        return f"{self._compute_tile.call({register.name: f'&{register.name}' for register in self.registers})};"

    @cached_property
    def store(self) -> Function:
        """The store process."""
        tile = [self._receive("computed"), *self._words_of("store_tile"), self._send("stored")]
        body = ["long words = 0;", *self._over_strips(self._over_tiles(tile))]
        body.append("*stored_words = words;")
        return self._process("store", "takes results to memory", body)

    @cached_property
    def sequential(self) -> Function:
        """All processes in one, without overlap."""
        loads = (self._words_of(name, "*loaded_words") for name in ("load_tile", "load_early", "load_late"))
        loaded = [line for lines in loads for line in lines]
        tile = [*loaded, self._call_compute_tile(), *self._words_of("store_tile", "*stored_words")]
        body = ["*loaded_words = 0;", "*stored_words = 0;", *self._over_strips(self._over_tiles(tile))]
        comment = "Load, compute and store of each tile, one after the other."
        return Function(comment, "static void", "sequential", self._in_process, tuple(self._with_registers(body)))

    def _process(self, name: str, task: str, body: Sequence[str]) -> Function:
        return Function(f"{name.capitalize()} process: {task}.", "static void", name, self._in_process, tuple(body))

    def _send(self, queue: str) -> str:
        return self.dialect.send.replace("@", queue)

    def _receive(self, queue: str) -> str:
        return self.dialect.receive.replace("@", queue)

    def _over_strips(self, body: Sequence[str]) -> list[str]:
        """Loops over strips, which use the copies of buffers in turn."""
        loops, names = self.accelerator.strips, self.accelerator.plan.tiles.outer
        if COPY.name not in variables_in(body):
            return self._over(loops, names, body)
        return ["int copy = 0;", *self._over(loops, names, [*body, "copy = 1 - copy;"])]

    def _over_tiles(self, body: Sequence[str]) -> list[str]:
        return self._over(self.accelerator.tiles, self.accelerator.plan.tiles.inner, body)

    def _over(self, loops: Node, names: Sequence[str], body: Sequence[str]) -> list[str]:
        """Loops around a body that sees the coordinates by their names."""

        def instance(leaf: Instance) -> list[str]:
            values = [emit_expression(argument) for argument in leaf.arguments]
            fixed = [
                f"const int {n} = {v};"
                for n, v in zip(names, values, strict=True)
                if n != v and n in variables_in(body)
            ]
            return [*fixed, *body]

        return emit_loops(self.names.loops(loops), instance)


def point_rank(accelerator: Accelerator) -> int:
    """The number of members of a point: the most subscripts that a transferred array has."""
    return max((len(scan.steps) for scan in (*accelerator.loads, *accelerator.stores)), default=0) or 1


def renamed(statement: Statement, names: Names) -> Statement:
    """The statement with the names of the program for all but its iterators."""
    outside = replace(names, names={k: v for k, v in names.names.items() if k not in statement.iterators})
    return replace(
        statement,
        reads=tuple(_renamed_access(read, outside) for read in statement.reads),
        write=_renamed_access(statement.write, outside),
        value=outside.written(statement.value),
        condition=None if statement.condition is None else outside.written(statement.condition),
    )


def _renamed_access(access: Access, names: Names) -> Access:
    return replace(access, subscripts=tuple(map(names.written, access.subscripts)))
