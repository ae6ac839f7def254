"""Process networks in hardware: a module for each process and each channel."""
