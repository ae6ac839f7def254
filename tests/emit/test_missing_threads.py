"""Generated C where the system refuses a thread: -1, memory as it was, and nothing left behind."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

import loadstone as ls
from kernels import ROOT
from loadstone.emit.c.targets import build_network_project
from loadstone.networks.sizes import sized

pytestmark = pytest.mark.skipif(shutil.which("gcc") is None, reason="needs gcc")

REFUSING = """
#include <errno.h>
#include <pthread.h>

int refused; /* which thread is refused, counted from 1 */
static int asked;

int __real_pthread_create(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *how, void *(*run)(void *), void *argument)
{
  return ++asked == refused ? EAGAIN : __real_pthread_create(thread, how, run, argument);
}
"""
MAIN = """
#include <stdio.h>
#include <stdlib.h>

#include "matmul.h"

extern int refused;

int main(int argc, char **argv)
{
  static int c[25], out[25], a[25], b[25];
  for (int k = 0; k < 25; k++)
    c[k] = out[k] = a[k] = b[k] = k;
  refused = argc > 1 ? atoi(argv[1]) : 0;
  @CALL@
  int changed = 0;
  for (int k = 0; k < 25; k++)
    changed += c[k] != k || out[k] != k;
  printf("status %d, %ld words loaded, %d changed", status, loaded, changed);
  return 0;
}
"""
CALLS = {
    "accelerator": "long loaded = 0, stored = 0; const int status = matmul_accelerator(5, c, a, b, &loaded, &stored);",
    "network": "long loaded = 0, stored = 0; const int status = matmul_network(5, c, a, b, out, &loaded, &stored);",
}
THREADS = {"accelerator": 3, "network": 5}
LOADED = {"accelerator": 175, "network": 75}


def compiled(way: str, sanitizer: str, folder: Path) -> Path:
    """A program that calls matmul in one of two ways, where the thread that its argument says is refused."""
    kernel, tiling = ls.parse(ROOT / "examples" / "matmul.c"), ls.Tiling(2)
    if way == "network":
        network = ls.network(kernel, tiling)
        project = build_network_project(network, sized(network, {"n": 5}), ["c"], {"n": 5})
    else:
        project = ls.build(kernel, tiling)
    place = project.write(folder / way) / "c"
    (place / "main.c").write_text(MAIN.replace("@CALL@", CALLS[way]))
    (place / "refusing.c").write_text(REFUSING)
    flags = ["-std=gnu11", "-g", "-O1", f"-fsanitize={sanitizer}", "-Wl,--wrap=pthread_create"]
    command = ["gcc", *flags, "matmul.c", "main.c", "refusing.c", "-o", "main", "-lm", "-lpthread"]
    subprocess.run(command, cwd=place, check=True)
    return place / "main"


@pytest.mark.parametrize("sanitizer", ["address", "thread"])
@pytest.mark.parametrize("way", list(CALLS))
def test_all_threads_or_none(way: str, sanitizer: str, tmp_path: Path) -> None:
    program = compiled(way, sanitizer, tmp_path)

    def said(refused: int) -> str:
        result = subprocess.run(
            [str(program), str(refused)],
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
            env={**os.environ, "ASAN_OPTIONS": "detect_leaks=1"},
        )
        assert (result.returncode, result.stderr) == (0, "")
        return result.stdout

    assert said(0) == f"status 0, {LOADED[way]} words loaded, 25 changed"
    for refused in range(1, THREADS[way] + 1):
        assert said(refused) == "status -1, 0 words loaded, 0 changed"
