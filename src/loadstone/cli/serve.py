"""`loadstone serve`: the explorer in the browser."""

from __future__ import annotations

import argparse
import json
import webbrowser
from contextlib import suppress
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from loadstone.errors import Diagnostic, ToolError
from loadstone.frontend.c.preprocess import read_source

NEEDED = ("starlette", "uvicorn", "websockets")


def run(arguments: argparse.Namespace) -> int:
    """Serve until interrupted, which is how it ends well."""
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        raise ToolError(Diagnostic(f"the explorer needs {', '.join(missing)}", None, "pip install 'loadstone[web]'"))
    settings: Any = import_module("loadstone.serve.settings").Settings(
        host=arguments.host,
        port=arguments.port,
        include=tuple(Path(folder).resolve() for folder in arguments.include),
        allow_run=arguments.allow_run,
        seconds=arguments.seconds,
        source=None if arguments.source is None else read_source(Path(arguments.source)).text,
    )

    def ready(place: str) -> None:
        _ready(place, arguments, local=settings.is_local)

    with suppress(KeyboardInterrupt):
        import_module("loadstone.serve.server").serve(settings, ready)
    return 0


def _ready(place: str, arguments: argparse.Namespace, *, local: bool) -> None:
    """Say where the page is, and open it if told to."""
    if arguments.json:
        print(json.dumps({"address": place}), flush=True)
    else:
        print(f"explorer at {place} (stop with Ctrl-C)", flush=True)
        if not local:
            print(f"warning: everybody who reaches {arguments.host} can use it", flush=True)
    if arguments.open:
        webbrowser.open(place)
