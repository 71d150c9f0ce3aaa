"""Claim M7: maximum distance minimization where features outnumber samples by far, as in gene expression."""

import time
from typing import NamedTuple

import numpy as np
import pandas as pd

from compendium.units import run_units, seed_for
from fscore.datasets import load
from fscore.filters import fisher_score
from fscore.stability import average_tanimoto_index, relative_weighted_consistency
from hocke2014.methods import WEIGHTINGS, folds, knn_error, knn_predictions, learn, rescaled, tidy

__all__ = ["GENERATED", "GeneExpression", "gene_expression"]

GENERATED = "wide_gaussian"  # stands in where no real set can be had
ALL_GENES = "none, all genes"
KEPT = 1e-6  # a gene is kept if its share of the weighted variance is larger


class GeneExpression(NamedTuple):
    """What was measured in each fold, how much the folds agree, and the genes with the largest weights."""

    measured: pd.DataFrame  # dataset, method, fold, metric, value
    overlap: pd.DataFrame  # dataset, method, metric, value
    genes: pd.DataFrame  # dataset, method, gene, metric, value


def gene_expression(
    datasets,
    *,
    methods=(ALL_GENES, *WEIGHTINGS),
    inputs="zscore",
    k=3,
    nu=0.2,
    max_genes=None,
    n_splits=10,
    n_top=20,
    target=None,
    seed=0,
    n_jobs=None,
):
    """k-NN error, genes kept, and how much the folds agree on them, on sets with far more features than samples.

    Parameters of the methods are not tuned: ``nu`` as given, the others' middle values.

    Parameters
    ----------
    datasets : sequence of str
    methods : sequence of str
        Weightings as in :func:`uci`, and "none, all genes", which ``max_genes`` doesn't touch.
    inputs : {"raw", "minmax", "zscore"}
        How the features come to the methods, by the ranges or moments of the training part.
    k : int
        Neighbours.
    nu : float
        Of soft MDM.
    max_genes : int or None
        Only so many genes, those with the largest Fisher scores in the training part, come to the methods. None: all.
    n_splits : int
        Stratified folds; 0 leaves out one sample at a time.
    n_top : int
        Genes that count as top genes of a fold.

    Returns
    -------
    GeneExpression
        ``measured`` has the metrics ``error``; ``error_kept``, with equal weights on the genes kept; ``n_given`` and
        ``n_kept`` genes; ``seconds`` to learn the weights (wall time of this run); ``duality_gap`` (MDM only), the
        fraction by which the objective exceeds the optimum at most; on generated data also
        ``relevant_kept``, the share of the relevant features that were kept, and ``kept_relevant``, the share of those
        kept that are relevant. ``overlap`` has ``ati_kept`` and ``cw_kept`` (average Tanimoto index and relative
        weighted consistency of the sets of genes kept) and, except for equal weights, ``ati_top`` (of the ``n_top``
        genes with the largest shares). ``genes`` has, for the ``n_top`` genes with the largest mean share, this
        ``importance`` and ``kept_in``, the share of folds that kept the gene.
    """
    shared = {"inputs": inputs, "k": k, "nu": nu, "n_splits": n_splits, "n_top": n_top}
    shared |= {"target": target, "seed": seed}
    units = [
        {"dataset": dataset, "method": method, "max_genes": None if method == ALL_GENES else max_genes, **shared}
        for dataset in datasets
        for method in methods
        if method != ALL_GENES or max_genes is not None
    ]
    table = run_units(_weigh_genes, units, n_jobs=n_jobs, label="gene expression")
    by_fold, by_gene = table["fold"].notna(), table["gene"].notna()
    return GeneExpression(
        table[by_fold].drop(columns="gene").reset_index(drop=True),
        table[~by_fold & ~by_gene].drop(columns=["fold", "gene"]).reset_index(drop=True),
        table[by_gene].drop(columns="fold").reset_index(drop=True),
    )


def _weigh_genes(dataset, method, max_genes, inputs, k, nu, n_splits, n_top, target, seed):
    bunch = load(dataset, target=target)
    X, y = bunch.data, bunch.target
    rows, shares = [], []
    for fold, (train, test) in enumerate(folds(X, y, dataset, 0, n_splits, seed)):
        A, B = X[train], X[test]
        genes = _best_genes(A, y[train], max_genes)
        A, B = rescaled(inputs, A[:, genes], B[:, genes])
        fold_seed = seed_for(seed, "gene expression", dataset, fold)
        start = time.perf_counter()
        (into,) = learn(method.partition(",")[0], A, y[train], [nu if method == "soft MDM" else None], fold_seed)
        seconds = time.perf_counter() - start
        share = into.weights * A.var(axis=0)
        share /= share.sum() or 1.0
        kept = share > KEPT
        measured = {
            "error": knn_error(into, A, y[train], B, y[test], k),
            "n_given": len(genes),
            "n_kept": kept.sum(),
            "seconds": seconds,
            **into.certificate(),
        }
        if kept.any():
            measured["error_kept"] = np.mean(knn_predictions(A[:, kept], y[train], B[:, kept], [k])[0] != y[test])
        if bunch.relevant is not None:
            found = np.isin(genes[kept], bunch.relevant).sum()
            measured |= {"relevant_kept": found / len(bunch.relevant), "kept_relevant": found / max(kept.sum(), 1)}
        rows += tidy({"dataset": dataset, "method": method, "fold": fold, "gene": None}, measured)
        shares.append(np.zeros(X.shape[1]))
        shares[-1][genes] = share
    what = {"dataset": dataset, "method": method, "fold": None}
    rows += _agreement(what, np.array(shares) > KEPT)
    if not method.startswith("none"):  # equal weights have no top
        rows += _top(what, np.array(shares), bunch.feature_names, n_top)
    return rows


def _best_genes(X, y, max_genes):
    """Numbers of the genes that vary; of more than ``max_genes`` those with the largest Fisher scores."""
    genes = np.flatnonzero(np.ptp(X, axis=0) > 0)
    if max_genes is None or len(genes) <= max_genes:
        return genes
    return np.sort(genes[np.argsort(-fisher_score(X[:, genes], y), kind="stable")[:max_genes]])


def _agreement(what, kept):
    """Rows on the overlap of the genes kept between the folds."""
    overlap = {"ati_kept": average_tanimoto_index(kept), "cw_kept": relative_weighted_consistency(kept)}
    return tidy({**what, "gene": None}, overlap)


def _top(what, shares, names, n_top):
    """Rows on the overlap of each fold's top genes, and on the genes that are top in the mean."""
    top = np.zeros(shares.shape, dtype=bool)
    np.put_along_axis(top, np.argsort(-shares, axis=1, kind="stable")[:, :n_top], True, axis=1)
    rows = tidy({**what, "gene": None}, {"ati_top": average_tanimoto_index(top)})
    importance, often = shares.mean(axis=0), (shares > KEPT).mean(axis=0)
    for gene in np.argsort(-importance, kind="stable")[:n_top]:
        rows += tidy({**what, "gene": names[gene]}, {"importance": importance[gene], "kept_in": often[gene]})
    return rows
