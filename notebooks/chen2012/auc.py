"""How well the first features of every ranking classify (Tables 3 and 4 of Chen 2012)."""

from itertools import product

import numpy as np
import pandas as pd
from sklearn import config_context
from sklearn.svm import SVC

from chen2012.protocol import (
    METHODS,
    RankingExperiment,
    gmlvq,
    learn,
    mean_over,
    rank_features,
    read,
    split,
    tie_seed,
)
from compendium.experiment import Schema, parameter, table
from compendium.units import run_units, tidy
from fscore.lvq.generalized import area

ORIGINAL = "GMLVQ_original_omega"
EVALUATORS = ("GMLVQ", "RBFSVM")


class Auc(RankingExperiment):
    """Claims C1, C2, C3 and C9, Tables 3 and 4: test AUC of the first features of every ranking.

    Each subset is evaluated by a new GMLVQ without entropy and by an RBF-SVM. Both are trained on the training and the
    validation part, as Section 5.2 says, and the GMLVQ descends to the end; with ``evaluator_parts="training"`` it
    learns on the training part and keeps the step that is best on the validation part. The GMLVQ that made the ranking
    is also cut to the subset (`ORIGINAL`) and not trained again. With several classes: the mean AUC of one class
    against the rest.

    The thesis gives no parameters of the SVM. ``svm`` is "unit_width" (C = 1 and exp(-d^2 / 2), the default of MATLAB's
    ``svmtrain``), "libsvm" (C = 1 and gamma = 1 / number of features, the default of LIBSVM), or "grid" (the C of
    ``svm_C`` and gamma of ``svm_gamma`` with the best AUC on the validation part).

    Tables
    ------
    auc
        dataset, evaluator, method, n_features, counted, repeat, metric ("auc"), value: the mean over the folds. The
        sizes 2, 6 and N are measured in addition to those that Tables 3 and 4 count.
    dominance
        Tables 3 and 4, see `dominance`.
    """

    schema = Schema(
        auc=table("dataset n_features counted evaluator method metric", repetition="repeat"),
        dominance=table("dataset evaluator method", repetition="repeat"),
    )

    step: int | None = parameter(
        None, "step between subset sizes; a sixteenth of the features, rounded, if not given", "[1, 1000]"
    )
    evaluator_parts: str = parameter("both", "parts of the data that train the evaluating GMLVQ", "{training, both}")
    evaluator_delete_rate: float = parameter(0.0, "delete rate of the GMLVQ that evaluates", "[0, 0.99]")
    svm: str = parameter("unit_width", "parameters of the SVM", "{unit_width, libsvm, grid}")
    svm_C: list[float] = parameter([0.1, 1.0, 10.0, 100.0], "grid of the SVM's C", "(0, 1000000]")
    svm_gamma: list[float] = parameter(
        [0.25, 1.0, 4.0], "grid of the SVM: gamma times the number of its features", "(0, 1000]"
    )

    def measure(self):
        """See the class."""
        auc = self.auc()
        return {"auc": auc, "dominance": dominance(auc)}

    def auc(self, methods=METHODS, evaluators=EVALUATORS):
        """Table ``auc``.

        Parameters
        ----------
        methods : sequence of str
            Rankings, of `chen2012.protocol.METHODS`.
        evaluators : sequence of {"GMLVQ", "RBFSVM"}

        Returns
        -------
        DataFrame

        Raises
        ------
        ValueError
            If no data set has as many features as ``step``.
        """
        if self.step is not None:
            largest = max(read(dataset, self.target)[0].shape[1] for dataset in self.dataset)
            if self.step > largest:
                raise ValueError(f"step={self.step} exceeds the number of features, {largest}; choose a smaller step.")
        units = [
            {**unit, **self._ranking(method), "evaluator": evaluator, "judge": self._judge(evaluator)}
            for unit in self.splits(step=self.step)
            for method in methods
            for evaluator in evaluators
        ]
        return mean_over("fold", run_units(_evaluate_ranking, units, label="AUC by subset size"))

    def _ranking(self, method):
        """What a ranking depends on, and no more: readings share the units of the rankings that they don't change."""
        return {
            "method": method,
            "settings": self.settings if method == "GMLVQ" else None,
            "n_neighbors": self.n_neighbors if method == "Relieff" else None,
            "discretizer": self.discretizer if method == "IG" else None,
            "ties": self.ties,
        }

    def _judge(self, evaluator):
        """The arguments of an evaluator, and no more."""
        if evaluator == "RBFSVM":
            return {"svm": self.svm, **(self.pick("svm_C", "svm_gamma") if self.svm == "grid" else {})}
        descent = ("n_prototypes", "step_prototypes", "step_metric", "max_iter")
        stopping = ("validation_loss", "n_iter_no_change") if self.evaluator_parts == "training" else ()
        settings = {"alpha": "none", "delete_rate": self.evaluator_delete_rate, **self.pick(*descent, *stopping)}
        return {"trained_on": self.evaluator_parts, "settings": settings}


def subset_sizes(n_features, step=None):
    """The subset sizes that Tables 3 and 4 count: multiples of a step, by default N/16 rounded.

    The printed percentages are multiples of 1/16, 1/16, 1/15, 1/15 and 1/14; this rule gives the same numbers of sizes.

    Parameters
    ----------
    n_features : int
    step : int, optional

    Returns
    -------
    list of int
    """
    step = step or max(1, round(n_features / 16))
    return list(range(step, n_features + 1, step))


def _evaluate_ranking(dataset, repeat, fold, method, evaluator, judge, step, n_splits, target, seed, **ranking):
    X, y = read(dataset, target)
    parts = split(X, y, dataset, repeat, fold, n_splits, seed)
    drawn = tie_seed(seed, dataset, repeat, fold)
    order, model = rank_features(method, parts, drawn, **ranking)
    counted, rows = subset_sizes(X.shape[1], step), []
    for size in sorted({*counted, X.shape[1], *(size for size in (2, 6) if size < X.shape[1])}):
        features = np.sort(order[:size])
        measured = {method: _AUC_OF[evaluator]([(A[:, features], b) for A, b in parts], **judge)}
        if model is not None and evaluator == "GMLVQ":
            T, t = parts[2]
            measured[ORIGINAL] = area(model.restrict(features).decision_function(T[:, features]), t, model.classes_)
        what = {"dataset": dataset, "repeat": repeat, "fold": fold, "n_features": size, "counted": size in counted}
        for name, value in measured.items():
            rows += tidy({**what, "evaluator": evaluator, "method": name}, {"auc": value})
    return rows


def _auc_of_gmlvq(parts, settings, trained_on):
    (A, a), (V, v), (T, t) = parts
    if trained_on == "training":
        model = learn(parts, settings)
    else:
        model = gmlvq(settings).fit(np.vstack([A, V]), np.append(a, v))
    return area(model.decision_function(T), t, model.classes_)


def _auc_of_svm(parts, svm, svm_C=(), svm_gamma=()):
    (A, a), (V, v), (T, t) = parts
    classes, n_features = np.unique(a), A.shape[1]
    fixed = {"unit_width": {"C": 1.0, "gamma": 0.5}, "libsvm": {"C": 1.0, "gamma": 1 / n_features}}
    with config_context(assume_finite=True, skip_parameter_validation=True):  # thousands of small SVMs
        if svm == "grid":
            grid = [{"C": C, "gamma": gamma / n_features} for C in svm_C for gamma in svm_gamma]
            won = max(grid, key=lambda parameters: area(SVC(**parameters).fit(A, a).decision_function(V), v, classes))
        else:
            won = fixed[svm]
        best = SVC(**won).fit(np.vstack([A, V]), np.append(a, v))
        return area(best.decision_function(T), t, classes)


_AUC_OF = {"GMLVQ": _auc_of_gmlvq, "RBFSVM": _auc_of_svm}


def dominance(table):
    """Tables 3 and 4: percentage of the counted sizes at which a method has the best AUC of a repetition's five folds.

    Ties are shared.

    Parameters
    ----------
    table : DataFrame
        Table ``auc`` of `Auc`.

    Returns
    -------
    DataFrame
        dataset, evaluator, method, repeat, value.
    """
    rows = []
    for what, methods, repeats, aucs in _by_repetition(table):
        won = pd.DataFrame(_won(aucs), repeats, pd.Index(methods, name="method"))
        rows.append(won.T.melt(ignore_index=False).reset_index().assign(**what))
    return pd.concat(rows, ignore_index=True)[["dataset", "evaluator", "method", "repeat", "value"]]


def dominance_of_means(table, n_bootstrap=200):
    """As `dominance`, of the mean AUCs of all repetitions.

    Parameters
    ----------
    table : DataFrame
        Table ``auc`` of `Auc`.
    n_bootstrap : int
        Resamples of the repetitions, for the standard error (NaN with a single repetition).

    Returns
    -------
    DataFrame
        dataset, evaluator, method, value, error.
    """
    rows = []
    for what, methods, repeats, aucs in _by_repetition(table):
        draws = np.random.default_rng(0).integers(len(aucs), size=(n_bootstrap, len(aucs)))
        shares = _won(np.array([aucs[draw].mean(axis=0) for draw in draws]))
        errors = shares.std(axis=0, ddof=1) if len(repeats) > 1 else np.full(len(methods), np.nan)
        for method, value, error in zip(methods, _won(aucs.mean(axis=0)), errors, strict=True):
            rows.append({**what, "method": method, "value": float(value), "error": float(error)})
    return pd.DataFrame(rows)


def _by_repetition(table):
    """For each data set and evaluator its methods, repetitions, and AUCs of shape (n_repeats, n_sizes, n_methods)."""
    for (dataset, evaluator), group in table[table["counted"]].groupby(["dataset", "evaluator"], sort=False):
        methods = group["method"].unique()
        cube = group.pivot_table(index="repeat", columns=["n_features", "method"], values="value")
        sizes = cube.columns.unique("n_features")
        aucs = cube[list(product(sizes, methods))].to_numpy().reshape(len(cube), len(sizes), len(methods))
        yield {"dataset": dataset, "evaluator": evaluator}, methods, cube.index, aucs


def _won(aucs):
    """Percentage of the sizes (last axis but one) at which a method (last axis) is the best."""
    best = np.isclose(aucs, aucs.max(axis=-1, keepdims=True), rtol=0, atol=1e-12)
    return 100 * (best / best.sum(axis=-1, keepdims=True)).mean(axis=-2)
