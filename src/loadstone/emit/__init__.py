"""Back ends: they choose syntax, nothing else."""
