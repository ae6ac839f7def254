"""Reading kernels: C files and Python functions become one syntax tree, and that becomes the kernel."""
