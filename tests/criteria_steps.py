"""For tests of criteria: the candidates of a step, and the two ways to cross-validate, compiled or by refitting."""

import numpy as np

from fscore.criteria import CVScore


def add(J, base, tuples):
    """Scores of the base with each tuple added."""
    return J.score([tuple(sorted((*base, *t))) for t in tuples])


def remove(J, base, tuples):
    """Scores of the base without each tuple."""
    return J.score([tuple(c for c in base if c not in t) for t in tuples])


def both(estimator, X, y, cv=5, scoring="accuracy", compiled=True, **options):
    """The criterion by its fast scorer (or "converged"), if it has one for these data, and by refitting."""
    return [CVScore(estimator, cv=cv, scoring=scoring, compiled=c).bind(X, y, **options) for c in (compiled, False)]


def is_fast(estimator, X, y, **options):
    """Whether there is a fast scorer."""
    compiled, slow = both(estimator, X, y, **options)
    return type(compiled) is not type(slow)


def assert_same_scores(found, wanted, equal=np.testing.assert_array_equal):
    """In every way to ask for scores: alone, fold by fold, and in steps from a base forward and backward."""
    D = wanted.n_features
    base, rest = tuple(range(0, D, 2)), tuple(range(1, D, 2))
    ways = [
        lambda J: J.score([(D - 1,), (0, 1), (0,), tuple(range(D))]),
        lambda J: J.fold_scores((0, D - 1)),
        lambda J: add(J, (), [(0,), (1, 2)]),
        lambda J: add(J, base, [(c,) for c in rest[:2]]),
        lambda J: add(J, base[:1], [rest[-2:], rest[:1]]),
        lambda J: remove(J, tuple(range(D)), [(c,) for c in base[:2]]),
        lambda J: remove(J, tuple(range(D)), [base, rest]),
    ]
    for way in ways:
        equal(way(found), way(wanted))
