"""What can be said of a kernel as it stands: dependences and liveness."""

from loadstone.analysis.dependences import Dependences, anti, dependences, flow, flow_of_reads, output
from loadstone.analysis.liveness import live_in, upward_exposed

__all__ = ["Dependences", "anti", "dependences", "flow", "flow_of_reads", "live_in", "output", "upward_exposed"]
