"""Threads that share out the work of one step.

Ours and not concurrent.futures: a step of a few milliseconds hands work over up to four times, and
a future takes longer to do so (docs/log.md). The work must release the GIL to be worth it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from queue import SimpleQueue
from types import TracebackType

import numpy as np

Job = Callable[[], object]
Outbox = SimpleQueue[BaseException | None]
Inbox = SimpleQueue[tuple[Sequence[Job], Outbox] | None]


class Crew:
    """``size`` threads, the calling one among them, for the length of a ``with`` block.

    Who does what is fixed by the order of the jobs, and results do not depend on ``size``.

    >>> done = []
    >>> with Crew(2) as crew:
    ...     crew.run([lambda: done.append(0), lambda: done.append(1), lambda: done.append(2)])
    >>> sorted(done)
    [0, 1, 2]
    """

    def __init__(self, size: int = 1) -> None:
        self.size = size
        self.inboxes: list[Inbox] = []
        self.threads: list[threading.Thread] = []

    def __enter__(self) -> Crew:
        for _ in range(self.size - 1):
            self.inboxes.append(SimpleQueue())
            work = threading.Thread(target=self._work, args=self.inboxes[-1:], daemon=True)
            self.threads.append(work)
            work.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        for inbox in self.inboxes:
            inbox.put(None)
        for thread in self.threads:
            thread.join()
        self.inboxes, self.threads = [], []

    @staticmethod
    def _work(inbox: Inbox) -> None:
        while (work := inbox.get()) is not None:
            jobs, outbox = work
            outbox.put(_do(jobs))

    def run(self, jobs: Sequence[Job]) -> None:
        """Do all jobs, and return when the last is done; the first error is raised here."""
        size = min(len(self.inboxes) + 1, len(jobs))
        outbox: Outbox = (
            SimpleQueue()
        )  # of this run: one that was interrupted leaves nothing behind
        for k in range(1, size):
            self.inboxes[k - 1].put((jobs[k::size], outbox))
        errors = [_do(jobs[::size])]
        errors += [outbox.get() for _ in range(1, size)]
        for error in errors:
            if error is not None:
                raise error


def _do(jobs: Sequence[Job]) -> BaseException | None:
    """What overflows is seen in the objective, which is then not finite: no warnings."""
    try:
        with np.errstate(all="ignore"):
            for job in jobs:
                job()
    except BaseException as error:  # handed to the caller of run
        return error
    return None
