"""How the hot path is compiled, and the exponential that it uses."""

from __future__ import annotations

from collections.abc import Callable
from math import factorial
from typing import Any

import numpy as np
from numba import float32, njit, types
from numba.extending import intrinsic, overload, register_jitable

TAYLOR = tuple(1.0 / factorial(k) for k in range(13, 1, -1))
"""for |x| <= log(2) / 2; the last six suffice in single precision"""


def compiled(function: Callable[..., Any]) -> Any:
    """Machine code without the GIL, whose sums may be reordered, but which knows NaN and inf.

    Compiled at its first call, and kept in numba's cache if one can be written.
    """
    options: dict[str, Any] = {
        "fastmath": {"reassoc", "contract", "nsz", "arcp"},
        "nogil": True,
        "error_model": "numpy",
    }
    try:
        return njit(cache=True, **options)(function)
    except RuntimeError:  # no folder that a cache could be written to
        return njit(**options)(function)


def inlined(function: Callable[..., Any]) -> Any:
    """Part of every compiled function that calls it.

    Were it compiled by itself, a process that loads it from the cache could link another version
    of it than the process that compiled it did, with sums in another order and other last bits.
    """
    return register_jitable(inline="always")(function)


@intrinsic
def _float_of_bits(context, bits):  # type: ignore[no-untyped-def]
    """The float whose bits an integer of the same size has."""
    result = types.float32 if bits == types.int32 else types.float64

    def code(context, builder, signature, arguments):  # type: ignore[no-untyped-def]
        return builder.bitcast(arguments[0], context.get_value_type(result))

    return result(bits), code


def exp(t: float) -> float:
    """e^t without a branch, so that compiled loops are vectorised; right to 1e-6 or 1e-12.

    Never 0 and never inf: beyond ±87 (single) or ±700 (double) it stays what it is there.
    """
    return float(np.exp(np.clip(t, -700, 700)))


@overload(exp, inline="always")
def _exp(t):  # type: ignore[no-untyped-def]
    single = t == float32
    real, whole = (np.float32, np.int32) if single else (np.float64, np.int64)
    log2, per_log2, one = real(np.log(2)), real(1 / np.log(2)), real(1)
    bias, mantissa, most = (127, 23, real(87)) if single else (1023, 52, real(700))
    c = tuple(real(v) for v in (TAYLOR[-6:] if single else TAYLOR))

    def calculate(t):  # type: ignore[no-untyped-def]
        t = min(max(t, -most), most)
        f = np.rint(t * per_log2)  # e^t = 2^f · e^rest
        rest = t - f * log2
        p = c[0]
        for k in range(1, len(c)):
            p = p * rest + c[k]
        bits = whole((whole(f) + bias) << mantissa)  # numba makes an int64 of int32 + int
        power: Any = _float_of_bits(bits)  # type: ignore[call-arg]
        return (p * rest * rest + rest + one) * power

    return calculate
