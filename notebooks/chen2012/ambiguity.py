"""Uniqueness of the relevances of GMLVQ (Section 4.3 of Chen 2012)."""

import numpy as np
import pandas as pd
from scipy.stats import spearmanr

from chen2012.protocol import GMLVQExperiment, gmlvq, learn, mean_over, read, split
from compendium.experiment import Schema, parameter, table
from compendium.protocol import scaled
from compendium.units import crossed, name_of, run_units, seed_for, tidy
from fscore.lvq.generalized import area


class Ambiguity(GMLVQExperiment):
    """Claim C6: the effects of removing unseen directions from Omega.

    GMLVQ learns from a few samples with random starts of Omega. With fewer samples than features, some directions
    occur in neither samples nor prototypes. The other samples are the test part.

    Tables
    ------
    ambiguity
        dataset, n_samples, repeat, start, metric, value. Metrics: ``unseen`` directions; ``distance_change`` by the
        corrected projection ``Omega (I - V V^T)`` and ``distance_change_printed`` by equation 92,
        ``(I - V V^T) Omega`` (largest change of a distance between training samples and prototypes, up to a common
        factor, relative to the largest distance); ``prediction_change_train``, ``prediction_change_test`` (shares);
        ``rank_correlation`` of the relevances before and after; and with start -1 ``spread_before`` and
        ``spread_after``: the standard deviation of a relevance over the starts, summed over the features.
    delete_rates
        Effect of the delete rate, which the thesis chose for each set "by experiment" and did not report: dataset,
        delete_rate (without those that would delete every direction of a set with few features), repeat, metric,
        value: the mean over the folds. Metrics: ``auc`` on the test part;
        ``rank_correlation`` with the relevances as trained, over the folds in which these are not all equal.
    features
        Which relevances of one model per data set are ambiguous: dataset, feature (from 1), and the columns of
        :meth:`fscore.lvq.GMLVQ.ambiguity`.
    """

    schema = Schema(
        ambiguity=table("dataset n_samples metric", repetition="repeat start"),
        delete_rates=table("dataset delete_rate metric", repetition="repeat"),
        features=table("dataset feature", values="relevance minimal low high spread null_share"),
    )

    n_samples: list[int] = parameter([10, 20, 0], "training samples; 0 takes half the data", "[0, 100000]")
    n_starts: int = parameter(10, "random starts of Omega", "[2, 100]")
    delete_rate: list[float] = parameter([0.0, 0.1, 0.2, 0.3, 0.5, 0.7, 0.9], "delete rates", "[0, 0.99]")
    n_repeats: int = parameter(10, "repetitions, each with a different division of the data", "[1, 200]")

    def measure(self):
        """See the class."""
        few = self.n_samples[0]
        return {
            "ambiguity": self.ambiguity(),
            "delete_rates": self.delete_rates(),
            "features": pd.concat(self.by_feature(dataset, few) for dataset in self.dataset),
        }

    def ambiguity(self):
        """Table ``ambiguity``.

        Returns
        -------
        DataFrame
        """
        shared = {"settings": self.settings, **self.pick("n_starts", "target", "seed")}
        units = crossed(shared, dataset=self.dataset, n_samples=self.n_samples, repeat=range(self.n_repeats))
        return run_units(_remove_ambiguity, units, label="ambiguity")

    def delete_rates(self):
        """Table ``delete_rates``.

        Returns
        -------
        DataFrame
        """
        units = self.splits(**self.pick("delete_rate"))
        return mean_over("fold", run_units(_delete, units, label="delete rate"))

    def by_feature(self, dataset, n_samples):
        """Table ``features`` of one data set, for the first start of the first repetition.

        Parameters
        ----------
        dataset : str
        n_samples : int
            Training samples; 0 takes half the data.

        Returns
        -------
        DataFrame
        """
        (A, a), _ = _few(dataset, n_samples, 0, self.target, self.seed)
        table = _started(A, a, self.settings, self.seed, dataset, n_samples, 0, 0).ambiguity(0.0)
        return table.assign(feature=np.arange(1, len(table) + 1), dataset=name_of(dataset)).reset_index(drop=True)


def _remove_ambiguity(dataset, n_samples, repeat, n_starts, settings, target, seed):
    (A, a), (T, _) = _few(dataset, n_samples, repeat, target, seed)
    what = {"dataset": dataset, "n_samples": n_samples, "repeat": repeat}
    rows, relevances = [], []
    for start in range(n_starts):
        model = _started(A, a, settings, seed, dataset, n_samples, repeat, start)
        minimal = model.remove_ambiguity(0.0)
        V = _unseen(A, model.prototypes_)
        printed = model.Omega_ - V @ (V.T @ model.Omega_)
        before = _squared(model.Omega_, A, model.prototypes_)
        measured = {
            "unseen": V.shape[1],
            "distance_change": _change(before, _squared(minimal.Omega_, A, model.prototypes_)),
            "distance_change_printed": _change(before, _squared(printed, A, model.prototypes_)),
            "prediction_change_train": np.mean(model.predict(A) != minimal.predict(A)),
            "prediction_change_test": np.mean(model.predict(T) != minimal.predict(T)),
            "rank_correlation": spearmanr(model.feature_importances_, minimal.feature_importances_).statistic,
        }
        relevances.append((model.feature_importances_, minimal.feature_importances_))
        rows += tidy({**what, "start": start}, measured)
    before, after = np.std(relevances, axis=0).sum(axis=1)
    return rows + tidy({**what, "start": -1}, {"spread_before": before, "spread_after": after})


def _started(X, y, settings, seed, dataset, n_samples, repeat, start):
    """GMLVQ from a random Omega. Orthonormal rows would give all starts, and thus all results, the same Lambda.

    The weight of the entropy is n / 4N: without a validation part, that of the thesis leaves one feature.
    """
    rng = np.random.default_rng(seed_for(seed, "start", name_of(dataset), n_samples, repeat, start))
    Omega = rng.normal(size=(X.shape[1], X.shape[1]))
    return gmlvq(settings, alpha="auto", delete_rate=None, omega_init=Omega).fit(X, y)


def _few(dataset, n_samples, repeat, target, seed):
    """z-scored training part of ``n_samples`` samples with every class, and the remaining samples."""
    X, y = read(dataset, target)
    rng = np.random.default_rng(seed_for(seed, "few", name_of(dataset), n_samples, repeat))
    order = rng.permutation(len(X))
    # Draw from the classes in turn, from each in random order.
    turn = np.concatenate([np.arange(np.sum(y == c)) for c in np.unique(y)])
    by_class = np.concatenate([order[y[order] == c] for c in np.unique(y)])
    order = by_class[np.argsort(turn, kind="stable")]
    n, n_classes = n_samples or len(X) // 2, len(np.unique(y))
    if not n_classes <= n < len(X):
        raise ValueError(
            f"n_samples={n_samples} leaves a class without training samples, or no samples to test; {name_of(dataset)} "
            f"takes {n_classes} to {len(X) - 1}, or 0 for half of them."
        )
    train, test = order[:n], order[n:]
    A, T = scaled("zscore", X[train], X[test])
    return (A, y[train]), (T, y[test])


def _unseen(X, W):
    """Orthonormal eigenvectors, in columns, of C = sum x x^T + sum w w^T (centered) with eigenvalue zero."""
    Z = np.vstack([X, W]) - X.mean(axis=0)
    eigenvalues, vectors = np.linalg.eigh(Z.T @ Z)
    return vectors[:, eigenvalues < 1e-10 * eigenvalues[-1]]


def _squared(Omega, X, W):
    return np.square((X[:, None] - W) @ Omega.T).sum(axis=2)


def _change(before, after):
    """Largest difference, up to a common factor, relative to the largest distance."""
    factor = np.vdot(before, after) / np.vdot(after, after) if np.any(after) else 0.0
    return np.abs(factor * after - before).max() / before.max()


def _delete(dataset, repeat, fold, delete_rate, settings, n_splits, target, seed):
    parts = split(*read(dataset, target), dataset, repeat, fold, n_splits, seed)
    T, t = parts[2]
    model = learn(parts, settings, delete_rate=None)
    rows = []
    rates = [rate for rate in delete_rate if round(rate * model.n_features_in_) < model.n_features_in_]
    for rate in rates or delete_rate:
        minimal = model.remove_ambiguity(rate)
        measured = {
            "auc": area(minimal.decision_function(T), t, minimal.classes_),
            "rank_correlation": _rank_correlation(model.feature_importances_, minimal.feature_importances_),
        }
        rows += tidy({"dataset": dataset, "delete_rate": rate, "repeat": repeat, "fold": fold}, measured)
    return rows


def _rank_correlation(a, b):
    """Spearman's; NaN if all relevances are equal, as at the start of the descent."""
    return np.nan if np.ptp(a) == 0 or np.ptp(b) == 0 else spearmanr(a, b).statistic
