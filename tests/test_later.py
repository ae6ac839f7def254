"""Methods of dataclasses that are compiled when they are first called are those that Python compiles at once."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import subprocess
import sys

import pytest

from loadstone.errors import Source, Span

CHECK = """
import sys
import loadstone
from loadstone.errors import Span
print(Span.__eq__.__code__.co_filename != '<string>')
print(Span(*[None] * len(Span.__dataclass_fields__)) == 0, Span.__eq__.__code__.co_filename == '<string>')
from dataclasses import dataclass
@dataclass
class Others:
    number: int
print(Others.__eq__.__code__.co_filename == '<string>')
"""


@pytest.mark.skipif(
    not hasattr(dataclasses, "_create_fn"), reason="this Python compiles all methods of a class at once"
)
def test_methods_are_compiled_when_called_and_those_of_other_packages_at_once() -> None:
    said = subprocess.run([sys.executable, "-c", CHECK], capture_output=True, text=True, check=True).stdout
    assert said.split() == ["True", "False", "True", "True"]


def test_dataclasses_behave_as_ever() -> None:
    source = Source("a.c", "int a;")
    assert source == Source("a.c", "int a;") != Source("b.c", "int a;")
    assert hash(source) == hash(copy.deepcopy(source))
    assert pickle.loads(pickle.dumps(source)) == source
    assert dataclasses.replace(source, name="b.c").name == "b.c"
    assert repr(source).startswith("Source(name='a.c'")
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot assign to field 'name'"):
        source.name = "b.c"  # pyright: ignore[reportAttributeAccessIssue]
    with pytest.raises(TypeError, match=r"Span.__init__\(\) missing"):
        Span()  # pyright: ignore[reportCallIssue]
