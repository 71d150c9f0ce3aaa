"""Readers of files on damaged and made-up content: a value, or one sentence that names the file."""

import json
import shutil
import warnings

import numpy as np
import pytest
import yaml
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import run
from compendium.experiment import ParameterError
from compendium.runner.execution import RunError
from compendium.units import run_units
from fscore.criteria import Mahalanobis
from fscore.search import ExhaustiveSearch
from hocke2014.mdm import MethodClaims

EXAMPLES = settings(
    max_examples=60,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)
# What parsers trip over: encodings, nesting, numbers out of range, quotes, null bytes.
HOSTILE = (
    *(b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"\xe2\x80\xa8", b"\r", b"\n", b'"', b"\t", b",,,,,", b": ", b"- ", b"# "),
    *(b"[" * 1000, b"{" * 1000, b"9" * 5000, b"1e999", b"-1", b"NaN", b".inf", b"null", b"2020-13-45", b"1:99:99"),
    *(b"&a [*a]", b"*a", b"!!python/name:os.system", b"<<: {a: 1}", b"? [1]", b"x" * 300_000),
)
PIECE = st.binary(max_size=12) | st.sampled_from(HOSTILE)


@st.composite
def damaged(draw, contents):
    """One of some contents with pieces replaced, cut out, doubled or put in; or any bytes."""
    content = draw(st.sampled_from([*contents, b""]))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(content)))
        stop = min(len(content), start + draw(st.sampled_from([0, 1, 5, len(content)])))
        content = content[:start] + draw(PIECE) + content[stop:]
    return content


def value_or_sentence(read, errors, *names):
    """What a reader returns; None if it refuses in one sentence with these words."""
    try:
        return read()
    except errors as error:
        said = str(error)
    assert "\n" not in said
    assert all(name in said for name in names), said
    return None


PARAMETERS = (
    b"dataset: wine\nn_splits: 3\n",
    b"dataset: [wine, iris]\nseed: 010\n",
    b"nu: 1e-3\nn_splits: 2\n",
)


VALUE = PIECE | st.text(max_size=8).map(str.encode) | st.integers().map(lambda n: str(n).encode()) | st.just(b"9" * 400)
LINES = st.lists(st.tuples(st.sampled_from([b"dataset", b"nu", b"n_splits", b"scaling", b"other"]), VALUE), max_size=3)


@EXAMPLES
@given(content=damaged(PARAMETERS) | LINES.map(lambda lines: b"\n".join(b": ".join(line) for line in lines)))
@example(content=b"dataset: 2020-13-45")
@example(content=b"nu: " + b"9" * 400)
@example(content=b"dataset: " + b"x" * 300_000)
def test_parameter_files(tmp_path, content):
    file = tmp_path / "my.yml"
    file.write_bytes(content)
    values = value_or_sentence(lambda: run.given_parameters([str(file)]), RunError, "my.yml")
    if values is not None:
        values = value_or_sentence(lambda: MethodClaims(**values).values, ParameterError)
        json.dumps(values)  # as the runner passes them on


def test_a_parameter_file_cannot_stand_for_more_than_it_holds(tmp_path):
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{k}: &a{k} [{', '.join([f'*a{k - 1}'] * 9)}]" for k in range(1, 10)]
    assert yaml.safe_load("\n".join(lines[:2]))  # its aliases are all that is wrong
    (tmp_path / "my.yml").write_text("\n".join(lines))
    with pytest.raises(RunError, match=r"my\.yml is not a YAML file"):
        run.given_parameters([str(tmp_path / "my.yml")])


@EXAMPLES
@given(
    content=damaged([b"SQLite format 2\0", b'{"version": 2}\n["k", [0], 0.5]\n', b"remember\nthe milk"]).filter(
        lambda content: len(content) > 16
    )
)
def test_a_file_that_is_not_a_checkpoint_is_left_as_it_was(tmp_path, content):
    file, y = tmp_path / "scores.sqlite", np.arange(12) % 2
    file.write_bytes(content)
    X, search = np.random.default_rng(0).normal(size=(12, 3)), ExhaustiveSearch(Mahalanobis(), checkpoint=file)
    words = "scores.sqlite", "cannot hold", "(file is not a database); give"
    assert value_or_sentence(lambda: search.fit(X, y), ValueError, *words) is None
    assert file.read_bytes() == content


def squares(number):
    """A unit of work."""
    return [{"number": number, "square": number**2}]


@pytest.fixture(scope="module")
def filled(tmp_path_factory):
    """A cache with one finished unit."""
    folder = tmp_path_factory.mktemp("filled")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("FSCORE_CACHE", str(folder))
        patch.setattr("joblib.memory._FUNCTION_HASHES", {})  # as in a new process, which writes func_code.py
        run_units(squares, [{"number": 3}])
    return folder


@pytest.mark.parametrize("part", ["output.pkl", "metadata.json", "func_code.py"])
def test_caches_of_units(tmp_path, monkeypatch, filled, part):
    (whole,) = filled.rglob(part)
    folder = tmp_path / "cache"
    monkeypatch.setenv("FSCORE_CACHE", str(folder))

    @EXAMPLES
    @given(content=damaged([whole.read_bytes(), b"\x80\x04K\x03.", b"\x80\x04]K\x03a."]))  # 3 and [3], pickled
    def check(content):
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(filled, folder)
        (folder / whole.relative_to(filled)).write_bytes(content)
        monkeypatch.setattr("joblib.memory._FUNCTION_HASHES", {})  # as in a new process
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # joblib warns about what it cannot read
            read = lambda: run_units(squares, [{"number": 3}])  # noqa: E731
            table = value_or_sentence(read, ValueError, "the cache", "remove it")
        assert table is None or part == "output.pkl" or table.to_dict("records") == squares(3)

    check()
