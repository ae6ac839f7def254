"""What workers are forked from: a process that has loaded everything and has answered once.

Imported for its effect, by the server of forks alone: tables of parsers are made and caches are filled before the first
request comes. What fails here fails again in a worker, which says so.
"""

from __future__ import annotations

import gc
from contextlib import suppress

from loadstone.serve.panes import NAMES, answers
from loadstone.serve.request import read_request
from loadstone.serve.subject import Subject

_SOURCE = """\
void warm(int n, int a[n], int b[n])
{
  for (int i = 1; i < n; i++)
    b[i] = a[i] * a[i - 1] + 1;
}
"""
_WARMED = tuple(name for name in NAMES if name not in ("run", "project", "curve", "front", "waveform"))

_subject = Subject(read_request({"source": _SOURCE, "panes": list(_WARMED), "parameters": {"n": 8}}, NAMES))
for _name in _WARMED:
    with suppress(Exception):
        list(answers(_subject, _name))
del _subject
gc.collect()
gc.freeze()
