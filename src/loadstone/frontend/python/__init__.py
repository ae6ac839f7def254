"""Reading kernels written as Python functions: by decorator in a running program, or from a file without running it."""
# pyright: reportUnusedImport=false

from loadstone.frontend.python.annotations import (
    ElementType,
    double,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
)
from loadstone.frontend.python.decorator import kernel
from loadstone.frontend.python.program import read_python
