"""The models that score a selection, a linear one and two ensembles of trees, from typed columns to predictions."""

import warnings
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

import numpy as np
import pandas as pd
from sklearn import config_context, ensemble
from sklearn.compose import ColumnTransformer, TransformedTargetRegressor
from sklearn.exceptions import ConvergenceWarning
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler, TargetEncoder

from fscore._sklearn import TARGET_ENCODER_TAKES_SPLITTERS
from fscore.datasets.columns import ColumnTypes
from fscore.report.derived import OfferedColumns
from fscore.report.products import Products

__all__ = [
    "MODELS",
    "Encoded",
    "encode",
    "encoded_model",
    "fit_predict",
    "make_estimator",
    "make_model",
    "with_means",
]

MODELS = {
    "linear": "a linear model with significant products of two columns",
    "trees": "gradient boosting of decision trees",
    "forest": "a forest of randomized decision trees",
}
_WORDS = ("category", "text")  # kinds of columns that hold no numbers
_MOST_CATEGORIES = 12  # that the linear model gets columns for; the rarer ones share a column
_MOST_CODES = 200  # that the trees tell apart; 255 is their limit
TREES = {"early_stopping": False, "max_leaf_nodes": 15, "min_samples_leaf": 10, "max_iter": 100, "random_state": 0}
FOREST = {"n_estimators": 200, "max_features": 1 / 3, "min_samples_leaf": 2, "max_leaf_nodes": 1000, "random_state": 0}


class _Balanced:
    """Trees whose classes have equal weight, however frequent they are.

    The probabilities of the classes are divided by their frequencies in training. Weights of the rows would do
    the same, but make the binning of numbers twenty times slower.
    """

    def fit(self, X, y):
        """Fit, and keep the frequencies of the classes."""
        super().fit(X, y)
        self.prior_ = np.unique(y, return_counts=True)[1] / len(y)
        return self

    def predict_proba(self, X):
        """Probability of each class if all were equally frequent."""
        chances = super().predict_proba(X) / self.prior_
        return chances / chances.sum(axis=1, keepdims=True)

    def predict(self, X):
        """The most probable class."""
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


class _EmptyColumns:
    """Trees that take a column without any value, as the first rows in time may have; scikit-learn 1.9 fails."""

    def fit(self, X, y):
        """Fit, with zeros in such columns, which no tree uses then."""
        empty = np.isnan(X).all(axis=0)
        return super().fit(np.where(empty, 0.0, X) if empty.any() else X, y)


class BalancedTrees(_Balanced, _EmptyColumns, ensemble.HistGradientBoostingClassifier):
    """Gradient boosting whose classes count alike."""


class Trees(_EmptyColumns, ensemble.HistGradientBoostingRegressor):
    """Gradient boosting of a quantity in any unit; gradients are of single precision."""

    def fit(self, X, y):
        """Fit to the target scaled by a power of two, so that it lies within -1 and 1."""
        self.exponent_ = int(np.frexp(np.abs(y).max())[1])
        return super().fit(X, np.ldexp(y, -self.exponent_))

    def predict(self, X):
        """The predicted targets."""
        return np.ldexp(super().predict(X), self.exponent_)


class BalancedForest(_Balanced, ensemble.ExtraTreesClassifier):
    """A forest whose classes count alike."""


def with_means(X, kinds, groups=None):
    """Names of the categories whose mean targets the linear model takes.

    They have more values than one-hot encoding keeps. If groups divide the rows, some value lies in several of them: a
    new group has other values of the rest, whose means it can't use.

    Parameters
    ----------
    X : DataFrame
        Typed, or codes.
    kinds : dict of str (or int, the number of the column) to str
    groups : ndarray of shape (n_samples,), optional
        By which rows are divided into training and test parts.

    Returns
    -------
    list of str or int
    """

    def is_shared(column):
        return groups is None or pd.Series(groups).groupby(column.to_numpy()).nunique().max() > 1

    words = (name for name, kind in kinds.items() if kind in _WORDS)
    return [name for name in words if X[name].nunique() > _MOST_CATEGORIES and is_shared(X[name])]


class _MeanTarget(TargetEncoder):
    """Mean target of each rare category, of training rows from the other folds; fewer of them for small classes.

    Frequent categories have indicators, and share one mean here: beside an indicator, the mean over the other folds
    would tell that over a row's own fold, and the linear model would learn from it.
    """

    def fit_transform(self, X, y):
        """Fit, and encode the training rows."""
        of_values = self.target_type == "continuous"
        smallest = len(y) if of_values else np.unique(y, return_counts=True)[1].min()
        self.cv = max(2, min(5, int(smallest)))
        if TARGET_ENCODER_TAKES_SPLITTERS:
            self.cv = (KFold if of_values else StratifiedKFold)(self.cv, shuffle=True, random_state=0)
        self._frequent = [column.value_counts().index[: _MOST_CATEGORIES - 1] for _, column in pd.DataFrame(X).items()]
        return super().fit_transform(self._rare(X), y)

    def transform(self, X):
        """Encode other rows."""
        return super().transform(self._rare(X))

    def _rare(self, X):
        columns = zip(pd.DataFrame(X).items(), self._frequent, strict=True)
        return pd.DataFrame({name: column.mask(column.isin(frequent)) for (name, column), frequent in columns})


def encoder(kinds, model, task, means):
    """Transformer from typed columns to numbers, as a model needs them; numbers come first.

    Parameters
    ----------
    kinds : dict of str (or int, the number of the column) to str
    model : {"linear", "trees", "forest"}
        For the linear model and the forest numbers are filled and standardized, and a category has one column per
        value, with the rarer ones in one; boosted trees take missing values as they are, and categories as codes.
    task : {"classification", "regression"}
    means : list of str or int
        As from `with_means`.

    Returns
    -------
    ColumnTransformer
    """
    categories = [name for name, kind in kinds.items() if kind in _WORDS]
    numbers = [name for name, kind in kinds.items() if kind not in _WORDS]
    if model == "trees":
        prepare = "passthrough"
        code = OrdinalEncoder(
            handle_unknown="use_encoded_value",
            unknown_value=np.nan,
            encoded_missing_value=np.nan,
            max_categories=_MOST_CODES,
        )
    else:
        prepare = make_pipeline(SimpleImputer(strategy="median", keep_empty_features=True), StandardScaler())
        code = OneHotEncoder(
            drop="if_binary",
            handle_unknown="infrequent_if_exist",
            max_categories=_MOST_CATEGORIES,
            sparse_output=False,
        )
    steps = [("numbers", prepare, numbers), ("categories", code, categories)]
    if model != "trees":
        seed = {} if TARGET_ENCODER_TAKES_SPLITTERS else {"random_state": 0}
        mean = _MeanTarget(target_type="continuous" if task == "regression" else "auto", **seed)
        steps.append(("means", make_pipeline(mean, StandardScaler()), means))
    return ColumnTransformer(steps, verbose_feature_names_out=False)


def make_estimator(model, task, categorical=None):
    """A model that is not fitted.

    Parameters
    ----------
    model : {"linear", "trees", "forest"}
    task : {"classification", "regression"}
    categorical : sequence of bool, optional
        Which columns of the trees hold codes of categories.

    Returns
    -------
    estimator
    """
    if model == "linear":
        classifier = LogisticRegression(C=1.0, class_weight="balanced", max_iter=200)
        return make_pipeline(Products(task), Ridge(alpha=1.0) if task == "regression" else classifier)
    if model == "forest":
        if task == "classification":
            return BalancedForest(**FOREST)
        # In any unit.
        return TransformedTargetRegressor(ensemble.ExtraTreesRegressor(**FOREST), transformer=StandardScaler())
    shared = TREES | {"categorical_features": categorical}
    return Trees(**shared) if task == "regression" else BalancedTrees(**shared)


def encoded_model(model, kinds, task, means=()):
    """Encoder and model, not fitted.

    Parameters
    ----------
    model : {"linear", "trees", "forest"}
    kinds : dict of str to str
        Kind of each typed column.
    task : {"classification", "regression"}
    means : list of str, default=()
        As from `with_means`.

    Returns
    -------
    Pipeline
    """
    estimator = make_estimator(model, task, sorted(kind in _WORDS for kind in kinds.values()))  # numbers come first
    return make_pipeline(
        encoder(kinds, model, task, list(means)), *(estimator if isinstance(estimator, Pipeline) else [estimator])
    )


def make_model(
    problem: Any, model: Literal["linear", "trees", "forest"], columns: Sequence[str] | None = None
) -> Pipeline:
    """The pipeline of a report, from the columns of a file to predictions; not fitted.

    Parameters
    ----------
    problem : Problem
        See `build_problem`.
    model : {"linear", "trees", "forest"}
    columns : list of str, optional
        Columns of ``problem.X`` that it uses; all by default.

    Returns
    -------
    Pipeline
    """
    columns = problem.columns if columns is None else list(columns)
    sources = dict.fromkeys(source for name in columns for source in problem.source_columns(name))
    steps: list[Any] = [ColumnTypes({source: problem.types[source] for source in sources})]
    if derived := {name: problem.derived[name] for name in columns if name in problem.derived}:
        steps.append(OfferedColumns(columns, derived))
    kinds = {name: problem.kinds[name] for name in columns}
    means = with_means(problem.X, kinds, problem.groups)
    return make_pipeline(*steps, *encoded_model(model, kinds, problem.task, means))


class Encoded(NamedTuple):
    """Training and test rows as numbers, for one model.

    Attributes
    ----------
    A, B : ndarray of shape (n_train, n_encoded), (n_test, n_encoded)
    source : ndarray of shape (n_encoded,)
        Number of the column that each encoded one comes from.
    categorical : ndarray of bool of shape (n_encoded,)
        Whether it holds codes.
    """

    A: np.ndarray
    B: np.ndarray
    source: np.ndarray
    categorical: np.ndarray


def encode(X, kinds, rows, train, test=()):
    """Encode for the linear model and for boosted trees, with medians, scales and categories of the training rows.

    Parameters
    ----------
    X : DataFrame
        Typed.
    kinds : dict of str to str
    rows : Rows
        Target and groups of all samples.
    train, test : ndarray of int

    Returns
    -------
    dict of str to Encoded
    """
    are_words = np.array([kinds[name] in _WORDS for name in X])
    # Numbers of columns and of words, since scikit-learn is slow with thousands of columns of a data frame.
    values = np.empty(X.shape, order="F")
    values[:, ~are_words] = X.loc[:, ~are_words]
    for column in np.flatnonzero(are_words):
        codes = pd.factorize(X.iloc[:, column], sort=True)[0]
        values[:, column] = np.where(codes < 0, np.nan, codes)
    numbered = dict(enumerate(kinds[name] for name in X))
    means = with_means(pd.DataFrame(values), numbered, rows.groups)
    encoded = {}
    for model in ("linear", "trees"):
        coder = encoder(numbered, model, rows.task, means)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # rare classes; categories that the training rows lack
            A = coder.fit_transform(values[train], rows.y[train])
            B = coder.transform(values[test]) if len(test) else A[:0]
        source = np.array([int(name[1:].split("_")[0]) for name in coder.get_feature_names_out()])  # "x3", "x4_0.0"
        encoded[model] = Encoded(A, B, source, are_words[source] & (model == "trees"))
    return encoded


def fit_predict(model, task, encoded, chosen, y):
    """Predictions for the test rows of a model trained on some of the columns.

    Parameters
    ----------
    model : {"linear", "trees", "forest"}
    task : {"classification", "regression"}
    encoded : dict of str to Encoded
    chosen : sequence of int
        Columns, before encoding.
    y : ndarray of shape (n_train,)

    Returns
    -------
    ndarray of shape (n_test,)
    """
    A, B, source, categorical = encoded["trees" if model == "trees" else "linear"]
    columns = np.isin(source, chosen)
    with warnings.catch_warnings(), config_context(skip_parameter_validation=True):
        warnings.simplefilter("ignore", ConvergenceWarning)
        return make_estimator(model, task, categorical[columns]).fit(A[:, columns], y).predict(B[:, columns])
