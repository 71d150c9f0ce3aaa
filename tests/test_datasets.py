"""The contents: every data set against what the registry says of it, and generators."""

import csv
import re
import warnings
from collections import Counter
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import fscore
from fscore.datasets import DatasetUnavailableError, available, load, status
from fscore.datasets.parsing import FORMATS
from fscore.datasets.registry import REGISTRY as REGISTRY_FILE
from fscore.datasets.registry import read_registry

PACKAGE = Path(fscore.__file__).parent
REGISTRY = read_registry()
CLASS_COUNTS = {}  # by name and label, summed over the files of a data set
with open(REGISTRY_FILE, newline="", encoding="utf-8") as stream:
    for row in csv.DictReader(stream):
        counts = (item.rpartition(":") for item in row["class_counts"].split())
        CLASS_COUNTS.setdefault(row["name"], Counter()).update({label: int(count) for label, _, count in counts})
HERE = ("bundled", "generated", "local", "mirror")


def loaded(name, **options):
    if status(name) not in HERE:
        pytest.skip(f"{name} is not on this machine (FSCORE_DATA_MIRROR names no folder that has it)")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return load(name, **options)


# --- every data set -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [n for n, d in REGISTRY.items() if d.kind != "not public" and n != "gisette"])
def test_data_are_what_the_registry_says(name):
    known, bunch = REGISTRY[name], loaded(name)
    assert bunch.data.shape == (known.n_samples, known.n_features)
    assert bunch.data.dtype == np.float64
    assert bunch.data.flags.c_contiguous
    assert bunch.target.shape == (known.n_samples,)
    assert np.isnan(bunch.data).sum() == known.missing
    assert not np.isinf(bunch.data).any()
    assert len(set(bunch.feature_names)) == known.n_features
    assert bunch.name == name
    assert name in bunch.DESCR
    if known.n_classes is None:
        assert bunch.target.dtype == np.float64  # housing, the only regression
        return
    counts = Counter(bunch.target.tolist())
    if known.kind == "bundled":  # the registry has scikit-learn's class names, the target their numbers
        counts = {bunch.target_names[label]: count for label, count in counts.items()}
    assert len(counts) == known.n_classes == len(bunch.target_names)
    if CLASS_COUNTS[name]:
        assert {str(label): count for label, count in counts.items()} == CLASS_COUNTS[name]
    assert bunch.target.dtype.kind in "iU"


@pytest.mark.parametrize(
    ("name", "train", "test"),
    [
        ("ionosphere", 200, 151),
        ("spectf", 80, 187),
        ("vowel", 528, 462),
        ("madelon", 2000, 600),
        ("satimage", 4435, 2000),
        ("optdigits", 3823, 1797),
        ("segment_image", 210, 2100),
        ("golub", 38, 34),
    ],
)
def test_original_split_is_kept_and_can_be_selected(name, train, test):
    bunch = loaded(name)
    assert (len(bunch.split.train), len(bunch.split.test)) == (train, test)
    assert sorted([*bunch.split.train, *bunch.split.test]) == list(range(train + test))
    part = load(name, subset="train")
    np.testing.assert_array_equal(part.data, bunch.data[bunch.split.train])
    np.testing.assert_array_equal(part.target, bunch.target[bunch.split.train])
    assert part.split is None


@pytest.mark.parametrize(("name", "groups"), [("parkinsons", 32), ("musk1", 92), ("musk2", 102), ("vowel", 15)])
def test_rows_of_one_person_or_molecule_share_a_group(name, groups):
    bunch = loaded(name)
    assert bunch.groups.shape == bunch.target.shape
    assert len(np.unique(bunch.groups)) == groups
    if name == "parkinsons":  # the diagnosis belongs to the person
        assert all(len(set(bunch.target[bunch.groups == person])) == 1 for person in set(bunch.groups))
    if name == "vowel":  # the split is by speaker
        assert not set(bunch.groups[bunch.split.train]) & set(bunch.groups[bunch.split.test])


@pytest.mark.parametrize(
    ("name", "columns", "values", "names"),
    [
        ("pima", slice(None), [6, 148, 72, 35, 0, 33.6, 0.627, 50], {}),
        ("bupa", slice(None), [85, 92, 45, 27, 31, 0], {}),
        ("seeds", slice(None), [15.26, 14.84, 0.871, 5.763, 3.312, 2.221, 5.22], {}),
        ("vowel", [0, 9], [-3.639, -0.814], {}),
        ("madelon", [0, 1, 2], [485, 477, 537], {}),
        ("spectf", [0, 43], [59, 67], {}),
        ("wpbc", [0, 1], [31, 18.02], {0: "time"}),
        ("parkinsons", [0, 15, 16], [119.992, 21.033, 0.414783], {15: "HNR", 16: "RPDE"}),
        ("segment_image", [0, 18], [140.0, -1.1218182], {0: "REGION-CENTROID-COL", 18: "HUE-MEAN"}),
    ],
)
def test_first_rows_equal_those_of_the_files(name, columns, values, names):
    bunch = loaded(name)
    assert bunch.data[0, columns].tolist() == values
    assert {column: bunch.feature_names[column] for column in names} == names


def test_bundled_copies_against_the_original_files():
    np.testing.assert_array_equal(load("wdbc").data, loaded("wdbc_uci").data)
    np.testing.assert_array_equal(load("wine").data, loaded("wine_uci").data)
    differing = (load("iris").data != loaded("iris_uci").data).any(axis=1)
    assert (np.flatnonzero(differing) + 1).tolist() == [35, 38]
    test_part = loaded("optdigits", subset="test")
    np.testing.assert_array_equal(load("digits").data, test_part.data)
    np.testing.assert_array_equal(load("digits").target, test_part.target)


def test_derived_sets_are_parts_of_their_origin():
    full, complete = loaded("dermatology"), loaded("dermatology_358")
    np.testing.assert_array_equal(complete.data, full.data[~np.isnan(full.data[:, -1])])
    full, part = loaded("wpbc"), loaded("wpbc_31")
    np.testing.assert_array_equal(part.data, full.data[:, 1:-1])
    assert part.feature_names == full.feature_names[1:-1]
    digits, two = loaded("optdigits"), loaded("opt38")
    np.testing.assert_array_equal(two.data, digits.data[np.isin(digits.target, [3, 8])])
    assert (len(two.split.train), len(two.split.test)) == (769, 357)
    price, classes = loaded("housing").target, loaded("house").target
    edges = [(price[classes == c].min(), price[classes == c].max()) for c in range(5)]
    assert all(low[1] < high[0] for low, high in pairwise(edges))  # ordered, and no price in two classes


def test_registry_is_complete_and_regular():
    assert set(FORMATS) <= set(REGISTRY)
    hashes = {}
    for dataset in REGISTRY.values():
        assert dataset.kind in ("bundled", "generated", "download", "not public")
        assert dataset.licence
        assert all(re.fullmatch(r"[a-z]+\d{4}", paper) for paper in dataset.papers)
        for file in dataset.files:
            assert file.url.startswith("https://")
            assert len(file.sha256) == 64
            assert hashes.setdefault(file.path, file.sha256) == file.sha256  # a shared file has one hash
    for name in ("adrenal_tumour", "mammogram", "xpxinsar", "bt_speech"):
        assert status(name) == "not public"


# --- options of load ----------------------------------------------------------------------------------------------


def test_forms_of_the_result():
    bunch = load("wine")
    X, y = load("wine", return_X_y=True)
    np.testing.assert_array_equal(X, bunch.data)
    np.testing.assert_array_equal(y, bunch.target)
    framed = load("wine", as_frame=True)
    assert list(framed.data.columns) == bunch.feature_names
    np.testing.assert_array_equal(framed.frame["target"], y)
    X, y = load("wine", return_X_y=True, as_frame=True)
    assert isinstance(X, pd.DataFrame)
    assert isinstance(y, pd.Series)


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("winne", {}, "unknown data set 'winne'. Did you mean wine"),
        (None, {}, "unknown data set None"),
        ("wine", {"n_samples": 10}, "wine is not generated, so it has no option n_samples"),
        ("wine", {"target": "x"}, "the target of wine is fixed"),
        ("wine", {"subset": "train"}, "has no part 'train'; its parts, as published, are: all"),
        ("wine", {"subset": "tain"}, "has no part 'tain'"),
        ("wide_gaussian", {"n_feature": 3}, "has no option n_feature; its options are: n_samples, n_features"),
        ("gaussian_pair", {"n_samples": 1}, "n_samples must be at least 2"),
        ("gaussian_pair", {"n_samples": 10.5}, "'n_samples' parameter of gaussian_pair must be an int .* Got 10.5"),
        ("gaussian_pair", {"n_features": -1}, "'n_features' parameter of gaussian_pair must be an int .* Got -1"),
        ("gaussian_pair", {"n_samples": True}, "'n_samples' parameter of gaussian_pair must be an int .* Got True"),
        ("gaussian_pair", {"shift": np.nan}, "'shift' parameter of gaussian_pair must be a float .* Got nan"),
        ("three_features", {"shift": 3}, "'shift' parameter of three_features must be an array-like. Got 3"),
        *(
            ("three_features", {"shift": shift}, r"shift=.* must be two numbers, one for each normal feature")
            for shift in ((1,), (1, 2, 3), (np.nan, 1), ("a", "b"))
        ),
        ("wide_gaussian", {"n_relevant": 8000}, "n_relevant=8000 exceeds n_features=7129; give fewer"),
        *(("gaussian_pair", {"random_state": seed}, "seed|Seed") for seed in ("x", -1, 1.5)),
    ],
)
def test_wrong_calls_raise_one_sentence(name, options, message):
    with pytest.raises(ValueError, match=message):
        load(name, **options)


@pytest.mark.parametrize("name", ["xpxinsar", "gisette"])
def test_unavailable_data_sets_say_why(name):
    with pytest.raises(DatasetUnavailableError, match=rf"{name} is .*public.* load that by its path"):
        load(name)


def test_available():
    table = available()
    assert list(table.index) == list(REGISTRY)
    assert table.loc["iris", "status"] == "bundled"
    assert set(available(paper="andonie2004").index) == {"iris", "ionosphere", "vowel"}
    present, absent = available(present=True), available(present=False)
    assert len(present) + len(absent) == len(table)
    assert set(present["status"]) <= set(HERE)
    assert "gisette" in absent.index
    with pytest.raises(ValueError, match="unknown paper 'nel'; known are: andonie2004"):
        available(paper="nel")


def test_default_folder_is_that_of_pooch(monkeypatch):
    import pooch

    from fscore.datasets.registry import data_folder

    monkeypatch.delenv("FSCORE_DATA", raising=False)
    assert data_folder() == pooch.os_cache("fscore")


# --- generated ----------------------------------------------------------------------------------------------------

GENERATED = [n for n, d in REGISTRY.items() if d.kind == "generated"]


@pytest.mark.parametrize("name", GENERATED)
def test_same_seed_same_data(name):
    first, again, other = load(name), load(name), load(name, random_state=1)
    np.testing.assert_array_equal(first.data, again.data)
    np.testing.assert_array_equal(first.target, again.target)
    assert first.sha256 == again.sha256 != other.sha256


def test_gaussian_pair_moments():
    X, y = load("gaussian_pair", return_X_y=True, n_samples=20_000, shift=1.0)
    tolerance = 5 / np.sqrt(10_000)  # five standard errors of a mean or covariance of 10,000 unit normals
    for label in (0, 1):
        np.testing.assert_allclose(X[y == label].mean(axis=0), label, atol=tolerance)
        np.testing.assert_allclose(np.cov(X[y == label].T), np.eye(2), atol=np.sqrt(2) * tolerance)


def test_three_features_single_feature_errors():
    from scipy.stats import norm

    X, y = load("three_features", return_X_y=True, n_samples=20_000)
    for feature, shift in ((0, 4.0), (1, 3.0), (2, 0.0)):
        expected = norm.cdf(-shift / 2)  # error of the threshold midway between the means
        threshold = shift / 2 if shift else 5.0
        error = np.mean((X[:, feature] > threshold) != y)
        assert abs(error - expected) < 5 * np.sqrt(0.25 / 20_000)
    assert X[:, 2].min() >= 0
    assert X[:, 2].max() <= 10


def test_surrounded_class_lies_between_the_modes():
    X, y = load("surrounded_class", return_X_y=True, n_samples=8_000, distance=4.0)
    along = X.sum(axis=1) / np.sqrt(2)  # the axis through the three centres
    modes = along[y == 1]
    assert abs(np.mean(modes > 0) - 0.5) < 0.01
    assert abs(along[y == 0].mean()) < 5 / np.sqrt(4_000)
    assert abs(modes[modes > 0].mean() - 4 * np.sqrt(2)) < 5 / np.sqrt(2_000)
    assert abs(modes[modes < 0].mean() + 4 * np.sqrt(2)) < 5 / np.sqrt(2_000)


def test_relevant_features_differ_between_classes():
    wide = load("wide_gaussian", n_samples=2_000, n_features=200)
    gap = abs(wide.data[wide.target == 1].mean(axis=0) - wide.data[wide.target == 0].mean(axis=0))
    assert sorted(np.argsort(gap)[-20:]) == wide.relevant.tolist()
