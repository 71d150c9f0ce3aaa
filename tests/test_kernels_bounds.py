"""All compiled kernels under bounds checking, where an index outside an array is an error instead of a crash."""

import os
import subprocess
import sys

import pytest

EVERY_KERNEL = """
import importlib, pkgutil, warnings

import numpy as np
from numba.core.dispatcher import Dispatcher

import fscore.kernels
from fscore import filters
from fscore._compiling import workloads

warnings.simplefilter("ignore")  # no convergence in so few steps
rng = np.random.default_rng(0)
X = np.round(rng.normal(size=(37, 6)), 1)  # with ties
y = np.concatenate([[0, 1, 2], rng.integers(3, size=34)])
X[:, 1] += y
extreme = X * [1e155, 1, 1e-200, 1, 1, 1]
extreme[0, 3], extreme[1, 3] = -1.797e308, 1.797e308

for part in (*workloads(X, y).values(), workloads(extreme, y)["filters"]):
    for call in part:
        call()

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
