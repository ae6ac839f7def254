"""Panes with generated sources, whose lines are linked to statements, and the project that they make."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping, Sequence
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from loadstone.circuit_projects import build_accelerator
from loadstone.emit.c.of_accelerator import allocated_program, fixed_program
from loadstone.emit.c.program import Program
from loadstone.emit.c.threads import emit_c
from loadstone.emit.c.vitis import DEFAULT_STYLE, emit_vitis
from loadstone.emit.hdl.folder import TOOLS, Language, emit_file_list
from loadstone.errors import LoadstoneError
from loadstone.projects import build_programs
from loadstone.serve.subject import Json, Subject

Links = list[tuple[int, str]]
"""Lines, counted from 1, with the statements that they belong to."""


def c_pane(subject: Subject) -> Json:
    """The accelerator as C with threads."""
    program = allocated_program(subject.program.accelerator)
    return _program_files(program, emit_c(program))


def hls_pane(subject: Subject) -> Json:
    """The accelerator as HLS C++."""
    lanes, beats = subject.program.widened("vitis", subject.values)
    program = fixed_program(subject.program.accelerator, subject.values, lanes, beats=beats)
    header, source = emit_vitis(program, DEFAULT_STYLE)
    return _program_files(program, {f"{program.name}.cpp": source, f"{program.name}.hpp": header})


def _program_files(program: Program, texts: Mapping[str, str]) -> Json:
    ordered = sorted(texts, key=lambda path: (not path.startswith(f"{program.name}.c"), path))
    return {"files": [{"path": path, "text": texts[path], "links": _linked(texts[path], program)} for path in ordered]}


def _linked(text: str, program: Program) -> Links:
    lines = enumerate(text.splitlines(), 1)
    return [(number, program.origins[key]) for number, line in lines if (key := line.strip()) in program.origins]


def verilog_pane(subject: Subject) -> Json:
    """The accelerator as SystemVerilog."""
    return _hardware_files(subject, "verilog")


def vhdl_pane(subject: Subject) -> Json:
    """The accelerator as VHDL."""
    return _hardware_files(subject, "vhdl")


def _hardware_files(subject: Subject, language: Language) -> Json:
    """The files, the datapaths of statements and the top module first."""
    names = [statement.name for statement in subject.circuit.design.kernel.statements]
    stem = subject.circuit.design.kernel.name
    texts = TOOLS[language].printed(subject.top, "")
    datapaths = [path for path in texts if path.rpartition(".")[0] in {f"{stem}_{name}" for name in names}]
    paths = (*datapaths, *(path for path in reversed(texts) if path not in datapaths))
    linked = ((path, _hardware_links(path, texts[path], stem, names)) for path in paths)
    return {"files": [{"path": path, "text": texts[path], "links": links} for path, links in linked]}


def _hardware_links(path: str, text: str, stem: str, names: Sequence[str]) -> Links:
    """All lines of a statement's datapath belong to it; elsewhere, the lines that name it do."""
    lines = text.splitlines()
    own = next((name for name in names if path.rpartition(".")[0] == f"{stem}_{name}"), None)
    if own is not None:
        return [(number, own) for number in range(1, len(lines) + 1)]
    named = re.compile(rf"(?<![A-Za-z0-9])({'|'.join(map(re.escape, names))})(?![A-Za-z0-9])")
    return [(number, match[1]) for number, line in enumerate(lines, 1) if (match := named.search(line))]


def project_pane(subject: Subject) -> Json:
    """All that is generated, as a zip file; `missing.txt` says what could not be made, and why."""
    files = {"kernel.c": subject.request.source}
    missing: list[str] = []
    for title, make in _parts(subject):
        try:
            files |= make()
        except LoadstoneError as error:
            missing.append(f"{title}\n{error}\n")
    if missing:
        files["missing.txt"] = "\n".join(missing)
    return {"name": subject.kernel.name, "zip": b64encode(zipped(files)).decode("ascii")}


def _parts(subject: Subject) -> Iterator[tuple[str, Callable[[], Mapping[str, str]]]]:
    yield "C and HLS C++", lambda: build_programs(subject.program, ["c", "hls"]).files
    if subject.allow_run:
        yield "Verilog and VHDL", lambda: build_accelerator(subject.circuit, ["verilog", "vhdl"]).files
    else:
        yield "Verilog and VHDL", lambda: _hardware_sources(subject)


def _hardware_sources(subject: Subject) -> dict[str, str]:
    """The hardware without testbenches: these hold what the original program leaves, which would have to be run."""
    files: dict[str, str] = {}
    for language, tools in TOOLS.items():
        printed = tools.printed(subject.top, "")
        files |= {f"{language}/{path}": text for path, text in printed.items()}
        files[f"{language}/files.f"] = emit_file_list(printed)
    return files


def zipped(files: Mapping[str, str]) -> bytes:
    """Files as a zip file, the same one for the same files."""
    buffer = BytesIO()
    with ZipFile(buffer, "w", ZIP_DEFLATED) as archive:
        for path in sorted(files):
            archive.writestr(ZipInfo(path), files[path], ZIP_DEFLATED)
    return buffer.getvalue()
