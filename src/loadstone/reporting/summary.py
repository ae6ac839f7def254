"""The figures of a report for programs, which `report --compare` puts side by side."""

from __future__ import annotations

from typing import Any

from loadstone.reporting.data import Report


def summary(report: Report) -> dict[str, Any]:
    """Words and bytes, local memory, and what is known of the accelerator."""
    own = report.ways[0] if report.ways else None
    return {
        "kernel": report.kernel,
        "parameters": dict(report.parameters),
        "exact": report.exact,
        "words": {} if own is None else {"loaded": own.loaded, "stored": own.stored},
        "bytes": report.moved,
        "cells": report.cells,
        "local_bytes": report.local,
        "arrays": {
            each.name: {"loaded": each.loaded, "stored": each.stored, "bytes": each.moved} for each in report.arrays
        },
        "advice": list(report.advice),
        "accelerator": None if report.extras.machine is None else report.extras.machine.as_json(),
        "missing": dict(report.extras.missing),
    }
