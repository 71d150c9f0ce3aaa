"""Reading any reasonable file for a report: text, types, target; hopeless ones are refused in one sentence."""

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline

from fscore.datasets.dates import date_order, order_in_words
from fscore.datasets.detection import column_type
from fscore.report import ColumnType, ColumnTypes, Table, build_problem, read_table
from fscore.report.models import encoded_model
from fscore.report.target import find_column, read_target


@pytest.fixture
def write(tmp_path):
    def write(content, encoding="utf-8", name="my.csv"):
        file = tmp_path / name
        file.write_bytes(content if isinstance(content, bytes) else content.encode(encoding))
        return file

    return write


@pytest.fixture
def read(write):
    """The table of a file of these lines."""
    return lambda lines, encoding="utf-8": read_table(write("\n".join(lines), encoding))


def kind_of(column):
    return column_type(column).kind


def values(table, name):
    return table.types[name].read(table.frame[name]).tolist()


def test_a_declared_separator_and_quoted_headers(write):
    table = read_table(write('sep=;\n"a;b";"line\nbreak";c\n1;2;3\n')).frame
    assert list(table) == ["a;b", "line break", "c"]


@pytest.mark.parametrize(
    "above",
    [
        *("Results of 2020\n", "# by us, in 2020\n# twice\n", "Results\n\nof 2020\n"),
        *(
            "Quarterly export{0}{0}\n{0}{0}\n",
            "Cohort{0}{0}\n\n{0}{0}\n# by us{0}{0}\n",
        ),  # a spreadsheet filled them up
    ],
)
@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_lines_above_the_header_are_left_out(write, above, separator):
    above = above.format(separator)
    table = read_table(write(above + "a,b,c\n1.5,x,2\n2.5,y,3\n".replace(",", separator)))
    assert list(table.frame) == ["a", "b", "c"]
    assert table.frame["a"].tolist() == ["1.5", "2.5"]
    assert table.notes == [f"Lines above the header were left out: {len(above.splitlines())}."]


def test_a_wider_table_of_settings_above_and_a_narrower_one_below_are_left_out(write, read):
    rows = [f"2024-03-{day:02d},{day / 2}" for day in range(1, 20)]
    above = "Meter,Kind,From,To\n071234,power,2024-03-01,2024-03-19\n"
    table = read_table(write(above + "\n".join(["day,value", *rows])))
    assert table.frame["value"].iloc[[0, -1]].tolist() == ["0.5", "9.5"]
    assert table.notes == ["Lines above the header were left out: 2."]
    rows = [f"2024-03-{day:02d},{'ab'[day % 2]},{day / 2}" for day in range(1, 20)]
    for empty, below in ("\n", 3), ("", 0):  # shorter rows that follow at once are of the same table
        table = read(["day,kind,value", *rows, empty + "Week,Sum", "10,27.5", "11,40"])
        assert len(table.frame) == 22 - below
        assert any(note == "Lines below the table were left out: 3." for note in table.notes) == bool(below)


@pytest.mark.parametrize("below", [["__________", "Source: the office"], ["", "Changed:", "20230302 08:00", "Source:"]])
def test_notes_below_a_line_or_an_empty_one_are_left_out(read, below):
    rows = [f"2024-03-{day:02d},{'ab'[day % 2]},{day / 2}" for day in range(1, 20)]
    assert len(read(["day,kind,value", *rows, *below]).frame) == 19


def test_dimensions_that_eurostat_joins_are_columns(write, read):
    rows = [f"{sex},Y15,{geo}\t{k} \t{k + 1} b" for k, geo in enumerate(["AT", "BE", "DE"]) for sex in "FM"]
    frame = read(["sex,age,geo\\TIME_PERIOD\t2022 \t2023 ", *rows]).frame
    assert list(frame) == ["sex", "age", "geo", "2022", "2023"]
    assert frame.iloc[-1].tolist() == ["M", "Y15", "DE", "2", "3 b"]
    assert list(read_table(write("a,b\\c\t2022\nx,y\t1\nz\t2\n")).frame) == ["a,b\\c", "2022"]


def test_a_title_with_commas_is_no_header_of_semicolons(write):
    assert list(read_table(write("Plants, animals\na;b\n1,5;x\n2,5;y\n")).frame) == ["a", "b"]


@pytest.mark.parametrize(
    "content",
    [
        "country,2019,2020\nDE,1.5,2\nFR,2.5,3\n",
        ",2019,0\nDE,1.5,2\nFR,2.5,3\n",
        '"line\nbreak";c\n1;2\n3;4\n',
        "a\n1\n2\n",
        "#id,b\n1,2\n3,4\n",
    ],
)
def test_no_header_is_taken_for_a_title(write, content):
    table = read_table(write(content))
    assert len(table.frame) == 2
    assert not table.notes


@pytest.mark.parametrize(
    "content",
    [
        "5,1;3;red\n4,9;2;red\n4,7;1;blue\n",
        "$12;17%;red\n$31;18%;red\n$27;9%;blue\n",
        "2021-03-01,2.5,7\n2021-03-04,1.5,6\n2021-03-09,0.5,9\n",
        "T,2.5,red\nF,1.5,red\nT,0.5,blue\n",
    ],
    ids=["decimal commas", "units", "dates", "truth values"],
)
def test_a_first_row_that_is_written_as_its_columns_is_no_header(write, content):
    with pytest.raises(ValueError, match="there is no header line"):
        read_table(write(content))
    names = "a;b;c" if ";" in content else "a,b,c"
    assert len(read_table(write(f"{names}\n{content}")).frame) == 3


@pytest.mark.parametrize("content", ["name\nanna,berlin\nbob,paris\n", "a,b\nx,y,1\n", "a\nb,c\nd,e\n1,2\n"])
def test_rows_longer_than_the_header_are_not_guessed_to_follow_a_title(write, content):
    with pytest.raises(ValueError, match="fields, but the first line has"):
        read_table(write(content))


def test_names_may_stand_below_general_ones(read):
    table = read([";X1;X2;Y", "ID;LIMIT;SEX;default next month", *(f"{k};{k}00;2;{k % 2}" for k in range(20))])
    assert list(table.frame) == ["ID", "LIMIT", "SEX", "default next month"]
    assert table.notes == ["Names stand in the second line."]
    words = read(["X1;X2;Y", *(f"{'ab'[k % 2]};{'cd'[k % 2]};{'ef'[k % 2]}" for k in range(20))])
    assert list(words.frame) == ["X1", "X2", "Y"]


def test_codes_for_missing_answers_are_no_classes_beside_two():
    rng = np.random.default_rng(0)
    answers = pd.DataFrame(
        rng.choice([1, 2, 7, 9], (300, 3), p=[0.4, 0.5, 0.04, 0.06]), columns=["smokes", "eats", "ill"]
    )
    target = read_target(Table.of(answers.assign(x=rng.normal(size=300)).astype(str)), "ill", None)
    assert (target.classes, len(target.rows)) == ([1, 2], answers["ill"].isin([1, 2]).sum())
    assert any("has 7, 9" in issue.finding for issue in target.issues)
    marks = answers.assign(eats=1, smokes=2, ill=answers["ill"] - 1)
    assert read_target(Table.of(marks.astype(str)), "ill", None).classes == [0, 1, 6, 8]


@pytest.mark.parametrize("word", ["NODATA!", "NO DATA!", "---", ".a", "INVALID!", "\\N"])
def test_words_of_registers_and_statistics_packages_for_missing(word):
    floors = pd.Series(["Ground", "First", word, "Second"] * 5)
    assert column_type(floors).read(floors).isna().sum() == 5
    numbers = pd.Series(["1.5", word, "2.25", "3.0"] * 5)
    assert column_type(numbers).read(numbers).tolist()[:4] == pytest.approx([1.5, np.nan, 2.25, 3.0], nan_ok=True)


def test_titles_of_two_fields_stand_above_a_wider_table(tmp_path):
    lines = ["Export\t", "Meter:\tDE0001", "Period:\t09.01.2023 - 09.04.2023", "", "time\tmeter\tused\tstatus\tnote"]
    lines += [f"09.01.2023 {hour:02d}:00\t18.235,{hour:03d}\t1,{hour}\tW\t---" for hour in range(24)]
    (tmp_path / "meter.csv").write_text("\n".join(lines), encoding="utf-16")
    table = read_table(tmp_path / "meter.csv")
    kinds = {name: type.kind for name, type in table.types.items()}
    assert kinds == {"time": "date", "meter": "number", "used": "number", "status": "category", "note": "empty"}
    assert table.notes[0] == "Lines above the header were left out: 4."


def test_names_that_repeat_or_lack(write):
    file = write("x,x,,x, x y \n1,2,3,4,5\n5,6,7,8,9\n")
    table = read_table(file)
    assert list(table.frame) == ["x", "x.1", "Unnamed: 2", "x.2", "x y"]
    assert table.notes == ["Several columns have the same name; they are now called 'x.1', 'x.2'."]
    assert (ColumnTypes(table.types).fit(table.frame).transform(pd.read_csv(file)) == table.frame.astype(float)).all(
        None
    )


def test_short_rows_are_filled_and_trailing_separators_ignored(write):
    table = read_table(write("a,b,c\n1,2\n3,4,5,,\n\n"))
    assert table.frame.to_numpy().tolist() == [["1", "2", ""], ["3", "4", "5"]]
    assert "Rows shorter than the header: 1" in table.notes[0]


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["1", "2.5", "NA", "?"], "number"),
        (["true", "False", "n/a", "TRUE"], "boolean"),
        (["2020-01-31", "2021-02-01", "-"], "date"),
        (["1/31/2020", "2/1/2021"], "date"),
        (["red", "green", "red", "none"], "category"),
        (["00123", "00124", "00123"], "category"),
        ([f"words {k}" for k in range(50)], "text"),
        (["1", "2", "3", "4", "5", "6", "7", "8", "9", "<5"], "number"),
        (["1", "2", "3", "**", "*", "(S)", "x", "**"], "number"),
        (["1", "2", "x"] * 5, "category"),
        (["<=50K", ">50K"] * 5, "category"),
        (["123456789012345678", "123456789012345679"] * 5, "category"),
        (["123456789012345678.0", "123456789012345679.0"] * 5, "category"),
        (["123,456,789,012,345,678", "123,456,789,012,345,679"] * 5, "category"),
        (["1.5e20", "3.25e21", "7e20"] * 5, "number"),
        (["1", "TRUE", "0", "FALSE"], "boolean"),
        (["", "NaN", "null"], "empty"),
        (["20211301", "20210115"], "number"),  # no dates
        (["19999999", "20210115", "20210116"], "number"),
        ([1.0, np.nan, 1.0], "category"),
        ([1.0, np.nan, 2.0], "number"),
        *(([flag, "", flag, "", flag], "category") for flag in ("1", "yes", "x", "0")),  # a value or none
        (["Y", "", "yes", "", "Y"], "category"),
        (["Yes", "No", "Y", "n", ""], "boolean"),
        (["x"] * 5, "category"),
    ],
)
def test_kinds(values, kind):
    assert kind_of(pd.Series(values, name="x")) == kind


def test_types_of_new_rows_follow_those_learned():
    types = ColumnTypes().fit(pd.DataFrame({"a": ["1", "2", "x"], "b": ["u", "v", "u"]}).iloc[[0, 1]])
    assert types.types_ == {"a": ColumnType("number"), "b": ColumnType("category")}
    with pytest.warns(UserWarning, match=r"column 'a' holds 'oops', but was read as a number; 1 such values count as"):
        X = types.transform(pd.DataFrame({"b": [1, None], "a": ["oops", 3], "other": [0, 0]}))
    assert X["a"].isna().tolist() == [True, False]
    with pytest.raises(ValueError, match="column 'a' holds 'oops', but was read as a number; write its values as in"):
        types.transform(pd.DataFrame({"b": ["u"], "a": ["oops"]}))
    assert X["b"].tolist()[0] == "1"
    with pytest.raises(ValueError, match="no column 'b'"):
        types.transform(pd.DataFrame({"a": ["1"]}))
    with pytest.raises(TypeError, match="DataFrame"):
        types.transform(np.zeros((2, 2)))


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


def test_columns_are_found_by_name_or_nearly():
    names = ["Größe", "blood pressure", "x"]
    assert find_column("GRÖSSE".lower(), ["grösse", "x"], "--target") == "grösse"
    assert find_column("Blood  Pressure", names, "--drop") == "blood pressure"
    with pytest.raises(ValueError, match="Did you mean 'blood pressure'"):
        find_column("blod pressure", names, "--target")


def target(values, task=None):
    return read_target(Table.of(pd.DataFrame({"t": values})), "t", task)


def test_tasks():
    assert target(["a", "b"] * 10).task == "classification"
    assert target(["1", "0"] * 10).classes == [0, 1]
    assert target([str(k / 7) for k in range(40)]).task == "regression"
    assert [trap.kind for trap in target([str(k) for k in range(40)]).issues] == ["continuous labels"]
    assert target([str(k % 20) for k in range(60)] * 2, "classification").task == "classification"
    y = np.random.default_rng(0).normal(10, 2, 200).round(3)
    y[::25] = -999  # a code for missing is no value
    read = target(y.astype(str))
    assert (len(read.rows), read.task) == (192, "regression")
    assert read.values.min() > 0
    (trap,) = read.issues
    assert (trap.kind, trap.columns) == ("missing codes", ("t",))


@pytest.mark.parametrize(
    ("values", "task", "message"),
    [
        (["", "NA"] * 9, None, "no values"),
        (["a"] * 20, None, "one class only"),
        ([f"w{k}" for k in range(30)], None, "doesn't look like a class"),
        (["a"] * 20 + ["b"] * 4, None, "has 4 of the 5 different rows"),
        (["a", "b"] * 9, "regression", "needs numbers"),
        (["3.5"] * 20, "regression", "same value"),
        (["1", "01"] * 20, None, "labels '01' and '1' in 't' are the same number"),
        (["none"] * 20 + ["1"] * 20, None, "'none' was taken as missing: if it is a class, write another word"),
        (
            [f"{k + 110}/{k + 70}" for k in range(60)],
            None,
            r"notation that isn't read .*plain numbers in one unit",
        ),
        ([str(k / 7) for k in range(9)], "regression", "too few to validate"),
        (["a"], None, "1 row: too few"),
    ],
)
def test_hopeless_targets(values, task, message):
    with pytest.raises(ValueError, match=message):
        build_problem(pd.DataFrame({"x": [str(k * k) for k in range(len(values))], "t": values}), "t", task=task)


RANDOM = np.random.default_rng(0).normal(size=80).round(3).astype(str)


@pytest.mark.parametrize(
    ("columns", "options", "message"),
    [
        ({}, {"target": "nothing"}, "no such column"),
        ({}, {"target": "y", "drop": ["nothing"]}, "--drop='nothing'"),
        ({}, {"target": "y", "drop": ["y"]}, "is the target"),
        ({}, {"target": "y", "time": "word"}, "give a column of dates"),
        (
            {},
            {"target": "y", "drop": ["x", "word"]},
            "^no column is left to select from: “x” \\(--drop\\), “word” \\(--drop\\)\\.$",
        ),
        (
            {},
            {"target": "y", "time": "x", "groups": "word"},
            "^no column is left to select from: “word” \\(--groups\\), “x” \\(--time\\)\\.$",
        ),
        (
            {"x": [f"{7.3 * k:.1f}%" if k % 2 else f"{0.013 * k:.4f}" for k in range(80)]},
            {"target": "y", "drop": ["word"]},
            "^no column is left to select from: “word” \\(--drop\\), “x” \\(mixed notation\\)\\.$",
        ),
        ({"x": ["1e60"] * 77 + ["1", "2", "3"]}, {"target": "y", "drop": ["word"]}, "“x” \\(empty\\)"),
    ],
)
def test_hopeless_tables_and_options(columns, options, message):
    y = np.random.default_rng(1).choice(["a", "b"], 80)
    table = pd.DataFrame({"x": RANDOM, "word": ["u", "v"] * 40, "y": y}).assign(**columns)
    with pytest.raises(ValueError, match=message):
        build_problem(table, **options)


def test_a_web_page_is_no_table(write):
    with pytest.raises(ValueError, match="is a web page"):
        read_table(write("<!DOCTYPE html>\n<html><body>403</body></html>\n"))


FORMS = {
    "thousands and currency": (["$1,234.50", "$12", "NA"], [1234.5, 12.0, np.nan]),
    "code of a currency": (["EUR 5.20", "EUR 1,005.20", "EUR -3"], [5.2, 1005.2, -3.0]),
    "signs of currencies": (["\u20b4 5.20", "\u20b41,005.20", "\u20b4 3"], [5.2, 1005.2, 3.0]),
    "codes of other currencies": (["AED 5.20", "AED 1,005.20", "AED -3"], [5.2, 1005.2, -3.0]),
    "apostrophes": (["CHF 1'234.50", "CHF 12", "CHF 3.5"], [1234.5, 12.0, 3.5]),
    "narrow blanks": (["1\u202f234,5", "12\u00a0345", "7"], [1234.5, 12345.0, 7.0]),
    "millions": (["$56.7M", "$537K", "$0"], [56.7e6, 537e3, 0.0]),
    "unit": (["12.5 kg", "7 kg", ""], [12.5, 7.0, np.nan]),
    "squares and cubes": (["72 m2", "103.5 m2", ""], [72.0, 103.5, np.nan]),
    "unit without blank": (["5kg", "1 250kg", "7kg"], [5.0, 1250.0, 7.0]),
    "percent": (["9.5%", "12 %", "7%"], [9.5, 12.0, 7.0]),
    "decimal comma": (["12,34", "7,5", "-0,25"], [12.34, 7.5, -0.25]),
    "true minus": (["\u22123.5", "2", "1"], [-3.5, 2.0, 1.0]),
    "accounting": (["(1,234)", "12", "7.5"], [-1234.0, 12.0, 7.5]),
    "points as thousands": (["1.234.567", "12.345", "999"], [1234567.0, 12345.0, 999.0]),
    "errors of a spreadsheet": (["#DIV/0!", "1", "(null)", "2"], [np.nan, 1.0, np.nan, 2.0]),
    "missing in SPSS": (["#NULL!", "1", "3", "2.5"], [np.nan, 1.0, 3.0, 2.5]),
    "clock": (["03:55", "04:10", "1:00"], [235.0, 250.0, 60.0]),
    "fractions of a second": (["1:52.34", "0:59.5", "2:01.25"], [112.34, 59.5, 121.25]),
    "with and without hours": (["58:31", "1:02:11", "1:10:04"], [3511.0, 3731.0, 4204.0]),
    "with and without minutes": (["58.31", "1:02.11", "1:10.5", "59.9"], [58.31, 62.11, 70.5, 59.9]),
    "hours in words": (["26h 50m", "19h", "45m", "7 hrs 5 min"], [1610.0, 1140.0, 45.0, 425.0]),
    "mostly minutes": (["45 min", "7 min", "1 hr 5 min", "50 min"], [45.0, 7.0, 65.0, 50.0]),
    "only hours": (["7,5 h", "12 h", "0,25 h"], [7.5, 12.0, 0.25]),
    "plural": (["1 year", "4 years", "10+ years", "< 1 year"], [1.0, 4.0, 10.0, 1.0]),
    "suppressed": (["1", "2", "3.5", "**", "*", "(S)"], [1.0, 2.0, 3.5, np.nan, np.nan, np.nan]),
    "daggers": (["1", "2", "3.5", "\u2020", "\u2021", "n", "[c]"], [1.0, 2.0, 3.5, *[np.nan] * 4]),
    "suppressed in words": (["1", "2", "3.5", "PrivacySuppressed", ":"], [1.0, 2.0, 3.5, np.nan, np.nan]),
    "limits": (["1", "2.5", "3", "4", "7", "<0.5"], [1.0, 2.5, 3.0, 4.0, 7.0, 0.5]),
    "limits alone": (["<0.5", "\u22641", "<2.5", "<0.5"], [0.5, 1.0, 2.5, 0.5]),
    "mostly limits": (["<10", "<10", "<20", ">400", "17"], [10.0, 10.0, 20.0, 400.0, 17.0]),
    "limits in both directions": (["<=50K", ">50K", ">50K"], ["<=50K", ">50K", ">50K"]),
    "yes and no": (["yes", "no", "YES", ""], [1.0, 0.0, 1.0, np.nan]),
    "dates": (["31.12.2020", "01.02.2021", "x"] * 2, None),
    "compact dates": (["20201231", "20210201"], None),
    "codes": (["01067", "10115", "00042"], None),
    "long codes": (["123456789012345678", "123456789012345679"], None),
    "composed letters": (["cafe\u0301", "caf\u00e9", "caf\u00e9\u200b", "no"], ["caf\u00e9"] * 3 + ["no"]),
}


def in_rows(fields, n=60):
    return (fields * n)[:n]


@pytest.mark.parametrize(
    ("form", "numbers", "is_thousands"),
    [
        ("{}", [*range(1100, 90_000, 4441), 930, 57], True),
        ("{} TL", [*range(1100, 2_900_000, 144_411)], True),
        ("€ {}", [*range(34_000, 460_000, 12_000)], True),
        ("{}", [*range(1100, 90_000, 4441), 0, 100], False),  # 0 and 100 percent
        ("{}", [*range(1100, 90_000, 4441)], False),  # 1.100 may have three decimals
        ("{}", [*range(34_000, 460_000, 12_000)], False),
        ("{} m", [*range(1100, 90_000, 4441), 930, 1057.5], False),
    ],
)
def test_points_between_groups_of_digits_are_no_decimal_points(read, form, numbers, is_thousands):
    """Beside a column of decimals."""
    fields = [form.format(f"{number:,}".replace(",", ".")) for number in numbers]
    table = read(["a,litres", *(f"{field},1.{k % 10}" for k, field in enumerate(fields))])
    expected = numbers if is_thousands else [number / 1000 if number > 1000 else number for number in numbers]
    assert values(table, "litres")[:2] == [1.0, 1.1]
    if numbers[-1] != 1057.5:
        assert values(table, "a") == pytest.approx(expected)
    assert (table.types["a"].decimal == ",") == is_thousands


@pytest.mark.parametrize("form", FORMS)
def test_numbers_are_read_in_every_usual_form(write, form):
    fields, expected = FORMS[form]
    table = read_table(write("a;b\n" + "\n".join(f"{field};w" for field in in_rows(fields))))
    if expected is not None:
        np.testing.assert_array_equal(np.array(values(table, "a")), np.array(in_rows(expected)))


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("form", "model"),
    [*((form, "linear") for form in FORMS), ("unit", "trees"), ("codes", "trees"), ("dates", "trees")],
)
def test_a_model_predicts_from_raw_text_what_it_learned(write, form, model):
    """The model of a report takes what `pandas.read_csv` makes of its file, and new rows in the same form."""
    fields = in_rows(FORMS[form][0])
    rng = np.random.default_rng(0)
    effect = pd.factorize(pd.Series(fields))[0] % 2
    y = 3.0 * effect + 0.1 * rng.normal(size=len(fields))
    file = write(
        " a ;x;y\n" + "\n".join(f"{f};{x};{t:.3f}" for f, x, t in zip(fields, rng.normal(size=60), y, strict=True))
    )
    table = read_table(file)
    types = {name: table.types[name] for name in ("a", "x")}
    kinds = {name: type.kind for name, type in types.items()}
    fitted = make_pipeline(ColumnTypes(types), encoded_model(model, kinds, "regression")).fit(table.frame, y)
    known = fitted.predict(table.frame)
    assert np.ptp(known) > 1
    np.testing.assert_array_equal(fitted.predict(pd.read_csv(file, sep=";", dtype=str)), known)
    plain = pd.read_csv(file, sep=";")
    if types["a"].points and plain.iloc[:, 0].dtype == float:
        with pytest.raises(ValueError, match="read the column as text"):
            fitted.predict(plain)
    else:
        np.testing.assert_array_equal(fitted.predict(plain), known)


def test_floats_whose_points_separated_thousands_are_refused(write):
    file = write("a;y\n" + "\n".join(f"{k}.{k};{k},5" for k in range(101, 130)))
    table = read_table(file)
    assert values(table, "a")[0] == 101101.0
    types = ColumnTypes({"a": table.types["a"]}).fit(table.frame)
    with pytest.raises(ValueError, match="its points separate thousands; read the column as text, with dtype=str"):
        types.transform(pd.DataFrame({"a": [101.101]}))
    assert types.transform(pd.DataFrame({"a": [101101]}))["a"].tolist() == [101101.0]


def test_floats_of_codes_that_are_too_large_for_them_are_refused():
    types = ColumnTypes().fit(pd.DataFrame({"code": ["123456789012345678", "123456789012345679"] * 5}))
    with pytest.raises(
        ValueError, match="which skip such large whole numbers; read the column as text, with dtype=str"
    ):
        types.transform(pd.DataFrame({"code": [123456789012345678, np.nan]}))


def test_a_unit_is_said_and_mixed_units_stay_text(write):
    free = read_table(write("a,b\n" + "\n".join(f"{80 + k} TL,x" for k in range(9)) + "\nYok,x\n"))
    assert free.notes == ["Most numbers in 'a' are in 'TL'; 'Yok' is 0."]
    exempt = read_table(write("a;b\n" + "\n".join(f"R$ {80 + k},50;x" for k in range(9)) + "\nIsento;x\n"))
    assert values(exempt, "a")[-1] == 0
    on_foot = read_table(write("a,b\n" + "\n".join(f"徒歩{k + 1}分,x" for k in range(9))))
    assert values(on_foot, "a") == [*range(1, 10)]
    assert read_table(write("a,b\n1 kg,x\n2 kg,y\n")).notes == ["Numbers in 'a' are in 'kg'."]
    mostly = read_table(write("a,b\n" + "\n".join(f"{80 + k} kg,x" for k in range(9)) + "\n176 pt,x\n180 pt,x\n"))
    assert mostly.notes == ["Most numbers in 'a' are in 'kg'; 2 others count as missing, such as '176 pt'."]
    table = read_table(write("a,b\n1 kg,x\n2 g,y\nP007,z\n"))
    assert table.types["a"].kind == "category"
    assert table.notes == []


@pytest.mark.parametrize(
    ("code", "form"),
    [
        ("1900-01-01", "%Y-%m-%d"),
        ("9999-12-31", "%Y-%m-%d"),
        ("9999-12-31 23:59:59", "%Y-%m-%d %H:%M:%S"),
        ("31.12.9999 23:59", "%d.%m.%Y %H:%M"),
        ("99991231", "%Y%m%d"),
    ],
)
def test_dates_that_stand_for_a_missing_value(code, form):
    days = pd.Series(pd.date_range("2019-01-01", periods=90, freq="3D").strftime(form))
    days[::4] = code
    dates = column_type(days)
    assert dates.codes() == ["1900-01-01" if code[:4] == "1900" else "9999-12-31"]
    assert dates.read(days).isna().sum() == 23
    history = pd.Series(pd.date_range("1900-01-01", periods=90, freq="YS").strftime("%Y-%m-%d"))
    assert column_type(history).missing == ()


def test_blanks_separate_only_where_nothing_else_does(write):
    assert list(read_table(write("x y z\n1 2 a\n3  4 b\n")).frame) == ["x", "y", "z"]
    assert list(read_table(write("first name,y z\na b,1 2\nc d,3 4\n")).frame) == ["first name", "y z"]


def test_many_different_numbers_are_a_quantity_in_any_number_of_rows():
    rng = np.random.default_rng(0)
    ages = pd.Series(rng.integers(18, 90, 20_000).astype(str), name="age")
    read = target(ages)
    assert read.task == "regression"
    assert [trap.kind for trap in read.issues] == ["continuous labels"]
    assert target(rng.normal(20, 3, 10_000).round(1).astype(str)).task == "regression"
    assert target(rng.integers(0, 30, 20_000).astype(str)).task == "classification"


@pytest.mark.parametrize(
    ("separator", "columns", "expected", "note"),
    [
        ("\t", {"a": ["1,157,700", "528,000"], "b": ["2,313", "808"]}, {"a": [1157700, 528000], "b": [2313, 808]}, ""),
        (";", {"a": ["587", "1.687"], "b": ["1,5", "2,25"]}, {"a": [587, 1687], "b": [1.5, 2.25]}, "decimal comma."),
        (";", {"a": ["587", "1.687"]}, {"a": [587, 1687]}, "but could be read with the other mark: 'a' ('1.687')"),
        ("\t", {"a": ["587", "1.687"]}, {"a": [587, 1.687]}, ""),
        (";", {"a": ["1,234", "2,345"]}, {"a": [1.234, 2.345]}, "decimal ',', but could be read with the other"),
        (",", {"a": ['"1,234"', '"2,345"']}, {"a": [1234, 2345]}, "decimal '.', but could be read with the other"),
        (";", {"a": ["1,234", "0,567"], "b": ["2,125"] * 2}, {"a": [1.234, 0.567], "b": [2.125] * 2}, "decimal comma."),
        ("\t", {"a": ["5,650", "7,242"], "b": ["0.5", "1.25"]}, {"a": [5650, 7242], "b": [0.5, 1.25]}, ""),
        (",", {"a": ['"1,5"', '"0,25"']}, {"a": [1.5, 0.25]}, "decimal comma."),
        (";", {"a": ["0.567", "12.345"], "b": ["1.5", "2"]}, {"a": [0.567, 12.345], "b": [1.5, 2]}, ""),
        (";", {"a": ["1.429e-01", "2.125e+02"]}, {"a": [0.1429, 212.5]}, ""),
        (";", {"a": ["8.30", "9.5"], "b": ["1.687", "2.125"]}, {"a": [8.3, 9.5], "b": [1.687, 2.125]}, "mark: 'b' ("),
        (",", {"a": ['"1,99"', '"2,49"'], "b": ["1.687"] * 2}, {"a": [1.99, 2.49], "b": [1687] * 2}, "mark: 'b' ("),
        (",", {"a": ['"1,3"', '"2,4"'], "b": ['"5,650"'] * 2}, {"a": ["1,3", "2,4"], "b": [5650] * 2}, "mark: 'b' ("),
    ],
)
def test_a_file_has_one_decimal_mark_the_one_that_makes_most_numbers(write, separator, columns, expected, note):
    rows = [[*columns, "word"], *([*row, "w"] for row in zip(*columns.values(), strict=True))]
    table = read_table(write("\n".join(separator.join(row) for row in rows)))
    assert {name: values(table, name) for name in columns} == expected
    assert (note in table.notes[0]) if note else not table.notes


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        (["€5,50", "0", "€1.205,00"], [5.5, 0, 1205]),
        (["5,5 kg", "12 kg", "6,25 kg"], [5.5, 12, 6.25]),
        (["1,429e-01", "2,125e+02", "0,000e+00"], [0.1429, 212.5, 0]),
    ],
)
def test_a_unit_or_a_power_tells_a_number_with_the_other_decimal_mark(read, fields, expected):
    rows = [f"{field}\t{k}.25\t{k}.5" for k, field in enumerate(fields)]
    table = read(["a\tb\tc", *rows])
    assert table.types["b"].decimal == "."
    assert values(table, "a") == expected


@pytest.mark.parametrize("number", ["{0}.{1}", "0.{0:03}"])
@pytest.mark.parametrize(("mark", "other"), [",.", ".,"])
def test_numbers_with_the_other_mark_are_read_and_named(write, mark, other, number):
    numbers = [number.format(k, k % 7) for k in range(60)]
    rows = [f"{k}{mark}5;{k}{mark}25;{text.replace('.', other)};{k}" for k, text in enumerate(numbers)]
    table = read_table(write("y;a;b;c\n" + "\n".join(rows)))
    assert values(table, "b") == list(map(float, numbers))
    assert table.types["a"].decimal == table.types["c"].decimal == mark
    assert f"'b' is read with a decimal {other!r}, unlike other columns." in table.notes


def test_a_column_with_both_decimal_marks_is_read_and_named(write):
    fields = [("{}.{}" if k % 3 else "{},{}").format(k, k % 7) for k in range(60)]
    table = read_table(write("a;b\n" + "\n".join(f"{field};{k}.5" for k, field in enumerate(fields))))
    assert values(table, "a") == [float(f"{k}.{k % 7}") for k in range(60)]
    assert "'a' is read with a decimal point or comma, unlike other columns." in table.notes
    thousands = [f"{k},{100 + k}" if k % 3 else f"{k}.5" for k in range(60)]
    table = read_table(write("a;b\n" + "\n".join(f"{field};{k}.5" for k, field in enumerate(thousands))))
    assert table.types["a"].decimal == "."


@pytest.mark.parametrize("form", ["{0},{1}", "{0},{1}00", "{1}/{0},{1}"])
def test_answers_and_thousands_are_no_decimals(write, form):
    """Answers come in ascending order, as in "1,3"."""
    rows = [f"{k}.5;{k}.25;" + form.format(k % 3 + 1, k % 3 + 2 + k % 2) for k in range(60)]
    assert read_table(write("y;a;b\n" + "\n".join(rows))).types["b"].decimal == "."


@pytest.mark.parametrize(
    ("labels", "classes"),
    [
        (["cafe\u0301", "caf\u00e9", "caf\u00e9\u200b ", "no"], ["caf\u00e9", "no"]),
        (["\u202ano\u202c", "no\u2069", "no\u180e", "yes\ufe0f", "yes"], ["no", "yes"]),
        (["TRUE", "1", "0", "FALSE", "TRUE", "FALSE"], ["FALSE", "TRUE"]),
        (["yes", "no", "yes", "no", "yes", "no"], ["no", "yes"]),
        (["Y", "N", "Yes", "No", "yes", "Yes", "No"], ["No", "Yes"]),
        (["Yes", "No", "TRUE", "Yes", "No"], ["No", "Yes"]),
        (["T", "N", "F", "Y"], ["F", "N", "T", "Y"]),  # codes
        (["123456789012345678", "123456789012345679"], ["123456789012345678", "123456789012345679"]),
        (["1", "2", "5", "5+"], ["1", "2", "5", "5+"]),
        (["1", "1.0", "2"], [1, 2]),
    ],
)
def test_labels_that_look_alike_are_one_class_and_others_are_not(labels, classes):
    assert target(labels * 12).classes == classes


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
    read = target(values)
    assert read.classes == classes
    assert len(read.rows) == sum(value != "" for value in values)
    trap = next(trap for trap in read.issues if trap.kind == "missing or class")
    assert f"“{word}” (" in trap.finding
    assert "leave these cells empty" in trap.action


@pytest.mark.parametrize(("mark", "classes"), [("Y", ["(empty)", "Y"]), ("1", ["(empty)", "1"])])
def test_an_empty_cell_beside_one_label_is_a_class(mark, classes):
    read = target([mark] * 20 + [""] * 60)
    assert read.classes == classes
    assert np.bincount(read.values).tolist() == [60, 20]
    (issue,) = [issue for issue in read.issues if issue.kind == "missing or class"]
    assert issue.finding == f"All rows with a value in “t” have “{mark}” (20 rows), and 60 rows are empty."


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
    read = target(values)
    assert len(read.classes) == 2
    (trap,) = read.issues
    assert trap.kind == "missing target"
    assert ("with “NA”" in trap.finding) == ("write another one for it" in trap.action) == ("NA" in values)


def test_a_word_that_stands_for_missing_numbers_is_no_class(write):
    rows = [f"{x},{label}" for x, label in zip(["1.5", "NA", "2.5"] * 20, ["low", "NA", "high"] * 20, strict=True)]
    assert read_target(read_table(write("x,y\n" + "\n".join(rows))), "y").classes == ["high", "low"]
    table = read_table(write("x,y\n" + "\n".join(rows).replace("NA,", "2,")))
    assert read_target(table, "y").classes == ["NA", "high", "low"]


def test_targets_that_are_too_large_are_called_so():
    with pytest.raises(ValueError, match="has no values, or none within ±1e50; name another column"):
        target(["1e308", "2e308", "inf"] * 10)
    y = np.random.default_rng(0).normal(size=100).round(3).astype(str).astype(object)
    y[:3], y[3] = "inf", ""
    read = target(y)
    assert len(read.rows) == 96
    assert read.issues[0].finding == "Rows without a number in “t”: 4."
    assert read.issues[1].finding.endswith("to stand for a missing “t”: beyond ±1e50.")


@pytest.mark.parametrize("missing", [False, True])
def test_numbers_of_a_table_that_pandas_read_stand_for_their_categories(tmp_path, missing):
    codes = ["01067", "10115", "00042", "", "99999"] if missing else ["01067", "10115", "00042", "99999"]
    table = pd.DataFrame({"zip": codes * 5, "x": "1.5"})
    types = ColumnTypes().fit(table[table["zip"] != "99999"])
    assert types.types_["zip"].kind == "category"
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
    with pytest.raises(ValueError, match=r"column 'code' holds the value 7, .* '007' or '7'; read the column as text"):
        types.transform(pd.DataFrame({"code": [12, 7]}))


@pytest.mark.parametrize("words", [["TRUE", "FALSE", "unknown"], ["TRUE", ""]])
def test_truth_values_of_a_new_table_stand_for_their_words(tmp_path, words):
    table = pd.DataFrame({"flag": words * 10, "x": "1.5"})
    types = ColumnTypes().fit(table)
    new = table[table["flag"] != "unknown"]
    new.to_csv(tmp_path / "my.csv", index=False)
    read = pd.read_csv(tmp_path / "my.csv")
    assert read["flag"][0] is np.True_ or read["flag"][0] is True
    pd.testing.assert_frame_equal(types.transform(read), types.transform(new.reset_index(drop=True)))


def test_a_new_category_is_warned_of():
    types = ColumnTypes().fit(pd.DataFrame({"town": ["Ulm", "Bonn"] * 5}))
    with pytest.warns(UserWarning, match=r"column 'town' holds 'Trier' and 1 more, which it didn't hold before\."):
        types.transform(pd.DataFrame({"town": ["Ulm", "Trier", None, "Jena"]}))


def test_new_dates_are_read_in_the_format_of_those_that_were_fitted():
    """10/01/2021 by itself fits both readings."""
    types = ColumnTypes().fit(pd.DataFrame({"day": ["1/31/2020", "2/28/2020", "3/1/2020"]}))
    new = pd.DataFrame({"day": ["10/01/2021", "", "2021-10-01"]})
    want = (pd.Timestamp(2021, 10, 1) - pd.Timestamp(1970, 1, 1)).days
    np.testing.assert_array_equal(types.transform(new)["day"], [want, np.nan, want])
    np.testing.assert_array_equal(types.transform(new.iloc[:1])["day"], [want])
    np.testing.assert_array_equal(types.transform(pd.DataFrame({"day": [pd.Timestamp(2021, 10, 1)]}))["day"], [want])


# What files of people's work hold -------------------------------------------------------------------------------------

STAMPS = pd.date_range("2019-03-04 07:05:09", periods=40, freq="37h")


TIMES = {  # forms by the unit to which they tell the time
    "s": [
        *("%d/%m/%Y %H:%M:%S", "%m/%d/%y %I:%M:%S %p", "%A, %d %B %Y %H:%M:%S", "%Y%m%dT%H%M%S", "%d%b%Y:%H:%M:%S"),
        *("%d.%m.%y %H.%M.%S", "%Y/%m/%d, %H:%M:%S", "%a %b %d, %Y %H:%M:%S", "%c", "%a %b %d %H:%M:%S +0000 %Y"),
        *("%Y%m%d%H%M%S", "%d.%m.%Y %H:%M:%S"),
    ],
    "m": ["%Y%m%d%H%M", "%m/%d/%Y %I:%M %p"],
    "D": [
        *("%B %d,%Y", "%d-%B-%Y", "%Y.%m.%d", "%m%d%Y", "%d %b %y", "%Y %b %d", "%b. %d, %Y", "%Y%m%d", "%d %B %Y"),
        "%B %d, %Y",
    ],
    "M": ["%b-%y", "%B %Y", "%Y-%m", "%b '%y", "%YM%m"],
}


@pytest.mark.parametrize(("form", "unit"), [(form, unit) for unit in TIMES for form in TIMES[unit]])
def test_dates_and_times_are_always_read(form, unit):
    texts = pd.Series(STAMPS.strftime(form), name="at")
    expected = (STAMPS.values.astype(f"M8[{unit}]") - np.datetime64(0, "s")) / np.timedelta64(1, "D")
    assert kind_of(texts) == "date"
    read = ColumnTypes().fit_transform(texts.to_frame())["at"]
    if unit == "M":  # all months of 2019 have a name of their own
        read = read - (read - expected).iloc[0]
    np.testing.assert_allclose(read, expected, atol=1e-9)


@pytest.mark.parametrize("order", ["%d{}%m{}%Y", "%m{}%d{}%Y"])
def test_dates_of_which_a_program_has_rewritten_some_are_read_in_one_order(order):
    days = pd.date_range("2017-01-01", periods=90, freq="5D")
    texts = [day.strftime(order.format(*("//" if k % 3 else "--"))) for k, day in enumerate(days)]
    numbers = ColumnTypes().fit_transform(pd.DataFrame({"day": texts}))["day"]
    np.testing.assert_array_equal(numbers, (days - pd.Timestamp("1970-01-01")).days)


def test_days_that_a_spreadsheet_has_made_numbers_are_read_beside_dates():
    days = pd.date_range("2017-01-01", periods=90, freq="5D")
    serial = (days - pd.Timestamp("1899-12-30")).days
    texts = [str(n) if day.day <= 12 else f"{day:%d/%m/%Y}" for n, day in zip(serial, days, strict=True)]
    numbers = ColumnTypes().fit_transform(pd.DataFrame({"day": texts}))["day"]
    np.testing.assert_array_equal(numbers, (days - pd.Timestamp("1970-01-01")).days)
    assert kind_of(pd.Series(serial.astype(str))) == "number"
    assert kind_of(pd.Series([f"0{n % 9000}" for n in serial])) in ("category", "text")


@pytest.mark.parametrize("form", ["{0}-Q{1}", "{0}Q{1}", "Q{1} {0}", "{0} q{1}", "{1}Q{0}"])
def test_quarters_are_dates(form):
    texts = pd.Series([form.format(year, quarter) for year in range(1995, 2010) for quarter in range(1, 5)], name="at")
    months = np.arange("1995-01", "2010-01", 3, dtype="M8[M]").astype("M8[D]").astype(float)
    np.testing.assert_array_equal(ColumnTypes().fit_transform(texts.to_frame())["at"], months)


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["3. März 2021", "1. Mai 2021", "24. Dez. 2021"], ["2021-03-03", "2021-05-01", "2021-12-24"]),
        (["1er février 2020", "12 août 2020", "3 déc 2020"], ["2020-02-01", "2020-08-12", "2020-12-03"]),
        (["05-ene-2021", "7 de mayo de 2021", "30/ago/21"], ["2021-01-05", "2021-05-07", "2021-08-30"]),
        (["2021年3月5日", "2021年 11月 30日", "2022年1月"], ["2021-03-05", "2021-11-30", "2022-01-01"]),
        (["2020-W01", "2020-W53", "2021W2"], ["2019-12-30", "2020-12-28", "2021-01-11"]),
        (["2019-S1", "2019-S2", "2020H1"], ["2019-01-01", "2019-07-01", "2020-01-01"]),
        (["2009-10", "1999-00", "2014-15"], ["2009-07-01", "1999-07-01", "2014-07-01"]),
        (["2009/2010", "2010/2011", "2014/2015"], ["2009-07-01", "2010-07-01", "2014-07-01"]),
        (["2009-10", "2010-11", "2011-12"], ["2009-07-01", "2010-07-01", "2011-07-01"]),
        (["2009-10", "2010-11"], ["2009-07-01", "2010-07-01"]),
        (["2009-10", "2010-11", "2010-12"], ["2009-10-01", "2010-11-01", "2010-12-01"]),
        (
            ["2021/05/13 3:26:05 PM GMT+2", "2021/05/14 12:00:00 AM GMT+5:30", "2021-05-14 03:00 CEST"],
            ["2021-05-13 15:26:05", "2021-05-14", "2021-05-14 03:00"],  # by the clock of the zone
        ),
        (["[13/May/2021:15:26:05 +0100]", "[14/May/2021:00:30:00 +0100]"], ["2021-05-13 15:26:05", "2021-05-14 00:30"]),
        (["2021-05-13T15:26:05+01:00", "2021-05-14T00:30:00+01:00"], ["2021-05-13 15:26:05", "2021-05-14 00:30"]),
        (["5 Ocak 2024", "14 Şubat 2024", "3 maj 2024"], ["2024-01-05", "2024-02-14", "2024-05-03"]),
        (["12 października 2021", "5. června 2021", "7 мая 2021"], ["2021-10-12", "2021-06-05", "2021-05-07"]),
        (["2024年4月1日(月)", "2024年4月12日（金）"], ["2024-04-01", "2024-04-12"]),
        (["2024-04-01 (Mon)", "2024-04-12 (Fri) 13:00"], ["2024-04-01", "2024-04-12 13:00"]),
        (["Mar 12, 2001 (22)", "Apr 9, 1997 (26)"], ["2001-03-12", "1997-04-09"]),
        (["05/14/23 12時00分00秒 午前", "05/24/23 01時10分00秒 午後"], ["2023-05-14", "2023-05-24 13:10"]),
        (["2023-04-03 9:09 오전", "2023-04-03 1:30 오후"], ["2023-04-03 09:09", "2023-04-03 13:30"]),
        (["01/12/2566", "31/1/2567", "29/02/2567"], ["2023-12-01", "2024-01-31", "2024-02-29"]),  # of Thailand
        (["2022. 8. 4.", "2023. 12. 18."], ["2022-08-04", "2023-12-18"]),
        (["25.10.2023 r.", "3.01.2024r.", "14 maja 2024 roku"], ["2023-10-25", "2024-01-03", "2024-05-14"]),
        (["03.01.2021.", "25.01.2021."], ["2021-01-03", "2021-01-25"]),
        (["3.1.2021 kl. 13:05", "3.1.2021, um 14:05 Uhr"], ["2021-01-03 13:05", "2021-01-03 14:05"]),
        (["13/01/2021 à 13h05", "14/01/2021 às 07:30"], ["2021-01-13 13:05", "2021-01-14 07:30"]),
        (["٢٠٢٣/٠٢/٠٣", "۲۰۲۳/۰۲/۲۵"], ["2023-02-03", "2023-02-25"]),
        (["01/03/2020 01:15:00 p. m.", "15/03/2020 12:15 a. m."], ["2020-03-01 13:15", "2020-03-15 00:15"]),
        (["2023-04-03 오전 9:09", "2023-04-03 오후 1:30"], ["2023-04-03 09:09", "2023-04-03 13:30"]),
        (
            ["2023/05/04 9:40:21 AM OESZ", "2023/05/04 9:43:00 PM MSK", "4.5.2023 10:00 Uhr", "2023-05-04 10:15 AEST"],
            ["2023-05-04 09:40:21", "2023-05-04 21:43", "2023-05-04 10:00", "2023-05-04 10:15"],
        ),
        (
            ["01.02.2021 00:00 - 01.02.2021 01:00", "01.02.2021 23:00 - 24:00"],
            ["2021-02-01", "2021-02-01 23:00"],
        ),
        (["01.01.22", "01.02.22", "01.12.23"], ["2022-01-01", "2022-02-01", "2023-12-01"]),
        ([*(f"01.0{k}.21" for k in range(1, 9)), "unklar"], [*(f"2021-0{k}-01" for k in range(1, 9)), "NaT"]),
        (["01.2021", "10.2021", "12.2022"], ["2021-01-01", "2021-10-01", "2022-12-01"]),
        (["1.2021", "2.2021", "12.2020"], ["2021-01-01", "2021-02-01", "2020-12-01"]),
        (["85-01-31", "86-12-01", "03-07-15"], ["1985-01-31", "1986-12-01", "2003-07-15"]),
        (["19-01-31", "20-12-01", "21-07-15"], ["2031-01-19", "2001-12-20", "2015-07-21"]),  # fits, too
        (["01/2021", "12/2021", "11-2022"], ["2021-01-01", "2021-12-01", "2022-11-01"]),
    ],
)
def test_dates_of_other_languages_and_calendars(texts, expected):
    read = ColumnTypes().fit_transform(pd.DataFrame({"at": texts}))["at"]
    days = (pd.to_datetime(expected, format="ISO8601") - pd.Timestamp("1970-01-01")) / pd.Timedelta(days=1)
    np.testing.assert_allclose(read, days)


@pytest.mark.parametrize("order", ["%d/%m/%Y", "%m/%d/%Y"])
def test_day_and_month_are_in_the_order_that_other_columns_or_first_days_tell(order):
    days = pd.Series(pd.date_range("2019-03-01", periods=60, freq="9D"))
    early, first = days.where(days.dt.day < 13, days[0]), days.dt.to_period("M").dt.start_time
    columns = pd.DataFrame({"event": days, "early": early, "billed": first, "paid": first - pd.Timedelta(1, "D")})
    frame = columns.apply(lambda column: column.dt.strftime(order))
    numbers = (columns - pd.Timestamp("1970-01-01")) // pd.Timedelta(1, "D")
    np.testing.assert_array_equal(ColumnTypes().fit_transform(frame), numbers)
    np.testing.assert_array_equal(ColumnTypes().fit_transform(frame[["billed"]]), numbers[["billed"]])


@pytest.mark.parametrize("form", ["{0.day}-{0:%b}", "{0:%d} {0:%B}", "{0.day}. {0:%b}."])
def test_days_without_a_year_are_dates_of_a_leap_year(form, tmp_path):
    dates = pd.date_range("2016-02-01", periods=200)
    table = pd.DataFrame({"day": [form.format(date) for date in dates], "x": np.random.default_rng(0).normal(size=200)})
    table["count"] = np.arange(200) + table["x"]
    table.to_csv(tmp_path / "days.csv", index=False)
    problem = build_problem(read_table(tmp_path / "days.csv"), "count")
    assert problem.time_name == "“day”"
    assert (np.diff(problem.X["day"]) == 1).all()
    assert not any("weekday" in name for name in problem.X)
    few = table.iloc[:30].assign(score=[f"{k % 12 + 1}-{m}" for k, m in enumerate(["Jan", "Mar", "Apr"] * 10)])
    assert build_problem(few, "count").kinds["score"] == "category", "a score that a spreadsheet made a date"


@pytest.mark.parametrize("spanning", [True, False])
def test_names_in_three_lines_of_an_office_of_statistics(spanning, tmp_path):
    lines = [
        "Table: 99-1;;;;",
        "Selected indicators (31.12.2021);;;;",
        f";;Unemployed;{'' if spanning else 'Unemployed'};Area",
        ";;Total;15 to 25 years;Total",
        ";;per cent;per cent;sq km",
        *(f"{k:02};District {k};{k % 7},{k % 10};{k % 5},5;{100 + k}" for k in range(40)),
    ]
    (tmp_path / "districts.csv").write_text("\n".join(lines), encoding="utf-8")
    table = read_table(tmp_path / "districts.csv")
    names = ["Unemployed Total per cent", "Unemployed 15 to 25 years per cent", "Area Total sq km"]
    assert list(table.frame)[2:] == names
    assert len(table.frame) == 40
    assert {table.types[name].kind for name in names} == {"number"}


def test_a_list_of_many_dates_is_no_interval():
    assert date_order(pd.Series([" - ".join(["2020-01-01"] * 3000)] * 3)) == ""


def test_chinese_of_few_words_is_read_as_such(write):
    rows = "\n".join(f"2021年{k}月3日,{k / 3:.2f}" for k in range(1, 13))
    assert list(read_table(write("日期,温度\n" + rows, "gb18030")).frame) == ["日期", "温度"]


def test_lines_of_joined_files_and_notes_below_are_no_rows(read):
    rows = [f"{2010 + k % 2},{k},{k % 3}" for k in range(20)]
    table = read(["year,a,b", *rows[:9], "year,a,b", *rows[9:], "Source: a census", "as of 2020,,"])
    assert len(table.frame) == 20
    assert table.notes == ["Lines below the table were left out: 2.", "Lines that repeat the header were left out: 1."]
    assert {type.kind for type in table.types.values()} == {"number"}


def test_sevens_to_nines_beside_yes_and_no_are_codes_in_two_columns():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.integers(1, 3, (200, 3)), columns=list("abc"))
    table.loc[:8, "a"], table.loc[5:9, "b"], table.loc[20:22, "b"] = 9, 9, 7
    assert [type.missing for type in Table.of(table).types.values()] == [(9.0,), (7.0, 9.0), ()]
    assert Table.of(table.assign(b=1)).types["a"].missing == ()


def test_a_column_may_have_any_name(read):
    """Whatever it holds: numbers, limits, a unit."""
    names = ["value", "unit", "limit", "mark", "index", "y", "0", "level_0", "count"]
    fields = ["{}", "<{}", "{} kg"]
    for turn in range(3):
        forms = [fields[(k + turn) % 3] for k in range(9)]
        rows = [
            ",".join(form.format((3 + k) * i % 23) for k, form in enumerate(forms)) + f",{i % 5}" for i in range(40)
        ]
        problem = build_problem(read([",".join([*names, "target"]), *rows]), "target")
        assert set(names) == {*problem.X, *problem.left_out}


def test_feet_and_inches_are_called_so(write):
    table = read_table(write("a,b\n" + "\n".join(f'{k % 2 + 5}\'{k % 11}""'.join(['"', '",1']) for k in range(20))))
    assert table.notes == ["Lengths in 'a' are in feet and inches, and are read as inches."]


@pytest.mark.parametrize(
    "values",
    [
        ["12-34-5678", "13-44-5679", "43-24-1678"],
        [f"{k}-{k + 3}" for k in range(9, 60)],
        ["3.2.1", "3.3.0", "4.1.12"] * 5,
        [f"{15600000 + 37 * k}" for k in range(50)],
        ["May", "June", "July"] * 5,
        ["Set 10", "Set 11", "Gen 12"] * 5,
        ["Room 12-A", "Room 13-A"] * 5,
        ["1.1987", "1.2021", "1.2034"] * 5,  # a rate
        ["2.05.30", "2.25.10", "2.11.45"] * 5,  # a marathon
    ],
)
def test_what_only_looks_like_a_date_is_none(values):
    assert kind_of(pd.Series(values)) != "date"


MORE_FORMS = {
    "zeros without the unit": (["0", "12 kg", "3.5 kg", "0", "0", "0", "40 kg"], [0, 12, 3.5, 0, 0, 0, 40]),
    "zeros among percents": (["30%", "0", "0", "12.5%", "7%"], [30, 0, 0, 12.5, 7]),
    "zeros among euros": (["0", "0", "0", "0", "€5", "€7", "€9.5"], [0, 0, 0, 0, 5, 7, 9.5]),
    "clock with points": (["18.00.00", "07.30.15", "23.59.59"], [64800, 27015, 86399]),
    "feet and inches": (["5'4\"", "6'0\"", "5' 11.5\""], [64, 72, 71.5]),
    "seats": (["12A", "12B", "14B", "3C"], ["12A", "12B", "14B", "3C"]),
    "billions": (["$1.2B", "$12B", "$300M"], [1.2e9, 12e9, 3e8]),
    "titers": (["1:10", "1:20", "1:40", "1:20"], ["1:10", "1:20", "1:40", "1:20"]),
    "minutes and seconds": (["1:43", "1:45", "1:47", "1:51"], [103, 105, 107, 111]),
    "names that begin with a digit": (["2Door", "4Door", "Cabrio", "4Door"], ["2Door", "4Door", "Cabrio", "4Door"]),
    "ages and everyone": (["18+", "everyone", "12+", "16+"], ["18+", "everyone", "12+", "16+"]),
    "diagnoses": (
        ["414.1", "V58", "E812", "250", "401.9", "786"] * 3,
        ["414.1", "V58", "E812", "250", "401.9", "786"] * 3,
    ),
    "diagnoses of one chapter and a code": (["250.01", "428", "V57", "786"] * 5, ["250.01", "428", "V57", "786"] * 5),
    "letters among few numbers": (["1", "2", "3", "X", "E"], ["1", "2", "3", "X", "E"]),
    "levels": (["none", "mild", "severe", "none"], ["none", "mild", "severe", "none"]),
    "levels that pandas takes as missing": (["None", "mild", "severe", "mild"], ["None", "mild", "severe", "mild"]),
    "signs": (["-", "+", "++", "-"], ["-", "+", "++", "-"]),
}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("form", MORE_FORMS)
def test_more_forms_are_read_the_same_from_text_and_by_pandas(write, form):
    fields, expected = (in_rows(values) for values in MORE_FORMS[form])
    file = write("")
    pd.DataFrame({"a": fields, "b": "w"}).to_csv(file, sep=";", index=False)
    frame = read_table(file).frame
    types = ColumnTypes().fit(frame[["a"]])
    assert types.transform(frame[["a"]])["a"].tolist() == expected
    assert types.transform(pd.read_csv(file, sep=";")[["a"]])["a"].tolist() == expected


def test_an_empty_cell_beside_a_level_is_missing():
    column = pd.Series(["none", "mild", "", "severe"] * 9)
    assert column_type(column).read(column).isna().sum() == 9
    words = pd.Series(["None", "mild", "", "severe"] * 9)  # pandas reads None as an empty cell
    assert column_type(words).read(words).isna().sum() == 18


def coded(code, share, n=200, seed=0):
    values = np.random.default_rng(seed).normal(40, 6, n).round(1)
    values[: int(share * n)] = code
    return values


@pytest.mark.parametrize("code", [-200, -500.5, 1234])
def test_a_number_far_from_all_others_in_two_columns_is_a_code(code):
    table = Table.of(pd.DataFrame({"a": coded(code, 0.05), "b": coded(code, 0.03, seed=1), "c": coded(40, 0, seed=2)}))
    assert [type.missing for type in table.types.values()] == [(code,), (code,), ()]
    wide = np.random.default_rng(2).uniform(0, 900, 200)
    wide[:20] = code
    alone = Table.of(pd.DataFrame({"a": coded(code, 0.05), "c": wide}))
    only = (code,) if code < 0 else ()  # negative
    assert [type.missing for type in alone.types.values()] == [only, only]


def test_a_code_of_other_columns_is_one_beside_yes_and_no():
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"owns": rng.integers(1, 3, 200), **{f"q{k}": rng.integers(1, 6, 200) for k in range(3)}})
    table.loc[:8] = -9
    assert Table.of(table).types["owns"].missing == (-9.0,)
    assert Table.of(table.assign(q0=3, q1=4, q2=5)).types["owns"].missing == ()


def test_a_last_column_without_a_name_is_kept(write):
    file = write("a,b,\n" + "\n".join(f"{k},{k * k},{'yn'[k % 2]}" for k in range(9)))
    assert list(read_table(file).frame) == list(pd.read_csv(file)) == ["a", "b", "Unnamed: 2"]


@pytest.mark.parametrize("separator", [",", ";", "\t", " "])
def test_names_of_rows_are_left_out_as_pandas_does(write, separator):
    rows = [["len", "dose"], *([f'"guinea pig {k}"', f"{k / 3:.2f}", f"{k % 3}"] for k in range(12))]
    file = write("\n".join(separator.join(row) for row in rows))
    table, expected = read_table(file), pd.read_csv(file, sep=separator, dtype=str)
    assert list(table.frame) == list(expected) == ["len", "dose"]
    assert table.frame["dose"].tolist() == expected["dose"].tolist()
    assert "taken for a name of the row" in table.notes[0]


@pytest.mark.parametrize("n", [1, 3, 30])
def test_comments_above_the_header_are_left_out_however_many(write, n):
    above = "".join(f"# remark {k}, written by hand\n" for k in range(n))
    table = read_table(write(above + "2nd try,first,10m\n3,4.5,9\n7,8.5,8\n"))
    assert list(table.frame) == ["2nd try", "first", "10m"]
    assert table.notes == [f"Lines above the header were left out: {n}."]
    assert list(read_table(write("# by us\n#a,b\n1,2\n3,4\n")).frame) == ["#a", "b"]


def test_two_header_lines_of_a_survey_are_one(read):
    first, second = "Id,Where do you shop?,,,Age", ",Market,Online,None of these,Open-Ended Response"
    rows = [f"{900 + k},{'Market' * (k % 2)},{'Online' * (k % 3 > 0)},,{20 + k}" for k in range(20)]
    table = read([first, second, *rows])
    shops = ["Market", "Online", "None of these"]
    assert list(table.frame) == ["Id", *(f"Where do you shop?: {shop}" for shop in shops), "Age"]
    assert len(table.frame) == 20
    assert table.types["Age"].kind == "number"


def test_two_header_lines_that_share_each_name_are_one(read):
    first, second = "\t\tTemp\tHi\tWind\tWind\t\tPM10\t", "Date\tTime\tOut\tTemp\tSpeed\tDir\tBar\tug/m3\t"
    rows = [f"{k + 1:02d}/05/24\t3:30p\t{8 + k / 9:.1f}\t9\t{k}\tNE\t1012\t{40 - k}\t" for k in range(20)]
    table = read([first, second, *rows])
    assert list(table.frame) == ["Date", "Time", "Temp Out", "Hi Temp", "Wind Speed", "Wind Dir", "Bar", "PM10 ug/m3"]
    assert len(table.frame) == 20


@pytest.mark.parametrize(
    ("above", "rule", "bar"),
    [
        ("List of 6 March\n\nBranch 7\n\n", "-------------------", "|"),
        ("", "+------+----------+", "|"),
        ("", "|------|---------:|", "|"),
        ("", "------+----------", ""),
    ],
)
def test_rules_and_outer_bars_of_a_table_are_no_rows(write, above, rule, bar):
    rows = [f"{bar}  a{k} | {k / 2:8.1f} {bar}" for k in range(9)]
    ends = [rule] if bar and not rule.startswith("|") else []
    table = read_table(write(above + "\n".join([*ends, f"{bar} name |   length {bar}", rule, *rows, *ends]) + "\n"))
    assert list(table.frame) == ["name", "length"]
    assert values(table, "length") == [k / 2 for k in range(9)]


def test_a_title_may_have_a_separator_and_a_line_of_units_may_follow_the_header(write):
    rows = "\n".join(f"k{k};{k},5;{k * k};{'ab'[k % 2]};u" for k in range(9))
    table = read_table(
        write(f"Rivers; a report\nMade on 1 May\n\nPoint;Temperature;Chlorophyll;Kind;Note\n;°C;mg/l;;\n{rows}")
    )
    assert list(table.frame) == ["Point", "Temperature", "Chlorophyll", "Kind", "Note"]
    assert values(table, "Temperature")[:2] == [0.5, 1.5]


@pytest.mark.parametrize(
    ("encoding", "words"),
    [
        ("cp1250", "Próbka zażółconej wody, Gdańsk"),
        ("cp1250", "Rychlost větru, směr, Tuřany"),
        ("iso8859_2", "Šarža, Příliš žluťoučký kůň, měření, červená, skříň"),
        ("cp1254", "Kırmızı, Sarı, değişen boyalı şehir"),
        ("cp1252", "Première, élève, Besançon, forêt"),
        ("cp1252", "größer, Straße, süß"),
        ("cp850", "größer, Straße, süß"),
        ("cp850", "Première, élève, forêt, mañana"),
        ("cp1252", "Skåne, blåbär, smörgås, 50 cm³"),
    ],
)
def test_the_letters_of_a_language_tell_the_encoding(write, encoding, words):
    rows = "\n".join(f"{k};{word}" for k, word in enumerate(words.split(", ") * 4))
    assert read_table(write(f"n;{words.replace(', ', ' ')}\n{rows}", encoding)).frame.iloc[0, 1] == words.split(", ")[0]


def test_labels_of_the_ends_of_a_scale_are_numbers():
    scale = ["0 not at all", "1", "2", "3", "4 - very much so"] * 8
    assert ColumnTypes().fit_transform(pd.DataFrame({"a": scale}))["a"].tolist() == [0.0, 1.0, 2.0, 3.0, 4.0] * 8
    assert target(scale).classes == [0, 1, 2, 3, 4]
    speeds = [*map(str, range(40)), "8 miles per hour", "9 miles per hour", "7 of them all"]
    assert ColumnTypes().fit_transform(pd.DataFrame({"a": speeds}))["a"].isna().sum() == 3
    assert (
        kind_of(pd.Series([f"{k} {street} Street" for k in range(20) for street in ("Main", "High Old")])) != "number"
    )
    assert kind_of(pd.Series(["1 agree fully", "2 agree", "3 neither of them", "4 disagree"] * 8)) == "category"


def test_words_for_an_end_of_a_scale_are_levels_and_rare_ones_are_missing():
    levels = pd.Series(["1", "2", "3", "4", "very much"] * 20, name="x")
    assert column_type(levels).kind == "category"
    assert column_type(levels.replace("very much", "3").where(levels.index != 7, "unclear")).kind == "number"
    measured = pd.Series([*map(str, range(15)), "n.n.", "n.n."] * 10, name="x")
    assert column_type(measured).kind == "number"


def test_times_without_a_colon_are_no_codes():
    texts = pd.Series([f"{k % 24:02d}{k * 7 % 60:02d}" for k in range(90)])
    assert kind_of(texts.rename("DEP_TIME")) == "number"
    assert kind_of((texts + "30").rename("Time")) == "number"
    assert kind_of(texts.rename("code")) != "number"


def test_an_empty_name_above_words_is_no_second_header(write):
    rows = "\n".join(f"{'ab'[k % 2]},{'uv'[k % 2]},{'xyz'[k % 3]}" for k in range(12))
    assert len(read_table(write("one,,three\n" + rows)).frame) == 12


@pytest.mark.parametrize("encoding", ["mac_roman", "cp1252"])
def test_english_with_a_few_signs_is_read_as_it_was_written(write, encoding):
    said = ["I don’t know", "café near “the bridge”", "well… maybe – no", "It’s fine"]
    rows = "\n".join(f'{k},"{said[k % 4]}"' for k in range(80))
    assert read_table(write("n,said\n" + rows, encoding)).frame["said"].tolist()[:4] == said


@pytest.mark.parametrize("word", ["Zażalenie", "Przesyłka", "Źródło"])
def test_few_letters_tell_polish_from_a_macintosh(write, word):
    rows = "\n".join(f"{[word, 'Reklamacja', 'Oferta'][k % 3]};{k}" for k in range(60))
    assert read_table(write("temat;n\n" + rows, "cp1250")).frame["temat"][0] == word


def test_runs_of_signs_in_english_are_no_other_script(write):
    rows = "\n".join(f"{k},the weather was rather fine that day" + (" ———" if k % 20 == 3 else "") for k in range(80))
    assert "———" in read_table(write("n,said\n" + rows, "cp1252")).frame["said"][3]


def test_grades_with_decimals_are_a_quantity():
    rng = np.random.default_rng(0)
    for grades in (rng.integers(2, 11, 3000) / 2, rng.integers(10, 51, 3000) / 10):
        read = target(grades.astype(str))
        assert read.task == "regression"
        assert [issue.kind for issue in read.issues] == ["continuous labels"]
        assert target(grades.astype(str), "classification").task == "classification"


@pytest.mark.parametrize("seed", range(5))
def test_whether_whole_numbers_are_a_quantity_does_not_depend_on_the_sample(seed):
    rng = np.random.default_rng(seed)
    of_counts = {"visits": rng.poisson(0.5, 500), "tv": rng.poisson(2.9, 1000), "n": rng.geometric(0.4, 200) - 1}
    of_counts["stars"] = np.clip(rng.normal(6.5, 1.7, 300).round(), 1, 10).astype(int)
    for name, values in of_counts.items():
        assert read_target(Table.of(pd.DataFrame({name: values})), name).task == "regression", name
    codes = [rng.integers(0, 10, 600), rng.choice(7, 2000, p=[0.365, 0.488, 0.062, 0.005, 0.016, 0.03, 0.034])]
    codes.append(rng.permutation([1] * 300 + [2] * 270 + [3] * 550 + [4] * 730 + [5] * 640 + [7] * 3 + [9] * 4))
    codes.append(rng.choice([1, 2, 3, 4, 5], 400, p=[0.05, 0.1, 0.3, 0.35, 0.2]))
    for values in codes:
        assert target(values).task == "classification"


@pytest.mark.parametrize(
    ("text", "year"), [("昭和55年", 1980), ("平成元年", 1989), ("令和5年", 2023), ("民國112年", 2023)]
)
def test_years_of_eras_are_years(text, year):
    column = pd.Series([text, "平成12年", "昭和40年"] * 10)
    type = column_type(column)
    assert (type.kind, type.read(column)[0]) == ("number", year)


def test_lines_of_questions_and_identifiers_of_qualtrics_are_no_rows(read):
    ids = [f'"{{""ImportId"":""QID{k}""}}"' for k in range(3)]
    lines = [
        "Q1,Q2,Q3",
        "How old?,Which?,How much?",
        ",".join(ids),
        *(f"{30 + k},{'ab'[k % 2]},{k / 2}" for k in range(9)),
    ]
    table = read(lines)
    assert list(table.frame) == ["Q1", "Q2", "Q3"]
    assert table.frame.iloc[0].tolist() == ["30", "a", "0.0"]
    assert table.notes == ["Lines of questions and identifiers below the header were left out: 2."]


CODES = {  # by the least and the largest of the numbers among which they are found
    (1, 5): [(98, 99), (-9, -8), (-9, 999), (-99.9,), (999.9,), (-9999.9,), (77,), (88,)],
    (1, 2): [(97, 98, 99)],
    (20, 90): [(-999, -888)],
    (10, 99): [(-99, -98, -97), (-9, -1)],
    (1000, 9900): [(99997, 99998)],
    (1, 800): [(-1,)],  # days since
    (0, 800): [(-9,)],  # counts
    (0, 600): [(7777, 9999)],
}


def missing_among(low, high, codes):
    """What is found to stand for missing values among numbers with these codes."""
    values = np.random.default_rng(0).integers(low, high + 1, 300).astype(object)
    for k, code in enumerate(codes):
        values[k::20] = code
    return column_type(pd.Series(values.astype(str))).missing


@pytest.mark.parametrize("code", [0, 1, 1111])
def test_years_that_are_none_are_missing(code):
    years = np.random.default_rng(0).integers(1900, 2020, 300)
    years[::15] = code
    assert column_type(pd.Series(years.astype(str), name="annee_construction")).missing == (code,)
    assert column_type(pd.Series(years.astype(str), name="meters")).missing == ()


@pytest.mark.parametrize(("ends", "codes"), [(ends, codes) for ends in CODES for codes in CODES[ends]])
def test_codes_for_missing_values_are_found_in_one_column(ends, codes):
    assert missing_among(*ends, codes) == codes


@pytest.mark.parametrize(
    ("low", "high", "number"),
    [
        *((low, high, low) for low, high in ((97, 102), (90, 99), (-10, 0), (990, 1005), (-9, -5), (0, 99), (94, 98))),
        (0, 30, -1),  # floors
        (-40, 40, -1),  # temperatures
        (2, 800, 1),  # ranks
    ],
)
def test_numbers_next_to_others_are_no_codes(low, high, number):
    assert missing_among(low, high, [number]) == ()


RARE = {  # by the least and the largest of the numbers: how often each code occurs in 2,000 rows
    (1, 6): [{77: 9}, {77: 4, 99: 1}, {777: 1, 999: 12}],
    (0, 10): [{77: 20, 88: 30, 99: 1}, {-9: 15, -8: 2}],
    (15, 95): [{999: 3}],
    (0, 600): [{7777: 2, 9999: 10}],
}


@pytest.mark.parametrize(("ends", "counts"), [(ends, counts) for ends in RARE for counts in RARE[ends]])
def test_rare_codes_for_missing_values_are_found_very_far_away_or_beside_others(ends, counts):
    values = np.random.default_rng(0).integers(ends[0], ends[1] + 1, 2000)
    codes = np.repeat([*counts], [*counts.values()])
    values[: len(codes)] = codes
    assert column_type(pd.Series(values.astype(str))).missing == tuple(sorted(counts))


def test_rare_numbers_are_no_codes_where_others_are_nearly_as_far():
    rng = np.random.default_rng(0)
    gains = np.where(rng.random(9000) < 0.9, 0, rng.integers(100, 41_000, 9000))
    gains[:40] = 99_999
    shirts = rng.integers(1, 26, 2000)
    shirts[:4] = 99
    ages = rng.integers(15, 96, 2000)
    ages[0] = 999
    for values in gains, shirts, ages:
        assert column_type(pd.Series(values.astype(str))).missing == ()


@pytest.mark.parametrize(
    ("form", "share", "order", "in_words"),
    [
        ("%Y-%m-%d", 0.8, "ymd", "year-month-day"),
        ("%B %d, %Y", 0.3, "ymd", "month day year"),
        ("%d.%m.%Y", 0.6, "dmy", "day.month.year"),
        ("%Y-%m", 0.6, "ymd", "year-month-day"),
    ],
)
def test_years_alone_are_read_beside_dates(form, share, order, in_words):
    days = pd.Series(pd.date_range("1971-03-05", periods=200, freq="83D"))
    years = days.dt.strftime("%Y")
    texts = days.dt.strftime(form).where(np.arange(200) % 10 < 10 * share, years)
    texts.iloc[0] = years.iloc[0]
    type = column_type(texts)
    assert (type.kind, type.date_order) == ("date", order)
    assert order_in_words(texts, order) == in_words
    read = pd.to_datetime(type.read(texts), unit="D")
    assert (read.dt.year == days.dt.year).all()
    assert (read[texts == years].dt.strftime("%m-%d") == "01-01").all()


def test_years_beside_words_are_no_dates():
    words = [str(1950 + k % 60) if k % 2 else ["Roman", "Gothic", "Modern"][k % 3] for k in range(200)]
    assert kind_of(pd.Series(words)) == "category"


@pytest.mark.parametrize(
    "words", [["Not applicable", "Don’t know"], ["inapplicable", "Refused", "No opinion"], ["unbekannt"]]
)
@pytest.mark.parametrize("most", [4, 12, 60])
def test_words_for_no_answer_are_missing_among_numbers_and_categories_among_words(words, most):
    numbers = pd.Series([str(k % most) for k in range(300)], name="hours")
    numbers.iloc[:100] = words[0]
    for k, word in enumerate(words[1:]):
        numbers.iloc[100 + 15 * k : 115 + 15 * k] = word
    type = column_type(numbers)
    assert type.kind == "number"
    assert (type.read(numbers).isna() == numbers.isin(words)).all()
    towns = numbers.where(numbers.isin(words), "Ulm")
    assert column_type(towns).read(towns).nunique() == 1 + len(words)


@pytest.mark.parametrize(
    ("text", "is_open"), [("1:45", True), ("1:45 PM", False), ("1h 45m", False), ("오후 1:45", False)]
)
def test_times_may_be_minutes_and_seconds_only_where_nothing_tells(read, text, is_open):
    (note,) = read(["x,start", *(f"{k},{text.replace('4', str(k % 5))}" for k in range(20)), "20,late"]).notes
    assert note.startswith("Times in 'start' are read in minutes")
    assert (" if 1:30 is an hour and a half, in seconds if" in note) == is_open
    assert note.endswith("; 1 other counts as missing, such as 'late'.")
