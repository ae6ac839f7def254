"""What simulations put around a design: external memory, monitors, a host."""
