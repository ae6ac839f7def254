/* Runs {name} without an operating system. Before this header is included, define {prefix}_ADDRESS(place) where the
   device sees other addresses than the processor, {prefix}_FLUSH(place, bytes) and {prefix}_INVALIDATE(place, bytes)
   where its memory is cached. */
#ifndef {prefix}_DRIVER_H
#define {prefix}_DRIVER_H

#include <stdbool.h>
#include <stddef.h>

#include "{name}_registers.h"

#ifndef {prefix}_ADDRESS
#define {prefix}_ADDRESS(place) ((uintptr_t)(place))
#endif
#ifndef {prefix}_FLUSH
#define {prefix}_FLUSH(place, bytes) ((void)(bytes))
#endif
#ifndef {prefix}_INVALIDATE
#define {prefix}_INVALIDATE(place, bytes) ((void)(bytes))
#endif

#define {prefix}_KIND_OTHER_DESIGN 0xffffffffu

{definitions}{helpers}/* Runs the kernel on the accelerator and waits; how that failed, {prefix}_KIND_NONE if it did not.{scratch} */
static inline uint32_t {name}_run(volatile uint32_t *registers, {arguments}) {{
  uint32_t failure;
  if ({name}_read(registers, {prefix}_IDENTITY) != {prefix}_EXPECTED_IDENTITY)
    return {prefix}_KIND_OTHER_DESIGN;
{given}  {name}_start(registers, 0);
  failure = {name}_wait(registers);
{taken}  return failure;
}}

#endif
