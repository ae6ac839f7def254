"""SystemVerilog from modules: what Verilator accepts with all warnings on, and Icarus Verilog 11 as well."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import assert_never

from loadstone.rtl.checks import check, unread_bits
from loadstone.rtl.expressions import (
    Binary,
    Compare,
    Concat,
    Const,
    Extend,
    Mux,
    Reduce,
    Reinterpret,
    Shift,
    Signal,
    Slice,
    Unary,
    Value,
)
from loadstone.rtl.memory import Memory, Port
from loadstone.rtl.module import (
    Drive,
    External,
    Instance,
    Item,
    Module,
    Process,
    Section,
    hierarchy,
    starts_assignments,
)
from loadstone.rtl.statements import Assign, Body, Case, If, Statement, targets
from loadstone.rtl.types import Bits, Enum, Type, bit

_INDENT = "  "
_OPERATORS = {"add": "+", "sub": "-", "mul": "*", "and": "&", "or": "|", "xor": "^"}
_LOGICAL = {"and": "&&", "or": "||", "xor": "^"}
_COMPARISONS = {"eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_REDUCTIONS = {"any": "|", "all": "&", "parity": "^"}
_LARGEST_DECIMAL = 9999


def verilog_files(top: Module) -> dict[str, str]:
    """A file for each module of a hierarchy, by name, users after what they use."""
    check(top)
    return {
        f"{module.name}.{'v' if isinstance(module, External) else 'sv'}": _module_text(module)
        for module in hierarchy(top)
    }


def emit_verilog(top: Module) -> str:
    """The modules of a hierarchy in one text, users after what they use."""
    return "\n".join(verilog_files(top).values())


def _module_text(module: Module) -> str:
    if isinstance(module, External):
        return module.text
    return "\n".join(_module_lines(module)) + "\n"


def _module_lines(module: Module) -> Iterator[str]:
    yield from _comment(module.comment)
    yield from _header(module)
    yield from _indented(_declarations(module))
    yield from _indented(_initial(module))
    for item, previous in zip(module.items, (None, *module.items), strict=False):
        if starts_assignments(item, previous):
            yield ""
        yield from _indented(_item(item))
    yield from _indented(_sink(module))
    yield "endmodule"


def _header(module: Module) -> Iterator[str]:
    parameters = module.of_kind("parameter")
    if parameters:
        yield f"module {module.name} #("
        texts = [(f"parameter {_type(p.type)} {p.name} = {_number(p.type, p.initial)}", p.comment) for p in parameters]
        yield from _listed(texts)
        yield ") ("
    else:
        yield f"module {module.name} ("
    yield from _listed([*_clock_ports(module), *_ports(module)])
    yield ");"


def _clock_ports(module: Module) -> Iterator[tuple[str, str]]:
    if module.has_clock:
        yield "input  logic clk", ""
    if module.has_reset:
        yield "input  logic rst", ""


def _ports(module: Module) -> Iterator[tuple[str, str]]:
    for port in module.of_kind("input", "output"):
        yield f"{port.kind:<6} {_type(port.type)} {port.name}", port.comment


def _listed(texts: list[tuple[str, str]]) -> Iterator[str]:
    """Declarations with commas between them, and their comments behind."""
    for position, (text, comment) in enumerate(texts):
        comma = "," if position < len(texts) - 1 else ""
        yield f"{_INDENT * 2}{text}{comma}" + (f"  // {comment}" if comment else "")


def _declarations(module: Module) -> Iterator[str]:
    for enum in module.enums:
        yield from _enum(enum)
    for signal in module.of_kind("wire", "register"):
        yield f"{_type(signal.type)} {signal.name};" + (f"  // {signal.comment}" if signal.comment else "")
    for memory in module.memories:
        yield from _memory_declaration(memory)


def _enum(enum: Enum) -> Iterator[str]:
    yield f"typedef enum {_logic(enum.width)} {{"
    for position, member in enumerate(enum.members):
        comma = "," if position < len(enum.members) - 1 else ""
        yield f"{_INDENT}{member} = {enum.width}'d{position}{comma}"
    yield f"}} {enum.name};"


def _memory_declaration(memory: Memory) -> Iterator[str]:
    yield from _comment(memory.comment)
    attributes = [*(["no_rw_check"] if memory.collision == "any" else [])]
    attributes += [f'ram_style = "{memory.style}"'] if memory.style else []
    if attributes:
        yield f"(* {', '.join(attributes)} *)"
    yield f"{_type(memory.type)} {memory.name} [0:{memory.depth - 1}];"


def _initial(module: Module) -> Iterator[str]:
    registers = module.of_kind("register")
    if registers or module.memories:
        yield ""
        yield "initial begin"
        yield from (f"{_INDENT}{each.name} = {_number(each.type, each.initial)};" for each in registers)
        for memory in module.memories:
            yield from _indented(_contents(memory))
        yield "end"


def _contents(memory: Memory) -> Iterator[str]:
    """Initial contents; words that are not given are 0."""
    for address, word in enumerate(memory.initial):
        yield f"{memory.name}[{address}] = {_number(memory.type, word)};"
    if len(memory.initial) < memory.depth:
        start, zero = len(memory.initial), _number(memory.type, 0)
        yield f"for (int i = {start}; i < {memory.depth}; i = i + 1) {memory.name}[i] = {zero};"


def _item(item: Item) -> Iterator[str]:
    match item:
        case Section():
            yield ""
            yield f"// ---- {item.text} ----"
        case Drive():
            yield from _comment(item.comment)
            yield from _assignment(f"assign {item.target.name} =", item.value)
        case Process():
            yield ""
            yield from _comment(item.comment)
            yield from _process(item)
        case Memory():
            yield from _memory(item)
        case Instance():
            yield ""
            yield from _comment(item.comment)
            yield from _instance(item)
        case _:
            assert_never(item)


def _assignment(head: str, value: Value) -> Iterator[str]:
    """An assignment; a choice among several values takes a line for each."""
    while isinstance(value, Mux) and isinstance(value.right, Mux):
        yield f"{head} {_inner(value.condition)} ? {_inner(value.left)}"
        head, value = f"{_INDENT}:", value.right
    yield f"{head} {expression(value)};"


def _process(process: Process) -> Iterator[str]:
    """A process; the reset of registers overrides what the body gives them.

    Clocked ones are plain `always`: the standard lets nobody else write what `always_ff` does, not even `initial`
    [IEEE 1800, 9.2.2.4].
    """
    if not process.clocked:
        yield "always_comb begin"
        yield from _indented(_body(process.body, "="))
        yield "end"
        return
    assigned = targets(process.body)
    reset = [f"{each.name} <= {_number(each.type, each.initial)};" for each in assigned if each.resets]
    yield "always @(posedge clk) begin"
    if len(reset) == len(assigned):
        yield from _indented(_if_else("rst", reset, _body(process.body, "<=")))
    else:
        yield from _indented(_body(process.body, "<="))
        if reset:
            yield from _indented(_if_else("rst", reset, ()))
    yield "end"


def _if_else(condition: str, then: Iterable[str], otherwise: Iterable[str]) -> Iterator[str]:
    yield f"if ({condition}) begin"
    yield from _indented(then)
    rest = list(otherwise)
    if rest:
        yield "end else begin"
        yield from _indented(rest)
    yield "end"


def _body(body: Body, operator: str) -> Iterator[str]:
    for statement in body:
        yield from _statement(statement, operator)


def _statement(statement: Statement, operator: str) -> Iterator[str]:
    match statement:
        case Assign():
            yield from _assignment(f"{statement.target.name} {operator}", statement.value)
        case If():
            for position, (condition, body) in enumerate(statement.branches):
                yield f"{'end else ' if position else ''}if ({expression(condition)}) begin"
                yield from _indented(_body(body, operator))
            if statement.otherwise:
                yield "end else begin"
                yield from _indented(_body(statement.otherwise, operator))
            yield "end"
        case Case():
            yield from _case(statement, operator)
        case _:
            assert_never(statement)


def _case(statement: Case, operator: str) -> Iterator[str]:
    """A case statement; the last arm of one that lists all members also stands for codes without a member."""
    yield f"case ({statement.selector.name})"
    last_is_default = statement.is_full and statement.default is None
    for position, (values, body) in enumerate(statement.arms):
        label = ", ".join(map(expression, values))
        is_default = last_is_default and position == len(statement.arms) - 1
        yield f"{_INDENT}default: begin  // {label}" if is_default else f"{_INDENT}{label}: begin"
        yield from _indented(_indented(_body(body, operator)))
        yield f"{_INDENT}end"
    if not statement.is_full:
        yield f"{_INDENT}default: begin"
        yield from _indented(_indented(_body(statement.default or (), operator)))
        yield f"{_INDENT}end"
    yield "endcase"


def _memory(memory: Memory) -> Iterator[str]:
    """A process for each port, the form in which synthesis finds block memories."""
    for port in memory.ports:
        if memory.latency == 0 and port.output is not None:
            yield f"assign {port.output.name} = {_word(memory, port)};"
        if port.write is not None or memory.latency:
            yield ""
            yield "always @(posedge clk) begin"
            yield from _indented(_guarded(port.enable, _port(memory, port)))
            yield "end"


def _guarded(condition: Value, lines: Iterable[str]) -> Iterator[str]:
    """Statements under a condition, which is left out where it always holds."""
    yield from lines if isinstance(condition, Const) and condition.value else _if_else(expression(condition), lines, ())


def _port(memory: Memory, port: Port) -> Iterator[str]:
    if port.write is not None and port.data is not None:
        yield from _guarded(port.write, [f"{_word(memory, port)} <= {expression(port.data)};"])
    if port.first is not None and memory.latency:
        yield f"{port.first.name} <= {_word(memory, port)};"
    if port.output is not None and port.fetched is not None:
        yield f"{port.output.name} <= {port.fetched.name};"


def _word(memory: Memory, port: Port) -> str:
    return f"{memory.name}[{expression(port.address)}]"


def _instance(instance: Instance) -> Iterator[str]:
    module = instance.module
    if instance.parameters:
        yield f"{module.name} #("
        yield from _listed([(f".{name}({_number(module[name].type, v)})", "") for name, v in instance.parameters])
        yield f") {instance.name} ("
    else:
        yield f"{module.name} {instance.name} ("
    reset = "rst" if instance.clear is None else f"rst | {instance.clear.name}"
    clocks = [*([("clk", "clk")] if module.has_clock else []), *([("rst", reset)] if module.has_reset else [])]
    pairs = [*clocks, *((n, s.name) for n, s in (*instance.inputs, *instance.outputs))]
    yield from _listed([(f".{port}({signal})", "") for port, signal in pairs])
    yield ");"


def _sink(module: Module) -> Iterator[str]:
    """A wire that takes the bits that nothing else reads."""
    bits = [_bits_text(signal, low, count) for signal, low, count in unread_bits(module)]
    if bits:
        yield ""
        yield "// Bits that are not needed."
        yield "logic unused;"
        yield f"assign unused = &{{1'b0, {', '.join(bits)}}};"


def _bits_text(signal: Signal, low: int, count: int) -> str:
    """Some bits of a signal."""
    if count == signal.width:
        return signal.name
    return f"{signal.name}[{low}]" if count == 1 else f"{signal.name}[{low + count - 1}:{low}]"


def _comment(text: str) -> Iterator[str]:
    yield from (f"// {line}" for line in text.splitlines())


def _indented(lines: Iterable[str]) -> Iterator[str]:
    yield from (f"{_INDENT}{line}" if line else "" for line in lines)


def _logic(width: int, sign: bool = False) -> str:
    text = "logic signed" if sign else "logic"
    return text if width == 1 and not sign else f"{text} [{width - 1}:0]"


def _type(type: Type) -> str:
    return type.name if isinstance(type, Enum) else _logic(type.width, type.signed)


def _number(type: Type, value: int) -> str:
    """A literal of a type."""
    if isinstance(type, Enum):
        return type.members[value]
    if type == bit:
        return f"1'b{value}"
    sign = "s" if type.signed else ""
    if abs(value) > _LARGEST_DECIMAL or value == type.minimum != 0 or type == Bits(1, True):
        return f"{type.width}'{sign}h{value & type.mask:x}"
    return f"{'-' if value < 0 else ''}{type.width}'{sign}d{abs(value)}"


def expression(value: Value) -> str:
    """An expression whose width and sign in SystemVerilog are those of its type, whatever stands around it."""
    match value:
        case Const():
            return _number(value.type, value.value)
        case Signal():
            return value.name
        case Unary():
            operator = "-" if value.operator == "neg" else "!" if value.type == bit else "~"
            return f"{operator}{_operand(value.operand)}"
        case Binary():
            return _binary(value)
        case Compare():
            return f"{_inner(value.left)} {_COMPARISONS[value.operator]} {_inner(value.right)}"
        case Mux():
            return f"{_inner(value.condition)} ? {_inner(value.left)} : {_inner(value.right)}"
        case _:
            return _rearranged(value)


def _rearranged(value: Value) -> str:
    """An expression that moves bits."""
    match value:
        case Shift():
            operator = "<<" if value.direction == "left" else ">>>" if value.bits.signed else ">>"
            return f"{_inner(value.operand)} {operator} {_inner(value.amount)}"
        case Extend():
            return _extend(value.operand, value.bits)
        case Reinterpret():
            return f"{'$signed' if value.bits.signed else '$unsigned'}({expression(value.operand)})"
        case Slice():
            return _slice(value)
        case Concat():
            return f"{{{', '.join(map(expression, value.parts))}}}"
        case Reduce():
            return f"{_REDUCTIONS[value.operator]}{_operand(value.operand)}"
        case _:
            raise AssertionError(value)


def _inner(value: Value) -> str:
    """An expression as part of another one."""
    text = expression(value)
    return f"({text})" if isinstance(value, Unary | Binary | Compare | Shift | Mux | Reduce) else text


def _operand(value: Value) -> str:
    """An expression behind an operator with one operand; Yosys takes the operator for a part of the width of a cast."""
    text = _inner(value)
    return f"({text})" if text[0] in "-0123456789" else text


def _binary(value: Binary) -> str:
    """An operation; the operands of a product are extended to its width."""
    operator = (_LOGICAL if value.type == bit else _OPERATORS)[value.operator]
    if value.operator == "mul":
        return " * ".join(_extend(each, value.bits) for each in (value.left, value.right))
    left = value.left
    chained = isinstance(left, Binary) and left.operator == value.operator != "sub"
    return f"{expression(left) if chained else _inner(left)} {operator} {_inner(value.right)}"


def _extend(value: Value, target: Bits) -> str:
    """A value with more bits, and with a sign if the type has one."""
    if value.type == target:
        return _inner(value)
    if isinstance(value, Const):
        return _number(target, value.value)
    if target.signed and not value.bits.signed:
        return f"$signed({target.width}'({_closed(value)}))"
    return f"{target.width}'({_closed(value)})"


def _closed(value: Value) -> str:
    """An expression whose operations keep their width in a cast to more bits.

    The standard says that they do, but Icarus Verilog 11 extends the operands; braces stop it.
    """
    text = expression(value)
    if not isinstance(value, Unary | Binary | Shift | Mux):
        return text
    return f"$signed({{{text}}})" if value.bits.signed else f"{{{text}}}"


def _slice(value: Slice) -> str:
    """Bits of a signal, or of any other expression by shift and cast."""
    if isinstance(value.operand, Signal):
        return _bits_text(value.operand, value.low, value.width)
    inner = f"{_inner(value.operand)} >> {value.low}" if value.low else expression(value.operand)
    text = f"{value.width}'({inner})"
    return f"$unsigned({text})" if value.operand.bits.signed else text
