"""The scikit-learn contract: checks, pipelines, grids, DataFrames, metadata."""

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.datasets import load_iris, load_wine
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.compose import make_column_transformer
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from fscore.criteria import Bhattacharyya, CVAccuracy, Mahalanobis
from fscore.search import (
    PBIL,
    SBFS,
    SBS,
    SFFS,
    SFS,
    BestIndividual,
    BranchAndBound,
    DynamicOscillatingSearch,
    ExhaustiveSearch,
    GeneticSearch,
    OscillatingSearch,
    PlusLMinusR,
    RandomSearch,
)

KNN = KNeighborsClassifier(1)
SEARCHES = [
    BestIndividual(KNN, cv=2),
    SFS(KNN, cv=2),
    SBS(KNN, cv=2),
    SFFS(KNN, cv=2),
    SBFS(KNN, cv=2),
    PlusLMinusR(KNN, cv=2),
    OscillatingSearch(KNN, cv=2, depth=2),
    DynamicOscillatingSearch(KNN, cv=2, depth=2),
    ExhaustiveSearch(KNN, 1, cv=2),
    BranchAndBound(Mahalanobis(), 1),
    PBIL(KNN, cv=2, population=5, max_generations=3, random_state=0),
    GeneticSearch(KNN, cv=2, population=5, generations=2, random_state=0),
    RandomSearch(KNN, cv=2, n_iter=5, random_state=0),
    SFS(Bhattacharyya()),
    SFS(DecisionTreeClassifier(random_state=0), 1, cv=2),
]


@parametrize_with_checks(SEARCHES)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
