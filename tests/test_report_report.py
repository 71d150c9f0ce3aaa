"""The whole report: one self-contained page and its files, whatever the columns are called; interrupted and resumed."""

import errno
import html
import importlib
import io
import json
import re
import runpy
import shlex
import shutil
import sys
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from types import MappingProxyType, SimpleNamespace
from unittest.mock import Mock

import joblib
import jsonschema
import numpy as np
import pandas as pd
import pytest
from joblib import parallel_config
from scipy.stats import t

from fscore.__main__ import _parser, main
from fscore.report import analysis, build_problem, models, outputs, rankings, read_table, report
from fscore.report.analysis import Analysis, BudgetSpent, Settings
from fscore.report.scores import Score, folds
from your.planting import plant

REPORT = importlib.import_module("fscore.report.report")  # the package has the function under this name
QUICK = {"methods": ["anova"], "n_jobs": 1, "show": False}  # where the selection doesn't matter
SMALL = {**QUICK, "max_features": 1}  # where it only has to be complete
FIRST_ANSWER = {**QUICK, "budget": 1e-6}  # where only the files do

HOSTILE = [
    "<script>document.title='hacked'</script>",
    "<img src=x onerror=\"document.title='hacked'\">",
    '"><svg onload="document.title=\'hacked\'">',
    "javascript:alert(1)",
    "</title></style></head><script>document.title='hacked'</script>",
    "' onmouseover='alert(1)",
    "{{ config }} ${7*7} `code`",
    "-->]]><!--",
    "=cmd|' /C calc'!A0",
    "größe µ 数据 \u202eevil",
    "a'b\"c\\d",
    "line break",
]


@pytest.fixture(scope="module", autouse=True)
def few_trees_and_folds():
    """They do for what is tested here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(models.TREES, "max_iter", 4)
        patch.setitem(models.FOREST, "n_estimators", 8)
        patch.setattr(analysis, "folds", lambda rows, n_splits, seed: folds(rows, min(n_splits, 3), seed))
        patch.setattr(analysis, "N_PAIRS", 4)
        patch.setattr(analysis, "_GRID", 4)
        patch.setattr(rankings, "_RELIEF_ROWS", 60)
        yield


class Page(HTMLParser):
    """Collects what a browser would see: elements, attributes, text."""

    VOID = ("meta", "link", "br", "circle", "line", "polyline")

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.tags, self.attributes, self.words, self.open = [], [], [], []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += attributes
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_startendtag(self, tag, attributes):
        self.tags.append(tag)
        self.attributes += attributes

    def handle_data(self, data):
        self.words.append(data)


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A report on a table with traps, made by the command line."""
    folder = tmp_path_factory.mktemp("made")
    traps = ["sequence", "missing", "one-hot", "noisy target"]
    planted = plant(2, n_samples=90, n_relevant=3, n_noise=1, signal=6.0, product=True, traps=traps)
    planted.table["colour"] = np.random.default_rng(0).choice(["red", "green", "blue"], len(planted.table))
    planted.table.to_csv(folder / "my.csv", index=False)
    arguments = ["--target", "outcome", "--out", folder / "out", "--methods", "anova,backward", "--jobs", "1"]
    status = main(["report", *map(str, [folder / "my.csv", *arguments])])
    return status, folder / "out", planted, folder / "my.csv"


@pytest.fixture(scope="module")
def small_table():
    return plant(3, n_samples=60, n_noise=1).table


@pytest.fixture(scope="module")
def results(small_table):
    """By step, on the small table."""
    work = Analysis(build_problem(small_table, "outcome"), Settings("classification", ("anova",), 1))
    selected = work.run("select")
    return {name: selected if name == "select" else work.run(name, selected) for name in work.plan(quick=True)}


@pytest.fixture
def reported(tmp_path):
    """The report on a table, which is written to ``my.csv`` beside its folder ``out``."""

    def reported(table, target="y", **options):
        table.to_csv(tmp_path / "my.csv", index=False)
        return report(tmp_path / "my.csv", target, out=tmp_path / "out", **options)

    return reported


def page_of(folder):
    """The text of a report's page."""
    return (folder / "report.html").read_text(encoding="utf-8")


@pytest.fixture
def small(tmp_path, monkeypatch, small_table, results):
    """The small table as a file in the working directory, whose steps take no time."""

    def run(work, name, selected=None):
        if name != "quick" and work.deadline:
            raise BudgetSpent
        return results[name]

    monkeypatch.setattr(Analysis, "run", run)
    monkeypatch.chdir(tmp_path)
    small_table.to_csv("my.csv", index=False)
    return tmp_path


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [(1099, 3, "1,100"), (263_312, 4, "263,300"), (-5432.1, 3, "-5,430"), (338.4, 3, "338"), (0.01234, 3, "0.0123")],
)
def test_numbers_on_the_page_have_no_exponent_up_to_a_million(value, digits, text):
    assert outputs._number(value, digits) == text


def test_what_is_on_the_page_does_not_exceed_one():
    assert outputs._interval(Score(0.96, 0.89, 1.02, 0.04)) == "0.96 (0.89 to 1.00)"


def test_zero_has_no_sign():
    assert outputs._interval(Score(-0.0002, -0.0012, -0.0001, 0.001), 3) == "0.000 (-0.001 to 0.000)"


def curve_of(grid, means, values=(), classes=(), kind="category"):
    """What the drawing of a column is made of."""
    problem = SimpleNamespace(X=pd.DataFrame({"x": values}), kinds={"x": kind}, target=SimpleNamespace(classes=classes))
    return outputs._curve(problem, {"grid": grid, "means": means}, "x")


@pytest.mark.parametrize(
    ("values", "words"), [("abab", "highest for “b”"), ("ababc", "highest for “b” of the 2 most frequent")]
)
def test_a_direction_says_if_only_the_frequent_categories_are_compared(values, words):
    assert curve_of(["a", "b"], [[3.0, 5.0]], list(values))["words"] == words


@pytest.mark.parametrize(
    ("classes", "shown", "words"),
    [
        (["ja", "nein"], "ja", "falls"),
        (["Yes", "no"], "Yes", "falls"),
        (["no", "yes"], "yes", "rises"),
        (["left", "right"], "right", "rises"),
        ([1, 2], 2, "rises"),
    ],
)
def test_a_direction_is_that_of_yes(classes, shown, words):
    curve = curve_of([1.0, 2.0], [[0.2, 0.7]], classes=classes, kind="number")
    assert (curve["labels"], curve["words"]) == ([str(shown)], words)
    assert curve["ends"] == pytest.approx((0.8, 0.3) if words == "falls" else (0.2, 0.7))


def test_the_page_is_self_contained_and_accessible(made):
    status, folder, *_ = made
    assert status == 0
    names = {file.name for file in folder.iterdir()}
    assert names == {
        "report.html",
        "report.json",
        "selected_features.csv",
        "model.joblib",
        "rebuild.py",
        "computed.json",
    }
    text = page_of(folder)
    page = Page(text)
    assert page.open == []
    assert not {"script", "iframe", "object", "embed", "form", "base"} & set(page.tags)
    addresses = [value for name, value in page.attributes if name in ("src", "href", "action", "xlink:href")]
    assert addresses == ["data:,"]
    assert "url(" not in text
    assert page.tags.count("caption") == page.tags.count("table") >= 5
    assert 'role="img" aria-label="balanced accuracy by number of columns' in text
    assert 'role="img" aria-label="chance of' in text
    assert len(re.findall(r'<svg class="bar"[^>]*aria-hidden="true"', text)) == text.count('<svg class="bar"')
    assert ("lang", "en") in page.attributes
    assert "prefers-color-scheme: dark" in text
    headings = re.findall(r"<h2>(.*?)</h2>", text)
    assert headings[:4] == ["How many columns", "What can mislead", "Which columns", "Honest score"]


def test_the_page_says_what_to_do_and_what_was_found(made):
    _, folder, planted, _ = made
    listed = pd.read_csv(folder / "selected_features.csv")
    chosen = set(listed["name"][listed["selected"] == "yes"])
    assert len(chosen & set(planted.relevant)) >= 3
    assert {"site", "colour"} <= set(listed["name"])  # categories are one unit
    assert not {"row", "marker"} & set(listed["name"])
    assert listed["frequency"].between(listed["frequency_lower"], listed["frequency_upper"]).all()
    text = " ".join(Page(page_of(folder)).words)
    assert re.search(
        r"Use (this|these) \d+ columns?: balanced accuracy 0\.\d\d \(0\.\d\d to [01]\.\d\d\)\. That is .* all \d+", text
    )
    for kind in ("identifier", "missing values", "one-hot columns", "target leak"):
        assert kind in text
    assert "chance of “" in text
    assert "” if classes were equally frequent" in text
    assert "Its predict_proba gives chances as if classes were equally frequent." in text
    for what in ("Honest", "Actual classes (rows)", "The model is a linear model", "What each column was read as"):
        assert what in text
    assert text.count("in the folds that choose columns and model") == 2  # by number of columns, and by model


def test_effects_have_an_interval_that_is_corrected_for_shared_rows(made):
    """That of Nadeau and Bengio."""
    _, folder, *_ = made
    effects = json.loads((folder / "computed.json").read_text(encoding="utf-8"))["results"]["effects"]
    listed = pd.read_csv(folder / "selected_features.csv").iloc[: len(effects["columns"])]
    n, mean = len(effects["importance"]), np.mean(effects["importance"], axis=0)
    half = t.ppf(0.95, n - 1) * np.std(effects["importance"], axis=0, ddof=1) * np.sqrt(1 / n + 1 / (n - 1))
    expected = np.column_stack([mean, mean - half, mean + half])
    np.testing.assert_allclose(listed[["effect", "effect_lower", "effect_upper"]], expected, atol=1e-5)


def test_the_page_counts_actual_classes_by_row(made):
    _, folder, planted, _ = made
    computed = json.loads((folder / "computed.json").read_text(encoding="utf-8"))["results"]
    parts = [computed[f"fold {k}"] for k in range(3)]
    actual = pd.factorize(planted.table["outcome"], sort=True)[0][np.concatenate([part["test"] for part in parts])]
    counts = pd.crosstab(actual, np.concatenate([part["chosen"] for part in parts])).to_numpy()
    assert counts[0, 1] != counts[1, 0]
    text = page_of(folder)
    table = text[text.index("Actual classes (rows)") :].partition("</table>")[0]
    assert [int(n) for n in re.findall(r'class="number share"[^>]*>(\d+)</td>', table)] == counts.ravel().tolist()


def test_the_final_model_learns_from_all_rows_though_a_sample_is_drawn(small_table):
    problem, findings = build_problem(small_table, "outcome"), SimpleNamespace(model="linear", recommended=[0, 1])
    of_sample = replace(problem, drawn=np.arange(20, 50))
    chances = [outputs.final_model(one, findings).predict_proba(small_table) for one in (problem, of_sample)]
    np.testing.assert_array_equal(*chances)


def test_substitutes_order_the_rows_alike():
    a, b, c = np.random.default_rng(0).normal(size=(3, 60))
    table = pd.DataFrame({"a": a, "alike": -np.exp(a + 0.1 * b), "apart": a + 1.5 * c, "y": b + c})
    assert outputs.substitutes(build_problem(table, "y"), [0]) == {0: ["alike"]}


def test_the_model_predicts_from_text_and_the_lines_rebuild_it(made):
    _, folder, _, file = made
    table = read_table(file).frame
    model = joblib.load(folder / "model.joblib")
    predicted = model.predict(table)
    assert (predicted == table["outcome"]).mean() > 0.6
    assert (model.predict(pd.read_csv(file)) == predicted).all()
    again = runpy.run_path(str(folder / "rebuild.py"))["model"]
    np.testing.assert_array_equal(again.predict_proba(table), model.predict_proba(table))
    assert again.named_steps["products"].pairs_ != []


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("of_values", [True, False])
def test_the_mean_target_of_many_categories_is_learned_without_a_warning(of_values):
    rng = np.random.default_rng(0)
    city = rng.integers(0, 40, 400)
    y = city % 3 + rng.normal(size=400)
    table = pd.DataFrame({"city": [f"c{k}" for k in city], "y": y if of_values else np.where(y > 1, "high", "low")})
    problem = build_problem(table, "y", groups="none")
    model = models.make_model(problem, "linear").fit(problem.table, problem.labels())
    assert model.score(problem.table, problem.labels()) > 0.4


def test_a_forest_is_used_where_it_is_better_named_and_rebuilt(tmp_path, monkeypatch):
    """Each column is a noisy reading of what the target depends on by a wave."""
    rng = np.random.default_rng(0)
    z = rng.uniform(-2, 2, 60)
    table = pd.DataFrame((z[:, None] + 0.3 * rng.normal(size=(60, 6))).round(3), columns=list("abcdef"))
    table["c"] = table["c"].mask(rng.uniform(size=60) < 0.1)
    table["site"] = rng.choice(["north", "south"], 60)
    table["y"] = (np.sin(2.5 * z) + 0.1 * rng.normal(size=60)).round(3) * 1e-12
    table.to_csv(tmp_path / "my.csv", index=False)
    monkeypatch.setitem(models.FOREST, "n_estimators", 20)
    asked = {"csv": tmp_path / "my.csv", "target": "y", "out": tmp_path / "out", "max_features": 2, **QUICK}
    folder, findings, _ = report(**asked)
    assert findings.model == "forest"
    assert findings.models["forest"] > max(findings.models["linear"], findings.models["trees"]) + 0.05
    page = page_of(folder)
    assert "The model is a forest of randomized decision trees." in page
    assert ">predicted</text>" in page
    table = read_table(tmp_path / "my.csv").frame
    predicted = joblib.load(folder / "model.joblib").predict(table)
    assert np.corrcoef(predicted, table["y"].astype(float))[0, 1] > 0.8
    again = runpy.run_path(str(folder / "rebuild.py"))["model"]
    np.testing.assert_array_equal(again.predict(table), predicted)


def test_the_same_command_uses_what_was_computed(made, monkeypatch):
    _, folder, _, file = made
    before = (folder / "computed.json").read_bytes()
    monkeypatch.setattr(Analysis, "run", lambda *arguments: pytest.fail("computed again"))
    report(file, "outcome", out=folder, methods=["anova", "backward"], n_jobs=1, show=False)
    assert (folder / "computed.json").read_bytes() == before


def test_where_all_columns_are_used_the_smallest_good_set_is_marked(small, monkeypatch):
    """The selection itself may be the smallest good set."""

    read_findings = REPORT.read_findings

    def all_columns(problem, *results):
        findings = read_findings(problem, *results)
        findings.verdict, findings.small = "all", findings.columns
        findings.recommended = list(range(len(problem.columns)))
        return findings

    monkeypatch.setattr(REPORT, "read_findings", all_columns)
    folder, findings, _ = report("my.csv", "outcome", max_features=2, budget=1, **QUICK)
    assert len(findings.small) < len(findings.recommended)
    assert page_of(folder).count("yes, in the smallest good set<") == len(findings.small)
    assert 'class="small"' in page_of(folder)


def test_a_smallest_good_set_that_is_the_selection_is_not_drawn_again(small):
    folder, findings, _ = report("my.csv", "outcome", **SMALL)
    assert findings.small == findings.recommended
    assert "mallest good set" not in page_of(folder)
    assert 'class="small"' not in page_of(folder)


def test_columns_of_a_model_that_predicts_nothing_are_not_called_the_most_important(small, monkeypatch):
    read_findings = REPORT.read_findings
    monkeypatch.setattr(REPORT, "read_findings", lambda *given: replace(read_findings(*given), verdict="nothing"))
    folder, _, _ = report("my.csv", "outcome", **SMALL)
    order = "the selection in the order of the ranking “anova”</caption>"
    assert f"<caption>Columns of the model (none is predictive), {order}" in page_of(folder)


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """The folder of a report whose file, columns and values have hostile names, and the file."""
    rng, folder = np.random.default_rng(0), tmp_path_factory.mktemp("hostile")
    X = pd.DataFrame(rng.normal(size=(60, len(HOSTILE))), columns=HOSTILE)
    X["word"] = rng.choice(HOSTILE[:3], 60)
    X["=target<b>"] = np.where(X[HOSTILE[0]] + X[HOSTILE[3]] > 0, "<b>yes</b>", "'no'")
    file = folder / "<img src=x onerror=alert(1)>.csv"
    X.to_csv(file, index=False)
    return report(file, "=target<b>", out=folder / "out", **SMALL).folder, file


def test_hostile_names_and_values_are_text(hostile):
    folder, file = hostile
    text = page_of(folder)
    page = Page(text)
    assert "script" not in page.tags
    assert "img" not in page.tags
    assert not [name for name, _ in page.attributes if name.startswith("on")]
    assert "\u202e" not in text
    listed = set(pd.read_csv(folder / "selected_features.csv")["name"])
    assert {name.replace("\u202e", "") for name in HOSTILE} <= listed
    assert runpy.run_path(str(folder / "rebuild.py"))["model"].predict(read_table(file).frame).shape == (60,)


@pytest.mark.browser
def test_no_script_runs_and_a_narrow_window_needs_no_sideways_scrolling(hostile, browser):
    page = hostile[0] / "report.html"
    narrow = {"width": 390, "height": 800, "deviceScaleFactor": 1, "mobile": True}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", narrow)
    requests, errors = browser.open(page)
    assert (set(requests) - {"data:,"}, errors) == ({page.as_uri()}, [])
    assert browser.title.endswith("“=target<b>”")
    assert browser.execute_script("return document.scripts.length") == 0
    assert browser.execute_script("return document.documentElement.scrollWidth") <= 390
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_the_page_shows_what_was_read_and_says_once_what_was_repaired(small, small_table):
    mostly_empty = [f"{k} {{}}" if k < 3 else "." for k in range(len(small_table))]
    measured = {unit: [text.format(unit) for text in mostly_empty] for unit in ("kg", "cm")}
    small_table.assign(**measured).to_csv("my.csv", index=False)
    text = page_of(report("my.csv", "outcome", out="out", **SMALL)[0])
    assert text.count("Repaired while reading.") == 1
    assert "Numbers in &#39;kg&#39; are in &#39;kg&#39;. Numbers in &#39;cm&#39; are in &#39;cm&#39;." in text
    for unit in measured:
        assert f'<td data-label="example">1 {unit}</td>' in text


def test_an_interruption_leaves_a_report_and_the_same_command_goes_on(small, monkeypatch):
    original, calls = Analysis.run, []

    def interrupted(work, name, selected=None):
        if name == "fold 2":
            raise KeyboardInterrupt
        calls.append(name)
        return original(work, name, selected)

    monkeypatch.setattr(Analysis, "run", interrupted)
    folder, findings, _ = report("my.csv", "outcome", out="out", **SMALL)
    assert findings.stopped == "interrupt"
    assert (findings.n_folds, findings.n_outer, findings.verdict) == (2, 3, "unfinished")
    assert f"with balanced accuracy {findings.chosen.value:.2f}" in findings.sentence
    assert "in 2 of 3 folds. The same command goes on." in findings.sentence
    text = page_of(folder)
    assert "It was interrupted; not done: the score (1 of 3 parts), effects of columns, selection in halves" in text
    assert "Honest: in each of 2 of 3 folds" in text
    monkeypatch.setattr(
        Analysis, "run", lambda work, name, selected=None: calls.append(name) or original(work, name, selected)
    )
    _, complete, _ = report("my.csv", "outcome", out="out", **SMALL)
    assert complete.stopped is None
    assert len(calls) == len(set(calls))  # nothing was computed twice
    assert "not done" not in page_of(folder)
    _, at_once, _ = report("my.csv", "outcome", out="other", **SMALL)
    assert at_once == complete


def test_a_trend_is_told_from_too_few_samples(reported):
    """Forwards in time the mean of what came before scores far below zero, and no selection is to blame for it."""
    rng = np.random.default_rng(0)
    days = pd.date_range("2020-01-01", periods=60).strftime("%Y-%m-%d")
    table = pd.DataFrame(rng.normal(size=(60, 2)).round(3), columns=["a", "b"]).assign(day=days)
    table["y"] = (0.2 * np.arange(60) + table["a"] + rng.normal(size=60)).round(3)
    folder, findings, _ = reported(table, time="day", **SMALL)
    assert findings.chance < -0.1
    assert findings.sentence.startswith("Can't tell: the level of the target changes between training and test parts")
    text = page_of(folder)
    assert re.search(rf"the mean of the training part \(no column\)</th><td[^>]*>{findings.chance:.3f}", text)
    assert "by --time none." in findings.sentence


def test_by_a_time_that_was_not_named_rows_are_divided_in_two_ways():
    """And the column of the time may be used."""
    days = pd.date_range("2020-01-01", periods=60).strftime("%Y-%m-%d")
    noise = np.random.default_rng(0).normal(size=(2, 60))
    problem = build_problem(pd.DataFrame({"a": noise[0], "day": days, "y": 0.2 * np.arange(60) + noise[1]}), "y")
    work = Analysis(problem, Settings("regression"))
    assert "day" in problem.X
    assert work.split == "forwards in time by “day”"
    assert [name for name, *_ in work.other_splits] == ["on rows drawn at random"]
    assert all(train.max() < test.min() for train, test in work.outer)
    assert not all(train.max() < test.min() for train, test in work.other_splits[0][2])


def test_the_report_announces_the_scores_that_it_has_for_groups_in_time():
    rng, days = np.random.default_rng(1), pd.date_range("2020-01-01", periods=40).strftime("%Y-%m-%d")
    table = pd.DataFrame({"clinic": np.repeat(list("abcdef"), 40), "day": np.tile(days, 6), "a": rng.normal(size=240)})
    table["y"] = np.tile(np.arange(40) / 5, 6) + np.repeat(rng.normal(size=6), 40) + table["a"]
    problem = build_problem(table, "y")
    work = Analysis(problem, Settings("regression"))
    names = [work.split, *(name for name, *_ in work.other_splits)]
    assert names == ["for a new “clinic”", "forwards in time by “day”", "for a known “clinic”"]
    announced = {issue.kind: issue.action for issue in problem.issues}
    assert "random" not in announced["time order"]
    assert "twice" not in announced["groups"]


def test_units_are_scored_twice_and_the_page_draws_what_it_says(reported):
    rng = np.random.default_rng(0)
    who, days = np.repeat(np.arange(12), 5), np.tile(np.arange(5.0), 12)
    y = 5 * rng.normal(size=12)[who] + 3 * days + rng.normal(size=60)
    table = pd.DataFrame({"Subject": who + 300, "days": days, "twice": 2.0 * days + rng.normal(size=60) / 9})
    folder, findings, problem = reported(table.assign(y=y).round(3), **QUICK)
    assert findings.split == "for a new “Subject”"
    assert findings.other_splits["for a known “Subject”"].value > findings.chosen.value
    assert "for a new “Subject”; " in findings.sentence
    beside = "for a known “Subject” with columns chosen for that"
    assert beside in findings.sentence
    assert problem.kinds["Subject"] == "category"
    text = page_of(folder)
    assert f'<th scope="row">{beside}' in text
    assert "Not all of this is done yet." not in text
    for what in (
        "Predicted against actual",
        "Rank correlation of the selected numbers",
        "rows of one “Subject” in one fold",
    ):
        assert what in text
    assert text.count('class="dot"') == 60
    assert " rises: " in text
    assert " falls: " not in text


def test_a_score_that_is_too_good_is_asked_about(reported):
    fare, tip, noise = np.random.default_rng(0).gamma(3, 2, (3, 60)).round(2)
    table = pd.DataFrame({"fare": fare, "tip": tip, "noise": noise, "total": (fare + tip).round(2)})
    folder, findings, _ = reported(table, "total", **FIRST_ANSWER)
    question = "Are the values of “fare”, “tip” known before the target? Leave out by --drop what isn't."
    assert findings.question == question
    assert findings.question in html.unescape(page_of(folder))


def test_a_program_can_read_what_the_report_says(made):
    _, folder, planted, _ = made
    content = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    schema = Path(REPORT.__file__).with_name("report.schema.json").read_text(encoding="utf-8")
    jsonschema.validate(content, json.loads(schema))
    chosen = pd.read_csv(folder / "selected_features.csv").query("selected == 'yes'")["name"]
    assert sorted(content["columns"]) == sorted(chosen)
    assert content["sentence"] in html.unescape(page_of(folder))
    assert {issue["kind"] for issue in content["issues"]} >= set(planted.traps)
    assert content["derived"]["site"]["how"] == "category"
    assert content["scores"]["all"]["lower"] <= content["scores"]["all"]["value"]


@pytest.mark.parametrize(("late", "split"), [(False, "for a new “country”"), (True, "on rows drawn at random")])
def test_a_first_answer_always_comes(late, split, reported, tmp_path):
    """Although a few groups have many rows, or a class occurs only lately; it says how far it may move."""
    rng, n = np.random.default_rng(0), 400
    table = pd.DataFrame({"a": rng.normal(size=n).round(3), "b": rng.normal(size=n).round(3)})
    if late:
        table["logged"] = pd.Series(pd.date_range("2021-01-01", periods=n, freq="5h")).astype(str)
        table["y"] = np.where((np.arange(n) > 0.9 * n) & (table["a"] > -1), "open", "closed")
        table.loc[[3, 150, 200, 250], "y"] = "open"
    else:
        table["country"] = np.repeat(["AT", "BE", "CZ", "DK"], n // 4)
        table["month"] = np.tile(np.arange(n // 4), 4)
        table["y"] = (table["a"] + np.repeat(rng.normal(size=4) * 3, n // 4)).round(3)
    folder, findings, _ = reported(table, **FIRST_ANSWER)
    assert (findings.stopped, findings.verdict, findings.split) == ("budget", "quick", split)
    text = page_of(folder)
    assert "The time was up" in text
    assert "Not all of this is done yet." in text
    for what, value in (
        ("models", models.MODELS["linear"]),
        ("ranking", "linear"),
        ("outer folds", findings.n_folds),
        ("rows in selection and scoring", findings.n_rows),
    ):
        assert f'<tr><th scope="row">{what}</th><td>{value}</td></tr>' in text
    assert joblib.load(folder / "model.joblib").predict(read_table(tmp_path / "my.csv").frame).shape == (400,)
    assert findings.sentence.startswith(f"A first answer from {findings.n_rows} of 400 rows, by a linear model")
    assert "Use" not in findings.sentence
    outlook = r"It may end between -?\d\.\d\d and -?\d\.\d\d: twice the rows added \d\.\d\d\d"
    assert re.search(outlook, findings.sentence)


def test_a_record_that_is_broken_or_of_another_file_is_not_used(tmp_path):
    file = tmp_path / "computed.json"
    REPORT.Record(file, "one").add("select", {"x": 1}, 0.5)
    assert REPORT.Record(file, "one").results == {"select": {"x": 1}}
    assert REPORT.Record(file, "another").results == {}
    file.write_text(file.read_text()[:-5])
    assert REPORT.Record(file, "one").results == {}
    file.write_text(json.dumps(["something", "else"]))
    assert REPORT.Record(file, "one").results == {}


def test_two_workers_give_what_one_does(small_table, results, tmp_path):
    """Threads: other processes would not see that there are fewer trees."""
    small_table.to_csv(tmp_path / "my.csv", index=False)
    with parallel_config("threading"):
        folder = report(tmp_path / "my.csv", "outcome", out=tmp_path / "out", **{**SMALL, "n_jobs": 2}).folder
    computed = json.loads((folder / "computed.json").read_text(encoding="utf-8"))["results"]
    assert computed | {"quick": results["quick"]} == json.loads(json.dumps(results))


def test_regression_groups_time_and_costs(tmp_path):
    planted = plant(6, n_samples=60, n_noise=1, regression=True)
    rng = np.random.default_rng(0)
    planted.table["who"] = rng.integers(0, 20, 60)
    planted.table["day"] = rng.permutation(60)
    planted.table.to_csv(tmp_path / "my.csv", index=False)
    (tmp_path / "costs.csv").write_text("column,cost\n" + "".join(f"{name},9\n" for name in planted.relevant[:1]))
    options = {"groups": "who", "time": "day", "cost": tmp_path / "costs.csv", "max_features": 3, "drop": ["m1"]}
    folder, findings, _ = report(tmp_path / "my.csv", "outcome", out=tmp_path / "out", **options, **QUICK)
    assert len(findings.columns) <= 3
    text = page_of(folder)
    assert "forwards in time by “day”, rows of one “who” together" in text
    assert "the cheapest set within one standard error of the best" in text
    assert "m1" not in pd.read_csv(folder / "selected_features.csv")["name"].tolist()
    assert runpy.run_path(str(folder / "rebuild.py"))["model"].predict(read_table(tmp_path / "my.csv").frame).shape == (
        60,
    )


def test_a_limit_on_the_columns_holds_for_the_model(reported):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4)).round(4)
    table = pd.DataFrame(X, columns=list("abcd")).assign(y=X.sum(axis=1).round(4))
    folder, findings, _ = reported(table, max_features=1, **QUICK)
    assert findings.verdict == "all"
    assert findings.recommended == findings.columns
    assert len(joblib.load(folder / "model.joblib")[0].types_) == 1
    assert findings.sentence.startswith("Allow more columns: all 4 have R²")
    assert (pd.read_csv(folder / "selected_features.csv")["selected"] == "yes").sum() == 1


def test_costs_of_columns_that_are_no_features_and_of_names_in_another_case(small, small_table):
    small_table.assign(Age=np.arange(60) % 7, gone=1.5).to_csv("my.csv", index=False)
    cost = MappingProxyType({"age": 3.0, "gone": 2.0, "outcome": 1.0})
    _, _, problem = report("my.csv", "outcome", out="out", cost=cost, drop=["gone"], **FIRST_ANSWER)
    assert "Age" in problem.X


def test_the_command_on_the_page_can_be_given_again(small, small_table):
    small_table.rename(columns={"m1": "-m1"}).assign(other=np.arange(60) % 7).to_csv("my.csv", index=False)
    folder, _, _ = report("my.csv", "outcome", out="my out", drop=["-m1"], **FIRST_ANSWER)
    text = html.unescape(page_of(folder))
    words = shlex.split(re.search(r"python -m fscore (report .*?)(?=<|\n)", text)[1])
    options = _parser().parse_args(words)
    assert (options.out, options.drop, options.budget) == ("my out", ["-m1"], 1e-6)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--target", "nothing"], "no such column"),
        (["--target", "outcome", "--methods", "magic"], "--methods='magic' is unknown"),
        (["--target", "outcome", "--max-features", "0"], "must be a whole number, at least 1"),
        (["--target", "outcome", "--task", "regression"], "needs numbers"),
        (["--target", "outcome", "--cost", "absent.csv"], "--cost: there is no file absent.csv;"),
        (["--target", "outcome", "--cost", "."], "--cost: . is a folder; give the path of a CSV file."),
        (
            ["--target", "outcome", "--jobs", "0"],
            "--jobs=0 must be a positive integer, or -1 for all processors.",
        ),
        (["--target", "outcome", "--encoding", "utf-9"], "my.csv: --encoding='utf-9' is unknown; name one such as"),
        (
            ["--target", "outcome", "--seed", "4294967295"],
            "--seed=4294967295 must be a whole number between 0 and 4294967291.",
        ),
        (["--target", "outcome", "--seed", "-1"], "--seed=-1 must be a whole number between 0"),
        (["--target", "outcome", "--keep", "m1", "--drop", "m1"], "--keep='m1' is also to be left out by --drop"),
    ],
)
def test_wrong_options_end_with_one_sentence(options, message, small, capsys):
    assert main(["report", "my.csv", "--out", "out", *options]) == 1
    *progress, last = capsys.readouterr().err.strip().splitlines()
    assert message in last
    assert progress == ["reading my.csv", "60 rows, 6 columns; looking for issues"][: len(progress)]
    assert not (small / "out").exists()


def test_groups_and_time_are_no_columns_to_choose_and_need_not_be_left_out(small_table):
    table = small_table.assign(who=np.arange(60) % 9, day=np.arange(60) // 2)
    problem = build_problem(table, "outcome", drop=["who", "day"], groups="who", time="day")
    assert {"who", "day"}.isdisjoint(problem.columns)
    assert (problem.group_name, problem.time_name) == ("who", "“day”")


@pytest.mark.parametrize(
    ("cost", "message"),
    [
        ("name,cost\na,1\n", "--cost: the file has no column column."),
        ("name,price\na,1\n", "--cost: the file has no column column, cost."),
        ("column,cost\nx,-1\n", "--cost: 'x' costs -1.0; a cost is a number, zero or more."),
        ("column,cost\nx,much\n", "--cost: 'x' costs 'much'; a cost is a number, zero or more."),
        ("column,cost\nx,1\nz,1\nX,2\n", "--cost: 'x' is listed twice; list every column once."),
        ("column,cost\n", "--cost: cost.csv: the file is empty: there is no data below a header line."),
        ({"x": float("inf")}, "--cost: 'x' costs inf; a cost is a number, zero or more."),
    ],
)
def test_costs_that_cannot_be_used_are_refused(cost, message, small):
    pd.DataFrame({"x": np.arange(40.0), "z": np.arange(40) % 7, "y": np.arange(40) % 2}).to_csv("my.csv", index=False)
    if isinstance(cost, str):
        Path("cost.csv").write_text(cost)
        cost = "cost.csv"
    with pytest.raises(ValueError, match=f"^{re.escape(message)}$"):
        report("my.csv", "y", cost=cost, out="out", **QUICK)


@pytest.mark.parametrize(
    ("stopped", "status", "message"),
    [
        (None, 0, ""),
        ("budget", 3, "The time was up before the end; the report says what is missing"),
        ("interrupt", 130, "Interrupted before the end; the report says what is missing"),
    ],
)
@pytest.mark.parametrize("question", ["", "Are these known before the target?"])
def test_the_exit_status_says_how_a_report_ended(question, stopped, status, message, monkeypatch, capsys, tmp_path):
    asked = {}

    def made(csv, target, **options):
        asked.update(options)
        findings = SimpleNamespace(stopped=stopped, sentence="Use these 2 columns.", question=question)
        return tmp_path, findings, None

    monkeypatch.setattr(REPORT, "report", made)
    assert main(["report", "my.csv", "--target", "y", "--budget", "5m", "--methods", "anova, relief"]) == status
    out, err = capsys.readouterr()
    questions = [question] if question else []
    assert out.splitlines() == ["Use these 2 columns.", *questions, str(tmp_path / "report.html")]
    assert err.startswith(message)
    assert bool(err) == bool(message)
    assert (asked["budget"], asked["methods"]) == (300, ["anova", "relief"])


def test_a_report_that_was_interrupted_at_once_is_not_written(small, monkeypatch, capsys):
    monkeypatch.setattr(REPORT, "run_all", lambda *arguments, **options: "interrupt")
    assert main(["report", "my.csv", "--target", "outcome", "--out", "out"]) == 130
    message = "Interrupted before anything was found; the same command starts again.\n"
    assert capsys.readouterr().err.endswith(message)
    assert not (small / "out" / "report.html").exists()


def test_a_wrong_call_shows_the_usage(capsys):
    for options, message in ([], "--target"), (["--target", "y", "--budget", "soon"], "'soon' is not a time"):
        with pytest.raises(SystemExit) as caught:
            main(["report", "x.csv", *options])
        assert caught.value.code == 2
        assert message in capsys.readouterr().err


def odd_tables():
    """Those that once ended in a traceback or a silent NaN, rows up to which they get ten outer folds, and options."""
    rng = np.random.default_rng(0)
    y = rng.choice(["u", "v"], 30)
    x, z, number = rng.normal(size=(3, 30))
    sparse = np.where(rng.uniform(size=30) < 0.9, np.nan, 1.5)
    return [
        ({"x": x * 1e299, "z": z, "y": number}, 0, {}),  # squares overflow
        ({"x": x[:14], "day": np.arange(14), "y": number[:14]}, 600, {"time": "day"}),  # one row in a part of time
        ({"a": rng.choice(["p", "q", "?"], 30), "b": rng.choice(["1", "x"], 30), "y": y}, 0, {}),  # categories only
        ({"a": sparse, "b": x, "y": y}, 0, {}),  # hardly any value, and one column is left
        (
            {"x": x, "site": np.repeat([1, 2, 3], 10), "y": np.repeat(["u", "v", "u"], 10)},
            600,
            {},
        ),  # a class in a group
    ]


@pytest.mark.parametrize(("columns", "most_in_ten_folds", "options"), odd_tables())
def test_odd_tables_give_a_report(columns, most_in_ten_folds, options, reported, monkeypatch):
    if most_in_ten_folds:
        monkeypatch.setattr(analysis, "_SMALL", most_in_ten_folds)
        monkeypatch.setattr(analysis, "folds", folds)
    monkeypatch.setitem(models.TREES, "max_iter", 2)
    monkeypatch.setitem(models.FOREST, "n_estimators", 3)
    folder, findings, _ = reported(pd.DataFrame(columns), **options, **SMALL)
    assert np.isfinite(findings.reported)
    assert "nan" not in re.sub(r"<[^>]*>", " ", page_of(folder)).split()


def contents(folder):
    return {file.name: file.read_bytes() for file in folder.iterdir()}


def test_other_settings_get_a_folder_of_their_own_and_the_same_ones_find_theirs(small, monkeypatch):
    first = report("my.csv", "outcome", **FIRST_ANSWER).folder
    before = contents(first)
    second, unfinished, _ = report("my.csv", "outcome", seed=1, **SMALL, budget=1e-6)
    assert (str(first), str(second)) == ("my_report", "my_report_2")
    assert unfinished.stopped == "budget"
    again, complete, _ = report("my.csv", "outcome", seed=1, **SMALL)
    assert again == second
    assert complete.verdict not in ("quick", "unfinished")
    assert contents(first) == before
    monkeypatch.setattr(Analysis, "run", lambda *arguments: pytest.fail("computed again"))
    assert report("my.csv", "outcome", seed=1, **SMALL)[:2] == (second, complete)
    shutil.rmtree(first)
    assert report("my.csv", "outcome", seed=1, **SMALL).folder == second


def test_files_of_one_name_get_folders_of_their_own(small):
    for name, seed in ("A", 3), ("B", 4):
        (small / name).mkdir()
        plant(seed, n_samples=60, n_noise=1).table.to_csv(small / name / "data.csv", index=False)
    (small / "data_report").write_text("a file of the user")
    (small / "data_report_2").mkdir()
    (small / "data_report_2" / "notes.txt").write_text("a file of the user")
    (small / "data_report_3").mkdir()
    (small / "data_report_3" / "rebuild.py").write_text("a file of the user")
    made = [str(report(f"{name}/data.csv", "outcome", **FIRST_ANSWER).folder) for name in "ABA"]
    assert made == ["data_report_2", "data_report_4", "data_report_2"]
    assert (small / "data_report_3" / "rebuild.py").read_text() == "a file of the user"


def test_a_folder_that_was_named_is_not_overwritten(small):
    report("my.csv", "outcome", out="out", **FIRST_ANSWER)
    before = contents(small / "out")
    with pytest.raises(
        ValueError, match=r"^--out='out' holds the report of another file or of other settings; name another folder\.$"
    ):
        report("my.csv", "outcome", out="out", seed=1, **QUICK)
    assert contents(small / "out") == before
    (small / "proj").mkdir()
    (small / "proj" / "rebuild.py").write_text("a file of the user")
    message = r"^--out='proj' holds rebuild\.py, which the report would replace; name another folder\.$"
    with pytest.raises(ValueError, match=message):
        report("my.csv", "outcome", out="proj", **QUICK)
    assert contents(small / "proj") == {"rebuild.py": b"a file of the user"}


def test_a_disk_that_is_full_leaves_the_old_report_and_names_the_file(small, monkeypatch, capsys):
    folder, _, _ = report("my.csv", "outcome", **FIRST_ANSWER)
    before = contents(folder)
    original = Path.write_bytes

    def full(file, content):
        if "report.html" in file.name:
            raise OSError(errno.ENOSPC, "No space left on device")
        return original(file, content)

    monkeypatch.setattr(Path, "write_bytes", full)
    options = ["--methods", "anova", "--jobs", "1", "--budget", "0.001s"]
    assert main(["report", "my.csv", "--target", "outcome", *options]) == 1
    message = "my_report/report.html can't be written (No space left on device); choose another place with --out.\n"
    assert capsys.readouterr().err.endswith(message)
    assert contents(folder) == before


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["x" * 300 + ".csv"], "x.csv can't be read (File name too long); give the path of a CSV file."),
        (["my.csv", "--cost", "c" * 300], "c can't be read (File name too long); give the path of a CSV file."),
        (["y" * 249 + ".csv"], "y_report can't be written (File name too long); give a shorter name by --out."),
        (["my.csv", "--out", "my.csv/deeper"], "(Not a directory); choose another place with --out."),
        (["my.csv", "--out", "my.csv"], "my.csv' is a file; name a folder."),
        (["my.csv", "--out", ""], "--out='' is not a folder; name one, or leave --out away."),
        (["."], ". is a folder; give the path of a CSV file."),
        (
            ["my.csv", "--out", "/proc/xx"],
            "/proc/xx can't be written (No such file or directory); choose another",
        ),
    ],
    ids=["file", "cost", "folder", "in a file", "a file", "none", "a folder", "in /proc"],
)
def test_a_place_that_can_not_be_used_ends_with_one_sentence_before_the_work(
    arguments, message, small, capsys, monkeypatch
):
    monkeypatch.setattr(REPORT, "run_all", Mock(side_effect=AssertionError))
    shutil.copy("my.csv", "y" * 249 + ".csv")
    assert main(["report", *arguments, "--target", "outcome", "--methods", "anova", "--jobs", "1"]) == 1
    last = capsys.readouterr().err.strip().splitlines()[-1]
    assert message in last
    assert "Errno" not in last


def test_a_page_names_files_without_their_folders_and_its_lines_work_beside_the_file(small, monkeypatch):
    (small / "A").mkdir()
    shutil.move("my.csv", "A/data.csv")
    (small / "A" / "costs.csv").write_text("column,cost\nm1,2\n")
    folder, _, _ = report(small / "A/data.csv", "outcome", out=small / "B", cost=small / "A/costs.csv", **FIRST_ANSWER)
    for name in "report.html", "report.json":
        assert str(small) not in html.unescape((folder / name).read_text(encoding="utf-8"))
    words = "".join(Page(page_of(folder)).words)
    assert "python -m fscore report data.csv --target outcome --out B" in words
    lines = (folder / "rebuild.py").read_text(encoding="utf-8")
    rebuilt = runpy.run_path(str(folder / "rebuild.py"))["model"]  # from any folder
    lines = lines.replace(repr(str(small / "A" / "data.csv")), "'data.csv'")
    assert lines in words
    monkeypatch.chdir(small / "A")
    Path("shown.py").write_text(lines)
    table = read_table("data.csv").frame
    again = runpy.run_path("shown.py")["model"]
    np.testing.assert_array_equal(again.predict_proba(table), rebuilt.predict_proba(table))


def test_a_terminal_of_few_characters_gets_what_it_can_show(monkeypatch, capsys, tmp_path):
    def made(csv, target, **options):
        return tmp_path / "größe", SimpleNamespace(stopped=None, sentence="Use “größe”: R² 0.50.", question=""), None

    monkeypatch.setattr(REPORT, "report", made)
    written = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(written, encoding="ascii"))
    assert main(["report", "my.csv", "--target", "y"]) == 0
    sys.stdout.flush()
    assert written.getvalue().decode().splitlines() == [
        "Use ?gr??e?: R? 0.50.",
        str(tmp_path / "gr??e" / "report.html"),
    ]


def test_one_of_a_thing_is_written_in_the_singular(tmp_path):
    rng = np.random.default_rng(0)
    x = rng.normal(size=60).round(3)
    pd.DataFrame({"x": x, "y": np.where(x + rng.normal(size=60) > 0, "u", "v")}).replace(x[0], "much").to_csv(
        tmp_path / "my.csv", index=False
    )
    folder, _, _ = report(tmp_path / "my.csv", "y", out=tmp_path / "out", **FIRST_ANSWER)
    words = [text.strip() for text in Page(page_of(folder)).words]
    assert (
        "my.csv: 60 rows in use, 1 column to choose from, the target is a class. In brackets: 90% intervals." in words
    )
    assert "the only column" in words
    assert "Numbers with something else among them: “x” (1 other text such as “much”)." in words
