"""Registers between the automata of the line-based transform [Devos, Table 5.10]."""

from __future__ import annotations

import frames
import line_control

from loadstone.trials import instance_count


def test_registers_cost_two_cycles_where_a_loop_begins() -> None:
    """An outer loop for each level, and three inner ones for each two rows of it."""
    levels = [3, 2, 1]
    rows = [2 * (frames.SMALL["r"] << 3 - level) for level in levels]
    found = {name: line_control.cycles(name) for name in line_control.PLACES}
    instances = instance_count(frames.kernel(), frames.SMALL)
    assert found["none"] >= instances
    assert found["alpha"] - found["none"] == 2 * len(levels)
    assert found["beta"] - found["none"] == 2 * sum(rows) * 3 // 2
    assert found["alpha+beta"] - found["none"] == 2 * len(levels) + found["beta"] - found["none"]
