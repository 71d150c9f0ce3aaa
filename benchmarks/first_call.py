"""Imports, and first calls after installing, in processor time: fresh processes, empty caches of compiled code.

An import is measured after its peer's, in one process; the ratio compares both together with the peer's alone. By
itself, our import would load scikit-learn's modules a few frames deeper, where CPython may map and unmap a chunk of its
stack at every call: 80 ms by chance of nesting, which no code of ours causes.

First calls have a goal only after ``python -m fscore compile``: without, they wait for the compiler, once.
"""

import os
import subprocess
import sys
import tempfile

from common import Row

ROOMS = ("criteria", "filters", "weighting", "lvq", "neural", "neighbors", "search", "stability", "report")

N_PROCESSES = 9
IMPORT = """
import time
start = time.process_time()
import {peer}
print(time.process_time() - start)
import {module}
print(time.process_time() - start)
"""
PEER = "sklearn.feature_selection"
PEERS = {"report": f"{PEER}, sklearn.ensemble, jinja2"}  # which it needs, too

FITS = """
import time
from sklearn.datasets import load_iris
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.svm import SVC
from fscore import criteria, filters, lvq, search, weighting
X, y = load_iris(return_X_y=True)
for _ in range(2):
    start = time.process_time()
    {call}
    print(time.process_time() - start)
"""

CALLS = {
    "SFFS(KNeighborsClassifier())": "search.SFFS(KNeighborsClassifier(), cv=3).fit(X, y)",
    "SFFS(KNeighborsRegressor())": "search.SFFS(KNeighborsRegressor(), cv=3).fit(X, X[:, 0])",
    "SFFS(SVC())": "search.SFFS(SVC(), cv=3).fit(X, y)",
    "SFFS(Bhattacharyya())": "search.SFFS(criteria.Bhattacharyya()).fit(X, y)",
    "SFFS(GammaTest())": "search.SFFS(criteria.GammaTest()).fit(X, y)",
    "relieff": "filters.relieff(X, y)",
    "MRMR": "filters.MRMR().fit(X, y)",
    "IRelief": "weighting.IRelief().fit(X, y)",
    "MDM": "weighting.MDM().fit(X, y)",
    "RLVQ": "lvq.RLVQ().fit(X, y)",
    "GMLVQ": "lvq.GMLVQ().fit(X, y)",
}


def rows(quick=False):
    """Rows of the table."""
    for room in ROOMS[: 2 if quick else None]:
        module, peer = f"fscore.{room}", PEERS.get(room, PEER)
        times = [printed(IMPORT.format(module=module, peer=peer)) for _ in range(N_PROCESSES)]
        ratio, first, both = sorted((both / first, first, both) for first, both in times)[N_PROCESSES // 2]
        yield Row(
            f"import {module}", f"{peer}, {first:.2f} s", f"{both:.2f} s", f"{ratio:.2f}", "<= 1.1x", ratio <= 1.1
        )
    for name, call in list(CALLS.items())[: 1 if quick else None]:
        with tempfile.TemporaryDirectory() as folder:
            first, second = printed(FITS.format(call=call), folder)
            again, _ = printed(FITS.format(call=call), folder)
        ours = f"first {first:.1f} s, second {second:.2f} s; in the next process {again:.2f} s"
        yield Row(f"first fit after installing: {name}", "-", ours, "-", "-", None)
    if not quick:
        with tempfile.TemporaryDirectory() as folder:
            compiled = run([sys.executable, "-m", "fscore", "compile"], folder).splitlines()[-1]
            (first, second), name = printed(FITS.format(call=CALLS["SFFS(SVC())"]), folder), "SFFS(SVC())"
        ours = f"{compiled} Then first {first:.2f} s, second {second:.2f} s"
        yield Row(f"python -m fscore compile, then {name}", "-", ours, "-", "<= 3 s more", first - second <= 3)


def printed(code, cache=None):
    """The numbers that a fresh process prints."""
    return [float(number) for number in run([sys.executable, "-c", code], cache).split()]


def run(command, cache=None):
    """What a fresh process prints, with its own cache of compiled code."""
    environment = dict(os.environ)
    if cache is not None:
        environment["NUMBA_CACHE_DIR"] = cache
    return subprocess.run(command, env=environment, capture_output=True, text=True, check=True).stdout
