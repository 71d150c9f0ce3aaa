"""Claim M7 of Hocke and Martinetz 2014: which genes keep a non-zero weight on gene expression data."""

import time

import numpy as np

from compendium.experiment import DataExperiment, ParameterError, Schema, parameter, table
from compendium.protocol import load_set
from compendium.units import crossed, name_of, run_units, seed_for, tidy
from fscore.filters import fisher_score
from fscore.stability import average_tanimoto_index, relative_weighted_consistency
from hocke2014.methods import WEIGHTINGS, learn
from hocke2014.protocol import GENERATED, NONZERO, folds, knn_error, knn_predictions, variance_shares, varying_scaled

ALL_GENES = "none, all genes"
GENES = {"n_given": "genes given", "n_kept": "genes kept"}
OVERLAP = {"ati_kept": "ATI, kept", "ati_top": "ATI, top", "cw_kept": "CW, kept"}


class GeneExpression(DataExperiment):
    """Claim M7: error of k-NN, genes kept, and agreement of the folds, where features far outnumber samples.

    A gene is kept if its share of the weighted variance exceeds 1e-6. The parameters of the methods are not tuned: soft
    MDM has the given ``nu``, the others have middle values. The method "none, all genes" is k-NN with equal weights on
    all genes, regardless of ``max_genes``; it is omitted if "none" is the same.

    Tables
    ------
    gene_expression
        dataset, method, fold, metric, value. Metrics: ``error``; ``error_kept``, with equal weights on the genes kept;
        ``n_given`` and ``n_kept``, numbers of genes; ``seconds`` to learn the weights (wall time of this run);
        ``duality_gap`` (MDM only), a bound on the relative excess of the objective over the optimum; on generated data
        also ``relevant_kept``, the share of the relevant features that were kept, and ``kept_relevant``, the share of
        the kept features that are relevant.
    gene_overlap
        dataset, method, metric, value. Metrics: ``ati_kept`` and ``cw_kept``, average Tanimoto index and relative
        weighted consistency of the genes kept in each fold; ``ati_top``, of the ``n_top`` genes with the largest shares
        of the weighted variance (not for equal weights).
    top_genes
        dataset, method, gene, metric, value: the ``n_top`` genes with the largest mean share of the weighted variance.
        Metrics: ``importance``, this mean; ``kept_in``, the share of folds that kept the gene.
    """

    schema = Schema(
        gene_expression=table("dataset method metric", repetition="fold", labels=GENES),
        gene_overlap=table("dataset method metric", labels=OVERLAP),
        top_genes=table("dataset method gene metric"),
    )
    fallback = GENERATED

    dataset: list[str] = parameter(
        ["golub", "alon", "shipp", "singh", "gordon"], "data sets, or paths of CSV files", "data sets"
    )
    scaling: str = parameter("zscore", "scaling of the genes by the training part", "{raw, minmax, zscore}")
    n_neighbors: int = parameter(3, "neighbors of the classifier", "[1, 99]")
    nu: float = parameter(0.2, "nu of soft MDM", "(0, 1]")
    max_genes: int | None = parameter(
        2000, "genes preselected by Fisher score in each training part; null for all", "[2, 100000]"
    )
    n_splits: int = parameter(10, "stratified folds; 0 leaves out one sample at a time", "[0, 50]")
    n_top: int = parameter(20, "genes with the largest weights that count as top genes", "[1, 1000]")

    def __init__(self, **values):
        super().__init__(**values)
        if self.n_splits == 1:
            raise ParameterError("n_splits = 1 is invalid; it takes 0 or an integer in [2, 50].")

    def measure(self):
        """See the class."""
        return self.compare((ALL_GENES, *WEIGHTINGS))

    def compare(self, methods):
        """The tables of the named methods."""
        shared = self.pick("scaling", "n_neighbors", "nu", "n_splits", "n_top", "target", "seed")
        if self.max_genes is None:  # then "none" is the same
            methods = [method for method in methods if method != ALL_GENES]
        units = [
            {**unit, "max_genes": None if unit["method"] == ALL_GENES else self.max_genes}
            for unit in crossed(shared, dataset=self.dataset, method=methods)
        ]
        table = run_units(_weigh_genes, units, label="gene expression")
        by_fold, by_gene = table["fold"].notna(), table["gene"].notna()
        return {
            "gene_expression": table[by_fold].drop(columns="gene").reset_index(drop=True),
            "gene_overlap": table[~by_fold & ~by_gene].drop(columns=["fold", "gene"]).reset_index(drop=True),
            "top_genes": table[by_gene].drop(columns="fold").reset_index(drop=True),
        }


def _weigh_genes(dataset, method, max_genes, scaling, n_neighbors, nu, n_splits, n_top, target, seed):
    bunch = load_set(dataset, target)
    X, y = bunch.data, bunch.target
    rows, shares = [], []
    for fold, (train, test) in enumerate(folds(X, y, dataset, 0, n_splits, seed)):
        A, B = X[train], X[test]
        genes = _best_genes(A, y[train], max_genes)
        A, B = varying_scaled(scaling, A[:, genes], B[:, genes])
        fold_seed = seed_for(seed, "gene expression", name_of(dataset), fold)
        start = time.perf_counter()
        (transform,) = learn(method.partition(",")[0], A, y[train], [nu if method == "soft MDM" else None], fold_seed)
        seconds = time.perf_counter() - start
        share = variance_shares(transform.weights, A)
        nonzero = share > NONZERO
        measured = {
            "error": knn_error(transform, A, y[train], B, y[test], n_neighbors),
            "n_given": len(genes),
            "n_kept": nonzero.sum(),
            "seconds": seconds,
            **transform.certificate(),
        }
        if nonzero.any():
            predicted = knn_predictions(A[:, nonzero], y[train], B[:, nonzero], [n_neighbors])[0]
            measured["error_kept"] = np.mean(predicted != y[test])
        if bunch.relevant is not None:
            n_relevant = np.isin(genes[nonzero], bunch.relevant).sum()
            measured |= {
                "relevant_kept": n_relevant / len(bunch.relevant),
                "kept_relevant": n_relevant / max(nonzero.sum(), 1),
            }
        rows += tidy({"dataset": dataset, "method": method, "fold": fold, "gene": None}, measured)
        shares.append(np.zeros(X.shape[1]))
        shares[-1][genes] = share
    what, shares = {"dataset": dataset, "method": method, "fold": None}, np.array(shares)
    nonzero = shares > NONZERO
    overlap = {"ati_kept": average_tanimoto_index(nonzero), "cw_kept": relative_weighted_consistency(nonzero)}
    rows += tidy({**what, "gene": None}, overlap)
    if not method.startswith("none"):  # equal weights give no top genes
        rows += _top(what, shares, bunch.feature_names, n_top)
    return rows


def _best_genes(X, y, max_genes):
    """Column numbers of the ``max_genes`` genes with the largest Fisher scores, among those that vary; None: all."""
    genes = np.flatnonzero(np.ptp(X, axis=0) > 0)
    if max_genes is None or len(genes) <= max_genes:
        return genes
    return np.sort(genes[np.argsort(-fisher_score(X[:, genes], y), kind="stable")[:max_genes]])


def _top(what, shares, names, n_top):
    """Rows on the overlap of the top genes of each fold, and on the top genes by their mean share."""
    top = np.zeros(shares.shape, dtype=bool)
    np.put_along_axis(top, np.argsort(-shares, axis=1, kind="stable")[:, :n_top], True, axis=1)
    rows = tidy({**what, "gene": None}, {"ati_top": average_tanimoto_index(top)})
    importance, often = shares.mean(axis=0), (shares > NONZERO).mean(axis=0)
    for gene in np.argsort(-importance, kind="stable")[:n_top]:
        rows += tidy({**what, "gene": names[gene]}, {"importance": importance[gene], "kept_in": often[gene]})
    return rows
