"""The parts of ERLVQ's learning rule: its measure, its step and its softmax (Andonie and Cataron 2004, Section 3).

For two samples of different classes the measure is ``o = G(0)/2 - G(y1 - y2)/2``, for two of one class it is zero. With
``D = (x1 - w1) - (x2 - w2)``, ``y1 - y2`` is the elementwise product of ``lambda`` and ``D``, so equation 5 reads
``lambda_k <- lambda_k + eta / (4 sigma^2) G lambda_k D_k^2``: the step is never negative, and largest where the
residuals spread most.
"""

import numpy as np
import pandas as pd
from scipy.stats import spearmanr
from sklearn.model_selection import train_test_split

from andonie2004.protocol import build, training_part
from compendium.protocol import scaled
from compendium.units import crossed, name_of, run_units, seed_for, tidy
from fscore.filters import fisher_score

METHOD = {"softmax": "ERLVQ", "l1": "ERLVQ, l1"}  # by normalization of the relevances


def dependence_bounds(*, seed, n_tables=200):
    """Claim A5: o(X, Y) = E(X|Y) - E(X) on random joint tables, on products, and with X determined by Y.

    ``E(X) = sum p_k^2`` is Onicescu's informational energy, ``E(X|Y) = sum_y p(y) sum_k p(k|y)^2``.

    Parameters
    ----------
    seed : int
    n_tables : int, default=200
        Tables of each kind.

    Returns
    -------
    DataFrame
        kind ("random", "independent", "determined"), repeat, metric, value. Metrics: ``o``; ``slack``, 1 - E(X) - o.
    """
    rng, shape = np.random.default_rng(seed_for(seed, "tables")), (4, 5)  # numbers of values of X and of Y
    rows = []
    for repeat in range(n_tables):
        x, y = rng.dirichlet(np.ones(shape[0])), rng.dirichlet(np.ones(shape[1]))
        determined = np.eye(shape[0])[rng.integers(shape[0], size=shape[1])].T * y
        joints = {
            "random": rng.dirichlet(np.ones(shape[0] * shape[1])).reshape(shape),
            "independent": np.outer(x, y),
            "determined": determined,
        }
        for kind, joint in joints.items():
            o, bound = _dependence(joint)
            what = {"kind": kind, "repeat": repeat}
            rows += tidy(what, {"o": o, "slack": bound - o})
    return pd.DataFrame(rows)


def _dependence(joint):
    p_x, p_y = joint.sum(axis=1), joint.sum(axis=0)
    energy = p_x @ p_x
    return float((joint**2 / p_y).sum() - energy), float(1 - energy)


def step(dataset, settings, *, n_repeats, target, seed):
    """Equation 5 as printed, on consecutive samples at learned codebooks: its sign, and which features gain most.

    Parameters
    ----------
    dataset : sequence of str
    settings : Settings
    n_repeats : int
        Sets of initial codebooks.
    target : str or None
        Label column of CSV files.
    seed : int

    Returns
    -------
    DataFrame
        dataset, repeat, metric, value. Metrics: ``least``, the smallest change of a relevance; ``spread_correlation``
        of a feature's mean change with the variance of its residuals ``x - w``, and ``fisher_correlation`` with its
        Fisher score (both are rank correlations); ``same_class``, the share of pairs of one class.
    """
    units = _units(settings, target, seed, dataset=dataset, repeat=range(n_repeats))
    return run_units(_step, units, label="the step")


def _units(settings, target, seed, **axes):
    return crossed({"settings": settings, "target": target, "seed": seed}, **axes)


def _step(dataset, repeat, settings, target, seed):
    A, a = training_part(dataset, target, settings.scaling)
    model = build("ERLVQ", settings, A, a, seed_for(seed, "start", name_of(dataset), repeat)).fit(A, a)
    order = np.random.default_rng(seed_for(seed, "pairs", name_of(dataset), repeat)).permutation(len(A))
    residuals, lam = _residuals(model, A), model.relevances_
    first, second = order[:-1], order[1:]
    y1, y2 = lam * residuals[first], lam * residuals[second]
    kernel = np.exp(-np.square(y1 - y2).sum(axis=1, keepdims=True) / (4 * settings.sigma**2))
    rate = settings.relevance_rate_erlvq / (4 * settings.sigma**2)
    change = -rate * kernel * (y2 - y1) * (residuals[first] - residuals[second])
    mean, varied = change.mean(axis=0), A.std(axis=0) > 0
    measured = {
        "least": change.min(),
        "spread_correlation": spearmanr(mean[varied], residuals.var(axis=0)[varied]).statistic,
        "fisher_correlation": spearmanr(mean[varied], fisher_score(A[:, varied], a)).statistic,
        "same_class": np.mean(a[first] == a[second]),
    }
    return tidy({"dataset": dataset, "repeat": repeat}, measured)


def _residuals(model, X):
    """The difference x - w of each sample and its nearest codebook vector."""
    return X - model.prototypes_[model.distances(X).argmin(axis=1)]


def softmax_flattening(*, seed, sizes=(4, 10, 34, 60), n_steps=5):
    """Largest deviation of a relevance from 1/n under repeated application of the softmax of step 3 alone.

    Parameters
    ----------
    seed : int
    sizes : sequence of int, default=(4, 10, 34, 60)
        Numbers of features.
    n_steps : int, default=5

    Returns
    -------
    DataFrame
        n_features, step, metric ("deviation", relative to 1/n), value; step 0 is a random start on the simplex.
    """
    rows = []
    for n in sizes:
        lam = np.random.default_rng(seed_for(seed, "softmax", n)).dirichlet(np.ones(n))
        for number in range(n_steps + 1):
            deviation = float(np.abs(n * lam - 1).max())
            rows.append({"n_features": n, "step": number, "metric": "deviation", "value": deviation})
            lam = np.exp(lam - lam.max())
            lam /= lam.sum()
    return pd.DataFrame(rows)


def normalization(dataset, settings, *, n_repeats, target, seed):
    """Claim A7: smallest, largest and sum of the relevances after every step, with softmax and with l1.

    Parameters
    ----------
    dataset, settings, n_repeats, target, seed
        As in `step`.

    Returns
    -------
    DataFrame
        dataset, norm, repeat, metric, value. Metrics: ``least``, ``greatest``, ``sum_error`` over all steps; ``ratio``
        of the largest to the smallest relevance at the end; ``negative``, the smallest result of the normalization when
        some of the raw updates are negative.
    """
    units = _units(settings, target, seed, dataset=dataset, norm=METHOD, repeat=range(n_repeats))
    return run_units(_normalize, units, label="normalization")


def _normalize(dataset, norm, repeat, settings, target, seed):
    A, a = training_part(dataset, target, settings.scaling)
    rng = np.random.default_rng(seed_for(seed, "steps", name_of(dataset), repeat))
    model = build(METHOD[norm], settings, A, a, seed_for(seed, "start", name_of(dataset), repeat))
    classes = np.unique(a)
    for i in rng.permutation(len(A)):
        model.partial_fit(A[i : i + 1], a[i : i + 1], classes=classes)
    steps = model.relevance_history_
    raw = model.relevances_ + rng.normal(size=A.shape[1])
    repaired = np.exp(raw) / np.exp(raw).sum() if norm == "softmax" else raw / np.abs(raw).sum()
    measured = {
        "least": steps.min(),
        "greatest": steps.max(),
        "sum_error": np.abs(steps.sum(axis=1) - 1).max(),
        "ratio": steps[-1].max() / max(steps[-1].min(), np.finfo(float).tiny),
        "negative": repaired.min(),
    }
    return tidy({"dataset": dataset, "norm": norm, "repeat": repeat}, measured)


def parzen_dependence(dataset, settings, *, n_repeats, target, seed):
    """Claim A6: does learning from pairs raise the estimate of o(Y, C) on held-out samples?

    One half of the samples is for learning, the other half is held out. The estimate is equation 3 with its sums
    corrected (the sum over the classes encloses the double sum) and without the constant factor of the kernel. Both
    estimates use the learned codebooks, so that they differ only in the relevances.

    Parameters
    ----------
    dataset, settings, n_repeats, target, seed
        As in `step`.

    Returns
    -------
    DataFrame
        dataset, norm, repeat, metric, value. Metrics: ``before`` (equal relevances), ``after``, ``gain`` (relative);
        ``cosine`` between the sum of the pairs' steps of one epoch and the gradient over all samples of the learning
        half, both minus their mean over the features because the relevances sum to one.
    """
    units = _units(settings, target, seed, dataset=dataset, norm=METHOD, repeat=range(n_repeats))
    return run_units(_dependence_gain, units, label="dependence")


def _dependence_gain(dataset, norm, repeat, settings, target, seed):
    A, a = training_part(dataset, target)
    A, B, a, b = train_test_split(
        A, a, test_size=0.5, stratify=a, random_state=seed_for(seed, "half", name_of(dataset), repeat)
    )
    A, B = scaled(settings.scaling, A, B)
    model = build(METHOD[norm], settings, A, a, seed_for(seed, "start", name_of(dataset), repeat)).fit(A, a)
    n = A.shape[1]
    equal, held_out, learned_from = np.full(n, 1 / n), _residuals(model, B), _residuals(model, A)
    before = dependence(held_out, b, equal, settings.sigma)[0]
    after = dependence(held_out, b, model.relevances_, settings.sigma)[0]
    order = np.random.default_rng(seed_for(seed, "pairs", name_of(dataset), repeat)).permutation(len(A))
    D = learned_from[order[:-1]] - learned_from[order[1:]]
    kernel = np.exp(-np.square(D / n).sum(axis=1) / (4 * settings.sigma**2))
    pairs = kernel * (a[order[:-1]] != a[order[1:]]) @ D**2
    whole = dependence(learned_from, a, equal, settings.sigma)[1]
    pairs, whole = pairs - pairs.mean(), whole - whole.mean()
    cosine = pairs @ whole / max(np.linalg.norm(pairs) * np.linalg.norm(whole), np.finfo(float).tiny)
    measured = {"before": before, "after": after, "gain": after / before - 1, "cosine": cosine}
    return tidy({"dataset": dataset, "norm": norm, "repeat": repeat}, measured)


def dependence(residuals, y, relevances, sigma):
    """Parzen estimate of o(Y, C), without the kernel's constant factor, and its gradient in the relevances.

    Parameters
    ----------
    residuals : ndarray of shape (n_samples, n_features)
        The differences x - w of samples and their nearest codebook vectors.
    y : ndarray of shape (n_samples,)
    relevances : ndarray of shape (n_features,)
    sigma : float

    Returns
    -------
    value : float
    gradient : ndarray of shape (n_features,)
    """
    n = len(residuals)
    Y = residuals * relevances
    squared = np.square(Y).sum(axis=1)
    kernel = np.exp(-np.maximum(squared[:, None] - 2 * Y @ Y.T + squared, 0) / (4 * sigma**2))
    sizes = np.array([np.sum(y == c) for c in y])
    weights = (y[:, None] == y) / (n * sizes[:, None]) - 1 / n**2
    A = weights * kernel
    # d/dlambda_k of exp(-|lambda o D|^2 / (4 sigma^2)) = -lambda_k D_k^2 / (2 sigma^2) times the kernel
    spread = (
        A.sum(axis=1) @ residuals**2 + A.sum(axis=0) @ residuals**2 - 2 * np.sum(residuals * (A @ residuals), axis=0)
    )
    return float(A.sum()), -relevances * spread / (2 * sigma**2)
