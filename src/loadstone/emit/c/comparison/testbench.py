"""How other programs call generated ones: entries, and testbenches that compare them with the original, bit by bit.

The text is C that C++ compilers accept, too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import assert_never

from loadstone.emit.c.arithmetic import literal
from loadstone.emit.c.code import INDENT, External, word_type
from loadstone.emit.c.comparison.entry import entry_head
from loadstone.emit.c.external.structures import Packing, apart
from loadstone.emit.c.names import Names
from loadstone.emit.c.printer import braced, emit_expression, helpers_used
from loadstone.emit.c.program import Program
from loadstone.model.kernel import Array, Kernel
from loadstone.model.selectors import ValueRange, value_ranges
from loadstone.model.types import ScalarType
from loadstone.options import Flavour

_HELPERS = """\
/* Reproducible pseudorandom numbers. */
static unsigned next_random(void)
{
  static unsigned state = 12345u;
  state = state * 1664525u + 1013904223u;
  return state >> 8;
}

static void *allocate(long count, size_t size)
{
  void *place = calloc((size_t)count + 1, size);
  if (!place) {
    fprintf(stderr, "no memory\\n");
    exit(2);
  }
  return place;
}
"""


_BEATS = """\
/* A copy of an array that begins at a whole beat of the bus, with bytes behind it that nobody changes. */
static void *with_beats(const void *array, size_t bytes, size_t beat)
{
  const size_t room = (bytes / beat + 1) * beat;
  char *place = (char *)aligned_alloc(beat, room);
  if (!place)
    abort();
  memcpy(place, array, bytes);
  memset(place + bytes, 0x5a, room - bytes);
  return place;
}

/* Ends the use of a copy, which goes back into the array. */
static void without_beats(void *array, void *copy, size_t bytes, size_t beat)
{
  for (size_t k = bytes; k < (bytes / beat + 1) * beat; k++)
    if (((char *)copy)[k] != 0x5a)
      abort();
  memcpy(array, copy, bytes);
  free(copy);
}
"""


@dataclass(frozen=True, slots=True)
class Callee:
    """A generated program as its callers see it, in C or in a flavour of HLS C++."""

    program: Program
    flavour: Flavour | None

    @property
    def suffix(self) -> str:
        """How names of sources end."""
        return "cpp" if self.flavour else "c"

    @property
    def header(self) -> str:
        """The line that includes its interface."""
        return f'#include "{self.program.name}.{"hpp" if self.flavour else "h"}"'

    @property
    def linkage(self) -> str:
        """What stands before functions of C."""
        return 'extern "C" ' if self.flavour else ""

    @property
    def ways(self) -> tuple[str, ...]:
        """The ways to run it."""
        return (self.program.way, *(["sequential"] if self.program.sequential and not self.flavour else []))

    def call(self, way: str, words: Sequence[str], failed: Sequence[str]) -> list[str]:
        """The lines that call it with its arrays in `memory`, and in `initial` where they were copied.

        Members of structures are copied to structures before, and back afterwards.
        """
        program, packings = self.program, self._packings
        source = {program.names[name]: k for name, k in self._places.items()}
        scalars = [f"*({word_type(scalar.type)} *)memory[{source[scalar.name]}]" for scalar in program.scalars]
        arrays = [packings[a.name].name if a.name in packings else self._argument(a) for a in program.arrays]
        arguments = ", ".join([*(p.name for p in program.parameters), *scalars, *arrays, *words])
        call = f"{program.name}_{'top' if self.flavour else way}({arguments})"
        wide = [external for external in program.arrays if external.beat > 1]
        return [
            *(line for packing in packings.values() for line in packing.opened()),
            *(f"void *{a.name}_beats = with_beats({self._memory(a)}, {self._beats(a)});" for a in wide),
            *([f"{call};"] if self.flavour else braced(f"if ({call} != 0)", failed)),
            *(line for a in program.arrays if a.name in packings and a.written for line in self._unpacked(a)),
            *(packing.closed() for packing in packings.values()),
            *(f"without_beats({self._memory(a)}, {a.name}_beats, {self._beats(a)});" for a in wide),
        ]

    @property
    def helpers(self) -> list[str]:
        """The functions that a call needs."""
        return [*_BEATS.splitlines(), ""] if any(external.beat > 1 for external in self.program.arrays) else []

    @property
    def _places(self) -> dict[str, int]:
        return {name: k for k, name in enumerate(self.program.kernel.arrays)}

    def _argument(self, external: External) -> str:
        place = f"{external.name}_beats" if external.beat > 1 else self._memory(external)
        return f"({external.word} *){place}"

    def _memory(self, external: External) -> str:
        """Where the elements of an array are."""
        memory = "initial" if external in self.program.duplicated else "memory"
        return f"{memory}[{self._places[external.arrays[0]]}]"

    def _beats(self, external: External) -> str:
        """The bytes of an array, and of a beat."""
        count = _element_count(self.program.kernel.arrays[external.arrays[0]], self.program.names)
        return f"(size_t)({count}) * sizeof({external.type}), sizeof({external.word})"

    @property
    def _packings(self) -> dict[str, Packing]:
        """The structures for arguments whose members are arrays of their own, by the names of arguments."""
        kernel, names = self.program.kernel, self.program.names
        found: dict[str, Packing] = {}
        for external in self.program.arrays:
            arrays = tuple(kernel.arrays[name] for name in external.arrays)
            if apart(arrays):
                cells = {name: f"memory[{self._places[name]}]" for name in external.arrays}
                counts = {array.name: _element_count(array, names) for array in arrays}
                found[external.name] = Packing(f"{external.name}_packed", external.type, arrays, cells, counts)
        return found

    def _unpacked(self, external: External) -> Iterator[str]:
        return self._packings[external.name].unpacked()

    @property
    def copied(self) -> list[int]:
        """The arrays whose initial contents must be copied."""
        whole = (external for external in self.program.duplicated if external.name not in self._packings)
        return [self._places[external.arrays[0]] for external in whole]


def emit_entry(callee: Callee) -> str:
    """Entries that call the program with its arrays in `memory`."""
    program = callee.program
    arrays = list(program.kernel.arrays.values())
    copied = [f"void *initial[{len(arrays)}] = {{0}};"] if callee.copied else []
    for k in callee.copied:
        size = f"(size_t)({_element_count(arrays[k], program.names)}) * sizeof({word_type(arrays[k].type)})"
        copied += [f"initial[{k}] = malloc({size} + 1);", f"if (!initial[{k}])", f"{INDENT}abort();"]
        copied.append(f"memcpy(initial[{k}], memory[{k}], {size});")
    lines = ["#include <stdlib.h>", "#include <string.h>", "", callee.header, "", *callee.helpers]
    wide = (name for external in program.arrays if external.beat > 1 for name in external.arrays)
    sized = dict.fromkeys((*(arrays[k].name for k in callee.copied), *wide))
    lines += helpers_used(extent for name in sized for extent in program.kernel.arrays[name].extents)
    for way in callee.ways:
        body = [
            *("(void)parameters;", "(void)memory;", *_parameter_lines(program.kernel, program.names), *copied),
            *callee.call(way, ("&words[0]", "&words[1]"), ["words[0] = words[1] = -1;"]),
            *(f"free(initial[{k}]);" for k in callee.copied),
        ]
        head = f"{callee.linkage}{entry_head(way)}"
        lines += [f"{head};", "", head, "{", *(INDENT + line for line in body), "}", ""]
    return "\n".join(lines)


def emit_testbench(callee: Callee, defaults: Mapping[str, int], predicted: tuple[int, int]) -> str:
    """The testbench; `defaults` are used for parameters that the command line does not give.

    `predicted` are the words loaded and stored for the defaults.
    """
    kernel, names = callee.program.kernel, callee.program.names
    lines = [
        f"/* Compares the generated program of {kernel.name} with the original one. */",
        "#include <stdbool.h>",
        "#include <stdio.h>",
        "#include <stdlib.h>",
        "#include <string.h>",
        *("", callee.header, "", f"{callee.linkage}{entry_head('reference')};", ""),
        *helpers_used(extent for array in kernel.arrays.values() for extent in array.extents),
        _HELPERS,
        *callee.helpers,
        *_fill_function(kernel, names),
        *_main(callee, defaults, predicted),
    ]
    return "\n".join(lines) + "\n"


def _main(callee: Callee, defaults: Mapping[str, int], predicted: tuple[int, int]) -> list[str]:
    kernel, names = callee.program.kernel, callee.program.names
    count = len(kernel.parameters)
    values = ", ".join(str(defaults[name]) for name in kernel.parameters) or "0"
    body = [
        f"long long parameters[] = {{{values}}};",
        "int first = 1;",
        f'const char *way = "{callee.ways[0]}";',
        *braced("if (argc > 1 && (argv[1][0] < '0' || argv[1][0] > '9'))", ["way = argv[first++];"]),
        *braced(f"for (int k = 0; k < {count} && first + k < argc; k++)", ["parameters[k] = atoll(argv[first + k]);"]),
        *_parameter_lines(kernel, names),
        *_memory_lines(kernel, names),
        "long ignored[2];",
        "reference(expected, parameters, ignored);",
        "long loaded_words = 0, stored_words = 0;",
        *_copies(callee),
        "bool known = false;",
        *_calls(callee),
        *braced("if (!known)", ['fprintf(stderr, "unknown way %s\\n", way);', "return 2;"]),
        *_comparison(kernel),
        'printf("%s: %ld words differ; loaded %ld, stored %ld\\n", way, wrong, loaded_words, stored_words);',
        *braced("if (compared == 0)", ['printf("nothing was compared: no word is live-out\\n");', "wrong++;"]),
        *_prediction(kernel, names, defaults, predicted),
        *(f"free(memory[{k}]);" for k in range(len(kernel.arrays))),
        *(f"free(expected[{k}]);" for k in range(len(kernel.arrays))),
        "return wrong != 0;",
    ]
    return ["int main(int argc, char **argv)", "{", *(INDENT + line for line in body), "}"]


def _parameter_lines(kernel: Kernel, names: Names) -> list[str]:
    kinds = kernel.parameter_types.items()
    declared = [f"const {kind} {names[name]} = ({kind})parameters[{k}];" for k, (name, kind) in enumerate(kinds)]
    return [*declared, *(f"(void){names[name]};" for name in kernel.parameters)]


def _memory_lines(kernel: Kernel, names: Names) -> Iterator[str]:
    """Two memories with the same contents."""
    count = max(1, len(kernel.arrays))
    yield f"long counts[{count}] = {{{', '.join(_element_count(a, names) for a in kernel.arrays.values()) or '0'}}};"
    yield f"size_t sizes[{count}] = {{{', '.join(f'sizeof({a.type})' for a in kernel.arrays.values()) or '0'}}};"
    yield f"void *memory[{count}] = {{0}}, *expected[{count}] = {{0}};"
    yield from braced(
        f"for (int k = 0; k < {len(kernel.arrays)}; k++)",
        [
            "counts[k] = counts[k] < 0 ? 0 : counts[k];",
            "memory[k] = allocate(counts[k], sizes[k]);",
            "expected[k] = allocate(counts[k], sizes[k]);",
            "fill(k, memory[k], counts, parameters);",
            "memcpy(expected[k], memory[k], (size_t)counts[k] * sizes[k]);",
        ],
    )


def _element_count(array: Array, names: Names) -> str:
    """The number of elements of an array, as an expression of type long."""
    sizes = [f"(long)({emit_expression(names.counted(extent))})" for extent in array.extents]
    return " * ".join(sizes) or "1"


def _fill_function(kernel: Kernel, names: Names) -> list[str]:
    """A function that gives an array its first contents."""
    cases: list[str] = []
    for position, array in enumerate(kernel.arrays.values()):
        cases += [
            f"case {position}:",
            *(INDENT + line for line in _fill_lines(array, kernel, names)),
            f"{INDENT}break;",
        ]
    body = [
        *_parameter_lines(kernel, names),
        "const long count = counts[array];",
        *braced("switch (array)", [*cases, "default:", f"{INDENT}break;"]),
    ]
    return [
        "/* Fills an array: moderate positive numbers, valid subscripts where it indexes others. */",
        "static void fill(int array, void *place, const long *counts, const long long *parameters)",
        "{",
        f"{INDENT}(void)parameters;",
        *(INDENT + line for line in body),
        "}",
        "",
    ]


def _fill_lines(array: Array, kernel: Kernel, names: Names) -> list[str]:
    if array.values is not None:
        return _given_values(array, array.values)
    ranges = value_ranges(kernel).get(array.name)
    if ranges:
        return _subscript_values(array, ranges, names)
    lines = braced("for (long k = 0; k < count; k++)", [f"(({array.type} *)place)[k] = {_random_value(array.type)};"])
    if not array.type.is_integer and array.rank == 2:
        lines += _heavy_diagonal(array, names)
    return lines


def _random_value(kind: ScalarType) -> str:
    """A moderate number."""
    match kind.kind:
        case "float":
            return f"({kind})(0.125 + 0.875 * (next_random() % 4096u) / 4096.0)"
        case "fixed":
            low, high = kind.moderate
            return f"({kind})({literal(low, kind)} + next_random() % {min(high - low + 1, 1 << 24)}u)"
        case "int" if kind.is_c:
            return f"({kind})((int)(next_random() % 151u){' - 50' if kind.signed else ''})"
        case "int":
            low, high = max(kind.least, -50), min(kind.greatest, 100)
            return f"({kind})((int)(next_random() % {high - low + 1}u) + {low})"
        case _:
            assert_never(kind.kind)


def _given_values(array: Array, values: Sequence[int | float]) -> list[str]:
    texts = ", ".join(str(value) if array.type.is_c else literal(int(value), array.type) for value in values)
    return braced(
        "",
        [
            f"static const {array.type} given[] = {{{texts}}};",
            *braced(
                f"for (long k = 0; k < count && k < {len(values)}; k++)", [f"(({array.type} *)place)[k] = given[k];"]
            ),
        ],
    )


def _subscript_values(array: Array, ranges: Sequence[ValueRange], names: Names) -> list[str]:
    """Values that select elements: from the greatest of the least values up to the smallest limit."""
    least = max(0, *(each.least for each in ranges))
    texts = [_limit_text(each, names) for each in ranges]
    smallest = [f"limit = {text} < limit ? {text} : limit;" for text in texts[1:]]
    if not array.type.is_c and array.type.bits < 31:
        smallest.append(f"limit = limit > {array.type.greatest} ? {array.type.greatest + 1} : limit;")
    if least:
        smallest.append(f"limit -= {least};")
    number = f"next_random() % (unsigned)limit{f' + {least}' if least else ''}"
    value = f"({array.type})(limit > 0 ? {number} : {least})"
    loop = braced("for (long k = 0; k < count; k++)", [f"(({array.type} *)place)[k] = {value};"])
    return braced("", [f"long limit = {texts[0]};", *smallest, *loop])


def _limit_text(values: ValueRange, names: Names) -> str:
    """The first value above a range, as an expression of type long."""
    text = f"(long)({emit_expression(names.counted(values.extent))})"
    offset = values.scale - 1 - values.offset
    shifted = f"{text} {'-' if offset < 0 else '+'} {abs(offset)}" if offset else text
    return shifted if values.scale == 1 else f"({shifted}) / {values.scale}"


def _heavy_diagonal(array: Array, names: Names) -> list[str]:
    rows, columns = (f"(long)({emit_expression(names.counted(extent))})" for extent in array.extents)
    weight = f"({rows} > {columns} ? {rows} : {columns})"
    if array.type.is_fixed:
        most = array.type.greatest - array.type.moderate[1] >> array.type.fraction
        if most == 0:
            return []
        weight = f"({weight} > {most}L ? 0 : {weight} * {1 << array.type.fraction}L)"
    add = f"(({array.type} *)place)[k * {columns} + k] += ({array.type}){weight};"
    return braced(f"for (long k = 0; k < {rows} && k < {columns}; k++)", [add])


def _copies(callee: Callee) -> Iterator[str]:
    """Lines that copy the arrays with separate results."""
    if callee.copied:
        yield f"void *initial[{len(callee.program.kernel.arrays)}] = {{0}};"
    for k in callee.copied:
        yield f"initial[{k}] = allocate(counts[{k}], sizes[{k}]);"
        yield f"memcpy(initial[{k}], memory[{k}], (size_t)counts[{k}] * sizes[{k}]);"


def _calls(callee: Callee) -> Iterator[str]:
    failed = ['fprintf(stderr, "no memory, no threads, or parameters beyond the limit\\n");', "return 2;"]
    for way in callee.ways:
        call = callee.call(way, ("&loaded_words", "&stored_words"), failed)
        freed = (f"free(initial[{k}]);" for k in callee.copied)
        yield from braced(f'if (strcmp(way, "{way}") == 0)', [*call, *freed, "known = true;"])


def _comparison(kernel: Kernel) -> list[str]:
    lines = ["long wrong = 0, compared = 0;"]
    for position, array in enumerate(kernel.arrays.values()):
        if array.live_out:
            differs = (
                f"memcmp((const char *)memory[{position}] + (size_t)k * sizes[{position}], "
                f"(const char *)expected[{position}] + (size_t)k * sizes[{position}], sizes[{position}]) != 0"
            )
            lines += braced(f"for (long k = 0; k < counts[{position}]; k++)", [f"wrong += {differs};"])
            lines.append(f"compared += counts[{position}];")
    return lines


def _prediction(kernel: Kernel, names: Names, defaults: Mapping[str, int], predicted: tuple[int, int]) -> list[str]:
    same = " && ".join(f"{names[name]} == {defaults[name]}" for name in kernel.parameters) or "true"
    missed = f"loaded_words != {predicted[0]} || stored_words != {predicted[1]}"
    message = f'printf("predicted were {predicted[0]} and {predicted[1]}\\n");'
    return braced(f"if (({same}) && ({missed}))", [message, "wrong++;"])
