"""The report beside other ways to choose columns: size of the set, and score on rows that no choice has seen."""

import warnings
from types import SimpleNamespace

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.feature_selection import RFECV
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from compendium.units import name_of, seed_for, tidy
from fscore.report.analysis import Analysis, Settings
from fscore.report.outputs import final_model
from your.planting import through_a_file, with_class

SCORING = "balanced_accuracy"
SMALLEST, EVERYTHING = "report, smallest good set", "all columns, boosting"


def report(train, test, seed):
    """The set that the report chooses, and the smallest that it calls good, with its model."""
    problem = through_a_file(train, "class")
    selected = Analysis(problem, Settings(problem.task, seed=seed)).run("select")
    found = {}
    for name, size in (("report", "size"), (SMALLEST, "small")):
        columns = selected["order"][: selected[size]]
        model = final_model(problem, SimpleNamespace(model=selected["model"], recommended=columns))
        found[name] = len(columns), model.predict(test)
    return found


def rfecv(train, test, seed):
    """Recursive elimination by coefficients; cross-validation chooses the size; logistic regression."""
    model = RFECV(LogisticRegression(max_iter=1000), cv=5, scoring=SCORING)
    fitted = make_pipeline(StandardScaler(), model).fit(*_parts(train))
    return {"RFECV": (fitted[-1].n_features_, fitted.predict(_parts(test)[0]))}


def l1(train, test, seed):
    """Logistic regression with an L1 penalty, which cross-validation chooses."""
    model = LogisticRegression(l1_ratio=1, solver="saga", max_iter=300, tol=1e-3, random_state=seed)
    search = GridSearchCV(model, {"C": [0.03, 0.1, 0.3, 1.0, 3.0]}, cv=5, scoring=SCORING)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # weak penalties are close enough after 300 steps
        fitted = make_pipeline(StandardScaler(), search).fit(*_parts(train))
    used = np.any(fitted[-1].best_estimator_.coef_ != 0, axis=0)
    return {"L1": (used.sum(), fitted.predict(_parts(test)[0]))}


def boruta(train, test, seed):
    """Columns whose importance in a forest beats permuted copies; a forest of these, or of all if there are none."""
    from boruta import BorutaPy

    X, y = _parts(train)
    search = BorutaPy(RandomForestClassifier(max_depth=5, random_state=seed), n_estimators=100, random_state=seed)
    support = search.fit(X, y).support_
    columns = np.flatnonzero(support) if support.any() else np.arange(X.shape[1])
    forest = RandomForestClassifier(300, random_state=seed).fit(X[:, columns], y)
    return {"Boruta": (len(columns), forest.predict(_parts(test)[0][:, columns]))}


def boosting(train, test, seed):
    """All columns, by gradient boosting with scikit-learn's defaults."""
    X, y = _parts(train)
    model = HistGradientBoostingClassifier(random_state=seed).fit(X, y)
    return {EVERYTHING: (X.shape[1], model.predict(_parts(test)[0]))}


RIVALS = {function.__name__: function for function in (report, rfecv, l1, boruta, boosting)}


def _parts(table):
    return table.drop(columns="class").to_numpy(dtype=float), table["class"].to_numpy()


def choose_and_score(dataset, target, rival, split, n_splits, seed):
    """Choose columns from the training part of one split, and predict its test part: size and balanced accuracy."""
    table = with_class(dataset, target)
    splitter = StratifiedKFold(n_splits, shuffle=True, random_state=seed_for(seed, "rivals", name_of(dataset)))
    train, test = list(splitter.split(table, table["class"]))[split]
    rest = table.iloc[test].reset_index(drop=True)
    seed = seed_for(seed, "rivals", name_of(dataset), split)
    truth, rows = rest["class"].astype(str), []
    for name, (size, predicted) in RIVALS[rival](table.iloc[train].reset_index(drop=True), rest, seed).items():
        accuracy = balanced_accuracy_score(truth, np.asarray(predicted).astype(str))
        what = {"dataset": name_of(dataset), "method": name, "split": split}
        rows += tidy(what, {"size": size, "accuracy": accuracy})
    return rows
