"""Statement bodies as dataflow graphs, scheduled and pipelined."""
