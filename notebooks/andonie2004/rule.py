"""The rule of ERLVQ taken apart: what its measure, its step and its softmax do (Andonie and Cataron 2004, section 3).

Derived first. For two samples of different classes the measure is ``o = G(0)/2 - G(y1 - y2)/2``, for two of one class
it is zero. With ``D = (x1 - w1) - (x2 - w2)``, ``y1 - y2 = lambda o D``, so equation 5 reads ``lambda_k <- lambda_k +
eta / (4 sigma^2) G lambda_k D_k^2``: never negative, and largest where the residuals spread most.
"""

import time

import numpy as np
import pandas as pd
from scipy.stats import spearmanr
from sklearn.datasets import make_classification
from sklearn.model_selection import train_test_split

from andonie2004.recognition import DEFAULTS, build, protocols, scaled
from compendium.protocol import name_of, run
from compendium.units import seed_for
from fscore.filters import fisher_score

__all__ = ["cost_per_sample", "dependence_bounds", "normalization", "parzen_dependence", "softmax_flattening", "step"]


def dependence_bounds(n_tables=200, shape=(4, 5), seed=0):
    """Claim A5: o(X, Y) = E(X|Y) - E(X) on random joint tables, on products, and with X decided by Y.

    ``E(X) = sum p_k^2`` is Onicescu's informational energy, ``E(X|Y) = sum_y p(y) sum_k p(k|y)^2``.

    Returns
    -------
    DataFrame
        kind ("random", "independent", "determined"), repeat, metric, value. Metrics: ``o``; ``slack``, 1 - E(X) - o.
    """
    rng = np.random.default_rng(seed_for(seed, "tables"))
    rows = []
    for repeat in range(n_tables):
        x, y = rng.dirichlet(np.ones(shape[0])), rng.dirichlet(np.ones(shape[1]))
        decided = np.eye(shape[0])[rng.integers(shape[0], size=shape[1])].T * y
        joints = {
            "random": rng.dirichlet(np.ones(shape[0] * shape[1])).reshape(shape),
            "independent": np.outer(x, y),
            "determined": decided,
        }
        for kind, joint in joints.items():
            o, bound = _dependence(joint)
            what = {"kind": kind, "repeat": repeat}
            rows += [{**what, "metric": "o", "value": o}, {**what, "metric": "slack", "value": bound - o}]
    return pd.DataFrame(rows)


def _dependence(joint):
    p_x, p_y = joint.sum(axis=1), joint.sum(axis=0)
    energy = p_x @ p_x
    return float((joint**2 / p_y).sum() - energy), float(1 - energy)


def step(datasets, settings=DEFAULTS, *, n_repeats=10, target=None, seed=0, n_jobs=None):
    """Equation 5 as printed, on every pair of consecutive samples at learned codebooks: its sign, and whom it favours.

    Returns
    -------
    DataFrame
        dataset, repeat, metric, value. Metrics: ``least``, the smallest change of a relevance; ``spread_correlation``
        of a feature's mean change with the variance of its residuals ``x - w``, and ``fisher_correlation`` with its
        Fisher score (both of ranks); ``same_class``, the share of pairs with one class, which say nothing of it.
    """
    units = [
        {"dataset": dataset, "repeat": repeat, "settings": settings, "target": target, "seed": seed}
        for dataset in datasets
        for repeat in range(n_repeats)
    ]
    return run(_step, units, n_jobs, "the step")


def _step(dataset, repeat, settings, target, seed):
    (_, [(A, a, B, _), *_]), *_ = protocols(dataset, repeat, 10, target, seed)
    A, _ = scaled(settings.scaling, A, B)
    model = build("ERLVQ", settings, A, a, seed_for(seed, "start", name_of(dataset), repeat)).fit(A, a)
    order = np.random.default_rng(seed_for(seed, "pairs", name_of(dataset), repeat)).permutation(len(A))
    residuals, lam = _residuals(model, A), model.relevances_
    first, second = order[:-1], order[1:]
    y1, y2 = lam * residuals[first], lam * residuals[second]
    kernel = np.exp(-np.square(y1 - y2).sum(axis=1, keepdims=True) / (4 * settings.sigma**2))
    change = (
        -settings.erlvq_rate / (4 * settings.sigma**2) * kernel * (y2 - y1) * (residuals[first] - residuals[second])
    )
    mean, varied = change.mean(axis=0), A.std(axis=0) > 0
    measured = {
        "least": change.min(),
        "spread_correlation": spearmanr(mean[varied], residuals.var(axis=0)[varied]).statistic,
        "fisher_correlation": spearmanr(mean[varied], fisher_score(A[:, varied], a)).statistic,
        "same_class": np.mean(a[first] == a[second]),
    }
    return [
        {"dataset": dataset, "repeat": repeat, "metric": metric, "value": float(value)}
        for metric, value in measured.items()
    ]


def _residuals(model, X):
    """x - w of each sample and its winner."""
    return X - model.prototypes_[model.distances(X).argmin(axis=1)]


def softmax_flattening(sizes=(4, 10, 34, 60), n_steps=5, seed=0):
    """Largest deviation of a relevance from 1/n when nothing but the softmax of step 3 is applied, again and again.

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


def normalization(datasets, settings=DEFAULTS, *, n_repeats=5, target=None, seed=0, n_jobs=None):
    """Claim A7: least, greatest and sum of the relevances after every single step, with softmax and with l1.

    Returns
    -------
    DataFrame
        dataset, norm, repeat, metric, value. Metrics: ``least``, ``greatest``, ``sum_error`` over all steps;
        ``ratio`` of the greatest to the least relevance at the end; ``negative``, the least result when both
        normalizations are given raw updates of which some are negative.
    """
    units = [
        {"dataset": dataset, "norm": norm, "repeat": repeat, "settings": settings, "target": target, "seed": seed}
        for dataset in datasets
        for norm in ("softmax", "l1")
        for repeat in range(n_repeats)
    ]
    return run(_normalize, units, n_jobs, "normalization")


def _normalize(dataset, norm, repeat, settings, target, seed):
    (_, [(A, a, B, _), *_]), *_ = protocols(dataset, repeat, 10, target, seed)
    A, _ = scaled(settings.scaling, A, B)
    method = "ERLVQ" if norm == "softmax" else "ERLVQ, l1"
    rng = np.random.default_rng(seed_for(seed, "steps", name_of(dataset), repeat))
    model = build(method, settings, A, a, seed_for(seed, "start", name_of(dataset), repeat))
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
    return [
        {"dataset": dataset, "norm": norm, "repeat": repeat, "metric": metric, "value": float(value)}
        for metric, value in measured.items()
    ]


def parzen_dependence(datasets, settings=DEFAULTS, *, n_repeats=20, target=None, seed=0, n_jobs=None):
    """Claim A6: does learning from pairs raise the estimate of o(Y, C) on held-out samples?

    Half the samples learn, the other half are held out. The estimate is equation 3 with its sums put right (the sum
    over the classes encloses the double sum) and without the constant factor of the kernel, at the learned codebooks,
    so that only the relevances make the difference.

    Returns
    -------
    DataFrame
        dataset, norm, repeat, metric, value. Metrics: ``before`` (equal relevances), ``after``, ``gain`` (relative);
        ``cosine`` between the sum of the pairs' steps of one pass and the gradient over all held-in samples, both less
        their mean over the features, for the relevances sum to one.
    """
    units = [
        {"dataset": dataset, "norm": norm, "repeat": repeat, "settings": settings, "target": target, "seed": seed}
        for dataset in datasets
        for norm in ("softmax", "l1")
        for repeat in range(n_repeats)
    ]
    return run(_raise_dependence, units, n_jobs, "dependence")


def _raise_dependence(dataset, norm, repeat, settings, target, seed):
    (_, [(A, a, _, _), *_]), *_ = protocols(dataset, repeat, 10, target, seed)
    A, B, a, b = train_test_split(
        A, a, test_size=0.5, stratify=a, random_state=seed_for(seed, "half", name_of(dataset), repeat)
    )
    A, B = scaled(settings.scaling, A, B)
    method = "ERLVQ" if norm == "softmax" else "ERLVQ, l1"
    model = build(method, settings, A, a, seed_for(seed, "start", name_of(dataset), repeat)).fit(A, a)
    n = A.shape[1]
    equal, held_out, held_in = np.full(n, 1 / n), _residuals(model, B), _residuals(model, A)
    before = dependence(held_out, b, equal, settings.sigma)[0]
    after = dependence(held_out, b, model.relevances_, settings.sigma)[0]
    order = np.random.default_rng(seed_for(seed, "pairs", name_of(dataset), repeat)).permutation(len(A))
    D = held_in[order[:-1]] - held_in[order[1:]]
    kernel = np.exp(-np.square(D / n).sum(axis=1) / (4 * settings.sigma**2))
    pairs = kernel * (a[order[:-1]] != a[order[1:]]) @ D**2
    whole = dependence(held_in, a, equal, settings.sigma)[1]
    pairs, whole = pairs - pairs.mean(), whole - whole.mean()
    cosine = pairs @ whole / max(np.linalg.norm(pairs) * np.linalg.norm(whole), np.finfo(float).tiny)
    measured = {"before": before, "after": after, "gain": after / before - 1, "cosine": cosine}
    return [
        {"dataset": dataset, "norm": norm, "repeat": repeat, "metric": metric, "value": float(value)}
        for metric, value in measured.items()
    ]


def dependence(residuals, y, relevances, sigma):
    """Parzen estimate of o(Y, C), without the kernel's constant factor, and its gradient in the relevances.

    Parameters
    ----------
    residuals : ndarray of shape (n_samples, n_features)
        x - w.
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


def cost_per_sample(
    n_features=(10, 40, 160, 640), n_codebooks=(4, 16, 64, 256), *, base=(20, 4), n_samples=1000, n_repeats=5, seed=0
):
    """Claim A8: time of one step against features (at ``base[1]`` codebooks) and codebooks (at ``base[0]`` features).

    Methods and sizes take turns within each repetition, in this process, for timings compare only within a run.

    Returns
    -------
    DataFrame
        varied ("features", "codebooks"), n_features, n_codebooks, method, repeat, metric ("microseconds"), value.
    """
    sizes = [("features", d, base[1]) for d in n_features] + [("codebooks", base[0], m) for m in n_codebooks]
    made = {
        (varied, d, m): make_classification(
            n_samples, d, n_informative=4, n_redundant=0, random_state=seed_for(seed, "time", d, m)
        )
        for varied, d, m in sizes
    }
    rows = []
    for repeat in range(-1, n_repeats):  # the first round compiles
        for (varied, d, m), (X, y) in made.items():
            for method in ("RLVQ", "ERLVQ"):
                settings = DEFAULTS._replace(n_prototypes=m // 2, n_epochs=5)
                model = build(method, settings, X, y, 0)
                start = time.perf_counter()
                model.fit(X, y)
                microseconds = 1e6 * (time.perf_counter() - start) / (5 * n_samples)
                if repeat >= 0:
                    what = {"varied": varied, "n_features": d, "n_codebooks": m, "method": method, "repeat": repeat}
                    rows.append({**what, "metric": "microseconds", "value": microseconds})
    return pd.DataFrame(rows)
