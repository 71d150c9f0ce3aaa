"""Encoding of typed columns, and the plain models that score a selection."""

import warnings
from collections.abc import Callable, Mapping
from typing import Any, Literal

import numpy as np
from sklearn import config_context
from sklearn.compose import ColumnTransformer
from sklearn.exceptions import ConvergenceWarning
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from fscore.dossier.products import Products, responses, significant_products

__all__ = ["MODELS", "encode", "encoder", "fit_predict", "model", "predictions"]

MODELS = ("linear", "linear with products", "k-NN")
N_NEIGHBORS = 11
MOST_CATEGORIES = 12  # the rarer ones share a column
_MOST_FOR_NEWTON = 150  # coefficients; beyond, a Newton step costs more than it saves
_FILL = "(missing)"


def encoder(
    kinds: Mapping[str, str], feature_name_combiner: Literal["concat"] | Callable[[str, Any], str] = "concat"
) -> ColumnTransformer:
    """Transformer from typed columns to numbers: filled, standardized, categories one column per value.

    Parameters
    ----------
    kinds : dict of str to str
    feature_name_combiner : "concat" or callable
        As in `OneHotEncoder`.

    Returns
    -------
    ColumnTransformer
    """
    categories = [name for name, kind in kinds.items() if kind in ("category", "text")]
    numbers = [name for name in kinds if name not in set(categories)]
    steps = []
    if numbers:
        fill = SimpleImputer(strategy="median", keep_empty_features=True)
        steps.append(("numbers", make_pipeline(fill, StandardScaler()), numbers))
    if categories:
        fill = SimpleImputer(strategy="constant", fill_value=_FILL, keep_empty_features=True)
        code = OneHotEncoder(
            drop="if_binary",
            handle_unknown="infrequent_if_exist",
            max_categories=MOST_CATEGORIES,
            sparse_output=False,
            feature_name_combiner=feature_name_combiner,
        )
        steps.append(("categories", make_pipeline(fill, code), categories))
    return ColumnTransformer(steps, verbose_feature_names_out=False)


def _only_feature(feature, category):
    return feature


def encode(X, kinds, units, train, test=None):
    """Encode, with medians, scales and categories of the training rows.

    Parameters
    ----------
    X : DataFrame
        Typed.
    kinds : dict of str to str
    units : list of Unit
    train : ndarray of int
    test : ndarray of int, optional

    Returns
    -------
    A : ndarray of shape (n_train, n_encoded)
    B : ndarray of shape (n_test, n_encoded) or None
    owner : ndarray of shape (n_encoded,)
        Number of the unit that each encoded column belongs to.
    """
    names = [name for unit in units for name in unit.columns]
    made = encoder({name: kinds[name] for name in names}, _only_feature)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # categories that the training rows lack
        A = made.fit_transform(X.iloc[train])
        B = None if test is None else made.transform(X.iloc[test])
    unit_of = {name: number for number, unit in enumerate(units) for name in unit.columns}
    steps = [(made.named_transformers_[name], columns) for name, _, columns in made.transformers]
    owner = np.concatenate([_owners(step, columns, unit_of) for step, columns in steps])
    return A, B, owner


def _owners(step, columns, unit_of):
    """Units of the encoded columns of one step, in its order."""
    if isinstance(step[-1], StandardScaler):
        return np.array([unit_of[name] for name in columns])
    return np.array([unit_of[name] for name in step[-1].get_feature_names_out(columns)])


def model(name, task, n_samples, n_encoded=1, n_classes=2):
    """A model by name.

    Parameters
    ----------
    name : {"linear", "linear with products", "k-NN"}
    task : {"classification", "regression"}
    n_samples, n_encoded, n_classes : int
        Size of what it will be trained on: decides the number of neighbours, and the solver.

    Returns
    -------
    estimator
    """
    if name == "linear with products":
        return make_pipeline(Products(task), model("linear", task, n_samples, n_encoded, n_classes))
    if name == "linear":
        if task == "regression":
            return Ridge(alpha=1.0)
        solver = "newton-cholesky" if n_encoded * n_classes <= _MOST_FOR_NEWTON else "lbfgs"
        return LogisticRegression(C=1.0, class_weight="balanced", max_iter=200, solver=solver)
    k = max(1, min(N_NEIGHBORS, n_samples // 4))
    return KNeighborsClassifier(k) if task == "classification" else KNeighborsRegressor(k, weights="distance")


def fit_predict(name, task, A, y, B):
    """Predictions for B of a model trained on A."""
    with warnings.catch_warnings(), config_context(skip_parameter_validation=True):
        warnings.simplefilter("ignore", ConvergenceWarning)
        n_classes = len(np.unique(y)) if task == "classification" else 1
        return model(name, task, *A.shape, n_classes).fit(A, y).predict(B)


def predictions(names, task, A, y, B):
    """Predictions for B of several models trained on A, by name; one that would be fitted twice is fitted once."""
    found = {name: fit_predict(name, task, A, y, B) for name in names if name != "linear with products"}
    if "linear with products" in names:
        same = "linear" in names and not significant_products(A, responses(y, task))
        found["linear with products"] = found["linear"] if same else fit_predict("linear with products", task, A, y, B)
    return found
