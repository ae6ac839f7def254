"""The generator of random kernels is deterministic, compiles, and reaches every feature that it is meant to reach."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest
from hypothesis import HealthCheck, given, settings

from random_kernels import RandomKernel, kernel_from_seed, kernels

SAMPLE = 200
COMPILE = "gcc -std=c11 -Wall -Werror -Wno-unknown-pragmas -Wno-unused -fsyntax-only -x c -"
SUBSCRIPT = re.compile(r"\[[^\[\]]*\]")

LOOPS = {
    "several nests": r"(?s)^    for .*^    for ",
    "three loops deep": r"for \(.*\n +for \(.*\n +for \(",
    "statement before an inner loop": r"^( {8,})[^\n]*;\n\1for ",
    "statement behind an inner loop": r"^( {8,})for .*\n\1    .*\n(?:\1\}\n)?\1(?:L\d+: )?\w+\[",
    "upper triangle": r"= i(?: \+ \d)?; j <=? N",
    "lower triangle": r"j <=? i\b",
    "opposite triangle": r"j <=? [NMP](?: \+ \d)? - i\b",
    "sum of parameters": r"<=? [NMP] \+ [NMP]\b",
    "negative start": r"= -\d; i <",
    "doubled iterator": r"<=? 2 \* i\b",
    "quotient": r"for .*\) / \d",
    "minimum": r"for .*MIN\(",
    "maximum": r"for .*MAX\(",
    "ternary": r"for .* \? .* : .*;",
    "step 2": r"\+= 2\)",
    "step 3": r"\+= 3\)",
    "step spelled out": r"(\w) = \1 [+-] \d\)",
    "downwards": r">=? .*--",
    "downwards by 2": r"-= 2\)",
    "downwards, inclusive": r"for .*; [ijk] >= ",
    "downwards, strict": r"for .*; [ijk] > ",
    "iterators declared first": r"int i, j, k;",
    "swapped iterators": r"for \(.*\bj = .*\n +for \(.*\bi = ",
    "no braces": r"for .*\)$",
}

GUARDS = {
    "comparison": r"if \([ijk] \+ [ijk] <=? ",
    "congruence": r"if \([ijk] % \d [=!]= \d\)",
    "congruence of a sum": r"\([ijk] [+-] (?:2 \* )?[ijk]\) % \d",
    "and": r"if .* && ",
    "or": r"if .* \|\| ",
    "not": r"if .*!\(",
    "else": r"\} else \{",
    "else if": r"\} else if ",
    "outside all loops": r"^    if ",
}

MEMORY = {
    "rank 1": r"[a-d]\[[^\]]*\](?:,|\))",
    "rank 2": r"\b[a-d](?:\[[^\]]*\]){2}(?:,|\))",
    "rank 3": r"\b[a-d](?:\[[^\]]*\]){3}(?:,|\))",
    "local scalar": r"^    \w.* s;",
    "by-value scalar": r"\b(?:alpha|beta)[,)]",
    "local array": r"^    \w.* w\[.*\];",
    "local array, two dimensions": r"^    \w.* w\[.*\]\[.*\];",
    "local declared in the scop": r"(?s)#pragma scop\n.* [sw](?:\[[^;]*)?;.*#pragma endscop",
    "mirrored": r"\[[NMP](?: \+ \d)? - [ijk]",
    "scaled": r"\[[23] \* [ijk]",
    "difference": r"\[(?:2 \* )?[ijk][^\]]* - [ijk]",
    "transposed": r"\[j[^\]]*\]\[i",
    "quotient": r"\[[^\]]* / \d",
    "remainder": r"\[[^\]]* % \d",
    "shifted copy of the target": r"^ *(?:L\d+: )?([a-d])\[i(?: \+ \d)?\].* = .*\b\1\[i",
    "int": r"\bint [abcd]\[",
    "unsigned char": r"\bunsigned char [abcd]\[",
    "short": r"\bshort [abcd]\[",
    "unsigned int": r"\bunsigned int [abcd]\[",
    "long long": r"\blong long [abcd]\[",
    "float": r"\bfloat [abcd]\[",
    "double": r"\bdouble [abcd]\[",
    "type alias": r"(?s)^typedef .*data_t [abcd]\[",
    "temporary with a value": r"^ +[a-z ]+ t\d = ",
    "temporary without a value": r"^ +[a-z ]+ t\d;",
    "use of a temporary": r"^.* = .*\bt\d",
    "write of a temporary": r"^ +(?:L\d+: )?t\d .?=",
    "label": r"^ +L\d+: ",
}

STATEMENTS = {
    **{f"compound {sign}": rf" {re.escape(sign)}= " for sign in ("+", "-", "*", "/", "%", "^", "|", "&", ">>")},
    "increment": r"\+\+;",
    "increment in front": r"^ +(?:L\d+: )?\+\+",
    "decrement": r"--;",
    "affine ternary": r"\b[ijkNMP] [<>=!]=? \S+\)? \? ",
    "data-dependent ternary": r"\b[a-d] [<>=!]=? \S+ \? ",
    "integer cast": r"\((?:short|unsigned char|long long|unsigned int)\)",
    "float cast": r"\((?:float|double)\)",
    "clamped cast": r"\(int\)fmin\(fmax\(",
    "fabs": r"\bfabs\(",
    "sqrt of fabs": r"\bsqrt\(fabs\(",
    "fmax": r"\bfmax\(",
    "iterator as a value": r"= .*\b[ijk]\b",
    "parameter as a value": r"= .*\b[NMP]\b",
    "integer literals": r"0x1F|5u|100LL",
    "bitwise": r" [&|^] ",
    "shift": r"<< \d",
}

DATA_DEPENDENT = {
    "condition": r"if \(\w+\[.*\] [<>]",
    "indirect read": r" = .*h\[idx\[",
    "indirect write": r"^ *(?:L\d+: )?h\[idx\[",
    "indirect write, two dimensions": r"^ *h\[idx\[[^\]]*\]\]\[",
}


def statements_of(source: str) -> str:
    """The lines of a kernel that are no loops and no conditionals, without any subscripts."""
    without = SUBSCRIPT.sub("", SUBSCRIPT.sub("", source[source.index("#pragma scop") :]))
    return "\n".join(line for line in without.splitlines() if not re.match(r" *(for|if|\}) ", line))


@pytest.fixture(scope="module")
def sample() -> list[str]:
    return [kernel_from_seed(seed).source for seed in range(SAMPLE)]


@pytest.mark.parametrize("feature", [*LOOPS.items(), *GUARDS.items(), *MEMORY.items()], ids=lambda pair: pair[0])
def test_feature_occurs(sample: list[str], feature: tuple[str, str]) -> None:
    assert any(re.search(feature[1], source, re.MULTILINE) for source in sample)


@pytest.mark.parametrize("feature", STATEMENTS.items(), ids=lambda pair: pair[0])
def test_feature_of_statements_occurs(sample: list[str], feature: tuple[str, str]) -> None:
    assert any(re.search(feature[1], statements_of(source), re.MULTILINE) for source in sample)


@pytest.mark.parametrize("pattern", DATA_DEPENDENT.values(), ids=DATA_DEPENDENT.keys())
def test_data_dependent_feature_occurs_only_on_request(sample: list[str], pattern: str) -> None:
    assert not any(re.search(pattern, source, re.MULTILINE) for source in sample)
    requested = (kernel_from_seed(seed, may=True).source for seed in range(SAMPLE))
    assert any(re.search(pattern, source, re.MULTILINE) for source in requested)


@pytest.mark.parametrize("may", [False, True])
def test_seed_determines_kernel(may: bool) -> None:
    assert [kernel_from_seed(seed, may) for seed in range(20)] == [kernel_from_seed(seed, may) for seed in range(20)]


@pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")
@pytest.mark.parametrize("seed", range(10))
def test_source_compiles_without_warnings(seed: int) -> None:
    source = kernel_from_seed(seed, may=seed % 2 == 1).source
    done = subprocess.run(COMPILE.split(), input=source, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{source}\n{done.stderr}"


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(kernels(may=True))
def test_strategy_yields_complete_kernels(kernel: RandomKernel) -> None:
    names = kernel.parameters[0].keys()
    assert kernel.parameters[:2] == (dict.fromkeys(names, 0), dict.fromkeys(names, 1))
    assert len(kernel.parameters) >= 4
    assert re.search(r"(?s)void kernel_under_test\(int N.*#pragma scop.*#pragma endscop\n\}", kernel.source)
    assert "@" not in kernel.source
    assert {argument.name for argument in kernel.arguments} >= {*names, *kernel.index_arrays}
