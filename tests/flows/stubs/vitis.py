"""A stand-in for `v++`, `vitis-run` and `vitis_hls`: reads configurations and Tcl, and simulates C by g++.

It writes the steps that it is asked for to `steps.txt`, and stops with an error at options and keys it does not know.
"""

from __future__ import annotations

import subprocess
import sys
import tkinter
from functools import partial
from itertools import pairwise
from pathlib import Path

KEYS = {
    *("part", "flow_target", "clock", "syn.file", "syn.top", "syn.cflags", "syn.csimflags", "tb.file", "tb.cflags"),
    *("csim.code_analyzer", "csim.ldflags", "cosim.ldflags", "package.output.format", "package.output.file"),
    "vivado.flow",
}
SETTINGS = ("open_project", "set_top", "open_solution", "set_part", "create_clock")
STEPS = ("--csim", "--cosim", "--package", "--impl")


def note(step: str, *more: str) -> None:
    with Path("steps.txt").open("a") as file:
        file.write(" ".join((step, *more)) + "\n")


def configuration(path: str) -> dict[str, list[str]]:
    """The keys of a configuration with their values; those of HLS stand in a section."""
    found: dict[str, list[str]] = {}
    section = ""
    for line in filter(None, Path(path).read_text().splitlines()):
        if line.startswith("["):
            section = line
            continue
        key, equals, value = line.partition("=")
        assert equals, line
        assert key in KEYS, key
        assert (section == "[hls]") == (key != "part"), line
        found.setdefault(key, []).append(value)
    return found


def simulate(sources: list[tuple[str, str]], ldflags: str) -> int:
    """Compile sources with their flags, run the program, and return its status."""
    work = Path("csim")
    work.mkdir(exist_ok=True)
    objects: list[str] = []
    for path, flags in sources:
        compiler = ["gcc", "-std=gnu11"] if path.endswith(".c") else ["g++", "-std=c++14"]
        objects.append(str(work / f"{Path(path).name}.o"))
        subprocess.run([*compiler, "-O1", "-w", *flags.split(), "-c", path, "-o", objects[-1]], check=True)
    subprocess.run(["g++", *objects, *ldflags.split(), "-lm", "-o", str(work / "program")], check=True)
    return subprocess.run([str(work / "program")], check=False).returncode


def unified(program: str, words: list[str]) -> int:
    options = dict(zip(words, [*words[1:], ""], strict=True))
    if program == "v++":
        assert words[0] == "-c", words
    assert options["--mode"] == "hls"
    if "--tcl" in options:
        return tcl(options["--tcl"])
    known = configuration(options["--config"])
    assert options["--work_dir"]
    step = "--synthesis" if program == "v++" else next(word for word in words if word in STEPS)
    note(step.lstrip("-"), known["flow_target"][0], known["syn.top"][0], known["package.output.format"][0])
    if step != "--csim":
        return 0
    flags = f"{known['syn.cflags'][0]} {known['syn.csimflags'][0]}"
    sources = [(path, flags) for path in known["syn.file"]]
    sources += [(path, known["tb.cflags"][0]) for path in known["tb.file"]]
    return simulate(sources, known["csim.ldflags"][0])


def tcl(path: str) -> int:
    """Run a script of Vitis HLS; its commands are known, all else is an error."""
    shell = tkinter.Tcl()
    sources: list[tuple[str, str]] = []
    status: list[int] = []

    def add(*words: str) -> None:
        options = dict(pairwise(words))
        flags = f"{options.get('-cflags', '')} {options.get('-csimflags', '')}"
        sources.append((words[1] if words[0] == "-tb" else words[0], flags))

    def simulated(*words: str) -> None:
        note("csim")
        status.append(simulate(sources, words[1]))

    shell.createcommand("add_files", add)
    shell.createcommand("csim_design", simulated)
    for name in (*SETTINGS, "csynth_design", "cosim_design", "export_design"):
        shell.createcommand(name, partial(note, name))
    shell.eval("proc exit {} { return -code return }")
    shell.evalfile(path)
    return status[0] if status else 0


def main(program: str, words: list[str]) -> int:
    if program == "vitis_hls":
        assert words[0] == "-f"
        return tcl(words[1])
    return unified(program, words)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
