"""The lessons: each sentence is true of the stored tables, and the page has them all."""

import html
import re
from types import SimpleNamespace

import pytest
from matplotlib.figure import Figure

from comparison import advice, lessons
from compendium.papers import ROOT
from your.planting import with_class

PAGE = (ROOT / "book" / "lessons.md").read_text(encoding="utf-8")


def stored():
    return {lesson.key: lesson for lesson in lessons.stored_lessons()}


def test_every_lesson_has_its_evidence_in_the_store():
    assert list(stored()) == list(lessons._REGISTRY)


@pytest.mark.parametrize("key", lessons._REGISTRY)
def test_a_lesson_holds_in_the_stored_tables(key):
    said = stored()[key].finding
    assert said.holds, f"the tables no longer say: {said.sentence}"


@pytest.mark.parametrize("key", lessons._REGISTRY)
def test_a_lesson_can_be_quoted(key):
    lesson = stored()[key]
    said = lesson.finding
    assert len(f"{lesson.title} {said.sentence}".split()) <= 36
    assert re.search(r"\d", said.sentence), "a number from the tables"
    assert len(said.numbers) >= 2
    assert not re.search(r"\bnan\b|\binf\b", " ".join([said.sentence, *said.numbers, said.limits]))
    said.draw(Figure().subplots())


def test_the_page_has_every_lesson_under_its_title():
    shown = re.findall(r"^\(lesson-(.+)\)=\n## (.+)\n\n```\{lesson\} (.+)$", PAGE, re.MULTILINE)
    assert shown == [(lesson.key, lesson.title, lesson.key) for lesson in stored().values()]


def test_a_lesson_says_so_when_its_tables_change():
    """If every method gained on every field, nobody would be told to keep all features."""
    tables = lessons.stored_tables()["comparison_arena"]
    own = [name for name in tables["splits"].columns if name not in ("field", "split", "all features")]
    splits = tables["splits"].assign(**{name: tables["splits"]["all features"] + 0.1 for name in own})
    found = lessons.lessons({"comparison_arena": {**tables, "splits": splits}})
    assert not next(lesson for lesson in found if lesson.key == "keep-all").finding.holds


def test_lessons_without_evidence_are_left_out():
    assert lessons.lessons({}) == []


def test_the_first_example_uses_a_method_that_the_comparison_advises():
    """README and the library's page begin with the same code: a scaled pipeline, its size chosen, an honest score."""
    readme, page = ((ROOT / file).read_text(encoding="utf-8") for file in ("README.md", "book/library.md"))
    code = re.search(r"```python\n(.*?)```", readme, re.DOTALL)[1]
    assert f"```{{example}}\n{code}```" in page
    assert page.index(code) == re.search(r"```(?:python|\{example\})\n", page).end()
    for needed in (
        "StandardScaler()",
        "SFFS(Mahalanobis())",
        "GridSearchCV(",
        "n_features_to_select",
        "cross_val_score(",
    ):
        assert needed in code
    tables = SimpleNamespace(**lessons.stored_tables()["comparison_arena"])
    any_data = advice.situations(tables)[0].keeping_to_the_size()
    assert "SFFS, Mahalanobis" in advice.verdict(any_data)["methods"]


SAMPLE = html.unescape((ROOT / "book/_static/sample_report.html").read_text(encoding="utf-8"))


def test_the_sample_report_says_what_the_store_says():
    """`python -m fscore report wdbc.csv --target class` writes it; the page on CSV files shows it."""
    advice_row = lessons.stored_tables()["your_data"]["advice"].iloc[0]
    assert advice_row["sentence"].partition(":")[0] in SAMPLE
    assert not re.search(r"(?:/tmp|/home|/work)/", SAMPLE)


@pytest.mark.data("wdbc")
def test_the_lines_of_the_sample_report_work_beside_its_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with_class("wdbc").to_csv("wdbc.csv", index=False)
    names = {}
    exec(re.search('<pre[^>]*><code>("{3}Makes the model.*?)</code>', SAMPLE, re.DOTALL)[1], names)
    assert names["model"].score(names["table"].frame, names["table"].frame["class"].astype(float)) > 0.9
