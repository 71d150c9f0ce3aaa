"""Claim M7: gene expression."""

import numpy as np
import pandas as pd
import pytest

from compendium.parameters import ParameterError
from compendium.statements import decide
from fscore.datasets import load
from fscore.filters import fisher_score
from hocke2014 import claims
from hocke2014.gene_expression import GeneExpression, _best_genes
from hocke2014.protocol import GENERATED

pytestmark = pytest.mark.usefixtures("own_cache")


@pytest.fixture(scope="module")
def expression(own_cache):
    return GeneExpression(dataset=[GENERATED], max_genes=200, n_splits=3, n_top=10).run()


def mean_of(table, metric):
    return table[table["metric"] == metric].groupby("method")["value"].mean()


def test_genes_are_chosen_in_the_training_part():
    X, y = load("wide_gaussian", return_X_y=True)
    chosen = _best_genes(X[:50], y[:50], 30)
    score = fisher_score(X[:50], y[:50])
    assert len(chosen) == 30
    assert score[chosen].min() > np.delete(score, chosen).max()
    X = np.hstack([X[:, :5], np.ones((len(X), 2))])
    assert _best_genes(X, y, 30).tolist() == [0, 1, 2, 3, 4]
    assert _best_genes(X, y, None).tolist() == [0, 1, 2, 3, 4]


def test_mdm_finds_the_relevant_features_and_drops_others(expression):
    kept, given_ = mean_of(expression["gene_expression"], "n_kept"), mean_of(expression["gene_expression"], "n_given")
    assert given_["none, all genes"] == 7129
    assert given_["none"] == kept["none"] == 200
    assert kept["hard MDM"] < 150
    relevant = mean_of(expression["gene_expression"], "kept_relevant")
    assert relevant["hard MDM"] > 1.2 * relevant["none"] > relevant["none, all genes"]
    errors = mean_of(expression["gene_expression"], "error")
    assert errors["soft MDM"] < errors["none"] < errors["none, all genes"]


def test_overlap_and_top_genes(expression):
    ati = mean_of(expression["gene_overlap"], "ati_kept")
    assert ati["none, all genes"] == 1
    assert set(mean_of(expression["gene_overlap"], "ati_top").index) == set(expression["gene_expression"]["method"]) - {
        "none",
        "none, all genes",
    }
    assert (expression["gene_overlap"].query("metric == 'ati_kept'")["value"].between(0, 1)).all()
    top = expression["top_genes"][expression["top_genes"]["method"] == "soft MDM"]
    importance = top[top["metric"] == "importance"]["value"].to_numpy()
    assert len(importance) == 10
    assert np.all(np.diff(importance) <= 0)
    assert (top[top["metric"] == "kept_in"]["value"] <= 1).all()
    relevant = {f"f{index + 1}" for index in load("wide_gaussian").relevant}
    assert len(relevant & set(top["gene"])) >= 8


def test_leaving_one_out_and_all_genes():
    experiment = GeneExpression(dataset=["iris"], n_splits=0, scaling="raw", max_genes=None)
    measured = experiment.compare(["none, all genes", "none"])["gene_expression"]
    errors = measured[measured["metric"] == "error"]
    assert set(errors["method"]) == {"none"}  # with all genes given, there is only one row
    assert len(errors) == 150
    assert errors["value"].sum() == pytest.approx(6)  # 3-NN on raw iris


def test_a_single_fold_is_refused():
    with pytest.raises(ParameterError, match=r"n_splits = 1 is invalid; it takes 0 or an integer in \[2, 50\]"):
        GeneExpression(n_splits=1)


def gene_table(kept, error, error_kept, equal, names="abcde", spread=0.01):
    """Means over folds of data sets that differ a little."""
    rows = []
    for number, dataset in enumerate(names):
        more = spread * (number - (len(names) - 1) / 2)
        for method, n_kept, wrong in (("none", 1000, equal), ("hard MDM", kept, error), ("soft MDM", kept, error)):
            own = 0 if method == "none" else more
            measured = {"n_given": 1000, "n_kept": n_kept, "error": wrong + own, "error_kept": error_kept + own}
            rows += [
                {"dataset": dataset, "method": method, "fold": 0, "metric": m, "value": v} for m, v in measured.items()
            ]
    return pd.DataFrame(rows)


def test_one_set_cannot_tell():
    found = decide(claims.few_genes_keep_their_weight(gene_table(50, 0.1, 0.1, 0.2, "a")))
    assert {row.answer for row in found} == {"undecided"}


def test_claim_m7_is_about_gene_expression_data():
    generated = gene_table(50, 0.1, 0.1, 0.2, [GENERATED])
    assert claims.few_genes_keep_their_weight(generated) == []
    both = pd.concat([generated, gene_table(50, 0.3, 0.1, 0.2)])
    assert {row.n for row in claims.few_genes_keep_their_weight(both)} == {5}
