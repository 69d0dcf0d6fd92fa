"""Threads that share out a step: all of it is done, errors arrive, none is left behind."""

import threading
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gapdag.core import crew as crew_module
from gapdag.core.crew import Crew


@given(size=st.integers(1, 5), jobs=st.integers(1, 9), rounds=st.integers(1, 3))
def test_every_job_is_done_once_a_run(size, jobs, rounds):
    done = np.zeros(jobs, int)

    def job(k):
        done[k] += 1

    with Crew(size) as crew:
        for _ in range(rounds):
            crew.run([lambda k=k: job(k) for k in range(jobs)])
    assert (done == rounds).all()


@pytest.mark.parametrize("failing", [0, 1, 2])
def test_an_error_arrives_and_the_crew_works_on(failing):
    def job(k):
        if k == failing:
            raise ZeroDivisionError(k)

    with Crew(2) as crew:
        with pytest.raises(ZeroDivisionError):
            crew.run([lambda k=k: job(k) for k in range(3)])
        done = []
        crew.run([lambda: done.append(0), lambda: done.append(1)])
        assert sorted(done) == [0, 1]


def test_threads_end_with_the_block():
    before = threading.active_count()
    with Crew(4) as crew:
        crew.run([lambda: None] * 4)
        assert threading.active_count() == before + 3
    assert threading.active_count() == before


def test_overflow_warns_on_no_thread():
    """An exploding fit is said by its status, not by numpy's warnings."""
    huge = np.full(3, 1e38, np.float32)
    with warnings.catch_warnings(), Crew(2) as crew:
        warnings.simplefilter("error")
        crew.run([lambda: huge * huge, lambda: huge * huge])


def test_a_run_that_was_interrupted_leaves_nothing_to_the_next():
    done, release = [], threading.Event()

    with Crew(2) as crew:
        outbox = crew_module.SimpleQueue
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(crew_module, "SimpleQueue", lambda: Interrupted(outbox()))
            with pytest.raises(KeyboardInterrupt):
                crew.run([lambda: None, release.wait])
        release.set()
        crew.run([lambda: None, lambda: done.append(1)])
        assert done == [1]


class Interrupted:
    """An outbox whose reader is interrupted while it waits."""

    def __init__(self, queue):
        self.put = queue.put

    def get(self):
        raise KeyboardInterrupt
