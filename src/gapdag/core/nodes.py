"""The network of each node, forward and backward, compiled: where a fit spends its time.

Each function treats the nodes from ``a`` up to ``b``, so that threads can share them out. A node
reads its live inputs only, ``inputs[j, :counts[j]]``, one row block after the other, so that its
hidden units stay in the cache from the product to their gradient. Where most inputs of the
nodes are live (``dense``) the products are BLAS's.

numba, since it was measured to be the fastest that needs no compiler on the user's machine
(docs/log.md).
"""

from __future__ import annotations

import numpy as np
from numba import float32
from numba.extending import overload

from gapdag.core.compiled import compiled, exp, inlined

ROWS = 1024
"""rows of a block: a few hidden units and inputs of it fit the first-level cache"""
CHUNK = 2**19
"""bytes of hidden units between product and sigmoid: half of a second-level cache"""


def sigmoid(z: float) -> float:
    """1 / (1 + exp(-z)), as exact as that exp."""
    return float(1 / (1 + exp(-z)))


@overload(sigmoid, inline="always")
def _sigmoid(z):  # type: ignore[no-untyped-def]
    one = np.float32(1) if z == float32 else np.float64(1)

    def calculate(z):  # type: ignore[no-untyped-def]
        return one / (one + exp(-z))

    return calculate


@inlined
def _forward(a, b, dense, first, w2, b2, inputs, counts, x, units, residual, ss):  # type: ignore[no-untyped-def]
    """Hidden units, x̂ - x and its sum of squares, of the nodes from a up to b.

    ``first`` (d, h, d + 1) has the bias last, ``x`` (d + 1, n) a row of ones to match.
    """
    h, n, zero = first.shape[1], x.shape[1], x.dtype.type(0)  # an int 0 would make sums doubles
    if dense:
        np.dot(first[a:b].reshape(-1, first.shape[2]), x, units[a:b].reshape(-1, n))
    for j in range(a, b):
        ss[j] = 0.0
        for lo in range(0, n, ROWS):
            hi = min(lo + ROWS, n)
            if not dense:
                _product(first[j], inputs[j], counts[j], x, lo, hi, units[j])
            error = residual[j, lo:hi]
            target = x[j, lo:hi]
            for r in range(hi - lo):
                error[r] = b2[j] - target[r]
            for k in range(h):
                u, w = units[j, k, lo:hi], w2[j, k]
                for r in range(hi - lo):
                    value = sigmoid(u[r])
                    u[r] = value
                    error[r] += w * value
            square = zero
            for r in range(hi - lo):
                square += error[r] * error[r]
            ss[j] += square


@inlined
def _product(first, inputs, count, x, lo, hi, z):  # type: ignore[no-untyped-def]
    """z = first · x over the live inputs and the bias, four inputs at a time."""
    h, bias = first.shape[0], first.shape[1] - 1
    for k in range(h):
        out, constant = z[k, lo:hi], first[k, bias]
        for r in range(hi - lo):
            out[r] = constant
    for i in range(0, count - 3, 4):
        i0, i1, i2, i3 = inputs[i], inputs[i + 1], inputs[i + 2], inputs[i + 3]
        x0, x1, x2, x3 = x[i0, lo:hi], x[i1, lo:hi], x[i2, lo:hi], x[i3, lo:hi]
        for k in range(h):
            w0, w1, w2, w3 = first[k, i0], first[k, i1], first[k, i2], first[k, i3]
            out = z[k, lo:hi]
            for r in range(hi - lo):
                out[r] += w0 * x0[r] + w1 * x1[r] + w2 * x2[r] + w3 * x3[r]
    for i in range(count - count % 4, count):
        i0 = inputs[i]
        x0 = x[i0, lo:hi]
        for k in range(h):
            w0, out = first[k, i0], z[k, lo:hi]
            for r in range(hi - lo):
                out[r] += w0 * x0[r]


@inlined
def _backward(a, b, w2, inputs, counts, x, units, pull, g_first, g_w2, g_b2):  # type: ignore[no-untyped-def]
    """Gradients of the parameters from ``pull`` (d, n), that of x̂; units become their gradients."""
    h, n, bias, zero = units.shape[1], x.shape[1], g_first.shape[2] - 1, x.dtype.type(0)
    for j in range(a, b):
        g_b2[j] = zero
        for k in range(h):
            g_w2[j, k] = zero
            for i in range(bias + 1):
                g_first[j, k, i] = zero
        for lo in range(0, n, ROWS):
            hi = min(lo + ROWS, n)
            p = pull[j, lo:hi]
            total = zero
            for r in range(hi - lo):
                total += p[r]
            g_b2[j] += total
            for k in range(h):
                u, w = units[j, k, lo:hi], w2[j, k]
                outer, inner = zero, zero
                for r in range(hi - lo):
                    pulled = p[r] * u[r]
                    slope = w * (pulled - pulled * u[r])
                    outer += pulled
                    inner += slope
                    u[r] = slope
                g_w2[j, k] += outer
                g_first[j, k, bias] += inner
            _correlate(units[j], inputs[j], counts[j], x, lo, hi, g_first[j])


@inlined
def _correlate(units, inputs, count, x, lo, hi, out):  # type: ignore[no-untyped-def]
    """out += units · xᵀ at the live inputs, four of them and two units at a time."""
    h, zero = units.shape[0], x.dtype.type(0)
    for i in range(0, count - 3, 4):
        i0, i1, i2, i3 = inputs[i], inputs[i + 1], inputs[i + 2], inputs[i + 3]
        x0, x1, x2, x3 = x[i0, lo:hi], x[i1, lo:hi], x[i2, lo:hi], x[i3, lo:hi]
        for k in range(0, h, 2):
            two = min(k + 1, h - 1)  # where h is odd the last unit is taken twice, and kept once
            u, v = units[k, lo:hi], units[two, lo:hi]
            u0 = u1 = u2 = u3 = v0 = v1 = v2 = v3 = zero
            for r in range(hi - lo):
                u0 += u[r] * x0[r]
                u1 += u[r] * x1[r]
                u2 += u[r] * x2[r]
                u3 += u[r] * x3[r]
                v0 += v[r] * x0[r]
                v1 += v[r] * x1[r]
                v2 += v[r] * x2[r]
                v3 += v[r] * x3[r]
            out[k, i0] += u0
            out[k, i1] += u1
            out[k, i2] += u2
            out[k, i3] += u3
            if two > k:
                out[two, i0] += v0
                out[two, i1] += v1
                out[two, i2] += v2
                out[two, i3] += v3
    for i in range(count - count % 4, count):
        x0 = x[inputs[i], lo:hi]
        for k in range(h):
            u = units[k, lo:hi]
            u0 = zero
            for r in range(hi - lo):
                u0 += u[r] * x0[r]
            out[k, inputs[i]] += u0


@compiled
def forward(  # type: ignore[no-untyped-def]
    a,
    b,
    dense,
    and_back,
    first,
    w2,
    b2,
    inputs,
    counts,
    x,
    units,
    residual,
    ss,
    g_first,
    g_w2,
    g_b2,
):
    """Forward; ``and_back``, the gradients of ½·Σ (x̂ - x)² while the units are in the cache."""
    chunk = max(1, CHUNK // (units.shape[1] * units.shape[2] * units.itemsize))
    for start in range(a, b, chunk):
        stop = min(start + chunk, b)
        _forward(start, stop, dense, first, w2, b2, inputs, counts, x, units, residual, ss)
        if and_back:
            _backward(start, stop, w2, inputs, counts, x, units, residual, g_first, g_w2, g_b2)


@compiled
def backward(  # type: ignore[no-untyped-def]
    a, b, dense, to_input, first, w2, inputs, counts, x, units, pull, g_first, g_w2, g_b2, out
):
    """Backward; ``to_input``, also what the units' gradients say of their inputs (d + 1, n)."""
    _backward(a, b, w2, inputs, counts, x, units, pull, g_first, g_w2, g_b2)
    if not to_input:
        return
    n = units.shape[2]
    if dense:
        flat = first[a:b].reshape(-1, first.shape[2])
        np.dot(flat.T, units[a:b].reshape(-1, n), out)
        return
    out.fill(0)
    for j in range(a, b):
        for lo in range(0, n, ROWS):
            _spread(first[j], inputs[j], counts[j], units[j], lo, min(lo + ROWS, n), out)


@inlined
def _spread(first, inputs, count, units, lo, hi, out):  # type: ignore[no-untyped-def]
    """out[i] += Σ_k first[k, i] · units[k] at the live inputs, five units at a time."""
    h = units.shape[0]
    for m in range(count):
        i = inputs[m]
        to = out[i, lo:hi]
        for k in range(0, h - 4, 5):
            w0, w1, w2, w3, w4 = (first[k, i], first[k + 1, i], first[k + 2, i],
                                  first[k + 3, i], first[k + 4, i])  # fmt: skip
            u0, u1, u2, u3, u4 = (units[k, lo:hi], units[k + 1, lo:hi], units[k + 2, lo:hi],
                                  units[k + 3, lo:hi], units[k + 4, lo:hi])  # fmt: skip
            for r in range(hi - lo):
                to[r] += w0 * u0[r] + w1 * u1[r] + w2 * u2[r] + w3 * u3[r] + w4 * u4[r]
        for k in range(h - h % 5, h):
            w0, u0 = first[k, i], units[k, lo:hi]
            for r in range(hi - lo):
                to[r] += w0 * u0[r]


@compiled
def squares(first, out):  # type: ignore[no-untyped-def]
    """A[i, j] = Σ_k first[j, k, i]², the bias left out."""
    d, h = first.shape[:2]
    total = np.empty(d, first.dtype)
    for j in range(d):
        total.fill(0)
        for k in range(h):
            for i in range(d):
                total[i] += first[j, k, i] * first[j, k, i]
        for i in range(d):
            out[i, j] = total[i]


@compiled
def scale(by, g_first, g_w2, g_b2):  # type: ignore[no-untyped-def]
    """Multiply the gradients of each node's parameters by its number."""
    for j in range(len(by)):
        c = g_b2.dtype.type(by[j])
        g_b2[j] *= c
        for k in range(g_w2.shape[1]):
            g_w2[j, k] *= c
            for i in range(g_first.shape[2]):
                g_first[j, k, i] *= c


@compiled
def penalise(first, slope, strength, g_first):  # type: ignore[no-untyped-def]
    """Add the gradients of h(A) and of the L1; returns the absolute sum.

    A weight held at zero gets none: both have a factor that is zero there.
    """
    d, h, total = first.shape[0], first.shape[1], 0.0
    toward, strength = np.empty(d, first.dtype), first.dtype.type(strength)
    for j in range(d):
        for i in range(d):
            toward[i] = 2 * slope[i, j]
        for k in range(h):
            size = first.dtype.type(0)
            for i in range(d):
                w = first[j, k, i]
                g_first[j, k, i] += toward[i] * w + strength * np.sign(w)
                size += abs(w)
            total += size
    return total
