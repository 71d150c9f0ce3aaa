"""To what data findings speak: repeated rows and groups of the data sets."""

import pandas as pd
import pytest

from compendium import populations
from compendium.papers import papers
from fscore.datasets import status


def test_rows_are_counted_as_by_hand(tmp_path):
    file = tmp_path / "rows.csv"
    file.write_text("a,b,class\n1,2,x\n1,2,x\n1,2,y\n0,2,x\n-0.0,2,x\n1,3,y\n")
    assert populations.counts(str(file)) == {
        "data set": str(file),
        "rows": 6,
        "repeated": 3,
        "contradicting": 1,
        "groups": None,
    }


@pytest.mark.parametrize("name", ["iris", "wdbc", "bupa", "musk1", "segment_image", "spambase", "vowel"])
def test_the_stored_counts_are_those_of_the_data(name):
    if status(name) not in ("bundled", "local", "mirror"):
        pytest.skip(f"{name} is not on this machine")
    counted, stored = populations.counts(name), populations.table().loc[name]
    assert [counted[column] for column in stored.index] == [None if pd.isna(value) else value for value in stored]


def test_every_public_set_of_a_paper_is_counted_or_named():
    known = populations.read_registry()
    for paper in papers():
        own = [name for name, each in known.items() if paper in each.papers and each.kind != "generated"]
        said = populations.of_paper(paper) if own else ""
        for name in own:
            assert name in populations.table().index or name in said


def test_forms_of_one_file_count_once_and_the_sentence_has_ranges():
    said = populations.in_words(["house", "house_equal_widths", "wine"])
    assert said == "2 public data sets: 178 to 506 rows, 13 columns, 3 to 5 classes."
    said = populations.in_words(["iris", "musk1"])
    assert "iris (1 of 150); none of them with another class" in said
    assert "musk1 (476 rows, 92 groups)" in said
