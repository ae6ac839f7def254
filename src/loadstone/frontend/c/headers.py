"""What kernels take from the headers of the C library: constants. Everything else that they declare is known or unused.

A header listed here need not exist; sizes follow the LP64 model, as in `kernel.types`.
"""

from __future__ import annotations

_INT_LIMITS = {
    "CHAR_BIT": "8",
    "SCHAR_MIN": "(-128)",
    "SCHAR_MAX": "127",
    "UCHAR_MAX": "255",
    "CHAR_MIN": "(-128)",
    "CHAR_MAX": "127",
    "SHRT_MIN": "(-32768)",
    "SHRT_MAX": "32767",
    "USHRT_MAX": "65535",
    "INT_MIN": "(-2147483647 - 1)",
    "INT_MAX": "2147483647",
    "UINT_MAX": "4294967295U",
    "LONG_MIN": "(-9223372036854775807L - 1)",
    "LONG_MAX": "9223372036854775807L",
    "ULONG_MAX": "18446744073709551615UL",
    "LLONG_MIN": "(-9223372036854775807LL - 1)",
    "LLONG_MAX": "9223372036854775807LL",
    "ULLONG_MAX": "18446744073709551615ULL",
}

_FIXED_LIMITS = {
    "INT8_MIN": "(-128)",
    "INT8_MAX": "127",
    "UINT8_MAX": "255",
    "INT16_MIN": "(-32768)",
    "INT16_MAX": "32767",
    "UINT16_MAX": "65535",
    "INT32_MIN": "(-2147483647 - 1)",
    "INT32_MAX": "2147483647",
    "UINT32_MAX": "4294967295U",
    "INT64_MIN": "(-9223372036854775807L - 1)",
    "INT64_MAX": "9223372036854775807L",
    "UINT64_MAX": "18446744073709551615UL",
    "SIZE_MAX": "18446744073709551615UL",
}

_FLOAT_LIMITS = {
    "FLT_EPSILON": "1.19209290e-7F",
    "FLT_MIN": "1.17549435e-38F",
    "FLT_MAX": "3.40282347e+38F",
    "DBL_EPSILON": "2.2204460492503131e-16",
    "DBL_MIN": "2.2250738585072014e-308",
    "DBL_MAX": "1.7976931348623157e+308",
}

_MATHEMATICAL = {
    "M_E": "2.7182818284590452354",
    "M_LOG2E": "1.4426950408889634074",
    "M_LOG10E": "0.43429448190325182765",
    "M_LN2": "0.69314718055994530942",
    "M_LN10": "2.30258509299404568402",
    "M_PI": "3.14159265358979323846",
    "M_PI_2": "1.57079632679489661923",
    "M_PI_4": "0.78539816339744830962",
    "M_1_PI": "0.31830988618379067154",
    "M_2_PI": "0.63661977236758134308",
    "M_2_SQRTPI": "1.12837916709551257390",
    "M_SQRT2": "1.41421356237309504880",
    "M_SQRT1_2": "0.70710678118654752440",
}

_WITHOUT_CONSTANTS = (
    "assert.h",
    "complex.h",
    "ctype.h",
    "errno.h",
    "fenv.h",
    "inttypes.h",
    "locale.h",
    "malloc.h",
    "memory.h",
    "omp.h",
    "pthread.h",
    "setjmp.h",
    "signal.h",
    "stdarg.h",
    "stddef.h",
    "stdio.h",
    "string.h",
    "strings.h",
    "sys/resource.h",
    "sys/stat.h",
    "sys/time.h",
    "sys/times.h",
    "sys/types.h",
    "time.h",
    "unistd.h",
    "ap_fixed.h",
    "ap_int.h",
    "hls_math.h",
    "hls_stream.h",
)

_OTHERS = """NULL EOF BUFSIZ NAN INFINITY HUGE_VAL HUGE_VALF HUGE_VALL FP_NAN FP_INFINITE FP_ZERO FP_NORMAL FP_SUBNORMAL
MB_CUR_MAX errno stdin stdout stderr assert offsetof bool true false linux unix"""

HEADERS: dict[str, dict[str, str]] = {
    **{name: {} for name in _WITHOUT_CONSTANTS},
    "float.h": _FLOAT_LIMITS,
    "limits.h": _INT_LIMITS,
    "math.h": _MATHEMATICAL,
    "stdbool.h": {"true": "1", "false": "0"},
    "stdint.h": _FIXED_LIMITS,
    "stdlib.h": {"EXIT_SUCCESS": "0", "EXIT_FAILURE": "1", "RAND_MAX": "2147483647"},
    "values.h": {**_INT_LIMITS, **_FLOAT_LIMITS},
}

MACROS = frozenset(_OTHERS.split()).union(*HEADERS.values())
"""Names that headers, or compilers without them, may define as macros."""
