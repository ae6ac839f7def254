"""Hardware in simulators."""
