"""Section 7.3 of Nel's thesis: the Gamma Test and the RANN wrapper on all subsets of the training parts."""

import numpy as np
import pandas as pd

from compendium.units import run_units, seed_for
from fscore.criteria import gamma_all_subsets, gamma_test, rann_all_subsets
from nel1998.candidates import ordered, units_of
from nel1998.masks import bits, columns_of
from nel1998.protocol import training_part

N_BEST = 10  # number of best subsets per split and number of neighbors, and per ranking
_PRINTED_TESTS = 70  # terms of eq. (7.1) in the thesis: ten splits, seven numbers of neighbors


def gamma_terms(samples, *, p_max, n_splits, floor, seed, target=None, n_best=N_BEST):
    """Section 7.3.1: Gamma of all subsets; the best of every split and number of neighbors, with their terms of (7.1).

    Parameters
    ----------
    samples : dict of str to str
        As from `samples_of`.
    p_max : sequence of int
        Numbers of neighbors.
    n_splits : int
    floor : float
        Equation (7.1) sums ``1 / (0.1 + gamma)``, which has a pole at -0.1. The denominator is kept at or above
        ``floor``.
    seed : int
    target : str, optional
        Label column of the CSV files.
    n_best : int
        Number of best subsets in each case.

    Returns
    -------
    DataFrame
        sample, split, p_max, subset, gamma, score (the term).
    """
    units = units_of(samples, n_splits, p_max=tuple(p_max), n_best=n_best, target=target, seed=seed)
    best = run_units(_best_by_gamma, units, label="Gamma of all subsets")
    return best.assign(score=1 / np.maximum(0.1 + best["gamma"], floor))


def gamma_ranking(terms, n_best=N_BEST):
    """The candidates that eq. (7.1) ranks first; ``score`` is eq. (7.1), the sum of the `gamma_terms`."""
    ranked = terms.groupby(["sample", "subset"])["score"].sum().reset_index()
    return ordered(ranked.assign(method="gamma_test"), n_best)


def gamma_rank_scores(terms, subsets):
    """Equation (7.1) of given subsets, which may rank low in `gamma_ranking` (Table 7.5).

    Parameters
    ----------
    terms : DataFrame
        As from `gamma_terms`.
    subsets : dict of str to iterable of str
        Masks for each sample.

    Returns
    -------
    DataFrame
        dataset (the sample), subset, metric ("gamma_rank_score"), split, value: this split's terms of eq. (7.1),
        scaled to the 70 tests of the thesis. The mean over ten splits with seven numbers of neighbors is eq. (7.1)
        itself; a subset that is never among the best scores 0.
    """
    score = terms.groupby(["sample", "subset", "split"])["score"].sum() * _PRINTED_TESTS / terms["p_max"].nunique()
    rows = [
        {"dataset": sample, "subset": subset, "metric": "gamma_rank_score", "split": split}
        | {"value": float(score.get((sample, subset, split), 0.0))}
        for sample in terms["sample"].unique()
        for subset in sorted(set(subsets.get(sample, ())))
        for split in terms["split"].unique()
    ]
    return pd.DataFrame(rows, columns=["dataset", "subset", "metric", "split", "value"])


def _best_by_gamma(sample, dataset, split, p_max, n_best, target, seed):
    X, y = training_part(sample, dataset, split, target, seed)
    gamma = gamma_all_subsets(X, y, p_max=p_max)
    rows = []
    for p, values in zip(p_max, gamma.T, strict=True):
        best = 1 + np.argsort(values[1:], kind="stable")[:n_best]
        for mask, number in zip(bits(best, X.shape[1]), best, strict=True):
            rows.append({"sample": sample, "split": split, "p_max": p, "subset": mask, "gamma": float(values[number])})
    return rows


def gamma_estimates(samples, subsets, *, p_max, n_splits, seed, target=None):
    """The average Gamma of given subsets over all splits and numbers of neighbors (last column of Table 7.5).

    Parameters
    ----------
    samples, p_max, n_splits, seed, target
        As in `gamma_terms`.
    subsets : dict of str to iterable of str
        Masks for each sample.

    Returns
    -------
    DataFrame
        dataset (the sample), subset, metric ("avg_gamma_e-3"), split, value: thousandths, mean over ``p_max``.
    """
    units = [
        {**unit, "subsets": tuple(sorted(set(subsets.get(unit["sample"], ()))))}
        for unit in units_of(samples, n_splits, p_max=tuple(p_max), target=target, seed=seed)
    ]
    return run_units(_gamma_of, units, label="Gamma of the chosen")


def _gamma_of(sample, dataset, split, subsets, p_max, target, seed):
    X, y = training_part(sample, dataset, split, target, seed)
    rows = []
    for subset in subsets:
        chosen = X[:, columns_of(subset)]
        gamma = np.mean([gamma_test(chosen, y, p).gamma for p in p_max])
        what = {"dataset": sample, "subset": subset, "metric": "avg_gamma_e-3", "split": split}
        rows.append({**what, "value": 1000 * float(gamma)})
    return rows


def rann_ranking(samples, *, n_hidden, network, n_splits, seed, target=None, n_best=N_BEST):
    """Section 7.3.3: training accuracy of a small RANN on all subsets; the ten that are best on average.

    Parameters
    ----------
    samples : dict of str to str
    n_hidden : int
        Hidden neurons.
    network : sequence of (str, object)
        Further arguments of `fscore.criteria.RANNAccuracy` and their values.
    n_splits, seed, target, n_best
        As in `gamma_terms`; the same number of candidates.

    Returns
    -------
    DataFrame
        Candidates; ``score`` is the mean training accuracy over splits, in percent.
    """
    units = units_of(samples, n_splits, n_hidden=n_hidden, network=network, target=target, seed=seed)
    scores = run_units(_rann_scores, units, label="RANN on all subsets")
    tables = []
    for sample, of_sample in scores.groupby("sample", sort=False):
        score = np.mean(np.stack(list(of_sample["scores"])), axis=0)
        masks = bits(range(1, len(score) + 1), int(np.log2(len(score) + 1)))
        tables.append(pd.DataFrame({"sample": sample, "subset": masks, "score": 100 * score}))
    return ordered(pd.concat(tables).assign(method="RANN_wrapper"), n_best)


def _rann_scores(sample, dataset, split, n_hidden, network, target, seed):
    X, y = training_part(sample, dataset, split, target, seed)
    weights = seed_for(seed, "wrapper", sample, split)
    scores = rann_all_subsets(X, y, n_hidden=n_hidden, random_state=weights, **dict(network))
    return [{"sample": sample, "split": split, "scores": scores[1:]}]
