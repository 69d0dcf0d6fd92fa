"""Where the hot path reaches past torch's public API, each with a public twin to fall back on.

What works is found out once, at import, so that a run does not depend on timing.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor
from torch.optim.adam import adam

LARGEST_KEPT = 31 * 2**20  # bytes; glibc never keeps blocks of 32 MiB and more


def _onednn(a: Tensor, b: Tensor) -> Tensor:
    product: Tensor = torch.ops.mkldnn._linear_pointwise(a, b.T, None, "none", [], "")
    return product


def _fused(theta: Tensor, grad: Tensor, state: tuple[Tensor, ...], lr: float,
           betas: tuple[float, float], decay: float) -> None:  # fmt: skip
    first, second, step = state
    step.add_(1)
    torch._fused_adam_(
        [theta], [grad], [first], [second], [], [step], lr=lr, beta1=betas[0], beta2=betas[1],
        weight_decay=decay, eps=1e-8, amsgrad=False, maximize=False,
    )  # fmt: skip


def _public(theta: Tensor, grad: Tensor, state: tuple[Tensor, ...], lr: float,
            betas: tuple[float, float], decay: float) -> None:  # fmt: skip
    first, second, step = state
    with torch.no_grad():
        adam(
            [theta], [grad], [first], [second], [], [step], lr=lr, beta1=betas[0], beta2=betas[1],
            weight_decay=decay, eps=1e-8, amsgrad=False, maximize=False,
        )  # fmt: skip


def _works(trial: Callable[[], bool]) -> bool:
    try:
        return trial()
    except (AttributeError, RuntimeError, TypeError):
        return False


def _multiplies() -> bool:
    a, b = torch.arange(6.0).view(2, 3), torch.arange(12.0).view(3, 4)
    return torch.equal(_onednn(a, b), a @ b)


def _descends() -> bool:
    ends = []
    for kernel in (_fused, _public):
        theta, state = torch.ones(3), (torch.zeros(3), torch.zeros(3), torch.zeros(()))
        kernel(theta, torch.arange(3.0), state, 0.1, (0.9, 0.999), 0.1)
        ends.append(theta)
    return torch.allclose(ends[0], ends[1])


ONEDNN, FUSED = _works(_multiplies), _works(_descends)


def matmul(a: Tensor, b: Tensor) -> Tensor:
    """a @ b, of any strides.

    torch's own float32 product is MKL's, which leaves half of an AMD processor idle; oneDNN's, in
    the same wheel, takes half the time there, and gives the same bits on one thread and on two
    (docs/log.md). It has no float64.

    >>> matmul(torch.ones(2, 3), torch.ones(3, 1)).tolist()
    [[3.0], [3.0]]
    """
    return _onednn(a, b) if ONEDNN and a.dtype == torch.float32 else torch.mm(a, b)


def adam_step(theta: Tensor, grad: Tensor, state: tuple[Tensor, ...], lr: float,
              betas: tuple[float, float], decay: float) -> None:  # fmt: skip
    """One step of Kingma & Ba 2015 in place, with coupled weight decay.

    ``state`` is the first and the second moment and the number of steps taken, zeros at first.

    >>> theta, state = torch.ones(2), (torch.zeros(2), torch.zeros(2), torch.zeros(()))
    >>> adam_step(theta, torch.tensor([3.0, -3.0]), state, 0.1, (0.9, 0.999), 0.0)
    >>> [round(v, 4) for v in theta.tolist()]
    [0.9, 1.1]
    """
    (_fused if FUSED else _public)(theta, grad, state, lr, betas, decay)


def keep_freed_blocks() -> None:
    """Have malloc reuse blocks instead of handing them back to the system after every product.

    oneDNN's product makes its result anew. glibc returns a large block as it is freed, so that each
    of its pages faults at the next product, a third of a small step; but not once it has seen a
    block of that size freed, which this is. It touches no memory; other mallocs lose nothing.
    """
    torch.empty(LARGEST_KEPT, dtype=torch.uint8)
