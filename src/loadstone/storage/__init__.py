"""Local memories: lifetimes under the pipelined schedule, conflicts, modular mappings."""
