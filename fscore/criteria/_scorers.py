"""Scores from sums of errors, by scikit-learn's names, and which name a scorer has."""

import numpy as np
from sklearn.metrics import get_scorer

__all__ = ["ERRORS", "scoring_name"]


def _r2(sums, totals, sizes):
    return 1 - sums / totals


def _mean(sums, totals, sizes):
    return -sums / sizes


def _root_mean(sums, totals, sizes):
    return -np.sqrt(sums / sizes)


ERRORS = {  # whether errors are squared; the score from their sum, that of y about its mean, and the number of samples
    None: (True, _r2),
    "r2": (True, _r2),
    "neg_mean_squared_error": (True, _mean),
    "neg_root_mean_squared_error": (True, _root_mean),
    "neg_mean_absolute_error": (False, _mean),
}

_PARTS = ("_score_func", "_sign", "_kwargs", "_response_method")


def scoring_name(scoring, names):
    """The name under which scikit-learn has a scorer, if it is among the names; otherwise "other".

    Parameters
    ----------
    scoring : str, callable or None
        A scorer that requests metadata has the same name as one that doesn't.
    names : iterable of str or None

    Returns
    -------
    str or None
    """
    if scoring is None or isinstance(scoring, str):
        return scoring if scoring in names else "other"
    for name in names:
        known = None if name is None else get_scorer(name)
        if type(scoring) is type(known) and all(getattr(scoring, a, 0) == getattr(known, a, 1) for a in _PARTS):
            return name
    return "other"
