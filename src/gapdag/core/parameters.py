"""All parameters of a model in one flat array, and their gradients in another.

Adam, weight decay and restarts are then a handful of calls on one array, whatever the model is
made of; the parts see their own parameters as named views.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray


class Parameters:
    """Named blocks of one flat vector ``theta`` with gradients in ``grad``."""

    def __init__(self, parts: Iterable[dict[str, NDArray[np.float64]]], dtype: DTypeLike) -> None:
        parts = list(parts)
        sizes = [sum(value.size for value in part.values()) for part in parts]
        ends = np.cumsum(sizes).tolist()
        self.parts = [slice(end - size, end) for size, end in zip(sizes, ends, strict=True)]
        """where each part's parameters stand in ``theta``"""
        self.theta, self.grad = np.zeros((2, sum(sizes)), dtype)
        self.value: dict[str, NDArray[Any]] = {}
        self.slope: dict[str, NDArray[Any]] = {}
        at = 0
        for name, start in ((n, v) for part in parts for n, v in part.items()):
            end = at + math.prod(start.shape)
            self.value[name] = self.theta[at:end].reshape(start.shape)
            self.slope[name] = self.grad[at:end].reshape(start.shape)
            self.value[name][:] = start
            at = end
