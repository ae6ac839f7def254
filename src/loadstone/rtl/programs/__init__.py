"""External programs that read the text of modules: simulators, linters, synthesis, place and route."""
