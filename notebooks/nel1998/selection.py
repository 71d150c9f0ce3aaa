"""Sections 7.3 and 7.4 of Nel's thesis: the subsets that Gamma Test, mutual information and RANN wrapper propose.

Every function proposes candidates from the training parts alone. A table of candidates has the columns sample, method,
order (from 1, by the method's own criterion), subset and score.
"""

import numpy as np
import pandas as pd

from compendium.units import run_units, seed_for
from fscore.criteria import GammaTest, RANNAccuracy, gamma_all_subsets, gamma_test, rann_all_subsets
from fscore.filters import MIFS
from fscore.search import PBIL
from nel1998.samples import at_hand, bits, columns_of, mask_of, partition, scaled

__all__ = [
    "gamma_estimates",
    "gamma_rank_scores",
    "gamma_ranking",
    "information_prefixes",
    "pbil_subsets",
    "rann_ranking",
]

P_MAX = (20, 25, 30, 35, 40, 45, 50)
_PRINTED_TESTS = 70  # terms of eq. (7.1) in print: ten splits, seven numbers of neighbours


def _units(samples, n_splits, **shared):
    return [
        {"sample": sample, "dataset": dataset, "split": split, **shared}
        for sample, dataset in at_hand(samples).items()
        for split in range(n_splits)
    ]


def _in_order(table, n_best=None):
    """Number the candidates of each sample by falling score; equal ones by fewer features, then by mask."""
    table = table.assign(size=table["subset"].str.count("1"))
    table = table.sort_values(["score", "size", "subset"], ascending=[False, True, False], kind="stable")
    table["order"] = table.groupby("sample").cumcount() + 1
    if n_best is not None:
        table = table[table["order"] <= n_best]
    return table.sort_values(["sample", "order"])[["sample", "method", "order", "subset", "score"]].reset_index(
        drop=True
    )


def gamma_ranking(
    samples, *, p_max=P_MAX, n_splits=10, n_best=10, floor=0.01, cumulative=True, target=None, seed=0, n_jobs=None
):
    """Section 7.3.1: Gamma of all subsets; the best ten of every split and number of neighbours, ranked by eq. (7.1).

    Parameters
    ----------
    p_max : sequence of int
        Numbers of neighbours.
    n_best : int
        How many count as best each time, and how many candidates are returned.
    floor : float
        Equation (7.1) sums ``1 / (0.1 + gamma)``, which has a pole at -0.1. The denominator is kept at or above
        ``floor``.

    Returns
    -------
    DataFrame
        Candidates; ``score`` is eq. (7.1).
    """
    shared = {"p_max": tuple(p_max), "n_best": n_best, "cumulative": cumulative, "target": target, "seed": seed}
    best = _scored(_units(samples, n_splits, **shared), floor, n_jobs)
    ranked = best.groupby(["sample", "subset"])["score"].sum().reset_index()
    return _in_order(ranked.assign(method="gamma_test"), n_best)


def gamma_rank_scores(
    samples,
    subsets,
    *,
    p_max=P_MAX,
    n_splits=10,
    n_best=10,
    floor=0.01,
    cumulative=True,
    target=None,
    seed=0,
    n_jobs=None,
):
    """Equation (7.1) of given subsets, which needn't be among the first in `gamma_ranking` (Table 7.5).

    Returns
    -------
    DataFrame
        dataset (the sample), subset, metric ("gamma_rank_score"), split, value: what this split alone would make of
        the score over the 70 tests of the thesis. The mean over ten splits with seven numbers of neighbours is eq.
        (7.1) itself; 0 is a subset that never was among the best.
    """
    shared = {"p_max": tuple(p_max), "n_best": n_best, "cumulative": cumulative, "target": target, "seed": seed}
    best = _scored(_units(samples, n_splits, **shared), floor, n_jobs)
    score = best.groupby(["sample", "subset", "split"])["score"].sum() * _PRINTED_TESTS / len(p_max)
    rows = [
        {"dataset": sample, "subset": subset, "metric": "gamma_rank_score", "split": split}
        | {"value": float(score.get((sample, subset, split), 0.0))}
        for sample in samples
        for subset in sorted(set(subsets.get(sample, ())))
        for split in range(n_splits)
    ]
    return pd.DataFrame(rows, columns=["dataset", "subset", "metric", "split", "value"])


def _scored(units, floor, n_jobs):
    """The best by Gamma of each split and number of neighbours, with their terms of eq. (7.1)."""
    best = run_units(_best_by_gamma, units, n_jobs=n_jobs, label="Gamma of all subsets")
    return best.assign(score=1 / np.maximum(0.1 + best["gamma"], floor))


def _best_by_gamma(sample, dataset, split, p_max, n_best, cumulative, target, seed):
    X, y = scaled(sample, dataset, target)
    train, _ = partition(sample, y, split, seed)
    gamma = gamma_all_subsets(X[train], y[train], p_max=p_max, cumulative=cumulative)
    rows = []
    for p, values in zip(p_max, gamma.T, strict=True):
        best = 1 + np.argsort(values[1:], kind="stable")[:n_best]
        for mask, number in zip(bits(best, X.shape[1]), best, strict=True):
            rows.append({"sample": sample, "split": split, "p_max": p, "subset": mask, "gamma": float(values[number])})
    return rows


def gamma_estimates(samples, subsets, *, p_max=P_MAX, n_splits=10, cumulative=True, target=None, seed=0, n_jobs=None):
    """The average Gamma of given subsets over all splits and numbers of neighbours (last column of Table 7.5).

    Returns
    -------
    DataFrame
        dataset (the sample), subset, metric ("avg_gamma_e-3"), split, value: thousandths, mean over ``p_max``.
    """
    units = [
        {**unit, "subsets": tuple(sorted(set(subsets.get(unit["sample"], ()))))}
        for unit in _units(samples, n_splits, p_max=tuple(p_max), cumulative=cumulative, target=target, seed=seed)
    ]
    return run_units(_gamma_of, units, n_jobs=n_jobs, label="Gamma of the chosen")


def _gamma_of(sample, dataset, split, subsets, p_max, cumulative, target, seed):
    X, y = scaled(sample, dataset, target)
    train, _ = partition(sample, y, split, seed)
    rows = []
    for subset in subsets:
        chosen = X[np.ix_(train, columns_of(subset))]
        gamma = np.mean([gamma_test(chosen, y[train], p, cumulative=cumulative).gamma for p in p_max])
        what = {"dataset": sample, "subset": subset, "metric": "avg_gamma_e-3", "split": split}
        rows.append({**what, "value": 1000 * float(gamma)})
    return rows


def information_prefixes(
    samples,
    *,
    alpha=0.5,
    mode="class_conditional",
    bandwidth="normal_reference",
    n_splits=10,
    target=None,
    seed=0,
    n_jobs=None,
):
    """Sections 7.3.2 and 7.4.2: from each split's ranking by mutual information the subsets of the first 2 to n - 1.

    Returns
    -------
    DataFrame
        Candidates; ``score`` is the share of splits whose ranking holds the subset. Mutual information itself doesn't
        order subsets of different size.
    """
    shared = {"alpha": alpha, "mode": mode, "bandwidth": bandwidth, "target": target, "seed": seed}
    found = run_units(_prefixes, _units(samples, n_splits, **shared), n_jobs=n_jobs, label="ranking by information")
    share = found.groupby(["sample", "subset"]).size().div(n_splits).rename("score").reset_index()
    return _in_order(share.assign(method="mutual_information"))


def _prefixes(sample, dataset, split, alpha, mode, bandwidth, target, seed):
    X, y = scaled(sample, dataset, target)
    train, _ = partition(sample, y, split, seed)
    n_features = X.shape[1]
    order = MIFS(n_features, alpha=alpha, mode=mode, bandwidth=bandwidth).fit(X[train], y[train]).order_
    return [
        {"sample": sample, "split": split, "subset": mask_of(order[:size], n_features)}
        for size in range(min(2, n_features), max(3, n_features))
    ]


def rann_ranking(samples, *, n_hidden=20, n_splits=10, n_best=10, target=None, seed=0, n_jobs=None):
    """Section 7.3.3: training accuracy of a small RANN on all subsets; the ten that are best on average.

    Returns
    -------
    DataFrame
        Candidates; ``score`` is the mean training accuracy over splits, in percent.
    """
    units = _units(samples, n_splits, n_hidden=n_hidden, target=target, seed=seed)
    found = run_units(_rann_scores, units, n_jobs=n_jobs, label="RANN on all subsets")
    tables = []
    for sample, part in found.groupby("sample", sort=False):
        score = np.mean(np.stack(list(part["scores"])), axis=0)
        masks = bits(range(1, len(score) + 1), int(np.log2(len(score) + 1)))
        tables.append(pd.DataFrame({"sample": sample, "subset": masks, "score": 100 * score}))
    return _in_order(pd.concat(tables).assign(method="RANN_wrapper"), n_best)


def _rann_scores(sample, dataset, split, n_hidden, target, seed):
    X, y = scaled(sample, dataset, target)
    train, _ = partition(sample, y, split, seed)
    weights = seed_for(seed, "wrapper", sample, split)
    scores = rann_all_subsets(X[train], y[train], n_hidden=n_hidden, random_state=weights)
    return [{"sample": sample, "split": split, "scores": scores[1:]}]


def pbil_subsets(
    samples,
    *,
    criteria=("gamma_test", "RANN_wrapper"),
    p_max=20,
    n_hidden=20,
    n_splits=10,
    n_runs=10,
    population=100,
    learning_rate=0.1,
    negative_learning_rate=0.075,
    mutation_probability=0.02,
    mutation_shift=0.05,
    max_generations=200,
    target=None,
    seed=0,
    n_jobs=None,
):
    """Section 7.4.1: PBIL under the Gamma Test and the RANN's training accuracy, several runs on each training part.

    Parameters
    ----------
    n_runs : int
        Runs on each training part, of which the best solution is a candidate.
    population, learning_rate, negative_learning_rate, mutation_probability, mutation_shift, max_generations
        As in :class:`fscore.search.PBIL`.

    Returns
    -------
    candidates : DataFrame
        ``score`` is the best value of the criterion among the splits that found the subset (minus Gamma, or a share).
    runs : DataFrame
        sample, method, split, run, subset, metric, value. Metrics: ``value``, ``n_evaluations``, ``generations``.
    """
    constants = {"population": population, "learning_rate": learning_rate, "max_generations": max_generations}
    constants |= {"negative_learning_rate": negative_learning_rate, "mutation_probability": mutation_probability}
    constants |= {"mutation_shift": mutation_shift}
    units = [
        {**unit, "method": method, "run": run}
        for method in criteria
        for unit in _units(
            samples,
            n_splits,
            p_max=p_max,
            n_hidden=n_hidden,
            constants=tuple(constants.items()),
            target=target,
            seed=seed,
        )
        for run in range(n_runs)
    ]
    runs = run_units(_pbil_run, units, n_jobs=n_jobs, label="PBIL")
    final = runs[runs["metric"] == "value"].sort_values("value", ascending=False, kind="stable")
    best = final.groupby(["sample", "method", "split"]).head(1)
    best = best.groupby(["sample", "method", "subset"])["value"].max().rename("score").reset_index()
    best["method"] = "PBIL+" + best["method"]
    candidates = [_in_order(part) for _, part in best.groupby("method", sort=False)]
    return pd.concat(candidates, ignore_index=True), runs


def _pbil_run(sample, dataset, method, split, run, p_max, n_hidden, constants, target, seed):
    X, y = scaled(sample, dataset, target)
    train, _ = partition(sample, y, split, seed)
    if method == "gamma_test":
        criterion = GammaTest(p_max)
    else:
        criterion = RANNAccuracy(n_hidden, random_state=seed_for(seed, "wrapper", sample, split))
    start = seed_for(seed, "PBIL", sample, method, split, run)
    search = PBIL(criterion, random_state=start, **dict(constants)).fit(X[train], y[train])
    what = {"sample": sample, "method": method, "split": split, "run": run}
    what["subset"] = mask_of(np.flatnonzero(search.support_), X.shape[1])
    measured = {"value": search.score_, "n_evaluations": search.n_evaluations_, "generations": len(search.path_)}
    return [{**what, "metric": metric, "value": float(value)} for metric, value in measured.items()]
