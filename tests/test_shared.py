"""What several subpackages share: checks of labels, targets, samples and folds; files, the AUC, the command line."""

import errno
import importlib
import os
import re
import subprocess
import sys
from contextlib import redirect_stdout
from functools import partial
from io import StringIO
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.datasets import load_iris
from sklearn.metrics import roc_auc_score
from sklearn.neighbors import KNeighborsClassifier

from fscore.__main__ import main
from fscore._columns import refuse_dates
from fscore._files import write_atomically, write_together
from fscore._validation import check_features, check_labeled, encode_labels
from fscore.criteria import Bhattacharyya, CVAccuracy
from fscore.filters import fisher_score, mutual_information
from fscore.lvq import LVQ1
from fscore.lvq.generalized import area
from fscore.neighbors import KNeighborsClassifierCV
from fscore.neural import RANNClassifier
from fscore.search import SFS, nested_score
from fscore.weighting import LMNN, Simba


@pytest.mark.parametrize(
    ("y", "sentence"),
    [
        ([[0, 1], [1, None], [0, 0]], "y has missing values (1, the first in row 1)"),
        (np.zeros((3, 2)), "y has shape (3, 2), but one label per sample is needed"),
        (np.array([1 + 1j, b"a", 2], dtype=object), "Unknown label type: y is an array of objects with (1+1j), which"),
        (
            pd.Series([0, 1, 1], dtype=object),
            "Unknown label type: y is an array of objects with 0, which is no text; co",
        ),
    ],
)
def test_labels_that_cannot_be_used_are_refused(y, sentence):
    with pytest.raises(ValueError, match=f"^{re.escape(sentence)}"):
        encode_labels(y)


@pytest.mark.parametrize("labels", [["a", None] * 5, [0, None] * 5])
def test_missing_labels_of_polars_are_counted(labels):
    search = SFS(KNeighborsClassifier(1), 1, cv=2)
    for use in (check_labeled, search.fit, CVAccuracy().bind, partial(nested_score, search)):
        with pytest.raises(ValueError, match=r"^y has missing values \(5, the first in row 1\)"):
            use(np.arange(10.0)[:, None], pl.Series(labels))


@pytest.mark.parametrize(
    "container",
    [
        np.asarray,
        np.ndarray.tolist,
        lambda codes: codes.astype(object),
        lambda codes: pd.DataFrame(codes, dtype=object),
        pd.DataFrame,
        lambda codes: pd.DataFrame(codes, dtype="Int64"),
        lambda codes: pl.DataFrame(codes, ["0", "1"]),
    ],
)
def test_codes_that_become_equal_as_floats_are_refused(container):
    codes = np.array([[1, 10**17 + 1], [2, 10**17 + 2], [3, 10**17 + 3]])
    with pytest.raises(ValueError, match=r"^Column 1 of X holds whole numbers beyond 2\*\*53, of which different"):
        check_features(container(codes))
    assert check_features(container(codes - [0, 10**17])).tolist() == [[1, 1], [2, 2], [3, 3]]
    assert check_features(container((codes - [0, 10**17]) * [1, 2**55])).shape == (3, 2)  # different as floats


CONTAINERS = [
    lambda columns: np.column_stack(list(columns.values())),
    lambda columns: np.column_stack([np.array(values, dtype=object) for values in columns.values()]),
    lambda columns: list(map(list, zip(*columns.values(), strict=True))),
    pd.DataFrame,
    partial(pd.DataFrame, dtype=object),
    lambda columns: pd.DataFrame(columns).convert_dtypes().astype(object),
    partial(pl.DataFrame, strict=False),
]


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize(
    ("wrong", "remedy"),
    [
        ("a" * 99, "encode it, for example by OrdinalEncoder, or leave the column out"),
        (np.nan, "fill in missing values, for example by SimpleImputer, or leave the column out"),
        (None, "fill in missing values"),
        (np.inf, "replace the infinite values"),
        (-np.inf, "replace the infinite values"),
    ],
    ids=str,
)
def test_a_value_that_is_no_finite_number_is_refused_with_its_column(container, wrong, remedy):
    y = [0, 1] * 4
    X = container({"a": [1.5, 2, 0, 1, 3, 7, 5, 6], "b": [0.5, 1, 2, wrong, 4, 5, 6, 7]})
    name = "b" if hasattr(X, "columns") else 1
    value = "NaN" if wrong is None else re.escape(repr(wrong).replace("nan", "NaN").replace("a" * 99, "a" * 50))
    for use in (check_features, SFS(Bhattacharyya(), 1).fit, fisher_score, mutual_information, Simba().fit, LVQ1().fit):
        with pytest.raises(ValueError, match=rf"^Column {name} of X holds {value}, .*; {remedy}"):
            use(X) if use is check_features else use(X, y)


@pytest.mark.parametrize("values", [np.arange(10.0), np.arange(10), list("ab") * 5, pd.date_range("2020", periods=10)])
def test_a_series_is_not_a_table(values):
    with pytest.raises(ValueError, match=r"2-dimensional|2D|could not convert"):
        check_labeled(pd.Series(values), np.arange(10) % 2)
    with pytest.raises(ValueError, match=r"2-dimensional|2D"):
        SFS(KNeighborsClassifier(1), 1, cv=2).fit(pd.Series(values), np.arange(10) % 2)


@pytest.mark.parametrize(
    "model",
    [Simba(random_state=0), LMNN(), LVQ1(random_state=0), KNeighborsClassifierCV(n_neighbors=(1,)), RANNClassifier(2)],
    ids=str,
)
def test_new_samples_are_refused_as_those_of_fit(model):
    X, y = load_iris(return_X_y=True)
    X, y = X[::10, :2], y[::10]
    model = model.fit(X, y)
    use = model.predict if hasattr(model, "predict") else model.transform
    days = pd.date_range("2020", periods=len(X))
    for new, sentence in (
        (np.where(X > 3, X, np.nan), "Column 1 of X holds NaN, which"),
        (np.ma.array(X, mask=X > 3), "X has masked values, which"),
        (pd.DataFrame({"a": days, "b": days}), "Column a of X holds dates or durations, which"),
    ):
        with pytest.raises(ValueError, match=f"^{sentence}"):
            use(new)


@pytest.mark.parametrize("use", [check_features, SFS(KNeighborsClassifier(1), 1).fit, fisher_score, Simba().fit])
def test_names_of_columns_are_refused_in_the_same_words(use):
    y, frame = [0, 1] * 5, pd.DataFrame({"a": np.arange(10.0), "b": 1.5})
    for X, sentence in (
        (frame.set_axis(["a", "a"], axis=1), "X has several columns named 'a'; give each a name of its own."),
        (frame[[]], "X is a data frame without columns; leave at least one."),
        (pl.DataFrame({"a": y}).select([]), "X is a data frame without columns; leave at least one."),
    ):
        with pytest.raises(ValueError, match=f"^{re.escape(sentence)}$"):
            use(X) if use is check_features else use(X, y)


def test_dates_are_found_among_columns_of_one_name():
    frame = pd.DataFrame({"a": np.arange(10.0), "b": pd.date_range("2020", periods=10)})
    refuse_dates(frame[["a", "a"]])
    with pytest.raises(ValueError, match=r"^Column c of X holds dates"):
        check_features(frame.set_axis(["c", "c"], axis=1))


@pytest.mark.parametrize("dtype", ["Int64", "UInt64", "int64"])
def test_labels_of_whole_numbers_keep_their_digits(dtype):
    labels = pd.Series([10**17 + 1, 10**17 + 2] * 5, dtype=dtype)
    X = np.arange(10.0)[:, None]
    assert check_labeled(X, labels)[2].tolist() == [10**17 + 1, 10**17 + 2]
    frame = pd.DataFrame(X, columns=["x"])
    scores = [SFS(KNeighborsClassifier(1), 1, cv=2).fit(frame, y).score_ for y in (labels, labels - 10**17)]
    assert scores[0] == scores[1]


@pytest.mark.parametrize(("dtype", "plain"), [("Int8", "int8"), ("UInt32", "uint32"), ("boolean", "bool")])
def test_nullable_labels_keep_their_type(dtype, plain):
    y = np.arange(10) % 2
    assert check_labeled(np.arange(10.0)[:, None], pd.Series(y, dtype=dtype))[2].dtype == plain


@pytest.mark.parametrize("content", ["größer", b"\xff\x00"], ids=["text", "bytes"])
def test_a_file_is_replaced_as_a_whole(tmp_path, content):
    file = tmp_path / "new" / "folder" / "file"
    write_atomically(file, "old")
    write_atomically(file, content)
    assert file.read_bytes() == (content if isinstance(content, bytes) else content.encode())
    assert list(file.parent.iterdir()) == [file]


def test_a_file_stays_as_it_was_if_it_cannot_be_replaced(tmp_path, monkeypatch):
    def refuse(source, target):
        raise PermissionError(target)

    file = tmp_path / "file"
    file.write_text("old")
    monkeypatch.setattr("os.replace", refuse)
    with pytest.raises(PermissionError):
        write_atomically(file, "new")
    assert file.read_text() == "old"
    assert list(tmp_path.iterdir()) == [file]


def test_files_are_replaced_together_or_not_at_all(tmp_path, monkeypatch):
    first, second = tmp_path / "first", tmp_path / "second"
    write_together({first: "old", second: "old"})
    (tmp_path / "folder").mkdir()
    with pytest.raises(IsADirectoryError) as caught:
        write_together({first: "new", tmp_path / "folder": "new"})
    assert caught.value.filename == str(tmp_path / "folder")
    original = Path.write_bytes

    def full(file, content):
        if "second" in file.name:
            original(file, content[:1])
            raise OSError(errno.ENOSPC, "No space left on device")  # names no file
        return original(file, content)

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(OSError, match="No space left") as caught:
        write_together({first: "new", second: "new"})
    assert caught.value.filename == str(second)
    assert (first.read_text(), second.read_text()) == ("old", "old")
    assert {file.name for file in tmp_path.iterdir()} == {"first", "second", "folder"}


def test_the_area_is_that_of_scikit_learn():
    rng = np.random.default_rng(0)
    scores = rng.integers(0, 5, (60, 3)).astype(float)  # with ties
    y = rng.integers(0, 3, 60)
    assert area(scores[:, 0], y == 2, np.array([False, True])) == pytest.approx(roc_auc_score(y == 2, scores[:, 0]))
    alone = [roc_auc_score(y == c, scores[:, c]) for c in range(3)]
    assert area(scores, y, np.arange(3)) == pytest.approx(np.mean(alone))
    absent_first = area(np.column_stack([scores[:, 0], scores]), y, np.arange(-1, 3))
    assert absent_first == pytest.approx(np.mean(alone))


def test_the_sentence_of_a_report_is_printed_wherever_output_goes(monkeypatch, tmp_path):
    found = SimpleNamespace(stopped=None, sentence="One column matters.", question="")
    monkeypatch.setattr(importlib.import_module("fscore.report.report"), "report", lambda **_: (tmp_path, found, None))
    with redirect_stdout(StringIO()) as output:  # as in a notebook, without the methods of a file
        assert main(["report", "my.csv", "--target", "y"]) == 0
    assert output.getvalue().startswith(found.sentence)


def test_the_command_compiles(monkeypatch, capsys):
    monkeypatch.setattr("fscore._compiling.compile_kernels", lambda: print("compiled"))
    assert main(["compile"]) == 0
    assert capsys.readouterr().out == "compiled\n"


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("arguments", ["fscore.datasets list", "fscore --help"])
def test_a_command_whose_output_nobody_reads_ends_silently(arguments, unbuffered):
    reader, writer = os.pipe()
    os.close(reader)
    command, env = [sys.executable, "-m", *arguments.split()], {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, env=env)
    os.close(writer)
    assert done.stderr == b""
    assert done.returncode == (0 if "--help" in arguments and unbuffered else 141)  # argparse ignores errors


@pytest.mark.parametrize(("arguments", "status"), [(["report", "--help"], 0), ([], 2)])
def test_help_and_wrong_calls_wait_for_no_import(arguments, status):
    command = [sys.executable, "-X", "importtime", "-m", "fscore", *arguments]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == status
    assert "usage: python -m fscore" in done.stdout + done.stderr
    assert "numpy" not in done.stderr


def test_the_probabilities_are_those_of_the_chosen_number_of_neighbors():
    X, y = load_iris(return_X_y=True)
    model = KNeighborsClassifierCV([3, 7]).fit(X[::2], y[::2])
    plain = KNeighborsClassifier(model.n_neighbors_).fit(X[::2], y[::2])
    np.testing.assert_array_equal(model.predict_proba(X[1::2]), plain.predict_proba(X[1::2]))
