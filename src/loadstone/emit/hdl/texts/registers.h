/* Registers of {name}: offsets in bytes, bits, and functions that read and write them. */
#ifndef {prefix}_REGISTERS_H
#define {prefix}_REGISTERS_H

#include <stdint.h>
#include <string.h>

{offsets}

{bits}

#ifndef {prefix}_LOAD /* how words are read and written; define both before, where it takes more */
#define {prefix}_LOAD(place) (*(place))
#define {prefix}_STORE(place, word) (*(place) = (word))
#endif

static inline uint32_t {name}_read(volatile uint32_t *registers, uint32_t offset) {{
  return {prefix}_LOAD(registers + offset / 4);
}}

static inline void {name}_write(volatile uint32_t *registers, uint32_t offset, uint32_t word) {{
  {prefix}_STORE(registers + offset / 4, word);
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
