"""What is generated for each target: sources, testbench, Makefile, and the plan."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from loadstone.emit.c_accelerator import c_call, emit_c
from loadstone.emit.names import names_of
from loadstone.emit.project import Project
from loadstone.emit.reference import emit_reference
from loadstone.emit.testbench import emit_testbench
from loadstone.loops.accelerator import Accelerator
from loadstone.loops.description import accelerator_info
from loadstone.transfer.volumes import count

TARGETS = ("c", "hls")

_C_MAKEFILE = """\
# make run         compare the accelerator (threads) with the original program
# make sequential  the same, tile by tile in one thread
# make tsan asan   under the thread and address sanitizers
# PARAMETERS="..." gives other parameter values, in the order {order}

CFLAGS = -std=c11 -O2 -g -Wall -Wextra -Werror -fwrapv -ffp-contract=off
PARAMETERS =

.PHONY: run sequential tsan asan clean

run: testbench
	./testbench $(PARAMETERS)

sequential: testbench
	./testbench sequential $(PARAMETERS)

testbench: {name}.c testbench.c reference.o {name}.h tokens.h
	$(CC) $(CFLAGS) {name}.c testbench.c reference.o -o $@ -lm -lpthread

reference.o: reference.c
	$(CC) -std=gnu11 -O2 -w -fwrapv -ffp-contract=off -c $< -o $@

tsan: reference.o
	$(CC) $(CFLAGS) -fsanitize=thread {name}.c testbench.c reference.o -o testbench_tsan -lm -lpthread
	./testbench_tsan $(PARAMETERS)

asan: reference.o
	$(CC) $(CFLAGS) -fsanitize=address,undefined {name}.c testbench.c reference.o -o testbench_asan -lm -lpthread
	./testbench_asan $(PARAMETERS)

clean:
	rm -f testbench testbench_tsan testbench_asan reference.o
"""


def build_project(accelerator: Accelerator, targets: Sequence[str], parameters: Mapping[str, int]) -> Project:
    """The files for some targets, each in a folder of its own, and the plan.

    `parameters` may lack values; where all are known, testbenches check the words moved against the prediction.
    """
    kernel = accelerator.kernel
    known = parameters if set(kernel.parameters) <= set(parameters) else None
    files = {"plan.json": json.dumps(accelerator_info(accelerator, known), indent=2) + "\n"}
    for target in targets:
        made = _c_files(accelerator, parameters, known)
        files.update({f"{target}/{path}": text for path, text in made.items()})
    return Project(files)


def _c_files(
    accelerator: Accelerator, parameters: Mapping[str, int], known: Mapping[str, int] | None
) -> dict[str, str]:
    kernel = accelerator.kernel
    predicted = None if known is None else predicted_words(accelerator, known)
    order = " ".join(kernel.parameters) or "(none)"
    testbench = emit_testbench(kernel, names_of(accelerator), c_call(accelerator), parameters, predicted)
    return {
        **emit_c(accelerator),
        "testbench.c": testbench,
        "reference.c": emit_reference(kernel, "reference"),
        "Makefile": _C_MAKEFILE.format(name=kernel.name, order=order),
    }


def predicted_words(accelerator: Accelerator, parameters: Mapping[str, int]) -> tuple[int, int]:
    """The words that all tiles load and store, for given parameters."""
    parts = accelerator.plan.arrays.values()
    loaded = sum(count(part.strip_to_loaded, parameters) for part in parts)
    return loaded, sum(count(part.strip_to_stored, parameters) for part in parts)
