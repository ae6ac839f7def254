"""slang: reads SystemVerilog as closely to the standard as commercial tools do, and checks the drivers of signals."""

from __future__ import annotations

import importlib.util
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from loadstone.errors import Diagnostic, ToolError
from loadstone.rtl.module import Module
from loadstone.rtl.programs.command import run_program, write_files
from loadstone.rtl.verilog import verilog_files

_INSTALL = "install it with: pip install pyslang"
_WARNINGS = ("-Wextra", "-Wno-shift-count-overflow")
"""All but one about shifts by more than the width: what they give is what we mean."""
_READ_AND_ANALYSE = """
import sys
from pyslang.driver import CommandLineOptions, Driver

driver = Driver()
driver.addStandardArgs()
read = driver.parseCommandLine(sys.argv[1], CommandLineOptions()) and driver.processOptions()
if not (read and driver.parseAllSources()):
    sys.exit("slang cannot read its files")
compilation = driver.createCompilation()
driver.reportCompilation(compilation, True)
driver.runAnalysis(compilation)
driver.reportDiagnostics(True)
"""


def is_installed() -> bool:
    """Whether there is a slang."""
    return importlib.util.find_spec("pyslang") is not None


def lint(module: Module) -> str:
    """The errors and warnings of slang for a module; empty where all is well."""
    with tempfile.TemporaryDirectory() as folder:
        files = verilog_files(module)
        write_files(Path(folder), files)
        return lint_files(Path(folder), tuple(files), module.name)


def lint_files(folder: Path, files: Sequence[str], top: str) -> str:
    """The errors and warnings of slang for the files of a design, testbenches among them; empty where all is well."""
    if not is_installed():
        raise ToolError(Diagnostic("pyslang was not found", None, _INSTALL))
    arguments = " ".join(["slang", *_WARNINGS, "--top", top, *files])
    return run_program([sys.executable, "-c", _READ_AND_ANALYSE, arguments], folder)
