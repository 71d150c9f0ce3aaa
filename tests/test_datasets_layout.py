"""How the lines of a file become a header and rows."""

import pytest

from fscore.datasets.table import read_table


@pytest.fixture
def read(tmp_path):
    def read(lines):
        (tmp_path / "table.csv").write_text("\n".join(lines), encoding="utf-8")
        return read_table(tmp_path / "table.csv")

    return read


@pytest.mark.parametrize("waves", [["1100 nm", "1160 nm", "1220 nm"], ["1100", "1160", "1220"], ["9999.5", "998", "7"]])
def test_names_below_a_title_may_begin_with_a_number(read, waves):
    above = ["Export: SPECTRA 2", "Project:;Barley", "Unit:;log(1/R)", ""]
    spectra = [f"B-{k:03};{k % 4};1{k % 7},5;0,4{k:02};0,5{k:02};0,6{k:02}" for k in range(20)]
    table = read([*above, ";".join(["sample", "scan", "protein [%]", *waves]), *spectra])
    assert list(table.frame) == ["sample", "scan", "protein [%]", *waves]
    assert len(table.frame) == 20
    assert table.notes[0] == "Lines above the header were left out: 4."


@pytest.mark.parametrize(
    "above", [["Yield of rye"], ["From,FAO", "", "Made,2023-05-10"], ["From,FAO,,,,,", "On,7 May,,,,,"]]
)
@pytest.mark.parametrize("years", ["1990,2000,2010,2015", "2022,2021,2020,2019"])
@pytest.mark.parametrize("end", ["", ","])
def test_years_below_a_title_are_names(read, above, years, end):
    values = [",,,,", *(f"{k % 7}.5,,{k},{k % 5},{k % 3}" for k in range(1, 30))]
    table = read([*above, f"country,area,{years}{end}", *(f"C{k},{field}{end}" for k, field in enumerate(values))])
    assert list(table.frame) == ["country", "area", *years.split(",")]
    assert len(table.frame) == 30


def test_rows_of_years_below_a_title_are_no_names(read):
    with pytest.raises(ValueError, match="line 2 has 4 fields"):
        read(["Rulers", *(f"K{k},{1700 + k % 7},{1650 + k % 5},{1800 + k}" for k in range(20))])


@pytest.mark.parametrize("units", ["-;mg/L;-;%", "text;EUR;count;kEUR", ";°C;;mm"])
@pytest.mark.parametrize("padding", ["", ";;;"])
def test_title_and_units_around_a_header_are_left_out(read, units, padding):
    rows = [f"{'ABC'[k % 3]};{k / 2};{k % 4};{k}" for k in range(20)]
    table = read([f"Trial of 2023{padding}", "kind;dose;plot;harvest", units, *rows])
    assert list(table.frame) == ["kind", "dose", "plot", "harvest"]
    assert len(table.frame) == 20
    assert len(table.notes) == 2


@pytest.mark.parametrize("first", ["T", "dcef7", "4"])
def test_decimal_commas_below_a_header_are_no_separators(read, first):
    rows = [f"{first if k % 4 == 0 else k % 3 + 1};{60 + k},{k % 9 + 1};{250000 + 777 * k}" for k in range(40)]
    table = read(["floor;area;price", *rows])
    assert list(table.frame) == ["floor", "area", "price"]
    assert len(table.frame) == 40


_BY_YEAR = ["firm", "country", "2021 sales", "2021 margin", "2022 sales", "2022 margin"]


@pytest.mark.parametrize(
    ("above", "names"),
    [
        ([",,2021,,2022,", "firm,country,sales,margin,sales,margin"], _BY_YEAR),
        (["firm,country,2021,,2022,", ",,sales,margin,sales,margin"], _BY_YEAR),
        ([",,2021,,2022,,", "firm,country,sales,margin,sales,margin,"], _BY_YEAR),
        (["Table 3. Key figures", "", "firm,country,2021,,2022,", ",,sales,margin,sales,margin"], _BY_YEAR),
        (
            [",,sales,,margin,", "firm,country,2021,2022,2021,2022"],
            ["firm", "country", "sales 2021", "sales 2022", "margin 2021", "margin 2022"],
        ),
        (
            [",,plan,,,", ",,2021,,2022,", "firm,country,sales,margin,sales,margin"],
            ["firm", "country", *(f"plan {name}" for name in _BY_YEAR[2:])],
        ),
    ],
)
def test_names_repeat_below_merged_cells(read, above, names):
    table = read([*above, *(f"F{k},{'DE' if k % 3 else 'FR'},{k}.5,{k % 4},1{k}.5,{k % 5}" for k in range(12))])
    assert list(table.frame) == names
    assert table.frame.iloc[1].tolist() == ["F1", "DE", "1.5", "1", "11.5", "1"]


@pytest.mark.parametrize("title", [[], ["Trial of 2020,,,"]])
def test_merged_cells_may_begin_with_the_first_column(read, title):
    table = read(
        [*title, "before,,after,", "pulse,weight,pulse,weight", *(f"{60 + k},{k},{70 - k},{k}" for k in range(9))]
    )
    assert list(table.frame) == ["before pulse", "before weight", "after pulse", "after weight"]
    numbers = read(["before,,after,", *(f"{k},{k % 3},{k},{k % 3}" for k in range(9))])
    assert list(numbers.frame) == ["before", "Unnamed: 1", "after", "Unnamed: 3"]


def test_merged_cells_hold_for_the_rows_below(read):
    rows = [
        f"{2020 + block // 2 if not plot else ''},{'I' * (1 + block % 2) if not plot else ''},"
        f"{f'V{plot // 3}' if plot % 3 == 0 else ''},{plot % 3},{plot / 4}"
        for block in range(6)
        for plot in range(12)
    ]
    table = read(["year,block,variety,plant,yield", *rows])
    assert table.frame["year"].tolist() == [str(2020 + k // 24) for k in range(72)]
    assert table.frame["block"].tolist() == ["I" * (1 + k // 12 % 2) for k in range(72)]
    assert table.frame["variety"].tolist() == [f"V{k % 12 // 3}" for k in range(72)]
    assert table.frame["plant"].tolist()[:4] == ["0", "1", "2", "0"]
    assert table.notes == ["Empty fields below a value hold it, as in merged cells: 'year', 'block', 'variety'."]


def test_names_of_blocks_of_different_sizes_hold_for_the_rows_below(read):
    regions = ["North"] + 3 * [""] + ["South"] + 11 * [""] + ["West", "", "East"] + 5 * [""]
    table = read(["region,city,sales", *(f"{region},city {k},{k}" for k, region in enumerate(regions))])
    assert table.frame["region"].value_counts().to_dict() == {"South": 12, "East": 6, "North": 4, "West": 2}


def test_a_pivot_table_has_names_in_two_columns_attributes_and_totals(read):
    rows, k = [], 0
    for region, branches in {"North": [3, 8, 1], "South": [5, 2], "West": [4, 4, 6]}.items():
        for branch, n in enumerate(branches):
            for row in range(n):
                new = row == 0
                first = region if new and not branch else ""
                rows.append(f"{first},{f'{region[0]}{branch} town' if new else ''},{7.5 if first else ''},{k}")
                k += 1
    table = read(["region,branch,area,sales", *rows, f"Grand total,,,{k * (k - 1) // 2}"])
    assert table.frame["region"].value_counts().to_dict() == {"West": 14, "North": 12, "South": 7, "Grand total": 1}
    assert table.frame["branch"].value_counts()[["N1 town", "S0 town", "W2 town"]].tolist() == [8, 5, 6]
    assert table.frame["branch"].iloc[-1] == ""
    assert "'region', 'branch'" in table.notes[0]


@pytest.mark.parametrize(
    "first",
    [
        ["late"] + 4 * [""] + ["late", "", "", "", "", "late", "late", "", "", ""],  # a remark
        ["", "A", "", "", "B", "", "", "C", "", "", "D", "", "", "E", ""],  # nothing above the first value
        ["3.7", "", "", "4.1", "", "", "3.9", "", "", "4.4", "", "", "4.2", "", ""],  # measured every third time
        ["A"] + 14 * [""],
    ],
)
def test_other_empty_fields_stay_missing(read, first):
    table = read(["remark,city,sales", *(f"{value},city {k},{k}" for k, value in enumerate(first))])
    assert table.frame["remark"].tolist() == first
    assert not any("merged" in note for note in table.notes)


@pytest.mark.parametrize(
    ("above", "is_left_out"),
    [
        (["-,°C,km/h,text"], True),
        (["varchar,float,int,char"], True),
        (["station,Deg C,km/h,", ",Avg,Tot,"], True),
        (["-------,----,----,----"], True),
        (["S1,n/a,n/a,a"], False),
        (["S1,broken,broken,a"], False),
        (["S9,broken,5,c"], False),
        (["S9,broken,,c"], False),
    ],
)
def test_lines_of_units_and_types_are_no_rows(read, above, is_left_out):
    table = read(["station,temp,wind,kind", *above, *(f"S{k % 4},{k * 1.5},{k},{'ab'[k % 2]}" for k in range(30))])
    assert len(table.frame) == 30 + (not is_left_out)
    assert any("units or types" in note for note in table.notes) == is_left_out


def test_tabs_between_fields_that_blanks_separate(read):
    table = read(["mpg  cylinders   name", *(f'{18 + k}.0   {4 + k % 3}\t"model {k} turbo"' for k in range(12))])
    assert list(table.frame) == ["mpg", "cylinders", "name"]
    assert table.frame.iloc[2].tolist() == ["20.0", "6", "model 2 turbo"]
