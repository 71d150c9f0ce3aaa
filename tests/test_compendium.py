"""Code shared by the papers: parameters and experiments, comparison with printed numbers, verdicts, pages."""

import json
import re
import shlex
from types import SimpleNamespace

import hypothesis.strategies as st
import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
import yaml
from hypothesis import given
from matplotlib.figure import Figure
from numpy.testing import assert_allclose, assert_array_equal
from scipy import stats
from sklearn.model_selection import StratifiedShuffleSplit

from compendium import markup, phone, published, results, scoreboard, verdicts
from compendium.claim_records import claim_records, command_of, printed_as_measured, verdict_on_print
from compendium.experiment import Experiment, experiment_of, parameter
from compendium.features import feature_names, named, named_list
from compendium.frames import from_json, to_json
from compendium.page import Page
from compendium.papers import notebook_files, papers, printed_files
from compendium.parameters import ParameterError, check, coerce, describe, parameters_cell, read_parameters
from compendium.protocol import check_name, stratified_rows
from compendium.recomputed import agreement, compare_means, largest_differences
from compendium.reference import accepted_results, reference
from compendium.runner.accept import with_verdicts
from compendium.runner.notebooks import named_datasets, profile_settings
from compendium.style import COLOURS, series_styles
from compendium.tables import anchors, html_table, in_words, printed_anchors
from fscore.datasets import DatasetUnavailableError, load, status

CELL = """
dataset: str = "wine"  # data set, or the path of a CSV file, in data sets
n_splits: int = 5  # outer folds, in [2, 100]
share: float = 0.5  # share kept, in (0, 1]
scaling: str = "raw"  # scaling of the inputs, in {raw, minmax}
ks: list[int] = [1, 3]  # numbers of neighbours, in [1, 99]
target: str | None = None  # label column of a CSV file
exact: bool = False  # solve to the end
"""


@pytest.fixture
def parameters():
    return read_parameters(CELL)


def test_parameters_cell_is_read(parameters):
    by_name = {parameter.name: parameter for parameter in parameters}
    assert list(by_name) == ["dataset", "n_splits", "share", "scaling", "ks", "target", "exact"]
    assert by_name["n_splits"].help == "outer folds"
    assert by_name["n_splits"].domain == "[2, 100]"
    assert by_name["dataset"].help == "data set, or the path of a CSV file"
    assert by_name["ks"].default == [1, 3]
    assert by_name["target"].domain == ""


def test_help_names_type_default_and_meaning(parameters):
    text = describe(parameters)
    assert "n_splits" in text
    assert "outer folds, in [2, 100]" in text
    assert "list[int]" in text


@pytest.mark.parametrize(
    "values",
    [
        {"n_splits": 2},
        {"share": 1},
        {"scaling": "minmax"},
        {"ks": [5]},
        {"target": None},
        {"exact": True},
        {"dataset": "wdbc"},
    ],
)
def test_legal_values_pass(parameters, values):
    check(parameters, values)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"n_split": 3}, "Did you mean 'n_splits'"),
        ({"n_splits": 1}, "in [2, 100]"),
        ({"n_splits": True}, "an integer"),
        ({"n_splits": 2.5}, "an integer"),
        ({"share": 0.0}, "in (0, 1]"),
        ({"share": float("nan")}, "number"),
        ({"scaling": "zscore"}, "{raw, minmax}"),
        ({"ks": []}, "list"),
        ({"ks": [0]}, "[1, 99]"),
        ({"ks": [3, 5, 3]}, "it has 3 more than once; name each value once"),
        ({"exact": 1}, "true or false"),
        ({"dataset": "wines"}, "wine"),
        ({"dataset": "nowhere/file.csv"}, "no such CSV file exists"),
    ],
)
def test_illegal_values_say_what_is_legal(parameters, values, said):
    with pytest.raises(ParameterError, match=r"invalid|unknown|no such") as error:
        check(parameters, values)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_csv_file_is_a_legal_data_set(parameters, tmp_path):
    file = tmp_path / "mine.csv"
    file.write_text("a,b\n1,x\n")
    check(parameters, {"dataset": str(file)})


def test_the_path_of_a_file_is_the_same_in_every_folder(parameters, tmp_path, monkeypatch):
    (tmp_path / "mine.csv").write_text("a,b\n1,x\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    for path in ("mine.csv", "./mine.csv", "~/mine.csv"):
        values = coerce(parameters, {"dataset": path, "target": "~/b"})
        assert values == {"dataset": str(tmp_path / "mine.csv"), "target": "~/b"}
        check(parameters, values)
    assert coerce(parameters, {"dataset": "wine"}) == {"dataset": "wine"}
    assert Toy(dataset=["wine", "mine.csv"]).dataset == ["wine", str(tmp_path / "mine.csv")]
    for path in ("~\0/mine.csv", "~\ud800/mine.csv"):
        with pytest.raises(ParameterError, match="no such CSV file exists"):
            check(parameters, coerce(parameters, {"dataset": path}))


def test_a_data_set_may_be_named_twice():
    assert Toy(dataset=["wine", "wine"]).dataset == ["wine", "wine"]


def test_values_that_yaml_misreads_are_coerced(parameters):
    mended = coerce(parameters, {"share": "1e-3", "ks": 7, "n_splits": 4, "scaling": 3, "other": "x"})
    assert mended == {"share": 0.001, "ks": [7], "n_splits": 4, "scaling": "3", "other": "x"}


def test_an_optional_list_may_be_left_out():
    parameters = read_parameters("copied: list[int] | None = None  # features, in [1, 99]\n")
    assert coerce(parameters, {"copied": None}) == {"copied": None}
    assert coerce(parameters, {"copied": 3}) == {"copied": [3]}
    check(parameters, {"copied": None})


@pytest.mark.parametrize("cell", ["x = 1", "x: complex = 1  # no such type", "x: int = 1"])
def test_undescribed_parameters_are_refused(cell):
    with pytest.raises(ParameterError):
        read_parameters(cell)


@given(st.integers(-1000, 1000), st.integers(0, 4))
def test_printed_tolerance_is_half_the_last_digit(mantissa, decimals):
    text = f"{mantissa / 10**decimals:.{decimals}f}"
    assert published.printed_tolerance(text) == pytest.approx(0.5 * 10.0**-decimals)


def test_compare_puts_published_and_reproduced_side_by_side():
    printed = pd.DataFrame({"method": ["a", "b", "c"], "value": ["0.90", "0.5", "1"], "runs": 3})
    measured = pd.DataFrame({"method": ["a"] * 3 + ["b"] * 3, "value": [0.88, 0.90, 0.89, 0.7, 0.7, 0.7]})
    table = published.compare(printed, measured, on=["method"]).set_index("method")
    # a: mean .89, sd .01, error sqrt(2 * .01^2 / 3): agrees. b: off by .2 with no spread. c: not measured.
    assert table.loc["a", "reproduced"] == pytest.approx(0.89)
    assert table.loc["a", "error"] == pytest.approx(0.01 * np.sqrt(2 / 3))
    assert table.loc["a", "errors"] == pytest.approx(-np.sqrt(3 / 2))
    assert table["agrees"].tolist() == [True, False, None]
    beyond_rounding = (0.01 - 0.005) / (0.01 * np.sqrt(2 / 3))
    assert_allclose(table["p"], [2 * stats.t.sf(beyond_rounding, 4), 0.0, np.nan], rtol=1e-6)
    assert table.loc["b", "difference"] == pytest.approx(0.2)
    assert np.isnan(table.loc["c", "reproduced"])


def test_a_wide_spread_of_ours_does_not_make_means_agree():
    rng = np.random.default_rng(0)
    measured = pd.DataFrame({"method": "a", "value": rng.normal(76, 8.7, 125)})
    printed = pd.DataFrame({"method": ["a"], "value": ["82.0"], "spread": ["2.0"], "runs": [5]})
    assert published.compare(printed, measured, ["method"])["agrees"].tolist() == [False]


def test_compare_rejects_the_truth_in_one_of_twenty_cases():
    rng = np.random.default_rng(1)
    cases = range(2000)
    measured = pd.DataFrame({"case": np.repeat(cases, 10), "value": rng.normal(50, 3, 20000)})
    theirs = rng.normal(50, 3, (2000, 5))
    printed = pd.DataFrame({"case": cases, "value": [f"{mean:.4f}" for mean in theirs.mean(axis=1)], "runs": 5})
    printed["spread"] = [f"{sd:.4f}" for sd in theirs.std(axis=1, ddof=1)]
    share = published.compare(printed, measured, ["case"])["agrees"].mean()
    spreads = published.compare_spreads(printed, measured, ["case"])["agrees"].mean()
    assert 0.935 < share < 0.965  # 95 % within three standard errors of 2,000 cases
    assert 0.935 < spreads < 0.965


def test_two_repetitions_tell_nothing_about_the_spread():
    printed = pd.DataFrame({"case": [0], "value": ["0.50"]})
    measured = pd.DataFrame({"case": [0, 0], "value": [0.3, 0.9]})
    table = published.compare(printed, measured, ["case"])
    assert np.isnan(table["error"][0])
    assert table["agrees"].tolist() == [False]


def test_a_value_with_its_own_error_is_compared_within_that_error():
    printed = pd.DataFrame({"case": [0, 1], "value": ["0.500", "0.500"]})
    measured = pd.DataFrame({"case": [0, 1], "value": [0.6, 0.7], "error": [0.05, 0.05]})
    table = published.compare(printed, measured, ["case"])
    assert table["error"].tolist() == pytest.approx([0.05 * np.sqrt(2)] * 2)
    assert table["agrees"].tolist() == [True, False]


def test_spreads_that_differ_twice_differ():
    printed = pd.DataFrame({"case": [0, 1, 2], "spread": ["1.0", "4.0", ""]})
    rng = np.random.default_rng(0)
    values = rng.normal(0, 1, 10)
    values /= values.std(ddof=1)
    measured = pd.DataFrame({"case": np.repeat([0, 1, 2], 10), "value": np.tile(values, 3)})
    table = published.compare_spreads(printed, measured, ["case"])
    assert table["agrees"].tolist() == [True, False]  # F(9, 9) = 16; the third is not printed
    assert table["published"].tolist() == [1.0, 4.0]


def test_an_explanation_is_found_by_its_query(tmp_path, monkeypatch):
    (tmp_path / "published").mkdir()
    (tmp_path / "published" / "p_explanations.csv").write_text(
        "table,match,cause,explanation\n"
        "Table 1,method == 'a',misprint,the digits are exchanged\n"
        "Table 2,,budget,all of it was cut\n"
    )
    monkeypatch.setattr(published, "DATA", tmp_path)
    comparison = pd.DataFrame({"method": ["a", "b", "c", "d"], "agrees": [False, False, True, None]})
    found = published.explained(comparison, "p", "Table 1")
    assert found["cause"].tolist() == ["misprint", "unexplained", "", ""]
    assert published.explained(comparison, "p", "Table 2")["cause"].tolist() == ["budget", "budget", "", ""]


def test_an_unknown_cause_is_refused(tmp_path, monkeypatch):
    (tmp_path / "published").mkdir()
    (tmp_path / "published" / "p_explanations.csv").write_text("table,match,cause,explanation\nTable 1,,chance,x\n")
    monkeypatch.setattr(published, "DATA", tmp_path)
    with pytest.raises(ValueError, match="unknown cause 'chance'"):
        published.explained(pd.DataFrame({"agrees": [False]}), "p", "Table 1")


def test_scoreboard_counts_each_printed_number_once():
    comparisons = pd.DataFrame(
        {
            "paper": "p",
            "table": ["1", "1", "1", "2"],
            "agrees": [True, False, None, False],
            "cause": ["", "unexplained", "", "misprint"],
            "error": [0.1, 0.2, 0.3, np.nan],
            "p": [0.5, 0.02, np.nan, 0.0],
        }
    )
    found = scoreboard.scoreboard(comparisons).set_index("table")
    assert found.loc["1", scoreboard.COUNTS].tolist() == [3, 2, 1, 0, 1]
    assert found.loc["2", scoreboard.COUNTS].tolist() == [1, 1, 0, 1, 0]
    assert found["by_chance"].tolist() == [0.1, 0.0], "two numbers are compared by an error, the last by rounding"
    assert found["beyond_chance"].tolist() == [1, 0], "the last has an explanation"


def test_beyond_chance_are_few_of_many_equal_numbers_but_all_that_truly_differ():
    rng = np.random.default_rng(2)
    p = np.concatenate([rng.uniform(size=1000), np.full(20, 1e-6)])
    comparisons = pd.DataFrame({"p": p, "agrees": p >= 0.05, "error": 1.0})
    found = scoreboard.beyond_chance(comparisons)
    assert (~comparisons["agrees"])[:1000].sum() > 30
    assert found[1000:].all()
    assert found[:1000].sum() <= 3
    alone = pd.DataFrame({"p": [0.0, 1.0, np.nan], "agrees": [False, True, None], "error": [np.nan, 0.0, np.nan]})
    assert scoreboard.beyond_chance(alone).tolist() == [True, False, False], "no chance is known"


@pytest.mark.parametrize(
    ("low", "high", "answer"),
    [(0.6, 0.9, "replicated"), (0.1, 0.4, "not replicated"), (0.4, 0.9, "inconclusive"), (0.5, 0.9, "inconclusive")],
)
def test_an_interval_answers_unless_it_contains_the_threshold(low, high, answer):
    assert verdicts.by_interval(low, high, 0.5) == answer


@pytest.mark.parametrize(
    ("parts", "answer"),
    [
        (["replicated", "replicated"], "replicated"),
        (["replicated", "inconclusive"], "partly"),
        (["replicated", "not replicated"], "partly"),
        (["partly", "partly"], "partly"),
        (["inconclusive", "not replicated"], "not replicated"),
        (["inconclusive", "inconclusive"], "inconclusive"),
    ],
)
def test_a_claim_of_several_parts_combines_their_answers(parts, answer):
    assert verdicts.combine(parts) == answer


def test_claims_of_a_paper_keep_their_order():
    claims = published.claims_of("hocke2014")
    assert claims["claim_id"].tolist() == [f"M{i}" for i in range(1, 11)]


def test_every_claim_belongs_to_a_known_paper():
    assert set(published.all_claims()["paper"]) <= set(papers())


def test_judge_has_three_answers():
    assert verdicts.judge(True, "").answer == "replicated"
    assert verdicts.judge(False, "", partly=True).answer == "partly"
    assert verdicts.judge(False, "").answer == "not replicated"


def test_unknown_verdict_is_refused():
    with pytest.raises(ValueError, match="the answers are"):
        verdicts.Verdict("maybe", "")


def test_every_answer_has_its_own_marker():
    assert len(set(verdicts.MARKS.values())) == len(verdicts.ANSWERS)


def test_tally_counts_in_fixed_order():
    counts = verdicts.tally(["partly", "replicated", "partly"])
    assert counts.to_dict() == {
        "replicated": 1,
        "partly": 2,
        "not replicated": 0,
        "inconclusive": 0,
        "not testable here": 0,
        "not tested yet": 0,
    }


def test_html_table_escapes_and_has_a_caption():
    text = html_table(pd.DataFrame({"a<b": ["<script>"], "x": [1234.5678]}), "Mean & spread")
    assert "<script>" not in text
    assert "<caption>Mean &amp; spread</caption>" in text
    assert 'tabindex="0"' in text
    assert ">1235<" in text


class Toy(Experiment):
    """Squares; counts its measurements."""

    tables = ("squares",)
    measured = 0

    dataset: list[str] = parameter(["wine"], "data sets, or paths of CSV files", "data sets")
    n: int = parameter(5, "how many", "[2, 100]")
    share: float = parameter(0.5, "share kept", "(0, 1]")
    ks: list[int] = parameter([1, 3], "numbers of neighbours", "[1, 99]")
    target: str | None = parameter(None, "label column of a CSV file")
    scaling: str = parameter("raw", "scaling of the inputs", "{raw, minmax}")
    seed: int = parameter(0, "root of all random numbers", "[0, 9]")

    def measure(self):
        type(self).measured += 1
        values = np.arange(self.n) ** 2 / 3
        return {"squares": pd.DataFrame({"number": range(self.n), "value": values, "pair": [(1, 2)] * self.n})}


Toy.__module__ = "hocke2014.toy"


@pytest.fixture
def shown(tmp_path, monkeypatch):
    """HTML of everything that a page shows; results are written to a temporary file."""
    monkeypatch.setenv("FSCORE_RESULTS", str(tmp_path / "run" / "x.json"))
    monkeypatch.setenv("FSCORE_KEPT", str(tmp_path / "run" / "x.json"))
    monkeypatch.setattr("compendium.page.code_digest", lambda names: "code")
    monkeypatch.setattr(Toy, "measured", 0)
    found = []
    monkeypatch.setattr("compendium.page.display", lambda html: found.append(html.data))
    return found


def namespace(**values):
    return {**Toy().values, **values}


def test_an_experiment_declares_its_parameters_once():
    assert [declared.name for declared in Toy.parameters][:3] == ["dataset", "target", "n"]
    assert tuple(read_parameters(parameters_cell(Toy.parameters))) == Toy.parameters
    assert 'scaling: str = "raw"  # scaling of the inputs, in {raw, minmax}' in parameters_cell(Toy.parameters)


def test_an_experiment_inherits_shared_parameters():
    class Longer(Toy):
        n: int = parameter(7, "how many", "[2, 100]")
        extra: bool = parameter(False, "one more")

    names = [declared.name for declared in Longer.parameters]
    assert names[:4] == ["dataset", "target", "n", "extra"]
    assert names[-1] == "seed"
    assert Longer().n == 7
    assert Toy().n == 5


def test_an_experiment_checks_and_coerces_its_values():
    assert Toy(ks=5, share="1e-1").values["ks"] == [5]
    assert Toy(share="1e-1").share == 0.1
    assert Toy(ks=5).pick("ks", "n") == {"ks": (5,), "n": 5}
    with pytest.raises(ParameterError, match="n = 1"):
        Toy(n=1)
    with pytest.raises(ParameterError, match="Did you mean 'share'"):
        Toy(shar=0.5)


def test_an_experiment_must_return_the_tables_that_it_declares(monkeypatch):
    monkeypatch.setattr(Toy, "tables", ("squares", "cubes"))
    with pytest.raises(ValueError, match="`measure` differs in cubes"):
        Toy().run()


def test_page_checks_its_parameters_without_the_runner_too(shown):
    with pytest.raises(ParameterError, match="n = 1"):
        Page(Toy, namespace(n=1))


def test_page_converts_values_to_their_annotated_types(shown):
    given = namespace(ks=5, share="1e-1")
    Page(Toy, given)
    assert given["ks"] == [5]
    assert given["share"] == 0.1


def data_table(shown, names):
    """Finish a page on some data sets, leave its table of data as the last of ``shown``, return the available ones."""
    page = Page(Toy, namespace())
    present = page.data(names)
    page.run(dataset=present)
    page.provenance()
    shown[:] = [table for table in shown if "<caption>Data" in table]
    return present


def test_page_names_a_missing_data_set_and_does_not_fetch_it(monkeypatch, shown, tmp_path):
    monkeypatch.setenv("FSCORE_DATA", str(tmp_path))
    monkeypatch.delenv("FSCORE_DATA_MIRROR", raising=False)
    fetched = []
    monkeypatch.setattr("compendium.page.load", lambda name: fetched.append(name) or load(name))
    assert data_table(shown, ["sonar", "wine"]) == ["wine"]
    assert "make data DATASETS=sonar" in shown[-1]
    assert fetched == ["wine"]


def test_page_suggests_no_command_for_data_that_cannot_be_fetched(monkeypatch, shown, tmp_path):
    monkeypatch.setenv("FSCORE_DATA", str(tmp_path))
    assert data_table(shown, ["gisette", "wine"]) == ["wine"]
    assert "make data" not in shown[-1]
    assert "the registry holds no SHA-256 to verify it by" in shown[-1]


def test_page_without_data_raises_or_uses_the_fallback(monkeypatch, shown, tmp_path):
    monkeypatch.setenv("FSCORE_DATA", str(tmp_path))
    monkeypatch.delenv("FSCORE_DATA_MIRROR", raising=False)
    with pytest.raises(
        DatasetUnavailableError, match="none of the data sets of this run is available: sonar, mammogram; "
    ):
        Page(Toy, namespace()).data(["sonar", "mammogram"])
    monkeypatch.setattr(Toy, "fallback", "wine")
    assert Page(Toy, namespace()).data("sonar") == ["wine"]


def finished(given):
    page = Page(Toy, given)
    present = page.data(["wine", "mammogram"])  # the second is not public
    results = page.run(dataset=present)
    page.provenance()
    return results


def test_page_writes_parameters_tables_and_provenance(shown, tmp_path):
    results = finished(namespace(n=7))
    file = tmp_path / "run" / "x.json"
    written = json.loads(file.read_text())
    assert written["notebook"] == "hocke2014_toy"
    assert written["parameters"]["n"] == 7
    assert written["tables"]["squares"]["data"][4] == [4, 16 / 3, [1, 2]]
    assert written["provenance"]["datasets"]["wine"]["source"] == "bundled"
    assert written["provenance"]["versions"]["numpy"] == np.__version__
    assert results.squares["pair"][0] == (1, 2)
    assert [f.name for f in file.parent.iterdir()] == ["x.json"]


def test_kept_tables_are_shown_while_nothing_that_they_depend_on_changes(shown, tmp_path, monkeypatch):
    first = finished(namespace())
    written = (tmp_path / "run" / "x.json").read_text()
    again = finished(namespace())
    assert Toy.measured == 1
    pd.testing.assert_frame_equal(first.squares, again.squares)
    assert (tmp_path / "run" / "x.json").read_text() == written, "the origin is that of the measurement"
    finished(namespace(n=6))
    assert Toy.measured == 2
    monkeypatch.setattr("compendium.page.code_digest", lambda names: "changed code")
    finished(namespace(n=6))
    assert Toy.measured == 3


@pytest.fixture
def accepted(shown, tmp_path, monkeypatch):
    """A quick run with accepted results on two data sets and more numbers; returns them."""
    monkeypatch.setenv("FSCORE_RUN", "paper")
    finished(namespace(n=9))
    content = json.loads((tmp_path / "run" / "x.json").read_text())
    content["provenance"]["datasets"]["sonar"] = {"source": "mirror", "sha256": "0123456789abcdef"}
    content["parameters"]["dataset"] = ["wine", "mammogram", "sonar"]
    (tmp_path / "run" / "x.json").unlink()
    monkeypatch.setattr("compendium.page.reference", lambda notebook: content)
    monkeypatch.setenv("FSCORE_RUN", "quick")
    Toy.measured = 0
    shown.clear()
    return content


def text_of(shown):
    return " ".join(re.sub("<[^>]+>", " ", "".join(shown)).split())


def test_a_quick_run_executes_the_experiment_and_shows_the_reference(accepted, shown, tmp_path, monkeypatch):
    monkeypatch.delenv("FSCORE_DATA_MIRROR", raising=False)
    monkeypatch.setenv("FSCORE_DATA", str(tmp_path))
    asked = []
    monkeypatch.setattr(Toy, "measure", lambda self, measure=Toy.measure: asked.append(self.dataset) or measure(self))
    given = namespace(n=4)
    page = Page(Toy, given)
    assert given["n"] == 9, "later cells see the parameters of the run that is shown"
    present = page.data(given["dataset"], given["target"])
    assert present == page.present == ["wine", "sonar"], "those of the reference, though sonar is not here"
    results = page.run(dataset=present)
    assert asked == [["wine"]], "the build runs on its own data sets"
    assert len(results.squares) == 9
    page.provenance()
    written = json.loads((tmp_path / "run" / "x.json").read_text())
    assert written["shown"] == "paper"
    assert written["parameters"]["n"] == 4
    assert len(written["tables"]["squares"]["data"]) == 4
    assert list(written["provenance"]["datasets"]) == ["wine"]
    text = text_of(shown)
    assert "sonar 208 60 2 mirror 0123456789ab" in text, "the shape is known from the registry"
    assert "n 4 9" in text, "the parameters that differ"
    assert "squares 4 9 4 4 0 0 0" in text, "four means, all equal"
    assert "has changed" not in text


def test_a_page_shows_its_reference_when_none_of_the_build_s_data_is_here(accepted, shown, tmp_path, monkeypatch):
    monkeypatch.delenv("FSCORE_DATA_MIRROR", raising=False)
    monkeypatch.setenv("FSCORE_DATA", str(tmp_path))
    page = Page(Toy, namespace(n=4) | {"dataset": ["sonar"]})
    results = page.run(dataset=page.data(["sonar"]))
    page.provenance()
    assert len(results.squares) == 9
    assert Toy.measured == 0
    assert "This build recomputed nothing on this page" in text_of(shown)
    assert "none of the data sets of this run is available: sonar" in text_of(shown)
    assert json.loads((tmp_path / "run" / "x.json").read_text())["tables"] == {}


def test_every_page_can_be_built_without_data(monkeypatch, tmp_path):
    monkeypatch.delenv("FSCORE_DATA_MIRROR", raising=False)
    monkeypatch.setenv("FSCORE_DATA", str(tmp_path))
    settings = profile_settings("quick")
    for name in notebook_files():
        named = named_datasets(name, settings.get(name) or {})
        bundled = [data for data in named if status(data) != "missing"]
        assert not named or bundled or reference(name) or experiment_of(name).fallback, name


def test_a_page_says_when_its_reference_is_of_older_code(accepted, shown):
    accepted["provenance"]["code"] = "other"
    finished(namespace())
    assert "The code that measures these tables has changed since the reference run" in text_of(shown)


@pytest.mark.parametrize("run", ["paper", "yours", "papermill", "mine"])
def test_only_the_quick_run_shows_the_reference(accepted, shown, tmp_path, monkeypatch, run):
    monkeypatch.setenv("FSCORE_RUN", run)
    assert len(finished(namespace(n=4)).squares) == 4
    assert json.loads((tmp_path / "run" / "x.json").read_text())["shown"] == run
    assert "This build" not in text_of(shown)


@pytest.mark.parametrize(
    ("part", "said"), [("parameters", "other parameters (n)"), ("tables", "other tables (squares)"), (None, "yet")]
)
def test_a_page_without_a_usable_reference_shows_its_own_run_and_says_why(accepted, shown, monkeypatch, part, said):
    if part is None:
        monkeypatch.setattr("compendium.page.reference", lambda notebook: None)
    else:
        del accepted[part][said[said.index("(") + 1 : -1]]
    assert len(finished(namespace(n=4)).squares) == 4
    assert "This page shows what this build measured" in text_of(shown)
    assert said in text_of(shown)


def test_a_reference_without_a_column_that_the_code_now_measures_is_not_shown(accepted, shown):
    stored = accepted["tables"]["squares"]
    stored["columns"][stored["columns"].index("pair")] = "twins"
    given = namespace(n=4)
    assert len(finished(given).squares) == 4
    assert given["n"] == 4
    assert "whose table squares has no column pair" in text_of(shown)


def test_means_are_compared_within_the_error_of_the_reference():
    accepted = pd.DataFrame(
        {
            "method": ["a"] * 4 + ["b"] * 4 + ["c", "d", "d"],
            "repeat": [*range(4), *range(4), 0, 0, 1],
            "metric": ["rate"] * 9 + ["seconds"] * 2,
            "value": [1.0, 2.0, 3.0, 4.0, 1.0, 2.0, 3.0, 4.0, 7.0, 1.0, 2.0],
        }
    )
    measured = pd.DataFrame(
        {"method": ["a", "b", "c", "d", "e"], "repeat": 0, "metric": ["rate"] * 3 + ["seconds"] * 2}
    )
    # The sd of the reference is 1.291, the error of the difference 1.291 * sqrt(1/4 + 1/1) = 1.443, t(.975, 3) = 3.182.
    measured["value"] = [2.5 + 3.182 * 1.443 - 0.01, 2.5 - 3.182 * 1.443 - 0.01, 7.5, 9.0, 1.0]
    table = compare_means(measured, accepted).set_index("item")
    assert table["verdict"].to_dict() == {
        "a, rate": "within its error",
        "b, rate": "outside",
        "c, rate": "no error known",
    }
    assert table.loc["b, rate", "errors"] == pytest.approx(-3.189, abs=2e-3)
    (row,) = agreement({"t": measured}, {"t": accepted}).to_dict("records")
    assert [row[column] for column in ("means compared", "within its error", "outside", "equal")] == [3, 1, 1, 0]
    worst = largest_differences({"t": measured}, {"t": accepted})
    assert worst["what"].tolist() == ["b, rate"]


def test_tables_without_common_numbers_have_nothing_to_compare():
    texts = pd.DataFrame({"subset": ["01", "10"]})
    numbers = pd.DataFrame({"x": [1.0, 2.0], "nu": [np.nan, 0.5]})
    assert agreement({"t": texts}, {"t": texts})["means compared"].tolist() == [0]
    assert agreement({"t": numbers}, {"t": numbers})["equal"].tolist() == [2], "one without nu, and one with"
    other = pd.DataFrame({"x": [1.0], "nu": [0.7]})
    assert agreement({"t": other}, {"t": numbers})["means compared"].tolist() == [0]
    assert len(largest_differences({}, {})) == 0


def test_the_reference_is_judged_by_the_current_rules(root):
    accepted = accepted_results()
    name, content = next(iter(accepted.items()))
    gone = {"removed2000_page": content, name: {**content, "parameters": {}, "verdicts": {"X": {"answer": "partly"}}}}
    assert results.judged(gone) == {name: gone[name]}, "tables of other code keep their verdicts"


@pytest.mark.parametrize("corrupt", ["", "{}", '{"provenance": 1, "tables": {}}', '{"provenance": {"digest": "x"}}'])
def test_a_corrupt_results_file_is_measured_again(shown, tmp_path, corrupt):
    file = tmp_path / "run" / "x.json"
    file.parent.mkdir()
    file.write_text(corrupt)
    finished(namespace())
    assert Toy.measured == 1


def test_tables_survive_json_to_the_last_bit():
    frame = pd.DataFrame(
        {
            "count": [1, 2],
            "value": [0.1 + 0.2, np.nan],
            "far": [np.inf, -np.inf],
            "flag": [True, False],
            "name": ["a", "ü"],
            "mixed": [None, (1, (2.5, "x"))],
        }
    )
    back = from_json(json.loads(json.dumps(to_json(frame), allow_nan=False)))
    pd.testing.assert_frame_equal(back, frame, check_exact=True)
    empty = frame.iloc[:0]
    pd.testing.assert_frame_equal(from_json(json.loads(json.dumps(to_json(empty)))), empty)


@given(st.lists(st.floats() | st.integers(-(2**53), 2**53)))
def test_every_float_survives_json(values):
    frame = pd.DataFrame({"value": np.array(values, dtype=float)})
    back = from_json(json.loads(json.dumps(to_json(frame))))
    np.testing.assert_array_equal(back["value"], frame["value"])


def test_readme_counts_the_reference_verdicts(root):
    text = (root / "README.md").read_text(encoding="utf-8")
    assert with_verdicts(text) == text, "make accept writes this table"


def test_counts_by_paper_count_every_claim_once():
    found = {("hocke2014", "M1"): ({"answer": "replicated"}, "x"), ("hocke2014", "M2"): ({"answer": "partly"}, "x")}
    counts = results.counts_by_paper(found)
    assert counts.loc["hocke2014"].to_dict() == {
        "claims": 10,
        "replicated": 1,
        "partly": 1,
        "not replicated": 0,
        "inconclusive": 0,
        "not testable here": 0,
        "not tested yet": 8,
    }
    assert (counts["claims"] == counts[list(verdicts.ANSWERS)].sum(axis=1)).all()


@pytest.mark.parametrize(
    ("caption", "expected"),
    [
        ("Table 3: percentage", ["table-3"]),
        ("Tables 3 and 4, published and reproduced", ["table-3", "table-4"]),
        ("Tables 5, 6 and 7", ["table-5", "table-6", "table-7"]),
        ("Table 7.10: the printed subsets", ["table-7-10"]),
        ("Table C.1: forty subsets", ["table-C-1"]),
        ("The counts behind Table 1", []),
        ("Tablets 3", []),
    ],
)
def test_captions_give_the_papers_numbers_as_anchors(caption, expected):
    assert printed_anchors(caption) == expected
    assert anchors(caption) == (expected or ["table-" + caption.lower().replace(" ", "-")])


def test_an_anchor_appears_once_on_a_page(shown):
    page = Page(Toy, namespace())
    for _ in range(2):
        page.show(pd.DataFrame({"a": [1]}), "Table 3, rates")
    assert "".join(shown).count('id="table-3"') == 1


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ("4.2, Fig 10", "Section 4.2, Fig 10"),
        ("5.3.1, 5.3.5, Figs 14, 15", "Sections 5.3.1, 5.3.5, Figs 14, 15"),
        ("5.2-5.3, 6, Table 3", "Sections 5.2-5.3, 6, Table 3"),
        ("abstract, 1", "abstract, Section 1"),
        ("3, eq 4-5", "Section 3, eq 4-5"),
        ("Table 3", "Table 3"),
    ],
)
def test_the_place_of_a_claim_names_its_section(where, expected):
    assert markup.place(where) == expected


def test_claims_have_different_anchors():
    claims = published.all_claims()
    found = [markup.anchor_of(line.paper, line.claim_id) for line in claims.itertuples()]
    assert len(set(found)) == len(claims)
    assert "S5" in found


def test_a_shared_claim_id_is_qualified_by_its_paper(monkeypatch):
    monkeypatch.setattr(markup, "all_claims", lambda: pd.DataFrame({"claim_id": ["P1", "P1", "P2"]}))
    assert markup.anchor_of("peng2005", "P1") == "peng2005-P1"
    assert markup.anchor_of("peng2005", "P2") == "P2"


def test_a_badge_shows_mark_and_word_and_escapes_the_claim(monkeypatch):
    claims = pd.DataFrame({"claim_id": ["P1"], "claim": ['<b> & "x"']})
    monkeypatch.setattr(markup, "claims_of", lambda paper: claims)
    text = markup.badge("peng2005", "P1", "inconclusive")
    assert "◌</span> P1 inconclusive</a>" in text
    assert 'href="../claims.html#P1"' in text
    assert "&lt;b&gt; &amp; &quot;x&quot;" in text


def test_one_sentence_sums_up_the_verdicts_of_a_page():
    one = verdicts.Verdict("partly", "all but one are (3 of 4; 2 clearly); the last is not")
    assert markup.tally_sentence({"S5": one}) == "All but one are (3 of 4; 2 clearly)."
    several = {"S5": one, "S6": one, "S7": verdicts.Verdict("replicated", "")}
    assert markup.tally_sentence(several) == "Of 3 claims tested on this page: 1 replicated, 2 partly."


def test_a_page_links_to_its_paper_and_notebook_and_a_users_run_to_the_published_page():
    text = markup.source_line("hocke2014", "hocke2014_mdm")
    assert 'href="https://doi.org/10.1016/j.patrec.2014.10.003"' in text
    assert 'href="../_sources/executed/hocke2014_mdm.ipynb" download' in text
    assert 'href="../executed/hocke2014_mdm.html"' in markup.source_line("hocke2014", "hocke2014_mdm", own=True)


def test_every_claim_has_a_record(monkeypatch):
    content = {"verdicts": {"M1": {"answer": "partly", "evidence": "1 of 2"}}, "tables": {}, "shown": "quick"}
    readings = pd.DataFrame({"reading": ["a", "b"], "claim": ["M1", "M2"], "answer": "partly", "evidence": "x"})
    judges = SimpleNamespace(verdicts=lambda tables: tables["found"])
    part = {("hocke2014", "summaries"): judges}.get
    monkeypatch.setattr("compendium.claim_records.part_of", lambda paper, name: part((paper, name)))
    tables = {"hocke2014_readings": {"found": readings}}
    run = {"hocke2014_mdm": content, "hocke2014_readings": {"verdicts": {}, "tables": {}}}
    records = {(record.paper, record.claim_id): record for record in claim_records(run, tables)}
    assert len(records) == len(published.all_claims())
    record = records["hocke2014", "M1"]
    assert (record.answer, record.evidence, record.notebook) == ("partly", "1 of 2", "hocke2014_mdm")
    assert record.readings["reading"].tolist() == ["a"]
    assert record.rule.needs
    assert records["somol2011", "S5"].answer == "not tested yet"


def test_a_rule_is_applied_to_the_papers_own_numbers():
    rule = verdicts.rules_of("somol2011")["S5"]
    tables = printed_as_measured("somol2011")
    assert verdict_on_print(rule, tables).answer in verdicts.ANSWERS
    missing = verdicts.Rule(("no such table",), rule.function)
    assert verdict_on_print(missing, tables) is None
    unprinted = verdicts.Rule(("ensembles",), lambda ensembles: ensembles["no such column"])
    assert verdict_on_print(unprinted, tables) is None


def test_the_command_of_a_page_has_the_parameters_of_the_reference(paper_notebook):
    paper, notebook = paper_notebook
    command = shlex.split(command_of(notebook))
    assert command[:3] == ["make", "run", f"NOTEBOOK={notebook}"]
    words = shlex.split(command[3].removeprefix("PARAMS=")) if len(command) > 3 else []
    given = {name: yaml.safe_load(value) for name, _, value in (word.partition("=") for word in words)}
    assert given == (paper.settings("paper").get(notebook) or {})


@pytest.fixture(params=[(paper, page) for paper in papers().values() for page in paper.pages], ids=lambda p: p[1])
def paper_notebook(request):
    return request.param


class TestHtmlTable:
    def shown(self, **columns):
        return html_table(pd.DataFrame(columns), "Table 7.9: x")

    def test_every_part_is_escaped(self):
        text = html_table(pd.DataFrame({"<i>, a": ["<b>"], "<i>, b": [("<u>", 1)]}), '"<s>"')
        assert not re.search(r"<[ibusp]>", text)
        assert 'aria-label="&quot;&lt;s&gt;&quot;"' in text

    @pytest.mark.parametrize(
        ("values", "texts"),
        [
            ([1.5, 22.25, None], ["1.50", "22.25", "–"]),
            ([0.97, 1e-7, 0.0], ["0.97\u2007\u2007\u2007\u2007\u2007", "1.0 × 10⁻⁷", "0"]),
            ([True, False, None], ["yes", "no", "–"]),
            ([1234567, -3, 0], ["1\u202f234\u202f567", "−3", "0"]),
            ([[1, 2], [], ["a"]], ["1, 2", "none", "a"]),
            ([np.inf, -np.inf, np.nan], ["∞", "−∞", "–"]),
            (["-1.5", "+22", None], ["−1.5", "+22", "–"]),
            (["-0.4", "+3.6*", "0.1"], ["−0.4", "+3.6*", "0.1"]),
            (
                ["p = 2.5e-05, 2e-01, 1e+00", "N^2/10, -0.0", "a-1, -2 to -inf"],
                ["p = 2.5 × 10⁻⁵, 0.2, 1", "N^2/10, 0.0", "a-1, −2 to −∞"],
            ),
        ],
    )
    def test_cells_are_words_and_aligned_numbers(self, values, texts):
        cells = re.findall(r"<td[^>]*>(.*?)</td>", self.shown(name=list("abc"), value=pd.Series(values, dtype=object)))
        assert [cell.rstrip("\u2007\u2008") for cell in cells] == [text.rstrip("\u2007") for text in texts]

    def test_names_from_the_data_are_not_typeset(self):
        text = self.shown(dataset=["-3 to inf"], features=["1e5 (1), -3 dB (2)"], note=["-3 to inf"])
        assert re.findall(r">([^<>]+)</t[dh]>", text)[-3:] == ["-3 to inf", "1e5 (1), -3 dB (2)", "−3 to ∞"]

    def test_the_full_value_is_kept_for_download(self):
        assert 'data-value="0.123456789"' in self.shown(name=["a"], value=[0.123456789])
        assert 'data-value="4e-14"' in self.shown(name=["a"], value=["4e-14"])

    def test_abbreviations_are_written_out(self):
        text = html_table(pd.DataFrame({"method": ["IG", "MIG"], "IG": [1, 2]}), "x", names={"IG": "information gain"})
        assert re.findall(r">([^<>]+)</th>", text) == ["method", "information gain", "information gain", "MIG"]

    def test_a_comparison_has_marks_and_the_difference_in_standard_deviations(self):
        text = self.shown(
            name=list("abc"),
            published=[90.0, 91.5, 92.0],
            reproduced=[90.5, 95.5, np.nan],
            sd=[1.0, 1.0, np.nan],
            difference=[0.5, 4.0, np.nan],
            agrees=[True, False, None],
        )
        assert '<td class="good">✓ agrees, +0.5 sd</td>' in text
        assert '<td class="bad">✗ differs, +4.0 sd</td>' in text
        assert "± 1.00" in text
        assert "+0.50" in text

    def test_a_comparison_with_standard_errors_shows_the_difference_in_them_once(self):
        text = self.shown(name=["a"], published=[90.0], reproduced=[89.5], error=[0.2], errors=[-2.5], agrees=[False])
        assert '<td class="bad">✗ differs, −2.5 se</td>' in text
        assert "errors" not in text

    def test_columns_with_a_common_prefix_share_a_header(self):
        text = html_table(pd.DataFrame({"search": ["SFS"], "test, published": [1], "test, reproduced": [2]}), "x")
        assert '<th scope="col" rowspan="2">search</th><th scope="colgroup" colspan="2">test</th>' in text

    @pytest.mark.parametrize(
        ("caption", "anchor"),
        [
            ("Table 7.9: x", "table-7-9"),
            ("Tables 3 and 4", "table-4"),
            ("Tables 5-7", "table-6"),
            ("Tables 7.11 to 7.14, C.1", "table-7-13"),
            ("Tables 7.11 to 7.14, C.1", "table-C-1"),
            ("Means & more", "table-means-more"),
        ],
    )
    def test_a_table_is_found_at_its_anchors_unless_an_earlier_one_has_them(self, caption, anchor):
        assert html_table(pd.DataFrame({"a": [1]}), caption).count(f'id="{anchor}"') == 1
        assert f'id="{anchor}"' not in html_table(pd.DataFrame({"a": [1]}), caption, taken={anchor})

    @pytest.mark.parametrize(
        ("value", "text"),
        [(None, "none"), ([], "none"), (["wine", "iris"], "wine, iris"), (True, "yes"), (1e-4, "0.0001"), (600, "600")],
    )
    def test_a_parameter_is_shown_in_words(self, value, text):
        assert in_words(value) == text

    def test_an_empty_table_is_shown(self):
        assert "<tbody>" in html_table(pd.DataFrame(columns=["a", "b"]), "x")


def test_each_paper_says_where_to_read_it():
    for paper in papers().values():
        text, address = markup.reading_link(paper)
        if printed_files(paper.key):
            assert text
            assert address == paper.link or address.endswith(f"papers/{paper.key}.html#where-to-read-it")
        else:
            assert (text, address) == ("", "")


@pytest.mark.parametrize("n_samples", [201, 202, 203, 230])
def test_a_stratified_sample_may_leave_few_rows_or_many(n_samples):
    y = np.arange(n_samples) % 10 % 3
    rows = stratified_rows(y, 200, 7)
    assert len(set(rows)) == 200
    assert np.bincount(y[rows]) == pytest.approx(200 * np.bincount(y) / n_samples, abs=1)
    assert_array_equal(rows, stratified_rows(y, 200, 7))
    if n_samples - 200 >= 3:
        (drawn, _), *_ = StratifiedShuffleSplit(1, train_size=200, random_state=7).split(y, y)
        assert_array_equal(rows, np.sort(drawn))


class TestFeatureNames:
    def test_columns_of_a_file_are_named_by_its_header_and_numbered_from_one(self, tmp_path):
        rows = [f"{k},7,{k * k},{'ab'[k % 2]}" for k in range(8)]
        (tmp_path / "mine.csv").write_text("\n".join(["height,always_7,area,class", *rows]))
        file = str(tmp_path / "mine.csv")
        assert feature_names([file]) == {"mine": ["height", "always_7", "area"]}
        names = feature_names([file], constant=False)["mine"]
        assert named_list([2, 1], names) == "height (1), area (2)"

    def test_public_data_are_named_without_their_files_unless_their_columns_are_only_numbered(self, monkeypatch):
        monkeypatch.setenv("FSCORE_DATA_MIRROR", "")
        names = feature_names(["wdbc", "pima", "sonar", "ionosphere"])
        assert set(names) == {"wdbc", "pima"}
        assert named(2, names["pima"]) == "glucose (2)"
        assert named(3) == "3"


class TestPhone:
    """The second drawing of a figure, for phones."""

    def drawn(self):
        figure = Figure(figsize=(8.4, 3.0), layout="constrained")
        for ax, label in zip(figure.subplots(1, 2, sharey=True), "ab", strict=True):
            ax.plot([0, 1], [2, 3], label="a method")
            ax.set_xlabel(label)
        figure.axes[0].set_ylabel("error")
        figure.axes[1].legend()
        return figure

    def test_panels_are_in_one_column_with_their_labels_and_the_legend_below(self):
        figure = self.drawn()
        figure.draw_without_rendering()
        phone.stack(figure)
        figure.draw_without_rendering()
        first, second = (ax.get_position() for ax in figure.axes)
        assert first.y0 > second.y1
        assert first.x0 == pytest.approx(second.x0)
        assert [ax.get_ylabel() for ax in figure.axes] == ["error", "error"]
        assert all(label.get_visible() for ax in figure.axes for label in ax.get_yticklabels())
        assert figure.get_figwidth() < 5
        (legend,) = figure.legends
        assert legend.get_window_extent().y1 < figure.axes[1].get_window_extent().y0
        assert [text.get_text() for text in legend.get_texts()] == ["a method"]

    def test_labels_that_would_overlap_are_turned(self):
        figure = self.drawn()
        crowded, free = figure.axes
        crowded.set_xticks(range(30), ["feature"] * 30)
        phone.turn_crowded_labels(figure)
        assert {label.get_rotation() for label in crowded.get_xticklabels()} == {90}
        assert {label.get_rotation() for label in free.get_xticklabels()} == {0}

    def test_a_notebook_stores_both_drawings_the_same_every_time(self):
        with mpl.rc_context({"svg.hashsalt": "fscore"}):
            bundle, _ = phone.both_widths(self.drawn())
            assert set(bundle) == {"image/svg+xml", phone.NARROW}
            assert phone.both_widths(self.drawn())[0] == bundle


def test_series_of_a_figure_look_different():
    styles = [tuple(style.values()) for style in series_styles(20)]
    assert len(set(styles)) == 20
    first = list(zip(*styles[: len(COLOURS)], strict=True))
    assert [len(set(values)) for values in first] == [len(COLOURS)] * 3


def test_a_file_that_is_named_like_a_data_set_must_be_a_copy_of_it():
    """Tables and printed numbers are matched by the name."""
    check_name("folder/iris.csv", (150, 4))
    check_name("folder/mine.csv", (90, 4))
    with pytest.raises(
        ValueError, match=r"^folder/iris.csv has 90 samples of 4 features, .* 150 of 4; rename the file"
    ):
        check_name("folder/iris.csv", (90, 4))
