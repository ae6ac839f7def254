"""What is generated for each target: sources, testbench, Makefile, and the plan."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from loadstone.emit.c.accelerator import c_call, emit_c
from loadstone.emit.c.hls import emit_hls
from loadstone.emit.c.hls_calls import hls_call
from loadstone.emit.c.names import names_of
from loadstone.emit.c.reference import emit_reference
from loadstone.emit.c.testbench import Call, emit_testbench
from loadstone.emit.project import Project
from loadstone.loops.accelerator import Accelerator, predicted_words
from loadstone.loops.description import accelerator_info
from loadstone.model.kernel import Kernel
from loadstone.options import Flavour

_SEQUENTIAL = """
sequential: testbench
	./testbench sequential $(PARAMETERS)
"""
_C_MAKEFILE = """\
# make run         compare the generated program (threads) with the original one{about}
# make tsan asan   under the thread and address sanitizers
# PARAMETERS="..." gives other parameter values, in the order {order}

CFLAGS = -std=c11 -O2 -g -Wall -Wextra -Werror -fwrapv -ffp-contract=off
PARAMETERS =

.PHONY: run{phony} tsan asan clean

run: testbench
	./testbench $(PARAMETERS)
{sequential}
testbench: {name}.c testbench.c reference.o {name}.h {header}
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


_HLS_MAKEFILE = """\
# make run  compare the generated program with the original one: g++ and the streams in sim/
# PARAMETERS="..." gives other parameter values, in the order {order}
# For synthesis, add {name}.cpp to a project with {name}_top as its top; sim/ is not part of it.

CXXFLAGS = -std=c++17 -O2 -g -Wall -Wextra -Wno-unknown-pragmas -fwrapv -ffp-contract=off -Isim
PARAMETERS =

.PHONY: run clean

run: testbench
	./testbench $(PARAMETERS)

testbench: {name}.cpp testbench.cpp reference.o {name}.hpp
	$(CXX) $(CXXFLAGS) {name}.cpp testbench.cpp reference.o -o $@ -lm -lpthread

reference.o: reference.c
	$(CC) -std=gnu11 -O2 -w -fwrapv -ffp-contract=off -c $< -o $@

clean:
	rm -f testbench reference.o
"""


def build_project(
    accelerator: Accelerator, targets: Sequence[str], parameters: Mapping[str, int], *, flavour: Flavour = "vitis"
) -> Project:
    """The files for some targets, each in a folder of its own, and the plan.

    `parameters` may lack values; where all are known, testbenches check the words moved against the prediction.
    """
    kernel = accelerator.kernel
    known = parameters if set(kernel.parameters) <= set(parameters) else None
    files = {"plan.json": json.dumps(accelerator_info(accelerator, known), indent=2) + "\n"}
    for target in targets:
        if target == "hls":
            made = _hls_files(accelerator, parameters, known, flavour)
        else:
            made = _c_files(accelerator, parameters, known)
        files.update({f"{target}/{path}": text for path, text in made.items()})
    return Project(files)


def _c_files(
    accelerator: Accelerator, parameters: Mapping[str, int], known: Mapping[str, int] | None
) -> dict[str, str]:
    return {
        **emit_c(accelerator),
        "testbench.c": _testbench(accelerator, c_call(accelerator), parameters, known),
        "reference.c": emit_reference(accelerator.kernel, "reference"),
        "Makefile": c_makefile(accelerator.kernel, "tokens.h", sequential=True),
    }


def _hls_files(
    accelerator: Accelerator, parameters: Mapping[str, int], known: Mapping[str, int] | None, flavour: Flavour
) -> dict[str, str]:
    return {
        **emit_hls(accelerator, flavour, known),
        "testbench.cpp": _testbench(accelerator, hls_call(accelerator), parameters, known),
        "reference.c": emit_reference(accelerator.kernel, "reference"),
        "Makefile": hls_makefile(accelerator.kernel),
    }


def _testbench(
    accelerator: Accelerator, call: Call, parameters: Mapping[str, int], known: Mapping[str, int] | None
) -> str:
    predicted = None if known is None else predicted_words(accelerator, known)
    return emit_testbench(accelerator.kernel, names_of(accelerator), call, parameters, predicted)


def c_makefile(kernel: Kernel, header: str, *, sequential: bool = False) -> str:
    """The Makefile for a program in C, which includes a header beside its own, and may run in one thread as well."""
    return _C_MAKEFILE.format(
        name=kernel.name,
        order=_order(kernel),
        header=header,
        about="\n# make sequential  the same, tile by tile in one thread" if sequential else "",
        phony=" sequential" if sequential else "",
        sequential=_SEQUENTIAL if sequential else "",
    )


def hls_makefile(kernel: Kernel) -> str:
    """The Makefile for a program in HLS C++."""
    return _HLS_MAKEFILE.format(name=kernel.name, order=_order(kernel))


def _order(kernel: Kernel) -> str:
    return " ".join(kernel.parameters) or "(none)"
