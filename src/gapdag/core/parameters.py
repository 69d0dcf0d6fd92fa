"""All parameters of a model in one flat tensor, and their gradients in another.

Adam, weight decay and restarts are then a handful of calls on one tensor, whatever the model is
made of; the parts see their own parameters as named views.
"""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
import torch
from torch import Tensor


class Parameters:
    """Named blocks of one flat vector ``theta`` with gradients in ``grad``."""

    def __init__(self, parts: Iterable[dict[str, np.ndarray]], dtype: torch.dtype) -> None:
        parts = list(parts)
        sizes = [sum(value.size for value in part.values()) for part in parts]
        ends = np.cumsum(sizes).tolist()
        self.spans = [slice(end - size, end) for size, end in zip(sizes, ends, strict=True)]
        """where each part's parameters stand in ``theta``"""
        blocks = {name: value for part in parts for name, value in part.items()}
        size = sum(sizes)
        self.theta = torch.empty(size, dtype=dtype)
        self.grad = torch.zeros(size, dtype=dtype)
        self.value: dict[str, Tensor] = {}
        self.slope: dict[str, Tensor] = {}
        at = 0
        for name, start in blocks.items():
            end = at + math.prod(start.shape)
            self.value[name] = self.theta[at:end].view(start.shape)
            self.slope[name] = self.grad[at:end].view(start.shape)
            self.value[name].copy_(torch.from_numpy(start))
            at = end
