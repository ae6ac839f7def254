"""Schedules found by isl's scheduler: as steps of a script, and as tilings."""
