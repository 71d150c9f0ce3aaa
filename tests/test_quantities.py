"""Numbers as people write them: every notation with its value, worked out by hand, and texts that are no numbers."""

import numpy as np
import pandas as pd
import pytest

from fscore.datasets.detection import column_type
from fscore.datasets.quantities import quantities
from fscore.report import read_table

MINUTES, DAYS = ":", "day"
NOTATIONS = [  # text, value, unit, limit
    ("less than 25", 25, "", -1),
    ("Under $1,000", 1000, "$", -1),
    ("up to 3 kg", 3, "kg", -1),
    ("unter 5", 5, "", -1),
    ("4 or fewer", 4, "", -1),
    ("more than 50 years", 50, "years", 1),
    ("5 or more", 5, "", 1),
    ("65 years and over", 65, "years", 1),
    ("10 und mehr", 10, "", 1),
    ("plus de 20", 20, "", 1),
    ("7 PM", 19 * 60, MINUTES, 0),
    ("12:05 a.m.", 5, MINUTES, 0),
    ("11:59:30 pm", 23 * 3600 + 59 * 60 + 30, "::", 0),
    ("2h 50m", 170, MINUTES, 0),
    ("2 hours 50", 170, MINUTES, 0),
    ("1 hour and 5 minutes", 65, MINUTES, 0),
    ("3m 30s", 3.5, MINUTES, 0),
    ("PT1H30M15S", 90.25, MINUTES, 0),
    ("P1DT12H", 1.5, DAYS, 0),
    ("2 days 06:00:00", 2.25, DAYS, 0),
    ("5 days 30m", 5 + 30 / 1440, DAYS, 0),
    ("1yrs 6mon", 365.25 + 6 * 30.4375, DAYS, 0),
    ("2y 3m", 2 * 365.25 + 3 * 30.4375, DAYS, 0),
    ("2 weeks, 3 days", 17, DAYS, 0),
    ("3 days ago", 3, "days", 0),
    ("an hour ago", 1, "hour", 0),
    ("30+ days ago", 30, "days", 1),
    ("vor 2 Wochen", 2, "Wochen", 0),
    ("hace 5 meses", 5, "meses", 0),
    ("il y a 4 heures", 4, "heures", 0),
    ("4.1/5", 4.1, "/5", 0),
    ("8 out of 10", 8, "/10", 0),
    ("4.5 out of 5 stars", 4.5, "/5", 0),
    ("1st", 1, "th", 0),
    ("22nd", 22, "th", 0),
    ("1er", 1, "e", 0),
    ('1 3/8"', 1.375, '"', 0),
    ("3/4 in", 0.75, '"', 0),
    ("2 1/2", 2.5, "", 0),
    ('15.6"', 15.6, '"', 0),
    ("6'", 6, "'", 0),
    ("3½", 3.5, "", 0),
    ("¾ cup", 0.75, "cup", 0),
    ("52°30'36\"N", 52.51, "°", 0),
    ("33° 51.5' S", -(33 + 51.5 / 60), "°", 0),
    ("77.25°W", -77.25, "°", 0),
    ("CHF 1'250.–", 1250, "CHF", 0),
    ("500.-", 500, "", 0),
    ("Rs. 1,26,070/-", 126_070, "Rs.", 0),
    ("1,250.50-", -1250.5, "", 0),
    ("1.2 million", 1.2e6, "", 0),
    ("$3 billion", 3e9, "$", 0),
    ("€2.90m", 2.9e6, "€", 0),
    ("1,00,95,000", 10_095_000, "", 0),
    ("₹45,50,000", 4_550_000, "₹", 0),
    ("$12,000,000 (estimated)", 12e6, "$", 0),
    ("13.2:1", 13.2, ":1", 0),
    ("5:32 /km", 332, ":/km", 0),
    ("9:30 Uhr", 570, MINUTES, 0),
    ("7u55", 475, MINUTES, 0),
    ("Rp 350,000", 350_000, "Rp", 0),
    ("$ -", 0, "$", 0),
    ("- €", 0, "€", 0),
    ("$(5.00)", -5, "$", 0),
    ("–2.5", -2.5, "", 0),
    ("2.90m", 2.9, "m", 0),
    ("1.2 Mrd", 1.2e9, "", 0),
    ("from $12", 12, "$", 1),
    ("od 361 zł", 361, "zł", 1),
    ("Ab 5 €", 5, "€", 1),
    ("à partir de 20", 20, "", 1),
    ("築12年", 12, "年", 0),
    ("約30分", 30, "分", 0),
    ("4.5 Lakh", 4.5e5, "", 0),
    ("₹ 2 Cr", 2e7, "₹", 0),
    ("€ 1,536/m²", 1536, "€/m²", 0),
    ("$12.50 / hr", 12.5, "$/hr", 0),
    ("5 kg/ha", 5, "kg/ha", 0),
    # with errors, estimates, and marks of statisticians
    ("1.59 \u00b1 0.048", 1.59, "", 0),
    ("12.3 +/- 0.4", 12.3, "", 0),
    ("3+-1", 3, "", 0),
    ("ca. 20", 20, "", 0),
    ("~15", 15, "", 0),
    ("approx 7.5", 7.5, "", 0),
    ("12.3 r", 12.3, "", 0),
    ("4.5 (p)", 4.5, "", 0),
    ("12.3\u00b9)", 12.3, "", 0),
    ("12.3\u00b9\u207e", 12.3, "", 0),
    ("7.1*", 7.1, "", 0),
]
NO_NUMBERS = ["120/80", "7/5", "1/2", "2-1", "V27", "三级", "P", "PT", "n.n.", "12:75 am", "AB 12", "over the hill"]
NO_NUMBERS += ["5 m 3 m", "(ca. 5)", "5 ca. 7"]


@pytest.mark.parametrize(("text", "value", "unit", "limit"), NOTATIONS)
def test_notations(text, value, unit, limit):
    (found,) = quantities(pd.Series([text]), ".").itertuples()
    assert found.value == pytest.approx(value, rel=1e-12)
    assert (found.unit, found.limit) == (unit, limit)


@pytest.mark.parametrize("text", NO_NUMBERS)
def test_what_is_no_number(text):
    assert np.isnan(quantities(pd.Series([text]), ".")["value"][0])


LONG = ["under " * 3000 + "5", "1" * 100_000 + "x", "1" * 5000 + "\u00bd", "1 h " * 30_000, "5 or " * 20_000 + "more"]


@pytest.mark.parametrize("text", LONG, ids=len)
def test_long_texts_end(text):
    assert not quantities(pd.Series([text]), ".")["value"][0] < 1e50


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *(("4,1/5", 4.1), ("1.250,–", 1250), ("unter 2,5", 2.5), ("3½", 3.5)),
        *(("kr. 1.234,50", 1234.5), ("Rp. 1.500.000", 1.5e6), ("Rp.1.500", 1500)),
    ],
)
def test_notations_with_a_decimal_comma(text, value):
    assert quantities(pd.Series([text]), ",")["value"][0] == value


@pytest.mark.parametrize(
    ("texts", "unit", "values"),
    [
        (["5 years", "4 months", "1 week", "10 days", "2 years"], "day", [1826.25, 121.75, 7, 10, 730.5]),
        (["45 min", "2 h", "1.5 h", "10 min", "30 s"], ":", [45, 120, 90, 10, 0.5]),
        (["7 PM", "5:08 PM", "11:30 am", "9 AM", "12:30a"], ":", [1140, 1028, 690, 540, 30]),
        (["2분 52초", "45초", "1시간 3분"], ":", [2 + 52 / 60, 0.75, 63]),
        (["39 años", "56a", "7 año"], "year", [39, 56, 7]),
        (["3 ngày", "12 giờ", "1 tuần"], "day", [3, 0.5, 7]),
        (["5 meses", "2 semanas", "1 ano"], "day", [152.1875, 14, 365.25]),
        (["7/10", "5", "9/10", "8", "6/10", "4"], "/10", [7, 5, 9, 8, 6, 4]),
        (["74 m²", "56 m2", "60m²", "81㎡"], "m²", [74, 56, 60, 81]),
        (["€2.90m", "€150k", "€1.2m"], "€", [2.9e6, 1.5e5, 1.2e6]),
        (["2", "3x", "4", "1x", "5", "2x", ".a"], "x", [2, 3, 4, 1, 5, 2, np.nan]),
        (["13.5% vol", "12% vol", "14.0 % vol"], "% vol", [13.5, 12, 14]),
        (["\\158,400", "￥1,200", "¥９０"], "¥", [158400, 1200, 90]),
        (["12.3 b", "11.0 bp", "10.1", "9.9 u"], "", [12.3, 11, 10.1, 9.9]),
        (["1st", "2nd", "3rd", "4th", "11th", "21st"], "th", [1, 2, 3, 4, 11, 21]),
        (["29", "More than 50 years", "4", "Less than 1 year", "12"], "", [29, 50, 4, 1, 12]),
        (["3.1/5", "4/5", "2.2/5", "NEW", "4.9/5", "1/5"], "/5", [3.1, 4, 2.2, np.nan, 4.9, 1]),
        (['3/4"', '1 1/2"', '2"', '1/8"'], '"', [0.75, 1.5, 2, 0.125]),
        (["842 ms", "1.40 s", "0.9 s"] * 20, "s", [0.842, 1.4, 0.9]),
        (["3.2 MB", "800 KB", "512 B"] * 20, "byte", [3.2e6, 8e5, 512]),
        (["178 cm", "1.78 m", "1650 mm"] * 20, "m", [1.78, 1.78, 1.65]),
        (["80 kg", "100 lb", "100 lbs"] * 20, "kg", [80, 45.359237, 45.359237]),
        (["5 years", "7 y", "82yrs"] * 20, "year", [5, 7, 82]),
        (["34", "25 Jahre", "41", "52 Jahre", "28", "60 Jahre"] * 20, "Jahre", [34, 25, 41, 52, 28, 60]),
        (["10%", "12", "14%", "11", "13.5%", "9"] * 20, "%", [10, 12, 14, 11, 13.5, 9]),
        (["14.0 H", "3.4 L", "7.1", "6.2", "8.8", "7.0"] * 10, "", [14, 3.4, 7.1]),  # high and low
        (["3.4 L", "2 L", "1.5 L"] * 10, "L", [3.4, 2, 1.5]),  # liters
        (["1 pokój", "3 pokoje", "5 pokoi", "4 pokoje"] * 10, "pokoje", [1, 3, 5]),
        (["5 Personen", "1 Person", "2 Personen"] * 10, "Personen", [5, 1, 2]),
        (["30 nM", "1 µM", "300 nM"] * 10, "M", [3e-8, 1e-6, 3e-7]),
        (["800 MHz", "2.4 GHz", "600 MHz"] * 10, "Hz", [8e8, 2.4e9, 6e8]),
        (["%44.40", "%93.57", "%8.1"] * 10, "%", [44.4, 93.57, 8.1]),
        (["$ 1,101.00", "$ -", "$ 12.50"] * 10, "$", [1101, 0, 12.5]),
        (["500 TL", "Yok", "250 TL", "75 TL"] * 10, "TL", [500, 0, 250]),
        (["500 kr", "gratis", "250 kr", "75 kr"] * 10, "kr", [500, 0, 250]),
        (["RDC", "3", "1", "-1", "2"] * 10, "", [0, 3, 1, -1, 2]),
        (["EG", "1. OG", "3. OG", "2. OG"] * 10, "OG", [0, 1, 3, 2]),
        (["2 piętro", "parter", "1 piętro", "4 piętro"] * 10, "piętro", [2, 0, 1, 4]),
        (["Bajo", "1º", "3º", "2º"] * 10, "º", [0, 1, 3, 2]),
        (["20代", "30代", "60代以上"] * 10, "代", [20, 30, 60]),
        (["+56 27 16.5", "-01 30 00.0", "00 36 00.0"] * 10, "", [56 + 27 / 60 + 16.5 / 3600, -1.5, 0.6]),
    ],
)
def test_columns_of_several_notations(texts, unit, values):
    column = pd.Series(texts, name="x")
    type = column_type(column)
    assert (type.kind, type.unit) == ("number", unit)
    np.testing.assert_allclose(type.read(column)[: len(values)], values, rtol=1e-12)


@pytest.mark.parametrize(
    "texts",
    [
        ["1st", "2nd", "3rd"] * 9,
        ["2+", "3-", "3", "ill", "1-", "n.t."] * 9,
        ["7/10/10", "8/9/10", "9/10/10"] * 9,
        ["Less than $25", "$25 to $49", "$50 or more"] * 9,
        ["73%", "0.61", "81%", "0.55", "64%", "0.9"] * 9,  # of another size
        ["12B", "12", "14B", "13", "15B", "16"] * 9,  # seats
        ["180 cm", "1.7 lb", "150 cm", "1.9 lb"] * 9,
        ["18-24", "25-34", "35-44", "45-54"] * 9,
        ["2-1", "3-0", "1-0", "4-2"] * 9,
        ["555-1234"] * 40,
    ],
)
def test_few_of_them_are_categories(texts):
    assert column_type(pd.Series(texts)).kind == "category"


def test_one_word_may_stand_for_missing_in_half_of_the_rows():
    numbers = [f"{value:.1f}" for value in np.random.default_rng(0).normal(20, 5, 100)]

    def kind(*words):
        return column_type(pd.Series(numbers + list(words))).kind

    assert kind(*["n.n."] * 80) == "number"
    assert kind(*["n.n."] * 120) != "number"
    assert kind(*["n.n.", "lost"] * 40) != "number"


def test_the_first_line_of_a_data_logger_is_no_header(tmp_path):
    lines = ['"TOA5","CR1000","CR1000","1","CR1000.Std.32","CPU:a.CR1","1","Table1"', '"TIMESTAMP","RECORD","T","ET"']
    lines += ['"TS","RN","Deg C","mm"', '"","","Avg","Tot"']
    lines += [f'"2019-06-01 {hour:02d}:00:00",{hour},{18 + hour / 4},{hour * 0.01:.3f}' for hour in range(24)]
    (tmp_path / "toa5.csv").write_text("\n".join(lines))
    table = read_table(tmp_path / "toa5.csv")
    assert [type.kind for type in table.types.values()] == ["date", "number", "number", "number"]
    assert table.types["T"].read(table.frame["T"]).dropna().tolist() == [18 + hour / 4 for hour in range(24)]


@pytest.mark.parametrize(("unit", "n"), [("s", 86_400), ("ms", 86_400_000)])
def test_counts_since_1970_are_dates_by_size_and_name(unit, n):
    counts = pd.Series(np.array([17_000, 18_000.25, 19_000.5]) * n)
    type = column_type(counts.rename("created_at"))
    assert (type.kind, type.date_order) == ("date", unit)
    for column in (counts, counts.map("{:.0f}".format)):
        assert type.read(column).tolist() == [17_000, 18_000.25, 19_000.5]
    assert column_type(counts.rename("phone")).kind == "number"
    assert column_type((counts / 1e5).rename("time")).kind == "number"


def test_numbers_beyond_twelve_after_a_year_are_weeks():
    weeks = pd.Series([f"{year}-{week:02d}" for year in (2018, 2019) for week in range(1, 53)])
    type = column_type(weeks)
    assert (type.kind, type.date_order) == ("date", "week")
    days = type.read(weeks)
    assert days.iloc[0] == (np.datetime64("2018-01-01") - np.datetime64("1970-01-01")).astype(int)
    assert set(days.diff().dropna()) == {7}
    assert column_type(weeks[weeks.str[-2:].astype(int) <= 12]).date_order == "ymd"
    assert column_type(pd.Series(["2018-77", "2018-81", "2019-13"] * 9)).kind == "category"


def test_a_number_a_thousand_ranges_away_from_all_others_is_impossible():
    ages = pd.Series([*np.random.default_rng(0).integers(18, 70, 200).astype(float), 99_999_999_999.0, -29.0])
    assert column_type(ages).missing == (99_999_999_999.0,)
    incomes = pd.Series(np.random.default_rng(0).pareto(0.5, 2000))  # hardly any tail is heavier
    assert column_type(incomes).missing == ()


@pytest.mark.parametrize("text", ["10\u2075", "12\u00b3"])
def test_a_power_is_no_footnote(text):
    assert quantities(pd.Series([text]), ".")["unit"].tolist() != [""]


@pytest.mark.parametrize(
    ("texts", "kind"),
    [
        (["ca. 21,5", "58", "3,5"], "number"),
        (["1,6 °P", "12,0 °P", "8,25 °P"], "number"),
        (["6 mies.", "30 dni", "12 mies."], "number"),
        (["543xx", "784xx", "607xx"], "category"),
        ([str(380260000000000 + 37 * n) for n in range(60)], "category"),
        ([str(10**n) for n in range(8, 14)] * 10, "number"),
    ],
)
def test_signs_of_other_trades_and_long_numbers(texts, kind):
    assert column_type(pd.Series(texts * 4, name="x"), ",").kind == kind


@pytest.mark.parametrize(
    ("texts", "name", "kind"),
    [
        *(("010 350 090 020 270", name, "number") for name in ("wind_dir", "heading")),
        ("010 350 090 020 270", "region", "category"),
        ("20.9 20.10 18.1", "node_version", "category"),
        ("20.9 20.10 18.1", "weight", "number"),
        ("1 2+ 2 2- 3+ 3- 4", "math", "category"),  # grades
        ("1 2+ 2 2 3+ 3 4", "math", "number"),
    ],
)
def test_texts_that_may_be_codes_are_numbers_by_their_signs_or_their_name(texts, name, kind):
    assert column_type(pd.Series(texts.split() * 9, name=name)).kind == kind


def test_a_few_ranges_among_numbers_are_read_as_their_middle():
    hours = pd.Series([f"{30 + k % 12} hours" for k in range(40)] + ["37-41", "30 to 50 hours", "about 40", "38"] * 2)
    type = column_type(hours)
    assert (type.kind, type.unit) == ("number", "hours")
    assert type.read(hours)[40:43].tolist() == [39, 40, 40]
    assert type.inexact(hours)[1].tolist() == ["37-41", "30 to 50 hours"] * 2
    assert type.unread(hours).empty


def test_years_of_a_library_are_numbers():
    years = pd.Series([*map(str, range(1950, 2010)), "[1998]", "[2001?]", "c2005", "©2010"])
    type = column_type(years)
    assert (type.kind, type.read(years)[60:].tolist()) == ("number", [1998, 2001, 2005, 2010])


def test_prices_with_and_without_the_word_for_money():
    prices = pd.Series([f"{200 + k} Kč" for k in range(30)] + [f"{210 + k},-" for k in range(20)])
    type = column_type(prices, ",")
    assert (type.unit, type.read(prices)[[0, 30]].tolist()) == ("Kč", [200, 210])
