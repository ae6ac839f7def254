"""VHDL-2008 from modules: one bit is std_logic, everything else unsigned, signed or an enumeration."""

from __future__ import annotations

from collections.abc import Iterable

from loadstone.rtl import expressions as expr
from loadstone.rtl.checks import check
from loadstone.rtl.memory import Memory, Port
from loadstone.rtl.module import Instance, Module, hierarchy, refuse_externals
from loadstone.rtl.prefix import joined
from loadstone.rtl.shell import Shell
from loadstone.rtl.statements import Body, Case
from loadstone.rtl.syntax import INDENT, Lines, Syntax, indented
from loadstone.rtl.types import Bits, Enum, Type, bit

_OPERATORS = {"add": "+", "sub": "-", "mul": "*", "and": "and", "or": "or", "xor": "xor"}
_COMPARISONS = {"eq": "=", "ne": "/=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_REDUCTIONS = {"any": "or", "all": "and", "parity": "xor"}
_INTEGER_BITS = 31

_CONTEXT = """library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
"""

_PACKAGE = "rtl_support"
_SUPPORT = {
    "to_logic(condition : boolean) return std_logic": "if condition then return '1'; else return '0'; end if;",
    "to_unsigned(value : std_logic; width : positive) return unsigned": 'return resize(unsigned\'("" & value), width);',
    "bit_of(value : unsigned; index : natural) return std_logic": "return value(index);",
    **{
        f"choose(condition : boolean; left, right : {type}) return {type}": (
            "if condition then return left; else return right; end if;"
        )
        for type in ("std_logic", "unsigned", "signed")
    },
}


def vhdl_files(top: Module, prefix: str = "") -> dict[str, str]:
    """A file for each module of a hierarchy, by name, users after what they use.

    The first one holds functions; the name of their package has the prefix.
    """
    check(top)
    refuse_externals(top, "VHDL")
    support = joined(prefix, _PACKAGE)
    texts = {f"{each.name}.vhd": _module_text(each, support) for each in hierarchy(top)}
    return {f"{support}.vhd": _support(support), **texts}


def emit_vhdl(top: Module) -> str:
    """The functions and the modules of a hierarchy in one text, users after what they use."""
    return "\n".join(vhdl_files(top).values())


def _support(name: str) -> str:
    """The package with the functions that expressions need."""
    heads = "".join(f"  function {head};\n" for head in _SUPPORT)
    bodies = "\n".join(
        f"  function {head} is\n  begin\n    {body}\n  end function;\n" for head, body in _SUPPORT.items()
    )
    return (
        f"{_CONTEXT}\n-- Functions that expressions need.\npackage {name} is\n{heads}end package;\n\n"
        f"package body {name} is\n{bodies}end package body;\n"
    )


def _module_text(module: Module, support: str) -> str:
    lines = _shell_lines(module) if isinstance(module, Shell) else _module_lines(module, support)
    return "\n".join(lines) + "\n"


def _shell_lines(shell: Shell) -> Lines:
    yield from _CONTEXT.splitlines()
    yield ""
    yield from VHDL.comment(shell.comment)
    yield f"entity {shell.name} is"
    yield f"{INDENT}port ("
    ports = [(_plain(name, kind, type), note) for name, kind, type, note in VHDL.declared_ports(shell)]
    yield from VHDL.listed(ports, ";")
    yield f"{INDENT});"
    yield from indented(_attributes(shell))
    yield "end entity;"
    yield ""
    yield f"architecture rtl of {shell.name} is"
    yield "begin"
    yield f"{INDENT}content : entity work.{shell.inner.name}"
    yield f"{INDENT * 2}port map ("
    yield from indented(VHDL.filled(shell))
    yield f"{INDENT * 2});"
    for name, (type, value) in shell.constants.items():
        yield f"{INDENT}{name} <= {_bits(type, value)};"
    yield "end architecture;"


def _attributes(shell: Shell) -> Lines:
    """The attributes of ports, which belong to their entity."""
    for name in dict.fromkeys(name for each in shell.attributes.values() for name in each):
        yield f"attribute {name} : string;"
        for port, values in shell.attributes.items():
            if name in values:
                yield f'attribute {name} of {port} : signal is "{values[name]}";'


def _plain(name: str, kind: expr.Kind, type: Type) -> str:
    """A port whose vector is a `std_logic_vector`."""
    assert isinstance(type, Bits)
    shown = "std_logic" if type == bit else f"std_logic_vector({type.width - 1} downto 0)"
    return f"{name} : {'in' if kind == 'input' else 'out'} {shown}"


def _bits(type: Bits, value: int) -> str:
    """A number as `std_logic` or `std_logic_vector`."""
    return f"'{value}'" if type == bit else f'"{value & type.mask:0{type.width}b}"'


def _inside(port: expr.Signal) -> tuple[str, str]:
    """A port of what is in a shell, and that of the shell."""
    return _across(port, port.name, _kind(port.type), "std_logic_vector")


def _meets(module: Module, name: str, signal: str) -> tuple[str, str]:
    """A port of a module, and the signal at it, which has the type that the port has inside."""
    if not isinstance(module, Shell):
        return name, signal
    return _across(module[name], signal, "std_logic_vector", _kind(module[name].type))


def _across(port: expr.Signal, signal: str, formal: str, actual: str) -> tuple[str, str]:
    """A port of one kind of vector that meets a signal of another."""
    if port.type == bit:
        return port.name, signal
    return (port.name, f"{formal}({signal})") if port.kind == "input" else (f"{actual}({port.name})", signal)


def _kind(type: Type) -> str:
    """The kind of vector that a type is."""
    return "signed" if isinstance(type, Bits) and type.signed else "unsigned"


def _module_lines(module: Module, support: str) -> Lines:
    yield from _CONTEXT.splitlines()
    yield f"use work.{support}.all;"
    yield ""
    yield from VHDL.comment(module.comment)
    yield from _entity(module)
    yield ""
    yield f"architecture rtl of {module.name} is"
    yield from indented(_declarations(module))
    yield "begin"
    yield from VHDL.items(module)
    yield "end architecture;"


def _entity(module: Module) -> Lines:
    yield f"entity {module.name} is"
    parameters = module.of_kind("parameter")
    if parameters:
        yield f"{INDENT}generic ("
        texts = [(f"{p.name} : {_type(p.type)} := {_number(p.type, p.initial)}", p.comment) for p in parameters]
        yield from VHDL.listed(texts, ";")
        yield f"{INDENT});"
    yield f"{INDENT}port ("
    yield from VHDL.listed(VHDL.ports(module), ";")
    yield f"{INDENT});"
    yield "end entity;"


def _port(name: str, kind: expr.Kind, type: Type) -> str:
    return f"{name} : {'in' if kind == 'input' else 'out'} {_type(type)}"


def _declarations(module: Module) -> Lines:
    for enum in module.enums:
        yield f"type {enum.name} is ({', '.join(enum.members)});"
    for signal in module.of_kind("wire", "register"):
        value = _number(signal.type, signal.initial)
        yield f"signal {signal.name} : {_type(signal.type)} := {value};{VHDL.behind(signal.comment)}"
    for memory in module.memories:
        yield from VHDL.comment(memory.comment)
        yield f"type {memory.name}_words is array (0 to {memory.depth - 1}) of {_type(memory.type)};"
        yield f"signal {memory.name} : {memory.name}_words := ({_contents(memory)});"


def _contents(memory: Memory) -> str:
    """Initial contents; words that are not given are 0."""
    given = [f"{address} => {_number(memory.type, word)}" for address, word in enumerate(memory.initial)]
    rest = [f"others => {_number(memory.type, 0)}"] if len(given) < memory.depth else []
    return ", ".join([*given, *rest])


def _assignment(head: str, value: expr.Value) -> Lines:
    """An assignment; a choice among values stands as `when else`, a line for each."""
    while isinstance(value, expr.Mux):
        yield f"{head} {expression(value.left)} when {condition(value.condition)} else"
        head, value = INDENT[1:], value.right
    yield f"{head} {expression(value)};"


def _combinational(lines: Iterable[str]) -> Lines:
    yield from ("process (all)", "begin", *indented(lines), "end process;")


def _clocked(lines: Iterable[str]) -> Lines:
    edge = (f"{INDENT}if rising_edge(clk) then", *indented(lines, 2), f"{INDENT}end if;")
    yield from ("process (clk)", "begin", *edge, "end process;")


def _case(statement: Case, head: str) -> Lines:
    yield f"case {statement.selector.name} is"
    for values, body in statement.arms:
        yield f"{INDENT}when {' | '.join(map(_choice, values))} =>"
        yield from indented(_arm(body, head), 2)
    if not (statement.is_full and isinstance(statement.selector.type, Enum)):
        yield f"{INDENT}when others =>"
        yield from indented(_arm(statement.default or (), head), 2)
    yield "end case;"


def _arm(body: Body, head: str) -> Lines:
    yield from VHDL.body(body, head) if body else ("null;",)


def _choice(value: expr.Const) -> str:
    """A value in a case statement."""
    if isinstance(value.type, Enum) or value.type == bit:
        return _number(value.type, value.value)
    return f'"{value.value & value.bits.mask:0{value.width}b}"'


def _memory(memory: Memory) -> Lines:
    """The ports of a memory, in one process since a signal has one driver."""
    for port in memory.ports if memory.latency == 0 else ():
        if port.output is not None:
            yield f"{port.output.name} <= {_word(memory, port)};"
    lines = [line for port in memory.ports for line in VHDL.port_lines(memory, port)]
    if lines:
        yield ""
        yield from _clocked(lines)


def _word(memory: Memory, port: Port) -> str:
    return f"{memory.name}(to_integer({_vector(port.address)}))"


def _instance(instance: Instance) -> Lines:
    yield f"{instance.name} : entity work.{instance.module.name}"
    if instance.parameters:
        yield f"{INDENT}generic map ("
        yield from VHDL.chosen(instance)
        yield f"{INDENT})"
    yield f"{INDENT}port map ("
    yield from VHDL.connected(instance)
    yield f"{INDENT});"


def _type(type: Type) -> str:
    if isinstance(type, Enum):
        return type.name
    if type == bit:
        return "std_logic"
    return f"{'signed' if type.signed else 'unsigned'}({type.width - 1} downto 0)"


def _number(type: Type, value: int) -> str:
    """A number of a type."""
    if isinstance(type, Enum):
        return type.members[value]
    if type == bit:
        return f"'{value}'"
    name = "signed" if type.signed else "unsigned"
    if value.bit_length() <= _INTEGER_BITS - 1:
        return f"to_{name}({value}, {type.width})"
    return f'{name}\'("{value & type.mask:0{type.width}b}")'


def condition(value: expr.Value) -> str:
    """A value of one bit as a condition."""
    match value:
        case expr.Compare():
            return f"{_operand(value.left)} {_COMPARISONS[value.operator]} {_right(value)}"
        case expr.Binary() if value.operator in ("and", "or"):
            return f"{_test(value.left)} {value.operator} {_test(value.right)}"
        case expr.Unary(operand=expr.Signal() as signal):
            return f"{signal.name} = '0'"
        case expr.Unary():
            return f"not {_test(value.operand)}"
        case _:
            return f"{_operand(value)} = '1'"


def _test(value: expr.Value) -> str:
    """A condition as part of another one."""
    return f"({condition(value)})"


def expression(value: expr.Value) -> str:
    """An expression of the VHDL type that stands for its type."""
    match value:
        case expr.Const():
            return _number(value.type, value.value)
        case expr.Signal():
            return value.name
        case expr.Unary():
            return f"{'-' if value.operator == 'neg' else 'not '}{_operand(value.operand)}"
        case expr.Binary():
            return _binary(value)
        case expr.Compare():
            return f"to_logic({condition(value)})"
        case expr.Mux():
            return f"choose({condition(value.condition)}, {expression(value.left)}, {expression(value.right)})"
        case _:
            return _rearranged(value)


def _rearranged(value: expr.Value) -> str:
    """An expression that moves bits."""
    match value:
        case expr.Shift():
            return f"shift_{value.direction}({expression(value.operand)}, to_integer({_vector(value.amount)}))"
        case expr.Extend():
            return _extend(value.operand, value.bits)
        case expr.Reinterpret():
            return _reinterpret(value)
        case expr.Slice():
            return _slice(value)
        case expr.Concat():
            return f"unsigned'({' & '.join(map(_operand, value.parts))})"
        case expr.Reduce():
            return f"{_REDUCTIONS[value.operator]} {_operand(value.operand)}"
        case _:
            raise AssertionError(value)


def _operand(value: expr.Value) -> str:
    """An expression as an operand."""
    text = expression(value)
    return f"({text})" if isinstance(value, expr.Unary | expr.Binary | expr.Reduce) else text


def _vector(value: expr.Value) -> str:
    """An unsigned expression as a vector, even of one bit."""
    return f"to_unsigned({expression(value)}, 1)" if value.type == bit else expression(value)


def _binary(value: expr.Binary) -> str:
    """An operation; a product has the length of both operands together until it is resized."""
    operator = _OPERATORS[value.operator]
    if value.operator == "mul":
        return _product(value)
    left = value.left
    chained = isinstance(left, expr.Binary) and left.operator == value.operator != "sub"
    return f"{expression(left) if chained else _operand(left)} {operator} {_right(value)}"


def _right(value: expr.Binary | expr.Compare) -> str:
    """The right operand; a number stands as such where the library has the operator for it."""
    left, right = value.left, value.right
    if (
        not isinstance(right, expr.Const)
        or isinstance(left, expr.Const)
        or left.type == bit
        or isinstance(left.type, Enum)
    ):
        return _operand(right)
    if value.operator in ("and", "or", "xor") or right.value.bit_length() >= _INTEGER_BITS:
        return _operand(right)
    return str(right.value) if right.value >= 0 else f"({right.value})"


def _product(value: expr.Binary) -> str:
    both = (value.left, value.right)
    factors = [f"({_vector(each)})" if isinstance(each, expr.Binary | expr.Unary) else _vector(each) for each in both]
    length = value.left.width + value.right.width
    text = " * ".join(factors)
    if length == value.width:
        return text
    return f"signed(resize(unsigned({text}), {value.width}))" if value.bits.signed else f"resize({text}, {value.width})"


def _extend(value: expr.Value, target: Bits) -> str:
    """A value with more bits, and with a sign if the type has one."""
    width = target.width
    text = f"{'to_unsigned' if value.type == bit else 'resize'}({expression(value)}, {width})"
    return f"signed({text})" if target.signed and not value.bits.signed else text


def _reinterpret(value: expr.Reinterpret) -> str:
    """The same bits as the other kind of vector."""
    inner = value.operand
    if value.type == bit:
        return f"{inner.name}(0)" if isinstance(inner, expr.Signal) else f"bit_of(unsigned({expression(inner)}), 0)"
    if (
        isinstance(inner, expr.Slice)
        and isinstance(inner.operand, expr.Signal)
        and inner.operand.bits.signed
        and inner.width > 1
    ):
        return _range(inner)
    return f"{'signed' if value.bits.signed else 'unsigned'}({_vector(inner)})"


def _range(value: expr.Slice) -> str:
    """Some bits of a signal, of its kind of vector."""
    assert isinstance(value.operand, expr.Signal)
    return f"{value.operand.name}({value.low + value.width - 1} downto {value.low})"


def _slice(value: expr.Slice) -> str:
    """Bits of a signal, or of any other expression by shift and resize."""
    inner = value.operand
    if isinstance(inner, expr.Signal) and value.type == bit:
        return f"{inner.name}({value.low})"
    if isinstance(inner, expr.Signal):
        return f"unsigned({_range(value)})" if inner.bits.signed else _range(value)
    text = f"unsigned({expression(inner)})" if inner.bits.signed else _vector(inner)
    if value.type == bit:
        return f"bit_of({text}, {value.low})"
    text = f"shift_right({text}, {value.low})" if value.low else text
    return f"resize({text}, {value.width})"


VHDL = Syntax(
    mark="--",
    branches=("if {} then", "elsif {} then", "else", "end if;"),
    drive="{} <=",
    blocking="{} <=",
    clocked_target="{} <=",
    pair="{} => {}",
    either="or",
    inverted="not {}",
    reset="rst = '1'",
    meets=_meets,
    inside=_inside,
    port=_port,
    number=_number,
    expression=expression,
    test=condition,
    assignment=_assignment,
    case=_case,
    combinational=_combinational,
    clocked=_clocked,
    memory=_memory,
    word=_word,
    instance=_instance,
)
