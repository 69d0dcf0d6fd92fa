"""Being stopped: ctrl-C and SIGTERM end the work at once, but never between two files."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any


class Stopped(KeyboardInterrupt):
    """Raised where the process was when the signal came; libraries know it as ctrl-C."""


class Signals:
    """Turns signals into ``Stopped`` for as long as its ``caught`` block runs."""

    def __init__(self) -> None:
        self.number = 0
        """of the signal that came; 0 while none has"""
        self._held = False

    @contextmanager
    def caught(self) -> Iterator[None]:
        """Handlers are set, and put back as they were afterwards.

        They are set even where SIGINT was ignored, as a shell script does for what it starts in
        the background: whoever sends it to this process means it.
        """
        if threading.current_thread() is not threading.main_thread():
            yield  # only the main thread may set handlers
            return
        before: dict[int, Any] = {}
        self.number, self._held = 0, False
        try:
            for number in (signal.SIGINT, signal.SIGTERM):
                before[number] = signal.signal(number, self._stop)
            yield
        finally:
            for known, handler in before.items():
                signal.signal(known, signal.SIG_DFL if handler is None else handler)

    @contextmanager
    def held(self) -> Iterator[None]:
        """A signal waits until the block has ended."""
        self._held = True
        try:
            yield
        finally:
            self._held = False
            if self.number:
                raise Stopped

    def ignore(self) -> None:
        """The end has come already; no signal may disturb it."""
        self._held = True

    def _stop(self, number: int, frame: FrameType | None) -> None:
        self.number = number
        if not self._held:
            raise Stopped


SIGNALS = Signals()
