"""VHDL-2008 from modules: one bit is std_logic, everything else unsigned, signed or an enumeration."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import assert_never

from loadstone.rtl.checks import check
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
    Instance,
    Item,
    Module,
    Process,
    Section,
    hierarchy,
    refuse_externals,
    starts_assignments,
)
from loadstone.rtl.statements import Assign, Body, Case, If, Statement, targets
from loadstone.rtl.types import Bits, Enum, Type, bit

_INDENT = "  "
_OPERATORS = {"add": "+", "sub": "-", "mul": "*", "and": "and", "or": "or", "xor": "xor"}
_COMPARISONS = {"eq": "=", "ne": "/=", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_REDUCTIONS = {"any": "or", "all": "and", "parity": "xor"}
_INTEGER_BITS = 31

_CONTEXT = """library ieee;
use ieee.std_logic_1164.all;
use ieee.numeric_std.all;
"""

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


def vhdl_files(top: Module) -> dict[str, str]:
    """A file for each module of a hierarchy, by name, users after what they use; the first one holds functions."""
    check(top)
    refuse_externals(top, "VHDL")
    return {"rtl_support.vhd": _support(), **{f"{each.name}.vhd": _module_text(each) for each in hierarchy(top)}}


def emit_vhdl(top: Module) -> str:
    """The functions and the modules of a hierarchy in one text, users after what they use."""
    return "\n".join(vhdl_files(top).values())


def _support() -> str:
    """The package with the functions that expressions need."""
    heads = "".join(f"  function {head};\n" for head in _SUPPORT)
    bodies = "\n".join(
        f"  function {head} is\n  begin\n    {body}\n  end function;\n" for head, body in _SUPPORT.items()
    )
    return (
        f"{_CONTEXT}\n-- Functions that expressions need.\npackage rtl_support is\n{heads}end package;\n\n"
        f"package body rtl_support is\n{bodies}end package body;\n"
    )


def _module_text(module: Module) -> str:
    return "\n".join(_module_lines(module)) + "\n"


def _module_lines(module: Module) -> Iterator[str]:
    yield from _CONTEXT.splitlines()
    yield "use work.rtl_support.all;"
    yield ""
    yield from _comment(module.comment)
    yield from _entity(module)
    yield ""
    yield f"architecture rtl of {module.name} is"
    yield from _indented(_declarations(module))
    yield "begin"
    for item, previous in zip(module.items, (None, *module.items), strict=False):
        if starts_assignments(item, previous):
            yield ""
        yield from _indented(_item(item))
    yield "end architecture;"


def _entity(module: Module) -> Iterator[str]:
    yield f"entity {module.name} is"
    parameters = module.of_kind("parameter")
    if parameters:
        yield f"{_INDENT}generic ("
        texts = [(f"{p.name} : {_type(p.type)} := {_number(p.type, p.initial)}", p.comment) for p in parameters]
        yield from _listed(texts, ";")
        yield f"{_INDENT});"
    yield f"{_INDENT}port ("
    yield from _listed([*_clock_ports(module), *_ports(module)], ";")
    yield f"{_INDENT});"
    yield "end entity;"


def _clock_ports(module: Module) -> Iterator[tuple[str, str]]:
    if module.has_clock:
        yield "clk : in std_logic", ""
    if module.has_reset:
        yield "rst : in std_logic", ""


def _ports(module: Module) -> Iterator[tuple[str, str]]:
    for port in module.of_kind("input", "output"):
        yield f"{port.name} : {'in' if port.kind == 'input' else 'out'} {_type(port.type)}", port.comment


def _listed(texts: list[tuple[str, str]], mark: str) -> Iterator[str]:
    """Declarations with a mark between them, and their comments behind."""
    for position, (text, comment) in enumerate(texts):
        end = mark if position < len(texts) - 1 else ""
        yield f"{_INDENT * 2}{text}{end}" + (f"  -- {comment}" if comment else "")


def _declarations(module: Module) -> Iterator[str]:
    for enum in module.enums:
        yield f"type {enum.name} is ({', '.join(enum.members)});"
    for signal in module.of_kind("wire", "register"):
        comment = f"  -- {signal.comment}" if signal.comment else ""
        yield f"signal {signal.name} : {_type(signal.type)} := {_number(signal.type, signal.initial)};{comment}"
    for memory in module.memories:
        yield from _comment(memory.comment)
        yield f"type {memory.name}_words is array (0 to {memory.depth - 1}) of {_type(memory.type)};"
        yield f"signal {memory.name} : {memory.name}_words := ({_contents(memory)});"


def _contents(memory: Memory) -> str:
    """Initial contents; words that are not given are 0."""
    given = [f"{address} => {_number(memory.type, word)}" for address, word in enumerate(memory.initial)]
    rest = [f"others => {_number(memory.type, 0)}"] if len(given) < memory.depth else []
    return ", ".join([*given, *rest])


def _item(item: Item) -> Iterator[str]:
    match item:
        case Section():
            yield ""
            yield f"-- ---- {item.text} ----"
        case Drive():
            yield from _comment(item.comment)
            yield from _assignment(item.target, item.value)
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


def _assignment(target: Signal, value: Value) -> Iterator[str]:
    """An assignment; a choice among values stands as `when else`, a line for each."""
    head = f"{target.name} <="
    while isinstance(value, Mux):
        yield f"{head} {expression(value.left)} when {condition(value.condition)} else"
        head, value = _INDENT[1:], value.right
    yield f"{head} {expression(value)};"


def _process(process: Process) -> Iterator[str]:
    """A process; the reset of registers overrides what the body gives them."""
    if process.clocked:
        yield from _clocked(_with_reset(process))
        return
    yield "process (all)"
    yield "begin"
    yield from _indented(_body(process.body))
    yield "end process;"


def _clocked(lines: Iterable[str]) -> Iterator[str]:
    yield "process (clk)"
    yield "begin"
    yield f"{_INDENT}if rising_edge(clk) then"
    yield from _indented(_indented(lines))
    yield f"{_INDENT}end if;"
    yield "end process;"


def _with_reset(process: Process) -> Iterator[str]:
    assigned = targets(process.body)
    reset = [f"{each.name} <= {_number(each.type, each.initial)};" for each in assigned if each.resets]
    if len(reset) == len(assigned):
        yield from _if_else("rst = '1'", reset, _body(process.body))
    else:
        yield from _body(process.body)
        if reset:
            yield from _if_else("rst = '1'", reset, ())


def _if_else(test: str, then: Iterable[str], otherwise: Iterable[str]) -> Iterator[str]:
    yield f"if {test} then"
    yield from _indented(then)
    rest = list(otherwise)
    if rest:
        yield "else"
        yield from _indented(rest)
    yield "end if;"


def _body(body: Body) -> Iterator[str]:
    for statement in body:
        yield from _statement(statement)


def _statement(statement: Statement) -> Iterator[str]:
    match statement:
        case Assign():
            yield from _assignment(statement.target, statement.value)
        case If():
            for position, (test, body) in enumerate(statement.branches):
                yield f"{'elsif' if position else 'if'} {condition(test)} then"
                yield from _indented(_body(body))
            if statement.otherwise:
                yield "else"
                yield from _indented(_body(statement.otherwise))
            yield "end if;"
        case Case():
            yield from _case(statement)
        case _:
            assert_never(statement)


def _case(statement: Case) -> Iterator[str]:
    yield f"case {statement.selector.name} is"
    for values, body in statement.arms:
        yield f"{_INDENT}when {' | '.join(map(_choice, values))} =>"
        yield from _indented(_indented(_arm(body)))
    if not (statement.is_full and isinstance(statement.selector.type, Enum)):
        yield f"{_INDENT}when others =>"
        yield from _indented(_indented(_arm(statement.default or ())))
    yield "end case;"


def _arm(body: Body) -> Iterator[str]:
    yield from _body(body) if body else ("null;",)


def _choice(value: Const) -> str:
    """A value in a case statement."""
    if isinstance(value.type, Enum) or value.type == bit:
        return _number(value.type, value.value)
    return f'"{value.value & value.bits.mask:0{value.width}b}"'


def _memory(memory: Memory) -> Iterator[str]:
    """The ports of a memory, in one process since a signal has one driver."""
    for port in memory.ports if memory.latency == 0 else ():
        if port.output is not None:
            yield f"{port.output.name} <= {_word(memory, port)};"
    lines = [line for port in memory.ports for line in _guarded(port.enable, list(_port(memory, port)))]
    if lines:
        yield ""
        yield from _clocked(lines)


def _guarded(test: Value, lines: list[str]) -> Iterator[str]:
    """Statements under a condition, which is left out where it always holds."""
    if lines:
        yield from lines if isinstance(test, Const) and test.value else _if_else(condition(test), lines, ())


def _port(memory: Memory, port: Port) -> Iterator[str]:
    if port.write is not None and port.data is not None:
        yield from _guarded(port.write, [f"{_word(memory, port)} <= {expression(port.data)};"])
    if port.first is not None and memory.latency:
        yield f"{port.first.name} <= {_word(memory, port)};"
    if port.output is not None and port.fetched is not None:
        yield f"{port.output.name} <= {port.fetched.name};"


def _word(memory: Memory, port: Port) -> str:
    return f"{memory.name}(to_integer({_vector(port.address)}))"


def _instance(instance: Instance) -> Iterator[str]:
    module = instance.module
    yield f"{instance.name} : entity work.{module.name}"
    if instance.parameters:
        yield f"{_INDENT}generic map ("
        pairs = [(f"{name} => {_number(module[name].type, value)}", "") for name, value in instance.parameters]
        yield from _listed(pairs, ",")
        yield f"{_INDENT})"
    yield f"{_INDENT}port map ("
    reset = "rst" if instance.clear is None else f"rst or {instance.clear.name}"
    clocks = [*([("clk", "clk")] if module.has_clock else []), *([("rst", reset)] if module.has_reset else [])]
    pairs = [*clocks, *((n, s.name) for n, s in (*instance.inputs, *instance.outputs))]
    yield from _listed([(f"{port} => {signal}", "") for port, signal in pairs], ",")
    yield f"{_INDENT});"


def _comment(text: str) -> Iterator[str]:
    yield from (f"-- {line}" for line in text.splitlines())


def _indented(lines: Iterable[str]) -> Iterator[str]:
    yield from (f"{_INDENT}{line}" if line else "" for line in lines)


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


def condition(value: Value) -> str:
    """A value of one bit as a condition."""
    match value:
        case Compare():
            return f"{_operand(value.left)} {_COMPARISONS[value.operator]} {_right(value)}"
        case Binary() if value.operator in ("and", "or"):
            return f"{_test(value.left)} {value.operator} {_test(value.right)}"
        case Unary(operand=Signal() as signal):
            return f"{signal.name} = '0'"
        case Unary():
            return f"not {_test(value.operand)}"
        case _:
            return f"{_operand(value)} = '1'"


def _test(value: Value) -> str:
    """A condition as part of another one."""
    return f"({condition(value)})"


def expression(value: Value) -> str:
    """An expression of the VHDL type that stands for its type."""
    match value:
        case Const():
            return _number(value.type, value.value)
        case Signal():
            return value.name
        case Unary():
            return f"{'-' if value.operator == 'neg' else 'not '}{_operand(value.operand)}"
        case Binary():
            return _binary(value)
        case Compare():
            return f"to_logic({condition(value)})"
        case Mux():
            return f"choose({condition(value.condition)}, {expression(value.left)}, {expression(value.right)})"
        case _:
            return _rearranged(value)


def _rearranged(value: Value) -> str:
    """An expression that moves bits."""
    match value:
        case Shift():
            return f"shift_{value.direction}({expression(value.operand)}, to_integer({_vector(value.amount)}))"
        case Extend():
            return _extend(value.operand, value.bits)
        case Reinterpret():
            return _reinterpret(value)
        case Slice():
            return _slice(value)
        case Concat():
            return f"unsigned'({' & '.join(map(_operand, value.parts))})"
        case Reduce():
            return f"{_REDUCTIONS[value.operator]} {_operand(value.operand)}"
        case _:
            raise AssertionError(value)


def _operand(value: Value) -> str:
    """An expression as an operand."""
    text = expression(value)
    return f"({text})" if isinstance(value, Unary | Binary | Reduce) else text


def _vector(value: Value) -> str:
    """An unsigned expression as a vector, even of one bit."""
    return f"to_unsigned({expression(value)}, 1)" if value.type == bit else expression(value)


def _binary(value: Binary) -> str:
    """An operation; a product has the length of both operands together until it is resized."""
    operator = _OPERATORS[value.operator]
    if value.operator == "mul":
        return _product(value)
    left = value.left
    chained = isinstance(left, Binary) and left.operator == value.operator != "sub"
    return f"{expression(left) if chained else _operand(left)} {operator} {_right(value)}"


def _right(value: Binary | Compare) -> str:
    """The right operand; a number stands as such where the library has the operator for it."""
    left, right = value.left, value.right
    if not isinstance(right, Const) or isinstance(left, Const) or left.type == bit or isinstance(left.type, Enum):
        return _operand(right)
    if value.operator in ("and", "or", "xor") or right.value.bit_length() >= _INTEGER_BITS:
        return _operand(right)
    return str(right.value) if right.value >= 0 else f"({right.value})"


def _product(value: Binary) -> str:
    both = (value.left, value.right)
    factors = [f"({_vector(each)})" if isinstance(each, Binary | Unary) else _vector(each) for each in both]
    length = value.left.width + value.right.width
    text = " * ".join(factors)
    if length == value.width:
        return text
    return f"signed(resize(unsigned({text}), {value.width}))" if value.bits.signed else f"resize({text}, {value.width})"


def _extend(value: Value, target: Bits) -> str:
    """A value with more bits, and with a sign if the type has one."""
    width = target.width
    text = f"{'to_unsigned' if value.type == bit else 'resize'}({expression(value)}, {width})"
    return f"signed({text})" if target.signed and not value.bits.signed else text


def _reinterpret(value: Reinterpret) -> str:
    """The same bits as the other kind of vector."""
    inner = value.operand
    if value.type == bit:
        return f"{inner.name}(0)" if isinstance(inner, Signal) else f"bit_of(unsigned({expression(inner)}), 0)"
    if isinstance(inner, Slice) and isinstance(inner.operand, Signal) and inner.operand.bits.signed and inner.width > 1:
        return _range(inner)
    return f"{'signed' if value.bits.signed else 'unsigned'}({_vector(inner)})"


def _range(value: Slice) -> str:
    """Some bits of a signal, of its kind of vector."""
    assert isinstance(value.operand, Signal)
    return f"{value.operand.name}({value.low + value.width - 1} downto {value.low})"


def _slice(value: Slice) -> str:
    """Bits of a signal, or of any other expression by shift and resize."""
    inner = value.operand
    if isinstance(inner, Signal) and value.type == bit:
        return f"{inner.name}({value.low})"
    if isinstance(inner, Signal):
        return f"unsigned({_range(value)})" if inner.bits.signed else _range(value)
    text = f"unsigned({expression(inner)})" if inner.bits.signed else _vector(inner)
    if value.type == bit:
        return f"bit_of({text}, {value.low})"
    text = f"shift_right({text}, {value.low})" if value.low else text
    return f"resize({text}, {value.width})"
