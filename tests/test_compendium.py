"""Code shared by the papers: parameters and experiments, comparison with printed numbers, verdicts, pages."""

import json
import re

import hypothesis.strategies as st
import numpy as np
import pandas as pd
import pytest
from hypothesis import given

from compendium import published, results, verdicts
from compendium.experiment import Experiment, parameter
from compendium.frames import from_json, to_json
from compendium.page import Page
from compendium.papers import papers
from compendium.parameters import ParameterError, check, coerce, describe, parameters_cell, read_parameters
from compendium.runner.accept import with_verdicts
from compendium.tables import html_table
from fscore.datasets import DatasetUnavailableError, load

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
    printed = pd.DataFrame({"method": ["a", "b", "c"], "value": ["0.90", "0.5", "1"]})
    measured = pd.DataFrame({"method": ["a", "a", "b", "b"], "value": [0.89, 0.90, 0.7, 0.7]})
    table = published.compare(printed, measured, on=["method"]).set_index("method")
    # a: mean .895, sd .00707; half a digit is .005: agrees. b: off by .2 with no spread. c: not measured.
    assert table.loc["a", "reproduced"] == pytest.approx(0.895)
    assert table.loc["a", "sd"] == pytest.approx(np.sqrt(0.5) * 0.01)
    assert table["agrees"].tolist() == [True, False, None]
    assert table.loc["b", "difference"] == pytest.approx(0.2)
    assert np.isnan(table.loc["c", "reproduced"])


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
        return {"squares": pd.DataFrame({"n": range(self.n), "value": values, "pair": [(1, 2)] * self.n})}


Toy.__module__ = "hocke2014.toy"


@pytest.fixture
def shown(tmp_path, monkeypatch):
    """HTML of everything that a page shows; results are written to a temporary file."""
    monkeypatch.setenv("FSCORE_RESULTS", str(tmp_path / "run" / "x.json"))
    monkeypatch.setenv("FSCORE_KEPT", str(tmp_path / "run" / "x.json"))
    monkeypatch.setattr("compendium.page.code_digest", lambda names: "code")
    monkeypatch.setattr(Toy, "measured", 0)
    found = []
    monkeypatch.setattr("compendium.tables.display", lambda html: found.append(html.data))
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


def test_page_names_a_missing_data_set_and_does_not_fetch_it(monkeypatch, shown, tmp_path):
    monkeypatch.setenv("FSCORE_DATA", str(tmp_path))
    monkeypatch.delenv("FSCORE_DATA_MIRROR", raising=False)
    fetched = []
    monkeypatch.setattr("compendium.page.load", lambda name: fetched.append(name) or load(name))
    assert Page(Toy, namespace()).data(["sonar", "wine"]) == ["wine"]
    assert "make data DATASETS=sonar" in shown[-1]
    assert fetched == ["wine"]


def test_page_suggests_no_command_for_data_that_cannot_be_fetched(monkeypatch, shown, tmp_path):
    monkeypatch.setenv("FSCORE_DATA", str(tmp_path))
    assert Page(Toy, namespace()).data(["gisette", "wine"]) == ["wine"]
    assert "make data" not in shown[-1]
    assert "the registry holds no SHA-256 to verify it by" in shown[-1]


def test_page_without_data_raises_or_uses_the_fallback(monkeypatch, shown, tmp_path):
    monkeypatch.setenv("FSCORE_DATA", str(tmp_path))
    monkeypatch.delenv("FSCORE_DATA_MIRROR", raising=False)
    with pytest.raises(
        DatasetUnavailableError, match="none of the data sets of this run is available: sonar, mammogram; "
    ):
        Page(Toy, namespace()).data(["sonar", "mammogram"])
    assert Page(Toy, namespace()).data("sonar", fallback=["wine"]) == ["wine"]


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
        "not testable here": 0,
        "not tested yet": 8,
    }
    assert (counts["claims"] == counts[list(verdicts.ANSWERS)].sum(axis=1)).all()


class TestHtmlTable:
    def shown(self, **columns):
        return html_table(pd.DataFrame(columns), "Table 7.9: x")

    def test_every_part_is_escaped(self):
        text = html_table(pd.DataFrame({"<i>, a": ["<b>"], "<i>, b": [("<u>", 1)]}), '"<s>"', anchor='"<p>"')
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
        ],
    )
    def test_cells_are_words_and_aligned_numbers(self, values, texts):
        cells = re.findall(r"<td[^>]*>(.*?)</td>", self.shown(name=list("abc"), value=pd.Series(values, dtype=object)))
        assert [cell.rstrip("\u2007\u2008") for cell in cells] == [text.rstrip("\u2007") for text in texts]

    def test_the_full_value_is_kept_for_download(self):
        assert 'data-value="0.123456789"' in self.shown(name=["a"], value=[0.123456789])

    def test_a_comparison_has_marks_and_the_difference_in_standard_deviations(self):
        text = self.shown(
            name=list("abc"),
            published=[90.0, 91.5, 92.0],
            reproduced=[90.5, 95.5, np.nan],
            sd=[1.0, 1.0, np.nan],
            difference=[0.5, 4.0, np.nan],
            agrees=[True, False, None],
        )
        assert '<td class="good">✓ agrees, 0.5 sd</td>' in text
        assert '<td class="bad">✗ differs, 4.0 sd</td>' in text
        assert "± 1.00" in text
        assert "+0.50" in text

    def test_columns_with_a_common_prefix_share_a_header(self):
        text = html_table(pd.DataFrame({"search": ["SFS"], "test, published": [1], "test, reproduced": [2]}), "x")
        assert '<th scope="col" rowspan="2">search</th><th scope="colgroup" colspan="2">test</th>' in text

    @pytest.mark.parametrize(
        ("caption", "anchor"),
        [("Table 7.9: x", "t-7-9"), ("Table C.1: x", "t-c-1"), ("Means & more", "t-means-more")],
    )
    def test_the_number_in_print_is_the_anchor(self, caption, anchor):
        assert f'id="{anchor}"' in html_table(pd.DataFrame({"a": [1]}), caption)

    def test_an_empty_table_is_shown(self):
        assert "<tbody>" in html_table(pd.DataFrame(columns=["a", "b"]), "x")
