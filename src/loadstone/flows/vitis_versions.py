"""What differs between versions of Vitis, in one table with its sources.

| fact | 2022.2 | 2024.2 | 2025.2 | source |
|---|---|---|---|---|
| steps | Tcl alone | `v++`, `vitis-run` | `v++`, `vitis-run` | UG1399 2022.2 and 2023.2, UG1702 2025.1 |
| runs Tcl | `vitis_hls -f` | `vitis-run --mode hls --tcl` | the same | Vitis Libraries 2024.2, Run a L1 Example: `vitis_hls` is "deprecated", `vitis-run --tcl` "recommended for 2023.2 and onwards" |
| order of accesses | `protocol` region | `hls::fence` | `hls::fence` | UG1399 2022.2 has no page on `hls_fence.h`, 2025.2 has: HLS Fence Library |
| C++ | 14 | 14 | 14 | UG1399 2025.2, Migrating from Vivado HLS |

Keys of `hls_config.cfg` are those of the table Tcl to Config File Command Map [UG1399 2025.2] and of AMD's examples
[Vitis-HLS-Introductory-Examples, `hls_config.cfg`]; both versions that read it know all of them.
"""  # noqa: E501

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from loadstone.emit.c.vitis import LIBRARY_FENCE
from loadstone.options import VitisVersion

PROTOCOL_FENCE = """\
#include <ap_utils.h>
static void keep_order()
{
#pragma HLS inline off
#pragma HLS protocol fixed
  ap_wait();
}
#define ORDERED(...) keep_order()"""
"""Keeps the order of accesses by a region that nothing moves across."""

_STEPS = {
    "csim": "vitis-run --mode hls --csim --config $CONFIG --work_dir $WORK",
    "synthesis": "v++ -c --mode hls --config $CONFIG --work_dir $WORK",
    "cosim": "vitis-run --mode hls --cosim --config $CONFIG --work_dir $WORK",
    "package": "vitis-run --mode hls --package --config $CONFIG --work_dir $WORK",
    "implementation": "vitis-run --mode hls --impl --config $CONFIG --work_dir $WORK",
}
_BY_TCL = "vitis-run --mode hls --tcl run_hls.tcl"


@dataclass(frozen=True, slots=True)
class Vitis:
    """A version: the command of each step, where there is one, the command that runs Tcl, and the fence."""

    steps: Mapping[str, str]
    runs_tcl: str
    fence: str

    @property
    def has_config(self) -> bool:
        """Whether it reads `hls_config.cfg`."""
        return bool(self.steps)


VERSIONS: Mapping[VitisVersion, Vitis] = {
    "2022.2": Vitis({}, "vitis_hls -f run_hls.tcl", PROTOCOL_FENCE),
    "2024.2": Vitis(_STEPS, _BY_TCL, LIBRARY_FENCE),
    "2025.2": Vitis(_STEPS, _BY_TCL, LIBRARY_FENCE),
}
NEWEST: VitisVersion = "2025.2"
CPP = "-std=c++14"
