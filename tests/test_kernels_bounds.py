"""All compiled kernels under bounds checking, where an index outside an array is an error instead of a crash."""

import os
import subprocess
import sys

import pytest

EVERY_KERNEL = """
import importlib, pkgutil, warnings

import numpy as np
from numba.core.dispatcher import Dispatcher
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

import fscore.kernels
from fscore import criteria, filters, lvq, search, weighting

warnings.simplefilter("ignore")  # no convergence in so few steps
rng = np.random.default_rng(0)
X = np.round(rng.normal(size=(37, 6)), 1)  # with ties
y = np.concatenate([[0, 1, 2], rng.integers(3, size=34)])
X[:, 1] += y
extreme = X * [1e155, 1, 1e-200, 1, 1, 1]
extreme[0, 3], extreme[1, 3] = -1.797e308, 1.797e308

for samples in (X, extreme):
    filters.relief(samples, y), filters.relieff(samples, y, n_neighbors=3)
    filters.relieff(samples, y, n_neighbors=3, n_iterations=5, random_state=0)
    filters.rrelieff(samples, samples[:, 0])
    for bandwidth in ("normal_reference", "adaptive"):
        filters.pairwise_mutual_information(samples, bandwidth=bandwidth)
        filters.MIFS(6, mode="joint2d", bandwidth=bandwidth).fit(samples, y)

accuracy = criteria.CVAccuracy(KNeighborsClassifier(3), cv=4)
for walk in (search.SFFS(accuracy, n_features_to_select=4), search.SBS(accuracy, n_features_to_select=1),
             search.SFS(accuracy, n_features_to_select=4, group_size=2), search.ExhaustiveSearch(accuracy)):
    walk.fit(X, y)
for metric in ("manhattan", "chebyshev"):
    weighted = criteria.CVAccuracy(KNeighborsClassifier(3, metric=metric, weights="distance"), cv=4)
    search.SFFS(weighted, n_features_to_select=4).fit(X, y)
    search.SBS(weighted, n_features_to_select=2).fit(X, y)
for kernel in ("linear", "poly", "rbf", "sigmoid"):
    machine = criteria.CVAccuracy(SVC(kernel=kernel), cv=4)
    search.SFFS(machine, n_features_to_select=4).fit(X, y)
    search.SBS(machine, n_features_to_select=2).fit(X, y)
search.BranchAndBound(criteria.Bhattacharyya(), n_features_to_select=2).fit(X, y)
search.SBFS(criteria.Mahalanobis(), n_features_to_select=2).fit(X, y)
search.ExhaustiveSearch(criteria.GammaTest()).fit(X, y)
search.ExhaustiveSearch(criteria.RANNAccuracy(random_state=0)).fit(X, y)
for estimator in (lvq.RLVQ(), lvq.OWARLVQ(), lvq.ERLVQ(), weighting.Simba(), weighting.IRelief(max_iter=3),
                  weighting.IRelief(online=True, max_iter=3), weighting.LMBA(), weighting.LMNN()):
    estimator.fit(X, y)

modules = [importlib.import_module(f"fscore.kernels.{module.name}") for module in
           pkgutil.iter_modules(fscore.kernels.__path__)]
idle = [f"{module.__name__}.{name}" for module in modules for name, kernel in vars(module).items()
        if isinstance(kernel, Dispatcher) and not kernel.signatures
        and kernel.targetoptions.get("inline") != "always"]  # such code is part of its callers
assert not idle, f"no call above reaches {idle}"
print(sum(isinstance(kernel, Dispatcher) for module in modules for kernel in vars(module).values()), "kernels")
"""


@pytest.mark.slow
def test_no_kernel_indexes_outside_its_arrays(tmp_path):
    environment = {**os.environ, "NUMBA_BOUNDSCHECK": "1", "NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", EVERY_KERNEL], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.endswith("kernels\n")
