"""What a solver holds of the machine, and gives back."""

import threading

import numpy as np
import scipy.linalg  # noqa: F401  a BLAS of its own
from threadpoolctl import threadpool_info, threadpool_limits

from gapdag import simulate
from gapdag.core.scm import SPANS
from gapdag.core.solver import ONE_THREAD_FLOPS, threads, threads_at_hand
from gapdag.learners.dagma import DagmaMLP

LARGE = 2 * ONE_THREAD_FLOPS


def blas():
    return [i["num_threads"] for i in threadpool_info() if i["user_api"] == "blas"]


def test_blas_is_held_until_the_last_fit_ends_and_put_back():
    with threadpool_limits(2, user_api="blas"):
        before = blas()
        first, second = threads(LARGE), threads(LARGE)
        first.__enter__()
        second.__enter__()
        first.__exit__(None, None, None)
        assert set(blas()) == {1}
        second.__exit__(None, None, None)
        assert blas() == before


def test_small_steps_and_what_the_user_says_bound_the_threads(monkeypatch):
    with threads(ONE_THREAD_FLOPS / 2) as crew:
        assert crew.size == 1
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    with threads(LARGE) as crew:
        assert crew.size == 1
    monkeypatch.setenv("OMP_NUM_THREADS", "99")
    with threads(LARGE) as crew:
        assert crew.size == min(threads_at_hand(), SPANS)


def test_fits_at_the_same_time_give_what_they_give_alone():
    tables = [simulate.problem(d=30, edges=30, n=400, missingness=None, seed=s).X for s in (0, 1)]

    def fit(k):
        return DagmaMLP(steps=300).fit(tables[k]).result_.weights.to_numpy()

    alone, together = [fit(0), fit(1)], {}
    workers = [threading.Thread(target=lambda k=k: together.update({k: fit(k)})) for k in (0, 1)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(timeout=120)
    for k in (0, 1):
        np.testing.assert_array_equal(alone[k], together[k])
