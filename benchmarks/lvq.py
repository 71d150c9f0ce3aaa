"""GMLVQ by waypoint averaging against sklvq, with the same start, step rule and number of epochs.

sklvq needs an older scikit-learn, so it runs in a separate environment, created on first use.
"""

import json
import subprocess
import sys
import tempfile
import venv
from pathlib import Path
from time import perf_counter

import numpy as np
from common import against
from sklearn.datasets import load_breast_cancer, make_classification
from sklearn.preprocessing import StandardScaler

from fscore.lvq import GMLVQ, WaypointAveraging

HERE = Path(__file__).parent
ENVIRONMENT = HERE / ".venv-sklvq"
EPOCHS = 30


def rows(quick=False, repeats=3):
    """Seconds per epoch, interleaved; equal: the same cost after the last epoch."""
    data = {
        ("GMLVQ epoch, wdbc 569x30", 5): load_breast_cancer(return_X_y=True),
        ("GMLVQ epoch, 500x200", 20): make_classification(500, 200, n_informative=20, random_state=0),
    }
    python = _environment()
    for (work, goal), (X, y) in data.items():
        yield _compare(work, goal, python, StandardScaler().fit_transform(X), y, repeats)


def _compare(work, goal, python, X, y, repeats):
    with tempfile.TemporaryDirectory() as folder:
        np.savez(Path(folder, "data.npz"), X=X, y=y)
        peer = subprocess.Popen(
            [python, HERE / "_sklvq_peer.py", Path(folder, "data.npz"), str(EPOCHS)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        with peer:
            theirs = json.loads(peer.stdout.readline())
            ours = _model(np.array(theirs["start"]), X.shape[1]).fit(X, y)
            equal = np.isclose(ours.history_["cost"][-1], theirs["cost"], rtol=1e-9, atol=0)
            times = [(_ask(peer), _time(ours, X, y)) for _ in range(repeats)]
            peer.stdin.close()
    peer_seconds, ours_seconds = np.array(times).T / EPOCHS
    return against(work, "sklvq", peer_seconds, ours_seconds, equal, goal)


def _model(start, n_features):
    """sklvq's rule: joint step acceptance for all parameters, normalized steps per prototype, no early stopping."""
    solver = WaypointAveraging(0.1, 0.1, gain=1.1, joint=True, normalize="prototype", tol=0.0)
    W, Omega = start[: 2 * n_features].reshape(2, -1), start[2 * n_features :].reshape(n_features, -1)
    return GMLVQ(prototypes_init=W, omega_init=Omega, solver=solver, max_iter=EPOCHS)


def _time(model, X, y):
    begin = perf_counter()
    model.fit(X, y)
    return perf_counter() - begin


def _ask(peer):
    peer.stdin.write("\n")
    peer.stdin.flush()
    return json.loads(peer.stdout.readline())


def _environment():
    python = ENVIRONMENT / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    if not python.exists():
        venv.create(ENVIRONMENT, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "-q", "-r", HERE / "requirements-sklvq.txt"], check=True)
    return python
