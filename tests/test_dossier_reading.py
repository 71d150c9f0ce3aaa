"""Reading any reasonable file for a report: text, types, target; hopeless ones are refused in one sentence."""

import csv

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fscore.dossier import ColumnTypes, pose, read_text
from fscore.dossier.target import find_column, read_target
from fscore.dossier.types import kind_of


@pytest.fixture
def write(tmp_path):
    def write(content, encoding="utf-8", name="my.csv"):
        file = tmp_path / name
        file.write_bytes(content if isinstance(content, bytes) else content.encode(encoding))
        return file

    return write


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "cp1252", "latin-1"])
def test_encodings(write, encoding):
    table = read_text(write("größe,café\n1,ü\n2,ß\n", encoding))
    assert list(table) == ["größe", "café"]
    assert table["café"].tolist() == ["ü", "ß"]


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_separators(write, separator):
    rows = [["a", "long name", "c"], ["1", "x y", "2.5"], ["3", "z", "4.5"]]
    table = read_text(write("\r\n".join(separator.join(row) for row in rows)))
    assert table.shape == (2, 3)
    assert table["long name"].tolist() == ["x y", "z"]


def test_a_declared_separator_and_quoted_headers(write):
    table = read_text(write('sep=;\n"a;b";"line\nbreak";c\n1;2;3\n'))
    assert list(table) == ["a;b", "line break", "c"]


@pytest.mark.parametrize("above", ["Results of 2020\n", "# by us, in 2020\n# twice\n", "Results\n\nof 2020\n"])
@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_lines_above_the_header_are_left_out(write, above, separator):
    found = read_text(write(above + "a,b,c\n1.5,x,2\n2.5,y,3\n".replace(",", separator)))
    assert list(found) == ["a", "b", "c"]
    assert found["a"].tolist() == ["1.5", "2.5"]
    assert found.attrs["notes"] == [f"Lines above the header were left out: {len(above.splitlines())}."]


def test_a_title_with_commas_is_no_header_of_semicolons(write):
    assert list(read_text(write("Plants, animals\na;b\n1,5;x\n2,5;y\n"))) == ["a", "b"]


@pytest.mark.parametrize("content", ['"line\nbreak";c\n1;2\n3;4\n', "a\n1\n2\n", "#id,b\n1,2\n3,4\n"])
def test_no_header_is_taken_for_a_title(write, content):
    found = read_text(write(content))
    assert len(found) == 2
    assert not found.attrs["notes"]


@pytest.mark.parametrize("content", ["name\nanna,berlin\nbob,paris\n", "a,b\nx,y,1\n", "a\nb,c\nd,e\n1,2\n"])
def test_rows_longer_than_the_header_are_not_guessed_to_follow_a_title(write, content):
    with pytest.raises(ValueError, match="fields, but the header names"):
        read_text(write(content))


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("a;b\n1,5;x\n2,25;y\n", [1.5, 2.25]),
        ("a;b\n1.234,5;x\n2;y\n", [1234.5, 2.0]),
        ('a,b\n"1,234",x\n"2,345,678.5",y\n', [1234.0, 2345678.5]),
        ('a,b\n"1,5",x\n"0,25",y\n', [1.5, 0.25]),
        ("a\tb\n1 234,5\tx\n2\ty\n", [1234.5, 2.0]),
        ("a;b\n12 %;x\n7,5%;y\n", [12.0, 7.5]),
        ("a;b\n1.5;x\n2e-3;y\n", [1.5, 0.002]),
    ],
)
def test_decimal_signs(write, content, expected):
    X = ColumnTypes().fit_transform(read_text(write(content)))
    assert X["a"].tolist() == expected


def test_names_that_repeat_or_lack(write):
    table = read_text(write("x,x,,x\n1,2,3,4\n5,6,7,8\n"))
    assert list(table) == ["x", "x (2)", "column 3", "x (3)"]
    assert len(table.attrs["notes"]) == 2


def test_short_rows_are_filled_and_trailing_separators_ignored(write):
    table = read_text(write("a,b,c\n1,2\n3,4,5,,\n\n"))
    assert table.to_numpy().tolist() == [["1", "2", ""], ["3", "4", "5"]]
    assert "Rows shorter than the header: 1" in table.attrs["notes"][0]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "empty"),
        ("  \n \n", "empty"),
        ("a,b\n", "no data"),
        (",,\n1,2\n", "starts with an empty line; its first line must name the columns"),
        ("1,2\n3,4\n", "no header line"),
        ("a,b\n1,2,3\n", "line 2 has 3 fields"),
        ('a,b\n"1,2\n3,4\n', "quotation marks"),
        (b"PK\x03\x04rest", "zip archive"),
        (b"a,b\n1,\x00\x00\n", "null characters"),
        ("a,b\n1,2\n".encode("utf-16")[:-1], "incomplete UTF-16"),
    ],
)
def test_hopeless_files_are_refused_in_one_sentence(write, content, said):
    with pytest.raises(ValueError, match=said) as error:
        read_text(write(content))
    assert "\n" not in str(error.value)


def test_a_missing_file(tmp_path):
    with pytest.raises(FileNotFoundError, match="there is no file"):
        read_text(tmp_path / "absent.csv")


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["1", "2.5", "NA", "?"], "number"),
        (["-1e3", "+2", ".5", "7."], "number"),
        (["true", "False", "n/a", "TRUE"], "boolean"),
        (["Yes", "no", "", "no"], "boolean"),
        (["2020-01-31", "2021-02-01", "-"], "date"),
        (["31.01.2020", "01.02.2021"], "date"),
        (["1/31/2020", "2/1/2021"], "date"),
        (["red", "green", "red", "none"], "category"),
        (["00123", "00124", "00123"], "category"),
        ([f"words {k}" for k in range(50)], "text"),
        (["1", "2", "3", "4", "5", "6", "7", "8", "9", "<5"], "number"),
        (["", "NaN", "null"], "empty"),
    ],
)
def test_kinds(values, kind):
    assert kind_of(pd.Series(values, name="x")) == kind


def test_types_of_new_rows_follow_those_learned():
    types = ColumnTypes().fit(pd.DataFrame({"a": ["1", "2", "x"], "b": ["u", "v", "u"]}).iloc[[0, 1]])
    assert types.kinds_ == {"a": "number", "b": "category"}
    X = types.transform(pd.DataFrame({"b": [1, None], "a": ["oops", 3], "other": [0, 0]}))
    assert X["a"].isna().tolist() == [True, False]
    assert X["b"].tolist()[0] == "1"
    with pytest.raises(ValueError, match="no column 'b'"):
        types.transform(pd.DataFrame({"a": ["1"]}))
    with pytest.raises(TypeError, match="DataFrame"):
        types.transform(np.zeros((2, 2)))


def test_types_may_be_given_but_must_be_known():
    table = pd.DataFrame({"a": ["1", "2"], "b": ["u", "v"]})
    with pytest.raises(ValueError, match=r"^kinds holds colour; known kinds are .*number"):
        ColumnTypes({"a": "colour", "b": "category"}).fit(table)
    types = ColumnTypes({"b": "category", "a": "number"}, missing={"a": [2.0], "absent": [1.0]}).fit(table)
    assert types.get_feature_names_out().tolist() == ["b", "a"]
    assert types.transform(table)["a"].isna().tolist() == [False, True]


def test_booleans_are_one_and_zero_in_any_spelling():
    table = pd.DataFrame({"a": ["Yes", "no", "YES", "1", "0", None, "perhaps"]})
    assert kind_of(table["a"][:3]) == "boolean"
    converted = ColumnTypes({"a": "boolean"}).fit_transform(table)["a"]
    np.testing.assert_array_equal(converted, [1, 0, 1, 1, 0, np.nan, np.nan])


@pytest.mark.parametrize(
    ("values", "kind", "converted"),
    [
        (pd.Series([1, 2, 3]), "number", [1.0, 2.0, 3.0]),
        (pd.Series([1.5, np.inf]), "number", [1.5, np.nan]),
        (pd.to_datetime(pd.Series(["1970-01-02", "1970-01-03"])), "date", [1.0, 2.0]),
        (pd.Series([np.nan, np.nan]), "empty", [np.nan, np.nan]),
    ],
    ids=["whole", "infinite", "dates", "empty"],
)
def test_columns_that_are_no_text_keep_their_type(values, kind, converted):
    assert kind_of(values) == kind
    np.testing.assert_array_equal(ColumnTypes().fit_transform(pd.DataFrame({"a": values}))["a"], converted)


def test_dates_are_days_and_codes_are_missing():
    table = pd.DataFrame({"d": ["1970-01-02", "1971-01-01"], "x": ["5", "-999"]})
    X = ColumnTypes({"d": "date", "x": "number"}, missing={"x": [-999.0]}).fit_transform(table)
    assert X["d"].tolist() == [1.0, 365.0]
    assert np.isnan(X["x"][1])


@given(
    st.lists(
        st.lists(
            st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=6),
            min_size=3,
            max_size=3,
        ),
        min_size=1,
        max_size=8,
    )
)
@settings(max_examples=60, deadline=None)
def test_whatever_a_writer_quotes_comes_back(tmp_path_factory, rows):
    table = pd.DataFrame(rows, columns=["first", "second", "label"]).map(lambda field: f"~{field}~")
    file = tmp_path_factory.mktemp("quoted") / "any.csv"
    table.to_csv(file, index=False, quoting=csv.QUOTE_ALL)
    back = read_text(file)
    expected = table.map(lambda field: field.replace("\r\n", "\n").replace("\r", "\n"))
    assert back.map(lambda field: field.replace("\r\n", "\n").replace("\r", "\n")).equals(expected)


def test_columns_are_found_by_name_or_nearly():
    names = ["Größe", "blood pressure", "x"]
    assert find_column("GRÖSSE".lower(), ["grösse", "x"], "--target") == "grösse"
    assert find_column("Blood  Pressure", names, "--drop") == "blood pressure"
    with pytest.raises(ValueError, match="Did you mean 'blood pressure'"):
        find_column("blod pressure", names, "--target")


def target(values, task=None):
    return read_target(pd.Series(values, name="t"), task)


def test_tasks():
    assert target(["a", "b"] * 10).task == "classification"
    assert target(["1", "0"] * 10).classes == [0, 1]
    assert target([str(k / 7) for k in range(40)]).task == "regression"
    assert [trap.kind for trap in target([str(k) for k in range(40)]).traps] == ["continuous labels"]
    assert target([str(k % 20) for k in range(60)] * 2, "classification").task == "classification"


@pytest.mark.parametrize(
    ("values", "task", "said"),
    [
        (["", "NA"], None, "no values"),
        (["a"] * 20, None, "one class only"),
        ([f"w{k}" for k in range(30)], None, "doesn't look like a class"),
        (["a"] * 20 + ["b"] * 4, None, "has 4 of the 5 rows"),
        (["a", "b"] * 9, "regression", "needs numbers"),
        (["3.5"] * 20, "regression", "same value"),
    ],
)
def test_hopeless_targets(values, task, said):
    with pytest.raises(ValueError, match=said):
        target(values, task)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"target": "nothing"}, "no such column"),
        ({"target": "y", "drop": ["nothing"]}, "--drop='nothing'"),
        ({"target": "y", "drop": ["y"]}, "is the target"),
        ({"target": "y", "time": "word"}, "give a column of dates"),
        ({"target": "y", "drop": ["x", "word"]}, "no column is left"),
    ],
)
def test_hopeless_options(options, said):
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {"x": rng.normal(size=40).astype(str), "word": ["u", "v"] * 20, "y": ["a", "a", "b", "b"] * 10}
    )
    with pytest.raises(ValueError, match=said):
        pose(table, **options)


def test_few_rows_are_refused():
    table = pd.DataFrame({"x": [str(k * k) for k in range(9)], "y": [str(k / 7) for k in range(9)]})
    with pytest.raises(ValueError, match="too few to validate"):
        pose(table, "y", task="regression")


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        (["$1,234.50", "$12", "NA"], [1234.5, 12.0, np.nan]),
        (["12,50 €", "3,25 €", "-1,00 €"], [12.5, 3.25, -1.0]),
        (["12.5 kg", "7 kg", ""], [12.5, 7.0, np.nan]),
        (["\u22123.5", "2", "1"], [-3.5, 2.0, 1.0]),
        (["37.5 °C", "36 °C", "38°C"], [37.5, 36.0, 38.0]),
        (["1.234.567", "12.345", "999"], [1234567.0, 12345.0, 999.0]),
        (["#DIV/0!", "1", "(null)"], [np.nan, 1.0, np.nan]),
    ],
)
def test_units_currencies_and_the_errors_of_spreadsheets(write, fields, expected):
    table = read_text(write("a;b\n" + "\n".join(f"{field};x" for field in fields)))
    np.testing.assert_array_equal(ColumnTypes({"a": "number"}).fit_transform(table)["a"], expected)


def test_a_unit_is_said_and_mixed_units_stay_text(write):
    assert "'kg'" in read_text(write("a,b\n1 kg,x\n2 kg,y\n")).attrs["notes"][0]
    table = read_text(write("a,b\n1 kg,x\n2 g,y\nP007,z\n"))
    assert table["a"].tolist() == ["1 kg", "2 g", "P007"]
    assert table.attrs["notes"] == []


@pytest.mark.parametrize(
    "form",
    ["%Y-%m", "%Y%m%d", "%Y-%m-%dT%H:%M:%S+01:00", "%m/%d/%Y %I:%M %p", "%d %B %Y", "%B %d, %Y", "%d.%m.%Y %H:%M:%S"],
)
def test_dates_in_many_forms(form):
    days = pd.Series(pd.date_range("2021-01-01", periods=30, freq="31D").strftime(form), name="d")
    assert kind_of(days) == "date"
    found = ColumnTypes().fit_transform(days.to_frame())["d"]
    assert found.diff().dropna().between(27, 35).all()


def test_numbers_of_eight_digits_are_no_dates():
    assert kind_of(pd.Series(["20211301", "20210115"], name="x")) == "number"
    assert kind_of(pd.Series(["19999999", "20210115", "20210116"], name="x")) == "number"


def test_blanks_separate_only_where_nothing_else_does(write):
    assert list(read_text(write("x y z\n1 2 a\n3  4 b\n"))) == ["x", "y", "z"]
    assert list(read_text(write("first name,y z\na b,1 2\nc d,3 4\n"))) == ["first name", "y z"]


def test_a_web_page_is_no_table(write):
    with pytest.raises(ValueError, match="is a web page"):
        read_text(write("<!DOCTYPE html>\n<html><body>403</body></html>\n"))


def test_one_row_is_refused():
    with pytest.raises(ValueError, match="1 rows are too few"):
        pose(pd.DataFrame({"x": ["1"], "y": ["a"]}), "y")


def test_points_group_digits_where_decimals_have_a_comma(write):
    table = read_text(write("v;w;x\n987;1,5;2.000\n1.234;2,25;1.234,5\n8.940;3,125;3.500\n12.500;4,5;700\n"))
    assert table["v"].tolist() == ["987", "1234", "8940", "12500"]
    assert table["x"].tolist() == ["2000", "1234.5", "3500", "700"]
    assert "Points in 'v' separate thousands, because the file writes decimals with a comma." in table.attrs["notes"]
    table = read_text(write("v;w\n987;1,500\n1.234;2,250\n8.940;3,125\n"))
    assert table["v"].tolist() == ["987", "1.234", "8.940"], "1,500 may be a thousand and more: no evidence"


@pytest.mark.parametrize("flag", ["1", "yes", "x", "0"])
def test_a_value_or_none_is_a_category_of_two(flag):
    column = pd.Series([flag, "", flag, "", flag], name="flag")
    assert kind_of(column) == "category"
    assert kind_of(pd.Series([flag] * 5)) != "empty"
    assert ColumnTypes().fit_transform(column.to_frame())["flag"].isna().tolist() == [False, True, False, True, False]
    assert kind_of(pd.Series([1.0, np.nan, 1.0])) == "category"
    assert kind_of(pd.Series([1.0, np.nan, 2.0])) == "number"


def test_many_different_numbers_are_a_quantity_in_any_number_of_rows():
    rng = np.random.default_rng(0)
    ages = pd.Series(rng.integers(18, 90, 20_000).astype(str), name="age")
    found = read_target(ages)
    assert found.task == "regression"
    assert [trap.kind for trap in found.traps] == ["continuous labels"]
    assert read_target(pd.Series(rng.normal(20, 3, 10_000).round(1).astype(str), name="t")).task == "regression"
    assert read_target(pd.Series(rng.integers(0, 30, 20_000).astype(str), name="c")).task == "classification"


def test_codes_for_a_missing_quantity_are_no_values():
    y = np.random.default_rng(0).normal(10, 2, 200).round(3)
    y[::25] = -999
    found = read_target(pd.Series(y.astype(str), name="y"))
    assert len(found.rows) == 192
    assert found.values.min() > 0
    (trap,) = found.traps
    assert (trap.kind, trap.columns) == ("missing codes", ("y",))
    assert "-999" in trap.found


def test_labels_that_are_numbers_are_equal_by_value():
    found = read_target(pd.Series(["0.5", "1", "1.0", "0.50", "1.5", "1.50"] * 5, name="y"), "classification")
    assert found.classes == ["0.5", "1", "1.5"]


def columns_of(write, separator, **columns):
    rows = [columns, *zip(*columns.values(), strict=True)]
    return read_text(write("\n".join(separator.join(row) for row in rows)))


@pytest.mark.parametrize("separator", ["\t", ";"])
def test_groups_of_three_digits_are_thousands_whatever_separates_fields(write, separator):
    table = columns_of(
        write,
        separator,
        price=["1,157,700", "528,000", "841,200"],
        area=["2,313", "808", "1,534"],
        lot=["5,650", "7,242", "10,000"],
    )
    assert table["price"].tolist() == ["1157700", "528000", "841200"]
    assert table["area"].tolist() == ["2313", "808", "1534"]
    assert table["lot"].tolist() == ["5650", "7242", "10000"]
    assert table.attrs["notes"] == [
        "Commas in 'area' separate thousands, as they do in other columns.",
        "Commas in 'lot' separate thousands, as they do in other columns.",
    ]


def test_whole_numbers_beside_groups_make_thousands(write):
    table = columns_of(write, ";", v=["x", "y", "z"], pop=["587", "1.687", "1.403"], y=["4", "5", "6"])
    assert table["pop"].tolist() == ["587", "1687", "1403"]
    assert table.attrs["notes"] == [
        "Points in 'pop' are read as thousands separators: three digits follow each, and the other numbers are whole."
    ]
    table = columns_of(write, "\t", area=["2,313", "808", "1,534"], x=["1", "2", "3"])
    assert table["area"].tolist() == ["2313", "808", "1534"]
    assert "Commas in 'area' are read as thousands separators" in table.attrs["notes"][0]
    table = columns_of(write, "\t", lot=["5,650", "7,242", "10,000"], ratio=["0.5", "1.25", "2"])
    assert table["lot"].tolist() == ["5650", "7242", "10000"]
    assert table.attrs["notes"] == [
        "Commas in 'lot' separate thousands, because the file writes decimals with a point."
    ]


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        (["1,234", "0,567", "12,345"], ["1.234", "0.567", "12.345"]),
        (["1,234", "8", "12,5"], ["1.234", "8", "12.5"]),
        (["-1,234", "-0,001", "5"], ["-1.234", "-0.001", "5"]),
        (["1.234", "0.567", "12.345"], ["1.234", "0.567", "12.345"]),
        (["1.234", "8", "12.5"], ["1.234", "8", "12.5"]),
        (["1.234", "1234.5", "8"], ["1.234", "1234.5", "8"]),
    ],
)
@pytest.mark.parametrize("separator", ["\t", ";"])
def test_three_decimals_are_no_thousands_where_a_value_says_so(write, separator, fields, expected):
    table = columns_of(write, separator, v=fields, w=["a", "b", "c"])
    assert table["v"].tolist() == expected
    assert table.attrs["notes"] == []
    # the same beside a column of the same form that doesn't say so
    table = columns_of(write, separator, v=fields, w=["2,125" if "," in fields[0] else "2.125"] * 3)
    assert table["w"].tolist() == ["2.125"] * 3
    assert table.attrs["notes"] == []


def test_a_column_in_doubt_is_named_with_its_reading(write):
    table = columns_of(write, ";", v=["1,234", "2,345", "3,456"], w=["a", "b", "c"])
    assert table["v"].tolist() == ["1.234", "2.345", "3.456"]
    assert table.attrs["notes"] == ["Commas in 'v' are read as decimal signs, but could separate thousands."]
    table = columns_of(write, "\t", v=["1.234", "2.345", "3.456"], w=["a", "b", "c"])
    assert table["v"].tolist() == ["1.234", "2.345", "3.456"]
    assert table.attrs["notes"] == ["Points in 'v' are read as decimal signs, but could separate thousands."]
    table = columns_of(write, ",", v=['"1,234"', '"2,345"', '"3,456"'], w=["a", "b", "c"])
    assert table["v"].tolist() == ["1234", "2345", "3456"]
    assert table.attrs["notes"] == ["Commas in 'v' are read as thousands separators, but could be decimal signs."]
    table = columns_of(write, "\t", v=["1.125", "2", "3"], w=["0.5", "1.5", "2.5"])
    assert table["v"].tolist() == ["1.125", "2", "3"]
    assert "although they could separate thousands" in table.attrs["notes"][0]


def test_columns_of_both_readings_in_one_file_decide_for_themselves(write):
    table = columns_of(
        write,
        ";",
        price=["1,157,700", "528,000", "841,200"],
        share=["0,5", "1,25", "2"],
        area=["2,313", "808", "1,534"],
        weight=["0.567", "1.234", "12.345"],
        count=["1.234.567", "12.345", "999"],
    )
    assert table["price"].tolist() == ["1157700", "528000", "841200"]
    assert table["share"].tolist() == ["0.5", "1.25", "2"]
    assert table["area"].tolist() == ["2313", "808", "1534"]
    assert table["weight"].tolist() == ["0.567", "1.234", "12.345"]
    assert table["count"].tolist() == ["1234567", "12345", "999"]
    assert ["'area'" in note for note in table.attrs["notes"]] == [True]


def test_points_in_a_file_of_commas_are_decimals(write):
    table = columns_of(write, ",", v=["587", "1.687", "1.403"], w=["1.234", "2.345", "3.456"])
    assert table["v"].tolist() == ["587", "1.687", "1.403"]
    assert table.attrs["notes"] == []
    table = columns_of(write, ",", v=['"1,687"', '"2,313"'], w=["0.5", "1.25"])
    assert table["v"].tolist() == ["1687", "2313"]
    assert table.attrs["notes"] == []
    table = columns_of(write, ",", v=['"0,567"', '"1,234"', '"12,345"'], w=["a", "b", "c"])
    assert table["v"].tolist() == ["0.567", "1.234", "12.345"]


@pytest.mark.parametrize(
    ("values", "classes", "word"),
    [
        (["none"] * 183 + ["minor"] * 70 + ["major"] * 47, ["major", "minor", "none"], "none"),
        (["none", "yes"] * 20, ["none", "yes"], "none"),
        (["NA"] * 3 + ["DE"] * 30, ["DE", "NA"], "NA"),
        (["None"] * 20 + ["none"] * 3 + ["some"] * 20 + [""] * 4, ["None", "some"], "None"),
    ],
)
def test_a_frequent_word_for_missing_is_a_class(values, classes, word):
    if word == "NA":
        values = values * 4
    found = target(values)
    assert found.classes == classes
    assert len(found.rows) == sum(value != "" for value in values)
    trap = next(trap for trap in found.traps if trap.kind == "missing or class")
    assert f"“{word}” (" in trap.found
    assert "leave these cells empty" in trap.done


@pytest.mark.parametrize(
    "values",
    [
        ["NA"] * 4 + ["low", "high"] * 48,  # too few for a class
        ["NA"] * 20 + ["yes", "no"] * 40,  # yes and no are all there is
        ["NA"] * 20 + ["1", "2"] * 40,  # numbers
        [""] * 20 + ["low", "high"] * 40,
        ["-"] * 20 + ["low", "high"] * 40,
    ],
)
def test_missing_labels_are_no_class(values):
    found = target(values)
    assert len(found.classes) == 2
    (trap,) = found.traps
    assert trap.kind == "missing target"
    assert ("with “NA”" in trap.found) == ("write another one for it" in trap.done) == ("NA" in values)


def test_a_word_that_stands_for_missing_numbers_is_no_class(write):
    rows = [f"{x},{label}" for x, label in zip(["1.5", "NA", "2.5"] * 20, ["low", "NA", "high"] * 20, strict=True)]
    table = read_text(write("x,y\n" + "\n".join(rows)))
    assert read_target(table["y"]).classes == ["high", "low"]
    assert read_target(read_text(write("x,y\n" + "\n".join(rows).replace("NA,", "2,")))["y"]).classes == [
        "NA",
        "high",
        "low",
    ]


def test_one_class_beside_a_word_for_missing_is_refused_with_that_word():
    with pytest.raises(ValueError, match="'none' was taken as missing: if it is a class, write another word"):
        target(["none"] * 20 + ["1"] * 20)


def test_targets_that_are_too_large_are_called_so():
    with pytest.raises(ValueError, match="all infinite or beyond ±1e50; divide them by a power of ten"):
        target(["1e308", "2e308", "inf"] * 10)
    y = np.random.default_rng(0).normal(size=100).round(3).astype(str).astype(object)
    y[:3], y[3] = "inf", ""
    found = target(y)
    assert len(found.rows) == 96
    assert found.traps[0].found == "Rows without a value in “t”: 4 (infinite or beyond ±1e50: 3)."


@pytest.mark.parametrize("missing", [False, True])
def test_numbers_of_a_table_that_pandas_read_stand_for_their_categories(tmp_path, missing):
    codes = ["01067", "10115", "00042", "", "99999"] if missing else ["01067", "10115", "00042", "99999"]
    table = pd.DataFrame({"zip": codes * 5, "x": "1.5"})
    types = ColumnTypes().fit(table[table["zip"] != "99999"])
    assert types.kinds_["zip"] == "category"
    table.to_csv(tmp_path / "my.csv", index=False)
    read = pd.read_csv(tmp_path / "my.csv")
    assert pd.api.types.is_numeric_dtype(read["zip"])
    pd.testing.assert_frame_equal(types.transform(read), types.transform(table))
    assert types.transform(pd.DataFrame({"zip": [1067, None, "01067"], "x": 1}, dtype=object))["zip"].tolist() == [
        "01067",
        np.nan,
        "01067",
    ]


def test_numbers_that_could_be_two_categories_are_refused():
    types = ColumnTypes().fit(pd.DataFrame({"code": ["007", "7", "012"] * 3}))
    assert types.transform(pd.DataFrame({"code": [12]}))["code"].tolist() == ["012"]
    with pytest.raises(ValueError, match=r"column 'code' holds the number 7, .* '007' or '7'; read the column as text"):
        types.transform(pd.DataFrame({"code": [12, 7]}))


def test_new_dates_are_read_in_the_format_of_those_that_were_fitted():
    """10/01/2021 by itself fits both readings."""
    types = ColumnTypes().fit(pd.DataFrame({"day": ["1/31/2020", "2/28/2020", "3/1/2020"]}))
    new = pd.DataFrame({"day": ["10/01/2021", "", "2021-10-01"]})
    want = (pd.Timestamp(2021, 10, 1) - pd.Timestamp(1970, 1, 1)).days
    np.testing.assert_array_equal(types.transform(new)["day"], [want, np.nan, want])
    np.testing.assert_array_equal(types.transform(new.iloc[:1])["day"], [want])
    np.testing.assert_array_equal(types.transform(pd.DataFrame({"day": [pd.Timestamp(2021, 10, 1)]}))["day"], [want])
