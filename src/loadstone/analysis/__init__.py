"""What can be said of a kernel as it stands: dependences, liveness, accesses out of bounds."""
# pyright: reportUnusedImport=false

from loadstone.analysis.bounds import OutOfBounds, out_of_bounds, within_extents
from loadstone.analysis.dataflow import Dependences, anti, dependences, flow, flow_of_reads, memory_flow, output
from loadstone.analysis.liveness import live_in, upward_exposed
