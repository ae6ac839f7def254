"""The registers of an accelerator for those who write software: a page, and a header in C."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from loadstone.hardware.accelerator.registers import (
    ABORTED,
    DONE,
    ENABLE,
    FAILED,
    FIRST_ADDRESS,
    PENDING,
    READY,
    RESET,
    START,
    STOP_RUN,
    Register,
    RegisterMap,
)
from loadstone.hardware.design import AcceleratorDesign
from loadstone.hardware.supervisor import ErrorKind

_PAGE = """\
# Registers of {name}

Words have 32 bits and lie at byte offsets from the address of the slave. Values that are wider take several words, the
lowest first. A reset sets all that can be written to 0.

{table}
`IDENTITY` is 0x{identity:08x} in this design; another design of the same or another kernel has another number.
`ERROR` is {kinds}.

| register | bit | name | meaning |
| --- | --- | --- | --- |
| CONTROL | 0 | start | writing 1 starts a run, if it is ready; reads as 0 |
| CONTROL | 1 | enable | lets the end of a run raise `irq` |
| CONTROL | 2 | abort | writing 1 ends a run: bursts in flight are carried out, then it is done; reads as 0 |
| CONTROL | 3 | reset | writing 1 ends a run in the same way, and clears all registers; reads as 0 |
| STATUS | 0 | ready | nothing runs |
| STATUS | 1 | done | a run has ended since the last start; writing 1 clears the interrupt, not this bit |
| STATUS | 2 | interrupt | a run has ended, and neither was it cleared nor did another one start |
| STATUS | 3 | failed | the last run failed; writing 1 clears this bit, ERROR and ERROR_ADDRESS, and so does a start |
| STATUS | 4 | aborted | the last run was aborted |

## How software drives it

1. Wait until `ready`. Write parameters, scalars and the byte addresses of arrays. They keep their values from run to
   run.
2. Write 1 to CONTROL, or 3 to be interrupted.
3. Wait until `done` is read, or for `irq`, which is high while bit 1 of CONTROL and bit 2 of STATUS are set. Write 2 to
   STATUS to clear it.
4. Look whether it `failed`. Memory is undefined after a run that failed or was aborted; `LOADED` and `STORED` are 0.
5. Read results. `LOADED`, `STORED` and `CYCLES` tell of the run until the next one starts.

A start with a parameter out of range does nothing but fail. After an error on the bus no further burst is asked for;
the run is done when those in flight have been answered.

While it runs, writes to parameters, scalars, addresses and `start` are ignored. Only bytes whose strobes are set are
written. A value has no more bits than the table says: those above are dropped by writes, and read as 0, or as copies
of the sign where it has one. All other addresses read as 0 and take no writes. All responses are OKAY.

`{name}_registers.h` has offsets, bits and functions for C:

```c
#include "{name}_registers.h"

volatile uint32_t *registers = ...;  /* where the slave is */
{calls}{name}_start(registers, 0);
if ({name}_wait(registers) != {prefix}_KIND_NONE)
  ...  /* it failed, at {name}_error_address(registers) if the bus did */
```
"""


def emit_register_page(name: str, registers: RegisterMap) -> str:
    """The page of the registers of a kernel's accelerator."""
    rows = [("offset", "name", "access", "bits", "meaning"), ("---",) * 5, *map(_row, registers.registers)]
    calls = "".join(f"{name}_set_{each.name.lower()}(registers, ...);\n" for each in registers.values)
    table = "".join(f"| {' | '.join(row)} |\n" for row in rows)
    kinds = ", ".join(f"{kind.value}: {kind.described}" for kind in ErrorKind)
    identity = registers.identity
    return _PAGE.format(name=name, prefix=name.upper(), table=table, identity=identity, calls=calls, kinds=kinds)


def _row(register: Register) -> tuple[str, ...]:
    last = register.offset + 4 * register.words - 4
    place = f"0x{register.offset:02X}" + (f" to 0x{last:02X}" if register.words > 1 else "")
    sign = ", signed" if register.type.signed else ""
    return place, register.name, register.access, f"{register.type.width}{sign}", register.meaning


_HEADER = """\
/* Registers of {name}: offsets in bytes, bits, and functions that read and write them. */
#ifndef {prefix}_REGISTERS_H
#define {prefix}_REGISTERS_H

#include <stdint.h>
#include <string.h>

{offsets}

{bits}

static inline uint32_t {name}_read(volatile uint32_t *registers, uint32_t offset) {{
  return registers[offset / 4];
}}

static inline void {name}_write(volatile uint32_t *registers, uint32_t offset, uint32_t word) {{
  registers[offset / 4] = word;
}}

/* Starts a run; it raises the interrupt at its end if `interrupt` is not 0. */
static inline void {name}_start(volatile uint32_t *registers, int interrupt) {{
  {name}_write(registers, {prefix}_CONTROL, interrupt ? {prefix}_START | {prefix}_ENABLE : {prefix}_START);
}}

static inline int {name}_is_ready(volatile uint32_t *registers) {{
  return ({name}_read(registers, {prefix}_STATUS) & {prefix}_READY) != 0;
}}

static inline int {name}_is_done(volatile uint32_t *registers) {{
  return ({name}_read(registers, {prefix}_STATUS) & {prefix}_DONE) != 0;
}}

static inline void {name}_clear_interrupt(volatile uint32_t *registers) {{
  {name}_write(registers, {prefix}_STATUS, {prefix}_DONE);
}}

/* How the last run failed: {prefix}_KIND_NONE if it did not. */
static inline uint32_t {name}_error(volatile uint32_t *registers) {{
  return {name}_read(registers, {prefix}_ERROR);
}}

/* The byte address at which the bus failed first. */
static inline {address} {name}_error_address(volatile uint32_t *registers) {{
  return {address_read};
}}

/* Forgets the error. */
static inline void {name}_clear_error(volatile uint32_t *registers) {{
  {name}_write(registers, {prefix}_STATUS, {prefix}_FAILED);
}}

/* Waits until a run is done; how it failed. */
static inline uint32_t {name}_wait(volatile uint32_t *registers) {{
  while (!{name}_is_done(registers))
    ;
  return {name}_error(registers);
}}

/* Ends a run: it is done when no burst is in flight. */
static inline void {name}_abort(volatile uint32_t *registers) {{
  uint32_t enabled = {name}_read(registers, {prefix}_CONTROL) & {prefix}_ENABLE;
  {name}_write(registers, {prefix}_CONTROL, {prefix}_ABORT | enabled);
}}

static inline int {name}_was_aborted(volatile uint32_t *registers) {{
  return ({name}_read(registers, {prefix}_STATUS) & {prefix}_ABORTED) != 0;
}}

/* Ends a run and clears all registers, when no burst is in flight. */
static inline void {name}_reset(volatile uint32_t *registers) {{
  {name}_write(registers, {prefix}_CONTROL, {prefix}_RESET);
  while (!{name}_is_ready(registers))
    ;
}}
{functions}
#endif
"""

_SET = """
/* {meaning} */
static inline void {name}_set_{value}(volatile uint32_t *registers, {type} value) {{
{body}
}}
"""

_GET = """
/* {meaning} */
static inline {type} {name}_get_{value}(volatile uint32_t *registers) {{
{body}
}}
"""


def emit_register_header(name: str, design: AcceleratorDesign, registers: RegisterMap) -> str:
    """The header for C and C++."""
    prefix = name.upper()
    functions = [_setter(name, design, each) for each in registers.values]
    functions += [_getter(name, design, each) for each in registers.results]
    bits = {"START": START, "ENABLE": ENABLE, "ABORT": STOP_RUN, "RESET": RESET}
    bits |= {"READY": READY, "DONE": DONE, "INTERRUPT": PENDING, "FAILED": FAILED, "ABORTED": ABORTED}
    bits |= {f"KIND_{kind.name}": kind.value for kind in ErrorKind}
    address = registers.by_name[FIRST_ADDRESS]
    offsets = {each.name: each.offset for each in registers.registers}
    lines = [*_defined(prefix, offsets), f"#define {prefix}_EXPECTED_IDENTITY 0x{registers.identity:08x}u"]
    return _HEADER.format(
        name=name,
        prefix=prefix,
        offsets="\n".join(lines),
        bits="\n".join(_defined(prefix, bits)),
        functions="".join(functions),
        address=_c_type(design, address),
        address_read=_read(name, address),
    )


def _defined(prefix: str, numbers: dict[str, int]) -> Iterator[str]:
    for name, number in numbers.items():
        yield f"#define {prefix}_{name} 0x{number:02x}u"


def _c_type(design: AcceleratorDesign, register: Register) -> str:
    """The type of a value in C: that of the kernel for scalars that have no point, or a floating one."""
    width = 32 * register.words
    if _is_float(design, register):
        return "float" if width == 32 else "double"
    return f"{'' if register.type.signed else 'u'}int{width}_t"


def _is_float(design: AcceleratorDesign, register: Register) -> bool:
    is_scalar = register.group in ("scalar in", "scalar out")
    return is_scalar and design.external[register.subject].element.kind == "float"


def _setter(name: str, design: AcceleratorDesign, register: Register) -> str:
    words = f"uint{32 * register.words}_t"
    taken = _copied("word", "value") if _is_float(design, register) else f"  {words} word = ({words})value;"
    lines = [f"  {words} word;" if _is_float(design, register) else "", taken, *_written(name, register)]
    return _function(_SET, name, design, register, lines)


def _written(name: str, register: Register) -> Iterator[str]:
    for number in range(register.words):
        offset = _offset(name, register, number)
        word = "word" if register.words == 1 else f"(uint32_t)({_shifted('word', '>>', number)})"
        yield f"  {name}_write(registers, {offset}, {word});"


def _getter(name: str, design: AcceleratorDesign, register: Register) -> str:
    words, type = f"uint{32 * register.words}_t", _c_type(design, register)
    lines = [f"  {words} word = {_read(name, register)};"]
    if _is_float(design, register):
        lines += [f"  {type} value;", _copied("value", "word"), "  return value;"]
    else:
        lines.append(f"  return ({type})word;")
    return _function(_GET, name, design, register, lines)


def _read(name: str, register: Register) -> str:
    """An expression for the words of a register, side by side."""
    reads = [f"{name}_read(registers, {_offset(name, register, k)})" for k in range(register.words)]
    words = f"uint{32 * register.words}_t"
    return " | ".join(_shifted(f"({words}){read}", "<<", k) for k, read in enumerate(reads))


def _offset(name: str, register: Register, number: int) -> str:
    return f"{name.upper()}_{register.name}" + (f" + {4 * number}u" if number else "")


def _shifted(word: str, operator: str, number: int) -> str:
    return f"{word} {operator} {32 * number}" if number else word


def _copied(target: str, source: str) -> str:
    return f"  memcpy(&{target}, &{source}, sizeof {target});"


def _function(form: str, name: str, design: AcceleratorDesign, register: Register, lines: Iterable[str]) -> str:
    body = "\n".join(line for line in lines if line)
    type = _c_type(design, register)
    return form.format(meaning=register.meaning, name=name, value=register.name.lower(), type=type, body=body)
