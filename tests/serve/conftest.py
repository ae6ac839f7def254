"""Servers for the tests of the explorer."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from explorer_client import SCALE, Explorer, running


@pytest.fixture(scope="session")
def explorer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Explorer]:
    """A server without permission to run C: compilers that leave a trace stand in front of all others."""
    folder = tmp_path_factory.mktemp("explorer")
    for name in ("cc", "gcc", "clang", "g++"):
        (folder / name).write_text(f"#!/bin/sh\ntouch {folder}/used\nexit 1\n")
        (folder / name).chmod(0o755)
    (folder / "headers").mkdir()
    (folder / "scale.c").write_text(SCALE)
    options = (str(folder / "scale.c"), "-I", str(folder / "headers"))
    with running(folder, *options, PATH=f"{folder}:{os.environ['PATH']}") as made:
        yield made


@pytest.fixture(scope="session")
def server(explorer: Explorer) -> str:
    """The address of the server."""
    return explorer.address


@pytest.fixture(scope="session")
def hasty(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Explorer]:
    """A server that ends requests after two seconds."""
    with running(tmp_path_factory.mktemp("hasty"), "--time", "2") as made:
        yield made
