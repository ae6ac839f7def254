"""What may run at the same time: lanes, banks of local memories, hazards, independent parts of blocks."""
