"""Linear algebra of small matrices in one thread, and in as many as before afterwards."""

import numpy as np
import pytest
from threadpoolctl import threadpool_info, threadpool_limits

from fscore.neural import RANNClassifierCV


def n_threads():
    return {pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"}


def test_sizes_of_networks_are_compared_in_one_thread(monkeypatch):
    seen = []
    monkeypatch.setattr("fscore.neural.rann.hidden_outputs", lambda X, W, bias: seen.append(n_threads()) or X @ W[:-1])
    X = np.random.default_rng(0).normal(size=(60, 3))
    with threadpool_limits(2, "blas"):
        if n_threads() != {2}:
            pytest.skip("this linear algebra has one thread")
        RANNClassifierCV(2, 3, cv=2).fit(X, X[:, 0] > 0)
        assert seen[:4] == [{1}] * 4  # both parts of both splits
        assert n_threads() == {2}
