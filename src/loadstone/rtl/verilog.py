"""SystemVerilog from modules: what Verilator accepts with all warnings on, and Icarus Verilog 11 as well."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from loadstone.rtl import expressions as expr
from loadstone.rtl.checks import check, unread_bits
from loadstone.rtl.memory import Memory, Port
from loadstone.rtl.module import External, Instance, Module, hierarchy
from loadstone.rtl.shell import Shell
from loadstone.rtl.statements import Case
from loadstone.rtl.syntax import INDENT, Lines, Syntax, indented
from loadstone.rtl.types import Bits, Enum, Type, bit

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
    lines = _shell_lines(module) if isinstance(module, Shell) else _module_lines(module)
    return "\n".join(lines) + "\n"


def _shell_lines(shell: Shell) -> Lines:
    yield from VERILOG.comment(shell.comment)
    yield f"module {shell.name} ("
    yield from VERILOG.listed(list(_shell_ports(shell)))
    yield ");"
    yield f"{INDENT}{shell.inner.name} content ("
    yield from VERILOG.filled(shell)
    yield f"{INDENT});"
    yield from (f"{INDENT}assign {name} = {_number(type, value)};" for name, (type, value) in shell.constants.items())
    yield from indented(_sink(shell))
    yield "endmodule"


def _shell_ports(shell: Shell) -> Iterator[tuple[str, str]]:
    """The ports of a shell behind their attributes, each in a line, with their comments."""
    for name, kind, type, comment in VERILOG.declared_ports(shell):
        attributes = (f'(* {key} = "{value}" *)' for key, value in shell.attributes.get(name, {}).items())
        yield f"\n{INDENT * 2}".join((*attributes, _port(name, kind, type))), comment


def _module_lines(module: Module) -> Lines:
    yield from VERILOG.comment(module.comment)
    yield from _header(module)
    yield from indented(_declarations(module))
    yield from indented(_initial(module))
    yield from VERILOG.items(module)
    yield from indented(_sink(module))
    yield "endmodule"


def _header(module: Module) -> Lines:
    parameters = module.of_kind("parameter")
    if parameters:
        yield f"module {module.name} #("
        texts = [(f"parameter {_type(p.type)} {p.name} = {_number(p.type, p.initial)}", p.comment) for p in parameters]
        yield from VERILOG.listed(texts)
        yield ") ("
    else:
        yield f"module {module.name} ("
    yield from VERILOG.listed(VERILOG.ports(module))
    yield ");"


def _port(name: str, kind: expr.Kind, type: Type) -> str:
    return f"{kind:<6} {_type(type)} {name}"


def _declarations(module: Module) -> Lines:
    for enum in module.enums:
        yield from _enum(enum)
    for signal in module.of_kind("wire", "register"):
        yield f"{_type(signal.type)} {signal.name};{VERILOG.behind(signal.comment)}"
    for memory in module.memories:
        yield from _memory_declaration(memory)


def _enum(enum: Enum) -> Lines:
    yield f"typedef enum {_logic(enum.width)} {{"
    for position, member in enumerate(enum.members):
        comma = "," if position < len(enum.members) - 1 else ""
        yield f"{INDENT}{member} = {enum.width}'d{position}{comma}"
    yield f"}} {enum.name};"


def _memory_declaration(memory: Memory) -> Lines:
    yield from VERILOG.comment(memory.comment)
    attributes = [*(["no_rw_check"] if memory.collision == "any" else [])]
    attributes += [f'ram_style = "{memory.style}"'] if memory.style else []
    if attributes:
        yield f"(* {', '.join(attributes)} *)"
    yield f"{_type(memory.type)} {memory.name} [0:{memory.depth - 1}];"


def _initial(module: Module) -> Lines:
    registers = module.of_kind("register")
    if registers or module.memories:
        yield ""
        yield "initial begin"
        yield from (f"{INDENT}{each.name} = {_number(each.type, each.initial)};" for each in registers)
        for memory in module.memories:
            yield from indented(_contents(memory))
        yield "end"


def _contents(memory: Memory) -> Lines:
    """Initial contents; words that are not given are 0."""
    for address, word in enumerate(memory.initial):
        yield f"{memory.name}[{address}] = {_number(memory.type, word)};"
    if len(memory.initial) < memory.depth:
        start, zero = len(memory.initial), _number(memory.type, 0)
        yield f"for (int i = {start}; i < {memory.depth}; i = i + 1) {memory.name}[i] = {zero};"


def _assignment(head: str, value: expr.Value) -> Lines:
    """An assignment; a choice among several values takes a line for each."""
    while isinstance(value, expr.Mux) and isinstance(value.right, expr.Mux):
        yield f"{head} {_inner(value.condition)} ? {_inner(value.left)}"
        head, value = f"{INDENT}:", value.right
    yield f"{head} {expression(value)};"


def _always_comb(lines: Iterable[str]) -> Lines:
    yield from ("always_comb begin", *indented(lines), "end")


def _always(lines: Iterable[str]) -> Lines:
    """A clocked process.

    It is plain `always`: the standard lets nobody else write what `always_ff` does, not even `initial` [IEEE 1800,
    9.2.2.4].
    """
    yield from ("always @(posedge clk) begin", *indented(lines), "end")


def _case(statement: Case, head: str) -> Lines:
    """A case statement; the last arm of one that lists all members also stands for codes without a member."""
    yield f"case ({statement.selector.name})"
    last_is_default = statement.is_full and statement.default is None
    for position, (values, body) in enumerate(statement.arms):
        label = ", ".join(map(expression, values))
        is_default = last_is_default and position == len(statement.arms) - 1
        yield f"{INDENT}default: begin  // {label}" if is_default else f"{INDENT}{label}: begin"
        yield from indented(VERILOG.body(body, head), 2)
        yield f"{INDENT}end"
    if not statement.is_full:
        yield f"{INDENT}default: begin"
        yield from indented(VERILOG.body(statement.default or (), head), 2)
        yield f"{INDENT}end"
    yield "endcase"


def _memory(memory: Memory) -> Lines:
    """A process for each port, the form in which synthesis finds block memories."""
    for port in memory.ports:
        if memory.latency == 0 and port.output is not None:
            yield f"assign {port.output.name} = {_word(memory, port)};"
        if port.write is not None or memory.latency:
            yield ""
            yield from _always(VERILOG.port_lines(memory, port))


def _word(memory: Memory, port: Port) -> str:
    return f"{memory.name}[{expression(port.address)}]"


def _instance(instance: Instance) -> Lines:
    module = instance.module
    if instance.parameters:
        yield f"{module.name} #("
        yield from VERILOG.chosen(instance)
        yield f") {instance.name} ("
    else:
        yield f"{module.name} {instance.name} ("
    yield from VERILOG.connected(instance)
    yield ");"


def _sink(module: Module) -> Lines:
    """A wire that takes the bits that nothing else reads."""
    bits = [_bits_text(signal, low, count) for signal, low, count in unread_bits(module)]
    if bits:
        yield ""
        yield "// Bits that are not needed."
        yield "logic unused;"
        yield f"assign unused = &{{1'b0, {', '.join(bits)}}};"


def _bits_text(signal: expr.Signal, low: int, count: int) -> str:
    """Some bits of a signal."""
    if count == signal.width:
        return signal.name
    return f"{signal.name}[{low}]" if count == 1 else f"{signal.name}[{low + count - 1}:{low}]"


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


def expression(value: expr.Value) -> str:
    """An expression whose width and sign in SystemVerilog are those of its type, whatever stands around it."""
    match value:
        case expr.Const():
            return _number(value.type, value.value)
        case expr.Signal():
            return value.name
        case expr.Unary():
            operator = "-" if value.operator == "neg" else "!" if value.type == bit else "~"
            return f"{operator}{_operand(value.operand)}"
        case expr.Binary():
            return _binary(value)
        case expr.Compare():
            return f"{_inner(value.left)} {_COMPARISONS[value.operator]} {_inner(value.right)}"
        case expr.Mux():
            return f"{_inner(value.condition)} ? {_inner(value.left)} : {_inner(value.right)}"
        case _:
            return _rearranged(value)


def _rearranged(value: expr.Value) -> str:
    """An expression that moves bits."""
    match value:
        case expr.Shift():
            operator = "<<" if value.direction == "left" else ">>>" if value.bits.signed else ">>"
            return f"{_inner(value.operand)} {operator} {_inner(value.amount)}"
        case expr.Extend():
            return _extend(value.operand, value.bits)
        case expr.Reinterpret():
            return f"{'$signed' if value.bits.signed else '$unsigned'}({expression(value.operand)})"
        case expr.Slice():
            return _slice(value)
        case expr.Concat():
            return f"{{{', '.join(map(expression, value.parts))}}}"
        case expr.Reduce():
            return f"{_REDUCTIONS[value.operator]}{_operand(value.operand)}"
        case _:
            raise AssertionError(value)


def _inner(value: expr.Value) -> str:
    """An expression as part of another one."""
    text = expression(value)
    return (
        f"({text})"
        if isinstance(value, expr.Unary | expr.Binary | expr.Compare | expr.Shift | expr.Mux | expr.Reduce)
        else text
    )


def _operand(value: expr.Value) -> str:
    """An expression behind an operator with one operand; Yosys takes the operator for a part of the width of a cast."""
    text = _inner(value)
    return f"({text})" if text[0] in "-0123456789" else text


def _binary(value: expr.Binary) -> str:
    """An operation; the operands of a product are extended to its width."""
    operator = (_LOGICAL if value.type == bit else _OPERATORS)[value.operator]
    if value.operator == "mul":
        return " * ".join(_extend(each, value.bits) for each in (value.left, value.right))
    left = value.left
    chained = isinstance(left, expr.Binary) and left.operator == value.operator != "sub"
    return f"{expression(left) if chained else _inner(left)} {operator} {_inner(value.right)}"


def _extend(value: expr.Value, target: Bits) -> str:
    """A value with more bits, and with a sign if the type has one."""
    if value.type == target:
        return _inner(value)
    if isinstance(value, expr.Const):
        return _number(target, value.value)
    if target.signed and not value.bits.signed:
        return f"$signed({target.width}'({_closed(value)}))"
    return f"{target.width}'({_closed(value)})"


def _closed(value: expr.Value) -> str:
    """An expression whose operations keep their width in a cast to more bits.

    The standard says that they do, but Icarus Verilog 11 extends the operands; braces stop it.
    """
    text = expression(value)
    if not isinstance(value, expr.Unary | expr.Binary | expr.Shift | expr.Mux):
        return text
    return f"$signed({{{text}}})" if value.bits.signed else f"{{{text}}}"


def _slice(value: expr.Slice) -> str:
    """Bits of a signal, or of any other expression by shift and cast."""
    if isinstance(value.operand, expr.Signal):
        return _bits_text(value.operand, value.low, value.width)
    inner = f"{_inner(value.operand)} >> {value.low}" if value.low else expression(value.operand)
    text = f"{value.width}'({inner})"
    return f"$unsigned({text})" if value.operand.bits.signed else text


VERILOG = Syntax(
    mark="//",
    branches=("if ({}) begin", "end else if ({}) begin", "end else begin", "end"),
    drive="assign {} =",
    blocking="{} =",
    clocked_target="{} <=",
    pair=".{}({})",
    either="|",
    inverted="!{}",
    reset="rst",
    meets=lambda _, port, signal: (port, signal),
    inside=lambda port: (port.name, port.name),
    port=_port,
    number=_number,
    expression=expression,
    test=expression,
    assignment=_assignment,
    case=_case,
    combinational=_always_comb,
    clocked=_always,
    memory=_memory,
    word=_word,
    instance=_instance,
)
