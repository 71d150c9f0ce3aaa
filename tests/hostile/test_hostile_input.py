"""Every public callable on the table of hostile inputs: a right result, or one sentence that says what is wrong.

A worker process goes through the cases, so that one which crashes or hangs is named and the others still run.
FSCORE_HOSTILE_CASES sets their number: 10000 for a night.
"""

import importlib.util
import os
import queue
import re
import subprocess
import sys
import threading
from pathlib import Path

import pytest

CASES = int(os.environ.get("FSCORE_HOSTILE_CASES", "2000"))
HANGS = 240  # seconds, of which compilation may take many on a busy machine; a case takes milliseconds

TABLE = Path(__file__).with_name("table.py")


@pytest.fixture(scope="module")
def table():
    spec = importlib.util.spec_from_file_location("hostile_table", TABLE)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def answers(root, count, first=0):
    """Verdict of each case by its number; what crashes or hangs is answered here, and the worker started anew."""
    found = {}
    while first < count:
        worker = subprocess.Popen(
            [sys.executable, str(TABLE), str(count), str(first)],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            env={**os.environ, "PYTHONPATH": str(root)},
        )
        lines = queue.Queue()
        threading.Thread(target=pass_on, args=(worker.stdout, lines), daemon=True).start()
        while True:
            try:
                line = lines.get(timeout=HANGS)
            except queue.Empty:
                worker.kill()
                found[first] = f"took longer than {HANGS} s"
            else:
                number, _, said = line.strip().partition(" ")
                if line and not said:
                    first = int(number)
                    continue
                if said:
                    found[first] = said
                    continue
                if first in found and worker.wait() == 0:
                    return found
                found[first] = f"the process ended with status {worker.wait()}"
            break
        first += 1
    return found


def pass_on(stream, lines):
    for line in stream:
        lines.put(line)
    lines.put("")


@pytest.mark.slow
def test_hostile_input_is_used_rightly_or_refused_in_words(root, table):
    cases = table.chosen(CASES)
    found = answers(root, len(cases))
    assert sorted(found) == list(range(len(cases)))
    bad = [f"{cases[number]}: {said}" for number, said in found.items() if said != "well"]
    assert not bad, "\n".join([f"{len(bad)} of {len(cases)} cases:", *bad[:40]])


# What every method refuses in the same words, and what some use.
MISSING = r"^y has missing values \(15, the first in row [01]\)\. Remove these samples\.$"
WORDS_OF_X = {
    "NaN": r"^Column \w+ of X holds NaN|^Input X contains NaN",  # the second by estimators that are refitted
    "infinity": r"^Column \w+ of X holds -?inf|^Input X contains infinity",
    "masked": r"^X has masked values, which would be used as if they were valid; fill or remove them\.$",
    "no features": r"^Found array with 0 feature\(s\)|is not one feature",
    "sparse": r"toarray\(\)|must be an array-like|is not one feature",
    "equal rows": "^All 30 rows of X are identical|^Rows 0 and 1 are identical but carry different labels",
}
WORDS_OF_Y = {
    "masked": r"^y has masked values, which would be used as if they were valid; fill or remove them\.$",
    "one class": r"^y holds only one (class|value) \(0\.0\)",
    "constant": r"^y holds only one value \(1\), but features can explain only a target that varies",
    "continuous": "^Unknown label type: continuous",
    "texts": "^y holds '.*', which is not a number",
    "infinity": "^(Input )?y contains infinity",
    "too short": r"inconsistent numbers of samples: \[30, 29\]$",
    "too long": r"inconsistent numbers of samples: \[30, 31\]$",
    "mixed types": r"^y has labels of different types \(int, str\); convert them to one, for example to strings\.$",
    **dict.fromkeys(("None", "None in a list", "NaN among texts"), MISSING),
    **dict.fromkeys(("NA in object", "NA in string", "NA in category"), MISSING),
    "every sample a class": "^class(es)? |one sample|in each class|n_splits",
}
OTHER_SAMPLES = ("fscore.stability", "fscore.criteria.BlockFolds", "fscore.filters.mdl_cuts")  # subsets, any, a column
USED_BY_SOME = ("sparse", "equal rows", "continuous", "every sample a class")


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("argument", "kind", "words"),
    [(k, *item) for k, table_of_words in enumerate((WORDS_OF_X, WORDS_OF_Y)) for item in table_of_words.items()],
)
def test_what_cannot_be_used_is_refused_in_the_same_words(table, argument, kind, words):
    n_refused = 0
    for way, (name, call) in table.ways().items():
        if argument == 0 and name.startswith(OTHER_SAMPLES):
            continue
        _, perhaps_same, may_use, refuses = table.tables_of(name)[argument]
        kinds = {**perhaps_same, **may_use, **refuses} if kind in USED_BY_SOME else refuses
        if kind not in kinds:
            continue
        data = [table.X, table.t if name in table.REGRESSION else table.y]
        data[argument] = kinds[kind]
        said = ""
        try:
            call(*data)
        except (ValueError, TypeError) as error:
            said = str(error)
        assert re.search(words, said) or (not said and kind in USED_BY_SOME), f"{way}: {said}"
        n_refused += bool(said)
    assert n_refused > 1


def test_a_case_that_names_a_file_leaves_none(table, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert table.verdict(("fscore.search.PBIL[Gaussian]", "", "", "checkpoint", "text"), {}) == ""
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
def test_parameters_refuse_bools_and_bytes_in_words(table):
    values = ("true", "bytes", "a number as bytes")
    plain = {}
    bad = [f"{case}: {said}" for case in table.cases() if case[4] in values and (said := table.verdict(case, plain))]
    assert not bad
    with pytest.raises(ValueError, match=r"'n_hidden' parameter of RANNClassifier must be an int .* Got True"):
        table.ways()["fscore.neural.RANNClassifier"][1](table.X, table.y, n_hidden=True)
    with pytest.raises(ValueError, match="cv=b'3' cannot split samples; give a number of folds"):
        table.ways()["fscore.criteria.CVScore[kNN]"][1](table.X, table.y, cv=b"3")


# Public names that take no samples, with the tests that give them hostile input, or the reason why none does.
ELSEWHERE = {
    "fscore.criteria.BoundCriterion": "abstract",
    "fscore.criteria.Criterion": "abstract",
    "fscore.criteria.register_columnwise": "takes a type: test_criteria_columnwise.py",
    "fscore.criteria.GammaTestResult": "a result",
    "fscore.criteria.Moments": "takes batches of rows: test_criteria_moments.py",
    "fscore.datasets": "test_datasets_csv.py, test_datasets_fetch.py",
    "fscore.report": "test_report_reading.py, test_report_issues.py",
    "fscore.lvq.LBFGS": "a setting of GLVQ: test_estimators.py",
    "fscore.lvq.NormalizedGradient": "a setting of GLVQ: test_estimators.py",
    "fscore.lvq.WaypointAveraging": "a setting of GLVQ: test_estimators.py",
    "fscore.search.ChoiceRule": "abstract",
    "fscore.search.SubsetSearch": "abstract",
    "fscore.search.Hybrid": "a selection rule: test_search_refusals.py",
    "fscore.search.NestedScore": "a result",
    "fscore.search.resampled_error": "takes scores: test_search_nested.py",
    "fscore.search.OrderVoting": "a selection rule: test_search_refusals.py",
    "fscore.search.Race": "a selection rule: test_search_race.py",
    "fscore.search.WeightedVoting": "a selection rule: test_search_refusals.py",
    "fscore.search.columns_of": "takes a transformer: test_search_transformed.py",
    "fscore.search.plot_": "draws a search: test_search_evaluator.py",
    "fscore.search.regularize": "takes a trace: test_search_refusals.py",
    "fscore.stability.Stability": "a result",
}


def test_every_public_name_is_in_the_table_or_named_here(table):
    called = {name for name, _ in table.ways().values()}
    missing = sorted(name for name in set(table.public()) - called if not name.startswith(tuple(ELSEWHERE)))
    assert not missing
    assert not [name for name in called if name.startswith(tuple(ELSEWHERE))]


def test_the_table_finds_what_it_must(table, monkeypatch):
    """Wrong answers of made-up methods are recognized."""
    way = "fscore.filters.relief"
    right = table.ways()[way][1](table.X, table.y)["scores"]

    def verdict(call, *case):
        monkeypatch.setattr(table, "ways", lambda: {way: (way, call)})
        return table.verdict((way, *case), {way: {"scores": right}})

    def giving(values):
        return lambda X, y: {"scores": table.np.asarray(values)}

    assert verdict(giving(right), "list", "", "", "") == ""
    assert "differs" in verdict(giving(right + 1e-12), "list", "", "", "")
    assert "not finite" in verdict(giving([1.0, table.np.nan, 2.0]), "constant", "", "", "")
    assert "must refuse" in verdict(giving(right), "infinity", "", "", "")
    assert "AttributeError" in verdict(lambda X, y: X.no_such_name, "huge", "", "", "")
    assert "ZeroDivisionError" in verdict(lambda X, y: 1 / 0, "huge", "", "", "")
