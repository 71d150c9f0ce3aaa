"""LMNN against metric-learn (a benchmark peer, not a dependency of the project)."""

import warnings
from time import perf_counter

import numpy as np
from common import absent, against
from sklearn.datasets import load_breast_cancer, load_wine
from sklearn.preprocessing import minmax_scale
from sklearn.utils import check_array, check_X_y

from fscore.weighting import LMNN
from fscore.weighting._targets import loss_and_gradient, target_neighbors


def rows(quick=False, repeats=3):
    """Rows per data set: interleaved medians; equal: our objective is at most the peer's."""
    try:
        from metric_learn import LMNN as Peer
    except ImportError:
        yield absent("LMNN", "metric-learn")
        return
    _rename_argument()
    for name, load in {"wine 178x13": load_wine, "wdbc 569x30": load_breast_cancer}.items():
        X, y = load(return_X_y=True)
        X = minmax_scale(X)
        targets = target_neighbors(X, y, 3)

        def loss(model, X=X, y=y, targets=targets):
            return loss_and_gradient(X @ model.components_.T, y, targets, 0.5, 0.5)[0]

        LMNN().fit(X, y)  # compile
        for rate in (1e-7, 1e-3):  # the peer's default, and the fastest of 1e-7, 1e-5, 1e-4, 1e-3
            peer_seconds, ours_seconds = [], []
            for _ in range(repeats):
                start = perf_counter()
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore", FutureWarning)
                    peer = Peer(n_neighbors=3, learn_rate=rate).fit(X, y)
                middle = perf_counter()
                ours = LMNN().fit(X, y)
                peer_seconds.append(middle - start)
                ours_seconds.append(perf_counter() - middle)
                work = f"LMNN k=3, {name}, learn_rate={rate:g}"
            better = bool(np.isfinite(loss(peer)) and loss(ours) <= loss(peer))
            yield against(work, "metric-learn", peer_seconds, ours_seconds, better)


def _rename_argument():
    """Let metric-learn 0.7 run with scikit-learn 1.8 and later, which renamed an argument of its checks."""
    from metric_learn import _util

    def renamed(check):
        return lambda *data, force_all_finite=True, **how: check(*data, ensure_all_finite=force_all_finite, **how)

    _util.check_array, _util.check_X_y = renamed(check_array), renamed(check_X_y)
