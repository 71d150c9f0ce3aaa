"""``data/`` as a data package: every file is read by its description, and by pandas alone."""

import hashlib
import json
import re

import numpy as np
import pandas as pd
import pytest

from compendium import comparison, package
from compendium.citation import project
from compendium.package import count_rows, data_in_words, data_of_paper, row_counts
from compendium.papers import DATA, papers, printed_files
from compendium.published import published
from fscore.datasets import status
from fscore.datasets.registry import read_registry

PACKAGE = json.loads((DATA / "datapackage.json").read_text(encoding="utf-8"))
TABLES = [resource for resource in PACKAGE["resources"] if resource["format"] == "csv"]
PATTERNS = {"integer": r"-?\d+", "number": r"-?\d+(\.\d*)?(e[+-]?\d+)?|-?inf", "boolean": "True|False"}


def test_the_description_is_that_of_the_schemas():
    assert package.descriptor() == PACKAGE, "run: python notebooks/run.py package"


def test_every_file_is_described():
    described = {resource["path"] for resource in PACKAGE["resources"]} | {"datapackage.json", "README.md"}
    found = {file.relative_to(DATA).as_posix() for file in DATA.rglob("*") if file.is_file()}
    records = {path for path in found if re.fullmatch(r"measured/\w+/\w+/about\.json", path)}
    bibliographies = {path for path in found if re.fullmatch(r"published/\w+\.bib", path)}
    assert found - records - bibliographies == described
    names = [resource["name"] for resource in PACKAGE["resources"]]
    assert len(set(names)) == len(names)
    assert all(re.fullmatch(r"[a-z0-9._-]+", name) for name in names)


def test_every_column_is_described():
    for resource in TABLES:
        described = {field["description"] for field in resource["schema"]["fields"]}
        assert described.isdisjoint({"", "key"}), f"{resource['path']}: label it, or name it in descriptions.yml"


def test_the_package_says_who_made_it_from_what():
    assert PACKAGE["version"] == project().version
    assert [contributor["title"] for contributor in PACKAGE["contributors"]] == list(project().authors)
    sources = [source["title"].partition(":")[0] for source in PACKAGE["sources"]]
    assert sources == [paper.name for paper in papers().values() if printed_files(paper.key)]
    for resource in PACKAGE["resources"]:
        content = (DATA / resource["path"]).read_bytes()
        assert resource["hash"] == f"sha256:{hashlib.sha256(content).hexdigest()}", resource["path"]


def test_every_file_is_what_its_description_says_and_pandas_reads_it_alone():
    for resource in TABLES:
        fields = resource["schema"]["fields"]
        alone = pd.read_csv(DATA / resource["path"])
        assert list(alone.columns) == [field["name"] for field in fields], resource["path"]
        texts = pd.read_csv(DATA / resource["path"], dtype=str, keep_default_na=False)
        assert len(alone) == len(texts)
        assert not (texts == "").all(axis=1).any(), f"{resource['path']} has a blank row"
        for field in fields:
            given = texts[field["name"]]
            given = given[~given.isin(resource["schema"]["missingValues"])]
            if field["type"] != "string":
                assert given.str.fullmatch(PATTERNS[field["type"]]).all(), (resource["path"], field["name"])
            if field["type"] in ("integer", "number") and len(given):
                assert pd.api.types.is_numeric_dtype(alone[field["name"]]), (resource["path"], field["name"])
        keys = resource["schema"].get("fscore:keys", [])
        if keys and resource["path"].startswith("measured/"):
            assert not texts.duplicated(keys).any(), resource["path"]


def test_printed_numbers_have_one_layout():
    printed = [resource for resource in TABLES if re.fullmatch(r"published/[a-z]+\d+\.csv", resource["path"])]
    for resource in printed:
        rows = published(resource["path"].removeprefix("published/").removesuffix(".csv"))
        assert set(package.NUMBER) <= set(rows.columns)
        assert rows["confidence"].isin(["certain", "inferred", "ambiguous", "damaged"]).all()
        assert (rows["value"] != "").mean() > 0.99
        for column in "spread", "runs":
            pd.to_numeric(rows[column].replace("", np.nan))
        assert not rows["metric"].str.contains(r"[;,=\[]|eval_|\d+_features").any()
        assert not rows["note"].str.contains("RESOLVED|BADLEN|mean_diff").any()


def test_the_store_of_verdicts_is_that_of_the_rules():
    written = pd.read_csv(DATA / "verdicts.csv", dtype={"n": "Int64"}).fillna({"statement": "", "of": "", "unit": ""})
    found = package.verdicts().fillna({"statement": "", "of": "", "unit": ""})
    words = ["paper", "claim_id", "statement", "answer", "n", "of", "unit", "notebook"]
    pd.testing.assert_frame_equal(written[words], found[words], obj="verdicts.csv (notebooks/run.py package writes it)")
    for column in "estimate", "low", "high", "above", "below":
        np.testing.assert_allclose(written[column].astype(float), found[column].astype(float), rtol=1e-6, atol=1e-9)


def test_every_table_of_the_store_has_an_interval_as_a_whole():
    compared = comparison.stored_comparisons()
    tested = comparison.as_a_whole(compared)
    assert set(tested["paper"]) == set(compared["paper"])
    assert tested[["mean", "low", "high"]].notna().all(axis=None)


def test_rows_are_counted_as_by_hand(tmp_path):
    file = tmp_path / "rows.csv"
    file.write_text("a,b,class\n1,2,x\n1,2,x\n1,2,y\n0,2,x\n-0.0,2,x\n1,3,y\n")
    assert count_rows(str(file)) == {
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
    counted, stored = count_rows(name), row_counts().loc[name]
    assert [counted[column] for column in stored.index] == [None if pd.isna(value) else value for value in stored]


def test_every_public_set_of_a_paper_is_counted_or_named():
    known = read_registry()
    for paper in papers():
        own = [name for name, each in known.items() if paper in each.papers and each.kind != "generated"]
        said = data_of_paper(paper) if own else ""
        for name in own:
            assert name in row_counts().index or name in said


def test_forms_of_one_file_count_once_and_the_sentence_has_ranges():
    said = data_in_words(["house", "house_equal_widths", "wine"])
    assert said == "2 public data sets: 178 to 506 rows, 13 columns, 3 to 5 classes."
    said = data_in_words(["iris", "musk1"])
    assert "iris (1 of 150); none of them with another class" in said
    assert "musk1 (476 rows, 92 groups)" in said
