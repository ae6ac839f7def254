"""Running kernels, networks and hardware, and the memories that they work on."""
