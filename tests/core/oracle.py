"""The objective once more, slowly: from the formulas, differentiated by autograd."""

from __future__ import annotations

import torch


def mmd(x, y, rates):
    """Unbiased in the two symmetric sums, all pairs in the cross sum: the paper's eq. (mmd)."""
    n = len(x)

    def kernel(a, b):
        square = ((a[:, None] - b[None]) ** 2).sum(-1)
        return sum(torch.exp(-c * square) for c in rates)

    off = ~torch.eye(n, dtype=torch.bool)
    within = kernel(x, x)[off].sum() + kernel(y, y)[off].sum()
    return within / (n * (n - 1)) - 2 * kernel(x, y).sum() / n**2


def completed(p, x0, missing, noise, scale):
    """The completer's draw (n, d)."""
    seen = x0 / scale

    def net(name):
        hidden = torch.relu(seen @ p[f"{name}_w1"].T + p[f"{name}_b1"])
        return hidden @ p[f"{name}_w2"].T + p[f"{name}_b2"]

    draw = net("mean") + torch.exp(0.5 * net("logvar")) * noise
    return torch.where(missing, draw * scale, x0)


def predicted(p, x):
    """The SCM's x̂ (n, d)."""
    units = torch.sigmoid(torch.einsum("ni,jki->njk", x, p["w1"]) + p["b1"])
    return (units * p["w2"]).sum(-1) + p["b2"]


def score(residual, name):
    n, d = residual.shape
    if name == "equal-variance":
        return 0.5 * d * torch.log((residual**2).sum() / n)
    return 0.5 * torch.log((residual**2).sum(0) / n).sum()


def acyclicity(A, name, s):
    d = len(A)
    eye = torch.eye(d, dtype=A.dtype)
    if name == "logdet":
        return -torch.linalg.slogdet(s * eye - A)[1] + d * torch.log(torch.tensor(s, dtype=A.dtype))
    if name == "expm":
        return torch.trace(torch.matrix_exp(A)) - d
    return torch.trace(torch.linalg.matrix_power(eye + A / d, d)) - d
