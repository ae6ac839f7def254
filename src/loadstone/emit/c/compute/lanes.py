"""Lanes in HLS C++: unrolled loops over the instances of a group, in the pipelined loop over groups.

for (j = 0; j < n; j++)             for (j_group = 0; 4 * j_group < n; j_group++)
  S(i, j);                    ->      #pragma HLS pipeline II=1
                                      for (j_lane = 0; j_lane < 4; j_lane++)
                                        #pragma HLS unroll
                                        const int j = 4 * j_group + j_lane;
                                        if (j < n)
                                          S(i, j);
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from loadstone.emit.c.code import Block, Body, Text, Unrolled, code, under
from loadstone.emit.c.names import Names
from loadstone.emit.c.printer import is_constant, written
from loadstone.loops.model import Instance
from loadstone.model.expression import Expression, Variable
from loadstone.model.tidy import settled
from loadstone.model.types import INT
from loadstone.parallel.group_loops import LaneLoops


def named_lanes(lanes: LaneLoops, names: Names) -> LaneLoops:
    """Loops over lanes with the names of a program."""
    counters = tuple((names[name], count) for name, count in lanes.counters)
    return replace(lanes, counters=counters, exists=names.counted(lanes.exists))


def lane_code(
    lanes: LaneLoops, leaf: Instance, names: Sequence[str], instance: Callable[[Sequence[Expression]], Body]
) -> Body:
    """The instances of a group that exist, whose lane 0 has the arguments of a leaf; `instance` prints one.

    Iterators that differ between lanes are constants with the given names.
    """
    found = list(lanes.iterators(leaf.arguments))
    declared: list[Text] = []
    for place, name in enumerate(names):
        if found[place] != leaf.arguments[place]:
            declared.append(code(f"const int {name} = @;", written(found[place])))
            found[place] = Variable(name, INT)
    condition = settled(lanes.condition(found))
    guard = None if is_constant(condition, 1) else written(condition)
    body: Body = (*declared, *under(guard, instance(found)))
    for name, count in reversed(lanes.counters):
        body = (Block(Text(f"for (int {name} = 0; {name} < {count}; {name}++)"), (Unrolled(), *body)),)
    return body
