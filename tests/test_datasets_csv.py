"""CSV files of the user's own: dialects, what is refused and how, fuzzing; and the check of data before a run."""

import csv
import io

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from fscore.datasets import check_classification, fingerprint, load
from fscore.datasets.table import read_table


def written(tmp_path, content, name="mine.csv"):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def test_target_by_name(tmp_path):
    path = written(tmp_path, "kind,a,b\nx,1,2\ny,3,4.5\n")
    bunch = load(str(path), target="kind")
    assert bunch.data.tolist() == [[1, 2], [3, 4.5]]
    assert bunch.target.tolist() == ["x", "y"]
    assert (bunch.feature_names, bunch.target_names) == (["a", "b"], ["x", "y"])
    assert (bunch.name, bunch.source) == ("mine", "csv")
    assert bunch.sha256 == fingerprint(path)
    assert load(path, target="kind", as_frame=True).frame.shape == (2, 3)


PLAIN = "a,b,label\n1,2,0\n3,4,1\n"
DIALECTS = {
    "comma.csv": PLAIN,
    "semicolon.csv": PLAIN.replace(",", ";"),
    "tab.txt": PLAIN.replace(",", "\t"),
    "bar.csv": PLAIN.replace(",", "|"),
    "blank.csv": PLAIN.replace(",", " "),
    "bom.csv": PLAIN.rstrip().encode("utf-8-sig"),
    "wide.csv": PLAIN.replace("\n", "\r\n").encode("utf-16"),
    **{f"{order}.csv": f"\ufeff{PLAIN}".encode(order) for order in ("utf-16-le", "utf-16-be")},
    "old_mac.csv": PLAIN.replace("\n", "\r"),
    "trailing.csv": "a,b,label\n1,2,0,\n3,4,1,\n",
    "trailing_header.csv": "a,b,label,\n1,2,0\n3,4,1\n",
    "signs.csv": "a,b,label\n+1,2e0,0\n.3e1,4,1\n",
    "titled.csv": f"Table 1\n\n{PLAIN}",
    "empty_line_first.csv": f"\n{PLAIN}",
    "sonar.csv": '"a";"b";"label"\r\n"1";"2";"0"\r\n"3";"4";"1"',
}


@pytest.mark.parametrize("name", DIALECTS)
def test_dialects_with_the_last_column_as_target(tmp_path, name):
    bunch = load(written(tmp_path, DIALECTS[name], name))
    assert bunch.data.tolist() == [[1, 2], [3, 4]]
    assert bunch.target.tolist() == [0, 1]
    assert bunch.target.dtype == np.int64
    assert bunch.feature_names == ["a", "b"]


def test_names_and_labels_are_kept_as_they_are(tmp_path):
    """Also separators, quotes and line ends within quotes, and letters beyond ASCII."""
    bunch = load(written(tmp_path, '"length, cm","a ""b"" c",kind\n1,2,"x, y"\n3,4,"z\nz"\n'))
    assert (bunch.feature_names, bunch.target.tolist()) == (["length, cm", 'a "b" c'], ["x, y", "z z"])
    assert load(written(tmp_path, '"a, b";"c";"d, e"\n1;2;3\n')).feature_names == ["a, b", "c"]
    bunch = load(written(tmp_path, "größe,art\r\n1,süß\r\n2,herb\r\n".encode("utf-16")))
    assert (bunch.feature_names, bunch.target.tolist()) == (["größe"], ["süß", "herb"])


WORDS = {
    "cp1252": "größe straße münchen köln über später mädchen tür",
    "cp1251": "москва город человек мужчина женщина возраст доход",
    "cp866": "москва город человек мужчина женщина возраст доход",
    "cp932": "東京 大阪 男性 女性 年齢 収入 教育 ひらがな カタカナ",
    "gb18030": "北京 上海 男性 女性 年龄 收入 教育 红色 绿色",
    "cp949": "서울 부산 남성 여성 나이 소득 교육 빨강",
    "cp1253": "αθήνα πόλη άνδρας γυναίκα ηλικία εισόδημα",
}


@pytest.mark.parametrize("encoding", WORDS)
def test_a_national_encoding_is_found_and_said_or_given(tmp_path, encoding):
    words = WORDS[encoding].split()
    path = tmp_path / "national.csv"
    path.write_bytes("\n".join(["x,art", *(f"{k},{words[k % len(words)]}" for k in range(40))]).encode(encoding))
    with pytest.warns(UserWarning, match=rf"read as {encoding}\. If letters look wrong, .*--encoding"):
        assert set(load(path).target) == set(words)
    assert set(load(path, encoding=encoding).target) == set(words)
    table = read_table(path, encoding=encoding)
    assert set(table.frame["art"]) == set(words)
    assert not table.notes
    assert set(read_table(path, encoding="cp437").frame["art"]) != set(words)


def test_names_alone_tell_the_encoding_where_all_values_are_ascii(tmp_path):
    names = ["測定局コード", "日付", "時", "TEMP"]
    rows = [f"1310,2021/11/{1 + k % 28:02d},{k},NNE {k}" for k in range(300)]
    path = tmp_path / "station.csv"
    path.write_bytes("\n".join([",".join(names), *rows]).encode("cp932"))
    assert list(read_table(path).frame) == names


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("name", ["", '""'])
def test_a_nameless_first_column_of_row_numbers_is_left_out(tmp_path, first, name):
    path = written(tmp_path, f"{name},a,label\n{first},5,x\n{first + 1},6,y\n")
    with pytest.warns(UserWarning, match="first column has no name, so it is taken for names") as caught:
        bunch = load(path)
    assert caught[0].filename == __file__
    assert (bunch.feature_names, bunch.data.tolist()) == (["a"], [[5], [6]])


def test_a_feature_may_be_called_target(tmp_path):
    framed = load(written(tmp_path, "kind,target\nx,1\ny,2\n"), target="kind", as_frame=True)
    assert framed.frame.to_dict("list") == {"target": [1, 2], "kind": ["x", "y"]}
    assert framed.target.name == "kind"


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["01", "02"], ["01", "02"]),
        (["1", "1.0", "2"], [1, 1, 2]),
        (["TRUE", "1", "FALSE", "true", "true"], ["true", "true", "FALSE", "true", "true"]),
        (["cafe\u0301", "caf\u00e9", "caf\u00e9\u200b ", "no"], ["caf\u00e9"] * 3 + ["no"]),
        (["1.0", "2.0"], [1, 2]),
        (["-1", "+1"], [-1, 1]),
        (["1.5", "1.50", "2"], [1.5, 1.5, 2.0]),
        (["1", "x"], ["1", "x"]),
        (["1_0", "10"], ["1_0", "10"]),
        (["9007199254740993", "9007199254740992"], ["9007199254740993", "9007199254740992"]),
        (["1" * 30, "1" * 29 + "2"], ["1" * 30, "1" * 29 + "2"]),
        (["1", "2", "3", "99"] * 8, [1, 2, 3, 99] * 8),  # not a code for missing
        *(([*"123", more], [*"123", more]) for more in ("3+", "<1", "3*", "ca. 3", "3 or more")),
        (["5", "7", "5-7", "6", "8"] * 4, ["5", "7", "5-7", "6", "8"] * 4),
        (["1", "2", "4+"], [1, 2, 4]),
    ],
)
def test_labels_are_numbers_or_texts_and_never_merge(tmp_path, texts, expected):
    target = load(written(tmp_path, "a,label\n" + "".join(f"1,{text}\n" for text in texts))).target
    assert target.tolist() == expected


def test_missing_values_stay_nan_with_a_warning(tmp_path):
    path = written(tmp_path, "a,b,label\n1,?,0\n,4,1\n")
    with pytest.warns(UserWarning, match=r"missing values stay NaN in a \(1\), b \(1\)"):
        bunch = load(path)
    np.testing.assert_array_equal(bunch.data, [[1, np.nan], [np.nan, 4]])
    assert "kept as NaN" in bunch.DESCR


LATIN = "größe,art\n1,2\n".encode("latin-1")


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        ("a,b\n1,2\n", {"target": "c"}, "no column 'c'; the columns are: a, b"),
        ("a,b\n1,2\n", {"target": 1}, "no column 1"),
        *((text, {}, message) for text, message in (
            # no table, or no header
            ("", "is empty"),
            (",,\n1,2,3\n", "is empty: there is no data below a header line"),
            ("a,b\n", "no data"),
            ("1,2,3\n4,5,6\n", "no header line"),
            ("acer,a/1,125,256,80\nibm,b/2,26,80,320\ndec,c/3,26,8,320\n", "no header line"),
            ("5.1,3.5,setosa\n4.9,3.0,setosa\n", "no header line .the file starts with '5.1,3.5,setosa'"),
            ("a\n1\n", "no feature beside the label 'a'"),
            (",label\n0,x\n1,y\n", "no feature"),
            # fields
            ("a,b\n1,2\n3,4,5\n", "line 3 has 3 fields, but the first line has 2; name every column"),
            ("a,b,label\n7,1,2,x\n8,3,4,y\n", "line 2 has 4 fields, but the first line has 3; name every column"),
            ('a,b,label\n1,"2\n3",x\n3,4,y,5\n', "line 4 has 4 fields"),
            ("abcdefg,label\n" + "x," * 7 + "1\n", "line 2 has 8 fields"),
            ('a,label\n1,"x\n2,y\n', "line 2 can't be split into fields"),
            (f"a,label\n1,x\n2,{'y' * 131_073}\n", "line 3 can.t be split .*131072.*close"),
            # values and labels
            ("a,town,b\n1,Bonn,0\n2,Ulm,1\n", "not numbers, .*: town"),
            ("a,b,c,d,e,f,g,label\n" + "z," * 7 + "1\n", r"a .'z'.*, e .'z'. and 2 more"),
            ("a,label\n1,x\ninf,y\n", "infinite values: a .'inf'"),
            ("a,b\n1,0\n2,\n", "rows without a usable label in 'b': 1, the first is row 2 below the header"),
            ("a,b\n1,0\n2,NAN\n", "without a usable label in 'b': 1, .*'NAN'"),
            ("a,b,label\n1,2,x\n3,y\n", "without a usable label in 'label': 1"),
            ("a,label\n1,1\n1,inf\n", "without a usable label in 'label': 1, .*'inf'"),
            ("a,label\n1,01\n2,1\n", "labels '01' and '1' in 'label' are the same number; write them alike"),
            # no text
            ("art,a\nsüß,1\nkühl,2\nböse,3\nfähig,4\nmür".encode() + b"\xfc", "damaged utf-8 text .line 6"),
            ("a,b\n1,2\n".encode("utf-16")[:-1], "incomplete or damaged utf-16 text"),
            (b"a,b\n1,\x00\x00\n", "null characters"),
            (b"PK\x03\x04 and so on", "an Excel workbook or a zip archive"),
            (b"\x1f\x8b\x08", "a gzip file"),
        )),
        (LATIN, {"encoding": "utf-8"}, "damaged utf-8 text .line 1"),
        (LATIN, {"encoding": "utf-9"}, "csv: encoding='utf-9' is unknown; name one"),
    ],
    ids=range(31),
)  # fmt: skip
def test_errors_are_one_sentence(tmp_path, content, options, message):
    with pytest.raises(ValueError, match=message):
        load(written(tmp_path, content), **options)


@pytest.mark.parametrize("name", ["nothing/mine.csv", "iris.csv", "~nobody-of-this-name/mine.csv"])
def test_file_that_does_not_exist(name):
    with pytest.raises(FileNotFoundError, match="there is no file"):
        load(name)


# --- fuzzing ------------------------------------------------------------------------------------------------------


def check_reading(path):
    """What is refused is refused in a sentence that names the file; what is read is complete."""
    try:
        bunch = load(path)
    except ValueError as error:
        problem = error
    else:
        assert bunch.data.shape == (len(bunch.target), len(bunch.feature_names))
        assert len(bunch.target) >= 1
        assert not np.isinf(bunch.data).any()
        return
    assert path.name in str(problem)
    assert type(problem) is ValueError  # not one of its kin that a decoder or parser raised


VALID = 'id,a,kind\r\n1,2.5,x\r\n2,-3,"y, z"\r\n3,?,x\r\n'
pieces = st.sampled_from(
    ["", ",", ";", "\t", "\n", "\r", '"', '""', " ", "1", "01", "-", ".", "e9", "nan", "inf", "_", "x", "é", "\0"]
)
files = st.one_of(
    st.binary(max_size=60),
    st.lists(pieces, max_size=40).map(lambda parts: "".join(parts).encode()),
    st.text(max_size=40).map(lambda text: text.encode("utf-16")),
    st.tuples(st.integers(0, len(VALID)), st.integers(0, 5), pieces).map(
        lambda edit: (VALID[: edit[0]] + edit[2] + VALID[edit[0] + edit[1] :]).encode()
    ),
)
fuzzed = settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.mark.filterwarnings("ignore:fuzz.csv")
@given(files)
@example(b"a,b\n" + b"1" * 200_000 + b",2\n")
@example(b"a,b\n1," + b"9" * 5000 + b"\n")
@example(b'a,b\n1,"' + b"x" * 200_000 + b"\n")
@example(b"a\n0\n00")
@fuzzed
def test_any_bytes_are_read_or_refused(tmp_path, content):
    path = tmp_path / "fuzz.csv"
    path.write_bytes(content)
    check_reading(path)


@pytest.mark.filterwarnings("ignore:fuzz.csv")
@given(st.data())
@settings(fuzzed, max_examples=40)
def test_written_tables_are_read_back(tmp_path, data):
    n_rows, n_columns = data.draw(st.integers(1, 6)), data.draw(st.integers(1, 4))
    names = st.text("ab ,;\"\n'é", min_size=1, max_size=6).map(lambda name: " ".join(f"{name}!".split()))
    header = data.draw(st.lists(names, min_size=n_columns + 1, max_size=n_columns + 1, unique=True))
    numbers = st.one_of(st.just(np.nan), st.floats(allow_nan=False, allow_infinity=False))
    X = np.array(data.draw(st.lists(numbers, min_size=n_rows * n_columns, max_size=n_rows * n_columns)))
    X = X.reshape(n_rows, n_columns)
    y = data.draw(st.lists(names, min_size=n_rows, max_size=n_rows))
    text = io.StringIO()
    writer = csv.writer(
        text, delimiter=data.draw(st.sampled_from(",;\t")), quoting=csv.QUOTE_ALL, lineterminator="\r\n"
    )
    writer.writerow(header)
    writer.writerows(
        [*("" if np.isnan(v) else repr(float(v)) for v in x), label] for x, label in zip(X, y, strict=True)
    )
    path = tmp_path / "fuzz.csv"
    path.write_bytes(text.getvalue().encode(data.draw(st.sampled_from(["utf-8", "utf-8-sig", "utf-16"]))))
    bunch = load(path)
    np.testing.assert_array_equal(bunch.data, X)
    assert bunch.feature_names == header[:-1]
    assert bunch.target.tolist() == y


# --- the check of data before a run -------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore:mine.csv. missing")
@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,b,kind\n1,2,x\n?,,x\n1,2,y\n1,?,y\n", "mine has 3 missing or infinite values, in a, b; replace them"),
        ("a,kind\n1,x\n2,x\n", "the target 'kind' holds only one class .'x'."),
        (
            "a,kind\n1,2.5\n2,3.5\n3,2.5\n4,1\n",
            "the target 'kind' is not a class, but a quantity or identifier .3 different values in 4 rows, such as",
        ),
        (
            "a,kind\n1,2\n2,3\n3,7\n4,1\n",
            "is not a class, but a quantity or identifier .4 different values in 4 rows, such as 3",
        ),
        ("a,kind\n1,x\n2,x\n3,y\n4,x\n", "class 'y' of 'kind' has a single sample"),
    ],
)
def test_check_classification_refuses(tmp_path, text, message):
    with pytest.raises(ValueError, match=message):
        check_classification(load(written(tmp_path, text)))


@pytest.mark.filterwarnings("ignore:mine.csv. missing")
def test_check_classification_accepts(tmp_path):
    holes = load(written(tmp_path, "a,b,kind\n1,2,x\n?,,x\n1,2,y\n1,?,y\n"))
    check_classification(holes, allow_missing=True)
    holes.data[0, 1] = -np.inf
    with pytest.raises(ValueError, match="mine has 1 infinite values, in b; replace them"):
        check_classification(holes, allow_missing=True)
    for name in ("iris", "wine", "wdbc", "digits", "wide_gaussian"):
        check_classification(load(name))
