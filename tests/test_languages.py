"""Tests of words of many languages: months, halves of the day, units and large numbers."""

import csv

import pandas as pd
import pytest
import words_of_languages
from babel import __version__ as babel_version

from fscore.datasets.detection import column_type
from fscore.datasets.quantities import quantities
from fscore.datasets.words import WORDS

DATES = {
    "2023-01-15": [
        "15 ม.ค. 2566",
        "15 janv. 2023",
        "15. ledna 2023",
        "15 января 2023 г.",
        "15 Ιανουαρίου 2023",
        "15 يناير 2023",
    ],
    "2023-03-05": [
        "5 मार्च 2023",
        "lundi 5 mars 2023",
        "wt., 5 marca 2023",
        "Dienstag, 5. März 2023",
        "5 de março de 2023",
    ],
    "2023-09-03 20:50": ["2023/09/03 8:50 م", "2023-09-03 午後8:50", "2023-09-03 8:50 μ.μ.", "2023/09/03 20h50"],
    "2023-09-03 08:50": ["2023/09/03 8:50 ص", "2023-09-03 오전 8:50", "3/9/2023 8:50 SA", "2023/09/03 8 h 50"],
    "2017-10-01": ["Okt 17", "out 2017", "okt. 2017"],
}


@pytest.mark.parametrize(("date", "text"), [(date, text) for date, texts in DATES.items() for text in texts])
def test_dates_of_many_languages_are_read(date, text):
    column = pd.Series([text] * 5)
    type = column_type(column)
    assert type.kind == "date"
    expected = (pd.Timestamp(date) - pd.Timestamp("1970-01-01")) / pd.Timedelta(days=1)
    assert type.read(column)[0] == pytest.approx(expected)


@pytest.mark.parametrize("name", ["Set", "Pro", "Led", "Gen", "Mac"])
def test_a_short_word_with_two_digits_names_a_product(name):
    assert column_type(pd.Series([f"{name} {k}" for k in range(10, 20)] * 3)).kind == "category"


@pytest.mark.parametrize(
    ("text", "decimal", "value", "unit"),
    [
        ("₹ 3.30 लाख", ".", 330_000, "₹"),
        ("₹ 1.2 crores", ".", 12_000_000, "₹"),
        ("88,9 тыс. руб.", ",", 88_900, "руб"),
        ("1,5 mio. €", ",", 1_500_000, "€"),
        ("3.5万円", ".", 35_000, "円"),
        ("2 δισ.", ",", 2e9, ""),
        ("6 mies.", ",", 6, "mies"),  # months, and no thousand as "mie" in Romanian
        ("₹ 7,029/माह", ".", 7029, "₹/माह"),
        ("2 j 23 h", ",", 2 + 23 / 24, "day"),
        ("2 týdny 3 dny", ",", 17, "day"),
        ("1:05 ساعة", ".", 65, ":"),
        ("1:05 h", ".", 65, ":"),
        ("1:05 hours", ".", 65, ":"),
        ("17.22 น.", ".", 17 * 60 + 22, ":"),
        ("14.30 Uhr", ",", 14 * 60 + 30, ":"),
    ],
)
def test_amounts_of_many_languages_are_read(text, decimal, value, unit):
    (row,) = quantities(pd.Series([text]), decimal).to_dict("records")
    assert (row["value"], row["unit"]) == (pytest.approx(value), unit)


@pytest.mark.parametrize(
    ("texts", "unit", "values"),
    [
        (["30 dní", "2 týdny"], "day", [30, 14]),
        (["143 μ.", "0,072 χλμ."], "m", [143, 72]),
        (["500 г", "2 кг"], "kg", [0.5, 2]),
        (["1,5 ha", "800 m2"], "m²", [15_000, 800]),
        (["25 دقيقة", "1:01 ساعة"], ":", [25, 61]),
    ],
)
def test_units_of_one_dimension_are_brought_together_in_any_language(texts, unit, values):
    column = pd.Series(texts * 20)
    type = column_type(column, ",")
    assert (type.kind, type.unit) == ("number", unit)
    assert type.read(column)[:2].tolist() == pytest.approx(values)


def test_the_table_holds_the_words_of_the_cldr():
    with words_of_languages.FILE.open(encoding="utf-8", newline="") as file:
        header, *rows = csv.reader(file)
    assert header == ["kind", "word", "value"]
    if babel_version == words_of_languages.BABEL:
        assert [tuple(row) for row in rows] == words_of_languages.table()
    else:  # another edition of the CLDR: hardly any word changes
        assert len({tuple(row) for row in rows} & set(words_of_languages.table())) > 0.9 * len(rows)


def test_every_list_of_words_is_read(root):
    code = "".join(file.read_text(encoding="utf-8") for file in (root / "fscore").rglob("*.py"))
    assert [kind for kind in WORDS if f'"{kind}"' not in code and f"'{kind}'" not in code] == []
