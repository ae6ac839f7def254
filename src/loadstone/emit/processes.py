"""The load, compute and store processes of an accelerator as C functions.

C and HLS C++ share this text. A `Dialect` says how tokens travel, which pragmas loops carry, and whether elements are
transferred one by one or in bursts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from loadstone.emit.c import INDENT, braced, emit_expression, emit_instance, emit_loops
from loadstone.emit.functions import Function, Parameter, variables_in
from loadstone.emit.names import Names, names_of
from loadstone.loops.accelerator import Accelerator
from loadstone.loops.model import Instance, Node
from loadstone.loops.scan import Scan
from loadstone.model.affine import signed_sum
from loadstone.model.expression import Constant, Expression, Variable, walk
from loadstone.model.kernel import Access, Array, Statement
from loadstone.storage.buffers import Buffer, Component

TOKENS = ("loaded", "computed", "stored", "strip_computed")


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a language writes what C leaves open.

    `tokens` declares a parameter that is a queue of tokens (`@` is its name). `send` and `receive` move one token.
    `pipelined` lines stand at the head of the innermost transfer loops. With `bursts`, runs of consecutive elements
    are transferred by a loop of their own. With `checked`, every local cell knows which element it holds.
    """

    tokens: str
    send: str
    receive: str
    pipelined: tuple[str, ...] = ()
    bursts: bool = False
    checked: bool = False
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
        return tuple(
            Parameter(self.names[a.name], f"{a.type} @") for a in self.accelerator.registers if a.initialised
        )

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
        return tuple(Parameter(name, self.dialect.tokens) for name in TOKENS)

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
        return (*self.parameters, *self.coordinates, *values, *self.registers, *self.memories, *self.locals)

    @cached_property
    def _in_process(self) -> tuple[Parameter, ...]:
        """What processes may use."""
        return (*self.parameters, *self.scalars, *self.memories, *self.locals, *self.tokens, *self.counters)

    @property
    def counters(self) -> tuple[Parameter, ...]:
        """Where processes say how many words they moved."""
        return (Parameter("loaded_words", "long *@"), Parameter("stored_words", "long *@"))

    def functions(self) -> list[Function]:
        """All functions, each after those that it calls."""
        return [
            *self._addresses(),
            *self._walk_functions.values(),
            *self._transfers.values(),
            self._compute_tile,
            self.load,
            self.compute,
            self.store,
        ]

    @cached_property
    def _early(self) -> tuple[Scan, ...]:
        return tuple(scan for scan in self.accelerator.loads if scan.array in self.accelerator.handover.early)

    @cached_property
    def _late(self) -> tuple[Scan, ...]:
        return tuple(scan for scan in self.accelerator.loads if scan.array not in self.accelerator.handover.early)

    def _addresses(self) -> Iterator[Function]:
        """Where elements are: in local memory, and in external memory."""
        for buffer in self.accelerator.buffers.values():
            yield self._cell(buffer)
            if buffer.array in self.accelerator.transferred or self.dialect.checked:
                yield self._at(buffer.array)
            if self.dialect.checked:
                yield from self._checks(buffer.array)

    def _subscripts(self, array: Array) -> tuple[Parameter, ...]:
        return tuple(Parameter(f"x{k}", "int @") for k in range(array.rank))

    def _cell(self, buffer: Buffer) -> Function:
        """The cell of an element in its buffer."""
        return Function(
            f"The cell of {_reference(buffer.array)} in local memory.",
            "static inline int",
            f"{self.names[buffer.array.name]}_cell",
            (*self.parameters, *self._subscripts(buffer.array)),
            (f"return {self._local_address(buffer)};",),
        )

    def _local_address(self, buffer: Buffer) -> str:
        text = ""
        for part in buffer.components:
            size = _factor(part.size, self._counted(part.size))
            text = _component(part) if not text else f"({text}) * {size} + {_component(part)}"
        return text or "0"

    def _at(self, array: Array) -> Function:
        """The position of an element among the words of its array."""
        text = ""
        for k, extent in enumerate(array.extents):
            size = _factor(extent, self._counted(extent))
            text = f"(long)x{k}" if not text else f"{text if k == 1 else f'({text})'} * {size} + x{k}"
        return Function(
            f"The position of {_reference(array)} in external memory.",
            "static inline long",
            f"{self.names[array.name]}_at",
            (*self.parameters, *self._subscripts(array)),
            (f"return {text or '0'};",),
        )

    def _checks(self, array: Array) -> Iterator[Function]:
        """Access to cells that know what they hold."""
        name = self.names[array.name]
        offer = (Parameter(f"{name}_tag", "long *@"), *self.parameters, *self._subscripts(array))
        cell, at = self._call(f"{name}_cell", array), self._call(f"{name}_at", array)
        yield Function(
            f"The cell of {_reference(array)}, which must hold it.",
            "static inline int",
            f"{name}_read",
            offer,
            (
                f"const int cell = {cell};",
                f"if ({name}_tag[cell] != {at} + 1)",
                f'{INDENT}overrun("{array.name}", {at}, {name}_tag[cell] - 1);',
                "return cell;",
            ),
        )
        yield Function(
            f"The cell of {_reference(array)}, which holds it from now on.",
            "static inline int",
            f"{name}_write",
            offer,
            (f"const int cell = {cell};", f"{name}_tag[cell] = {at} + 1;", "return cell;"),
        )

    def _call(self, function: str, array: Array, subscripts: Sequence[str] | None = None) -> str:
        """A call of one of the address functions of an array."""
        leading = [self.names[name] for name in self._sizes_used(function, array)]
        if function.endswith(("_read", "_write")):
            leading = [f"{self.names[array.name]}_tag", *leading]
        points = [f"x{k}" for k in range(array.rank)] if subscripts is None else list(subscripts)
        if function.endswith("_cell"):
            used = self._used_subscripts(self.accelerator.buffers[array.name])
            points = [text for text, is_used in zip(points, used, strict=True) if is_used]
        return f"{function}({', '.join([*leading, *points])})"

    def _used_subscripts(self, buffer: Buffer) -> list[bool]:
        """Which subscripts matter for the cell."""
        return [any(part.row[k] and part.modulus != 1 for part in buffer.components) for k in range(buffer.array.rank)]

    def _sizes_used(self, function: str, array: Array) -> list[str]:
        """The kernel's parameters that an address depends on."""
        sizes: list[Expression] = []
        if not function.endswith("_at"):
            sizes += [part.size for part in self.accelerator.buffers[array.name].components[1:]]
        if not function.endswith("_cell"):
            sizes += array.extents[1:]
        names = {part.name for size in sizes for part in walk(size) if isinstance(part, Variable)}
        return [name for name in self.accelerator.kernel.parameters if name in names]

    def element(self, array: str, subscripts: Sequence[str], is_write: bool) -> str:
        """The reference to an element, as the compute process and the local side of transfers see it."""
        buffer, name = self.accelerator.buffers.get(array), self.names[array]
        if buffer is None:
            return f"*{name}" if name in {r.name for r in self.registers} else name
        way = ("_write" if is_write else "_read") if self.dialect.checked else "_cell"
        return f"{name}_local[{self._call(name + way, buffer.array, subscripts)}]"

    def _outside(self, array: Array, subscripts: Sequence[str]) -> str:
        name = self.names[array.name]
        return f"{name}[{self._call(f'{name}_at', array, subscripts)}]"

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
            ("load_early", "load", self._early, "Loads what a tile needs of arrays that are never stored"),
            ("load_late", "load", self._late, "Loads what a tile needs of arrays that are stored as well"),
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
        return [first, *braced("while (more)", [*self._pipelined(), *step])]

    def _loop_over_all(self, verb: str, scans: Sequence[Scan]) -> list[str]:
        return [
            f"int at = 0; /* {', '.join(f'{number}: {scan.array}' for number, scan in enumerate(scans))} */",
            f"bool more = {self._walk_call('first', verb, scans[0])};",
            *self._advance(verb, scans),
            *braced("while (more)", [*self._pipelined(), *self._step(verb, scans), *self._advance(verb, scans)]),
        ]

    def _pipelined(self) -> tuple[str, ...]:
        return () if self.dialect.bursts else self.dialect.pipelined

    def _advance(self, verb: str, scans: Sequence[Scan]) -> list[str]:
        """Where an array has no more, go to the first element of the next one that has some."""
        lines: list[str] = []
        for number, scan in enumerate(scans[1:], start=1):
            first = self._walk_call("first", verb, scan)
            lines += braced(f"if (!more && at == {number - 1})", [f"at = {number};", f"more = {first};"])
        return lines

    def _walk_call(self, step: str, verb: str, scan: Scan) -> str:
        return self._walk_functions[f"{step}_{verb}_{self.names[scan.array]}"].call()

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
        outside = self._outside(array, coordinates)
        inside = self.element(array.name, coordinates, verb == "load")
        return f"{inside} = {outside};" if verb == "load" else f"{outside} = {inside};"

    @cached_property
    def _compute_tile(self) -> Function:
        def instance(leaf: Instance) -> list[str]:
            statement = self.accelerator.kernel.statement(leaf.statement)
            return emit_instance(_renamed(statement, self.names), leaf.arguments, self.element)

        body = emit_loops(self.names.loops(self.accelerator.compute), instance)
        return Function("Executes the statements of a tile.", "static void", "compute_tile", self._in_tile, tuple(body))

    @cached_property
    def load(self) -> Function:
        """The load process."""
        after = ["is_next = true;"] if self._early else []
        body = ["int in_flight = 0;", "long words = 0;", *(["bool is_next = false;"] if self._early else [])]
        body += self._over_strips(["bool is_first = true;", *self._over_tiles(self._load_tile()), *after])
        body += self._last_tokens()
        body.append("*loaded_words = words;")
        return self._process("load", "brings what the tiles need", body)

    def _load_tile(self) -> list[str]:
        """One tile of the load process: the first tile of a strip waits for the strip before, others for a free place."""
        early, late = self._transfers.get("load_early"), self._transfers.get("load_late")
        one_less = [self._receive("stored"), "in_flight--;"]
        drain = braced("while (is_first && in_flight > 0)", one_less)
        lines = braced("if (!is_first && in_flight == DEPTH)", one_less)
        if early is not None:
            lines += ["if (is_first && is_next)", f"{INDENT}{self._receive('strip_computed')}"]
            lines.append(f"words += {early.call()};")
        lines += drain
        if late is not None:
            lines.append(f"words += {late.call()};")
        return [*lines, "in_flight++;", "is_first = false;", self._send("loaded")]

    def _last_tokens(self) -> list[str]:
        """Take what the other processes still send, so that all queues are empty at the end."""
        lines = braced("while (in_flight > 0)", [self._receive("stored"), "in_flight--;"])
        if self._early:
            lines += ["if (is_next)", f"{INDENT}{self._receive('strip_computed')}"]
        return lines

    @cached_property
    def compute(self) -> Function:
        """The compute process."""
        body = self._register_declarations()
        tile = [self._receive("loaded"), self._call_compute_tile(), self._send("computed")]
        after = [self._send("strip_computed")] if self._early else []
        body += self._over_strips([*self._over_tiles(tile), *after])
        return self._process("compute", "executes the tiles", body)

    def _register_declarations(self) -> list[str]:
        """The scalars that the compute process keeps and that nobody gives it."""
        given = {scalar.name for scalar in self.scalars}
        return [f"{a.type} {self.names[a.name]} = 0;" for a in self._changed if self.names[a.name] not in given]

    def _call_compute_tile(self) -> str:
        return f"{self._compute_tile.call({register.name: f'&{register.name}' for register in self.registers})};"

    @cached_property
    def store(self) -> Function:
        """The store process."""
        transfer = self._transfers.get("store_tile")
        tile = [self._receive("computed"), self._send("stored")]
        if transfer is not None:
            tile.insert(1, f"words += {transfer.call()};")
        body = ["long words = 0;", *self._over_strips(self._over_tiles(tile))]
        body.append("*stored_words = words;")
        return self._process("store", "takes results to memory", body)

    @cached_property
    def sequential(self) -> Function:
        """All processes in one, without overlap."""
        body = [*self._register_declarations(), "*loaded_words = 0;", "*stored_words = 0;"]
        loads = [self._transfers[name] for name in ("load_early", "load_late") if name in self._transfers]
        tile = [f"*loaded_words += {load.call()};" for load in loads]
        tile.append(self._call_compute_tile())
        if "store_tile" in self._transfers:
            tile.append(f"*stored_words += {self._transfers['store_tile'].call()};")
        body += self._over_strips(self._over_tiles(tile))
        comment = "Load, compute and store of each tile, one after the other."
        return Function(comment, "static void", "sequential", self._in_process, tuple(body))

    def _process(self, name: str, task: str, body: Sequence[str]) -> Function:
        return Function(f"{name.capitalize()} process: {task}.", "static void", name, self._in_process, tuple(body))

    def _send(self, queue: str) -> str:
        return self.dialect.send.replace("@", queue)

    def _receive(self, queue: str) -> str:
        return self.dialect.receive.replace("@", queue)

    def _over_strips(self, body: Sequence[str]) -> list[str]:
        return self._over(self.accelerator.strips, self.accelerator.plan.tiles.outer, body)

    def _over_tiles(self, body: Sequence[str]) -> list[str]:
        return self._over(self.accelerator.tiles, self.accelerator.plan.tiles.inner, body)

    def _over(self, loops: Node, names: Sequence[str], body: Sequence[str]) -> list[str]:
        """Loops around a body that sees the coordinates by their names."""

        def instance(leaf: Instance) -> list[str]:
            values = [emit_expression(argument) for argument in leaf.arguments]
            fixed = [f"const int {n} = {v};" for n, v in zip(names, values, strict=True) if n != v and n in variables_in(body)]
            return [*fixed, *body]

        return emit_loops(self.names.loops(loops), instance)


def point_rank(accelerator: Accelerator) -> int:
    """The number of members of a point: the most subscripts that a transferred array has."""
    return max((len(scan.steps) for scan in (*accelerator.loads, *accelerator.stores)), default=0) or 1


def _factor(expression: Expression, text: str) -> str:
    return text if isinstance(expression, Constant | Variable) else f"({text})"


def _reference(array: Array) -> str:
    return array.name + "".join(f"[x{k}]" for k in range(array.rank))


def _component(part: Component) -> str:
    """One dimension of a local address."""
    if part.modulus == 1:
        return "0"
    terms = [(factor, f"x{k}") for k, factor in enumerate(part.row) if factor]
    total = signed_sum(terms, "*")
    if part.modulus is None:
        return total
    if all(factor > 0 for factor, _ in terms):
        return f"{total if len(terms) == 1 and terms[0][0] == 1 else f'({total})'} % {part.modulus}"
    return f"modulo({total}, {part.modulus})"


def _renamed(statement: Statement, names: Names) -> Statement:
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
