"""The page in the package is the one that its sources give."""

from __future__ import annotations

import filecmp
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from kernels import ROOT
from loadstone.errors import InputError
from loadstone.frontend.read import parse

WEB, SHIPPED = ROOT / "web", ROOT / "src" / "loadstone" / "serve" / "static"
FILES = ("index.html", "explorer.js", "explorer.css", "icon.svg")


def test_the_lock_file_names_no_registry() -> None:
    lock = json.loads((WEB / "package-lock.json").read_text())
    packages = {path: each for path, each in lock["packages"].items() if path}
    assert all("integrity" in each and "resolved" not in each for each in packages.values())
    assert "registry" not in (WEB / "package-lock.json").read_text()
    wanted = json.loads((WEB / "package.json").read_text())
    exact = {**wanted["dependencies"], **wanted["devDependencies"]}
    assert all(packages[f"node_modules/{name}"]["version"] == version for name, version in exact.items())


def test_the_page_asks_nobody_else() -> None:
    html = (SHIPPED / "index.html").read_text()
    assert "://" not in html
    assert "@import" not in (SHIPPED / "explorer.css").read_text()
    assert "url(http" not in (SHIPPED / "explorer.css").read_text()


COMPLETED = """\
typedef int sample;
{}
void f(int n, sample a[n][n], sample work[n])
{{
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
S0:   a[i][j] = work[j] + 1;
}}
"""


def test_completions_are_pragmas_that_kernels_may_have() -> None:
    snippets = re.findall(r'snippetCompletion\("(#pragma loadstone [^"]+)"', (WEB / "src" / "editor.js").read_text())
    lines = [re.sub(r"\$\{([^}]*)\}", r"\1", snippet) for snippet in snippets]
    for line in lines:
        assert parse(COMPLETED.format(line)).name == "f"
    with pytest.raises(InputError) as refusal:
        parse(COMPLETED.format("#pragma loadstone nothing"))
    known = refusal.value.diagnostics[0].hint.removeprefix("known are: ").split(", ")
    assert {line.split()[2].partition("(")[0] for line in lines} == set(known)


@pytest.mark.sweep
@pytest.mark.skipif(shutil.which("npm") is None, reason="npm is missing: apt-get install npm")
def test_the_shipped_page_is_the_one_of_the_sources(tmp_path: Path) -> None:
    for name in ("web", "examples"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("node_modules"))
    web, out = tmp_path / "web", tmp_path / "out"
    subprocess.run(["npm", "ci", "--no-audit", "--no-fund", "--silent"], cwd=web, check=True, timeout=300)
    subprocess.run(["node", "build.mjs", str(out)], cwd=web, check=True, timeout=120)
    same, different, missing = filecmp.cmpfiles(out, SHIPPED, FILES, shallow=False)
    assert (sorted(same), different, missing) == (sorted(FILES), [], []), "run: make web"
