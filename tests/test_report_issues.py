"""Every rule finds what was planted, with its columns; clean tables give no alarm."""

import json
from io import StringIO
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

from fscore import report
from fscore.report import OfferedColumns, build_problem
from fscore.report.derived import KINDS
from fscore.report.issues import Issue, rule
from fscore.report.names import is_identifier_name
from fscore.report.stages import STAGES
from your.planting import TRAPS, plant

RNG = np.random.default_rng


def posed(table, target="outcome", **options):
    """The problem of a table whose cells are text, as in a file."""
    text = pd.read_csv(StringIO(table.to_csv(index=False)), dtype=object, keep_default_na=False)
    return build_problem(text, target, **options)


def small_table():
    """Without traps."""
    return plant(0, n_relevant=2, n_noise=1).table


def kinds(problem):
    columns_of = {}
    for issue in problem.issues:
        columns_of.setdefault(issue.kind, set()).update(issue.columns)
    return columns_of


def issue_of(problem, kind):
    (issue,) = [issue for issue in problem.issues if issue.kind == kind]
    return issue


@pytest.mark.parametrize("name", TRAPS)
def test_a_planted_trap_is_found_and_no_other(name):
    planted = plant(1, traps=[name], n_samples=200 if name == "wide" else 300)
    problem = posed(planted.table)
    by_kind = kinds(problem)
    assert set(by_kind) == set(planted.traps)
    for kind, columns in planted.traps.items():
        assert set(columns) <= by_kind[kind]
    assert all(issue.finding.endswith(".") and issue.action.endswith((".", ").")) for issue in problem.issues)
    if name in ("sequence", "constant", "free text", "empty", "recoded target", "noisy target"):  # is no feature
        left_out = {column for columns in planted.traps.values() for column in columns}
        assert not left_out & set(problem.X)
        assert set(planted.relevant) <= set(problem.X)
    if name == "noisy target":  # the user vouches for it
        vouched = posed(planted.table, keep=["marker"])
        assert "marker" in vouched.X
        assert kinds(vouched) == {}
    if name == "repeated rows":
        assert len(problem.y) == 300
    if name == "contradiction":  # stays together
        assert len(np.unique(problem.groups)) == 300
        assert len(problem.y) == 315


@pytest.mark.parametrize("seed", range(4))
def test_clean_tables_give_no_alarm(seed):
    assert kinds(posed(plant(seed, n_classes=2 + seed % 2).table)) == {}


@pytest.mark.parametrize("loader", [load_iris, load_wine, load_breast_cancer])
def test_well_known_clean_sets_give_no_alarm(loader):
    assert kinds(posed(loader(as_frame=True).frame, "target")) == {}


def test_a_rule_of_ones_own_is_applied(monkeypatch):
    @rule("color", "{columns}: a color.", "Left out.", leaves_out=True)
    def colors(problem):
        return [name for name in problem.X if "color" in name]

    monkeypatch.setitem(STAGES, "constants", (*STAGES["constants"], colors))
    problem = posed(small_table().assign(color=np.arange(300) % 7))
    assert issue_of(problem, "color") == Issue("color", ("color",), "“color”: a color.", "Left out.", ("color",))
    assert "color" not in problem.X


# Columns -------------------------------------------------------------------------------------------------------------


def test_shuffled_numbers_with_the_name_of_an_identifier_are_one():
    rng, numbers = RNG(0), np.arange(15_000_000, 15_900_000, 997)
    names = ["CustomerId", "customerID", "sample_no", "Subject"]
    problem = posed(small_table().assign(**{name: rng.permutation(numbers)[:300] for name in names}))
    assert kinds(problem) == {"identifier": set(names)}


def test_a_quantity_of_what_has_an_identifier_is_none():
    names = ["household_income", "clientBalance", "number of steps", "no_of_employees", "patient_days", "index_value"]
    names += ["customer spend", "sample_weight_mg", "site_area_m2", "steps per user"]
    values = np.exp(RNG(0).normal(10, 1, (300, 10))).round().astype(int)
    assert kinds(posed(small_table().assign(**dict(zip(names, values.T, strict=True))))) == {}
    problem = posed(small_table().assign(case=[*values[:290, 0], *values[:10, 0]]))
    finding = issue_of(problem, "identifier").finding
    assert finding == "Columns that name the rows, or count them: “case” (a different value in nearly every row)."


def test_what_looks_like_an_identifier_can_be_kept_unless_it_is_text():
    rng = RNG(0)
    income = np.sort(rng.choice(90_000, 60, replace=False))
    table = pd.DataFrame({"income": income, "a": rng.normal(size=60), "outcome": rng.choice(["u", "v"], 60)})
    assert "income" not in posed(table).X
    assert "income" in posed(table, keep=["income"]).X
    table = small_table().assign(customerID=[f"{k:04x}-QZ" for k in range(300)])
    done = issue_of(posed(table), "identifier").action
    assert done == "Left out; if such numbers are a measurement, use --keep and the column's name."
    problem = posed(table, keep=["customerID"])
    assert "customerID" not in problem.X
    assert issue_of(problem, "free text").action.startswith("Left out, even with --keep;")


def test_a_column_that_contains_the_class_is_a_leak():
    table = small_table()
    table["code"] = [f"{2013 + k % 9}{label.upper()}" for k, label in enumerate(table["outcome"])]
    table["motto"] = RNG(0).choice(["low hopes", "high hopes", "no hopes"], 300)
    problem = posed(table)
    assert issue_of(problem, "target leak").columns == ("code",)
    assert "motto" in problem.X


def test_extreme_numbers_are_codes_only_if_they_repeat_far_from_the_rest():
    rng = RNG(0)
    values = rng.uniform(20, 90, 300).round(1)
    once, often, nearly_all = values.copy(), values.copy(), values.copy()
    once[0] = often[:9] = -999
    nearly_all[11:] = 999
    inside = rng.integers(0, 120, 300).astype(float)
    inside[:9] = 99
    table = small_table().assign(once=once, inside=inside, often=often, pdays=nearly_all)
    types = posed(table).types
    assert {name: type.missing for name, type in types.items() if type.missing} == {
        "often": (-999.0,),
        "pdays": (999.0,),
    }


@pytest.mark.parametrize(
    ("form", "order"),
    [
        ("%m/02/2021", "day/month/year, but month/day/year fits as well"),
        ("%m/01/2021", "month/day/year, but day/month/year fits as well"),  # the first days of months
        ("%m/01/21", "month/day/year, but day/month/year fits as well"),
        ("%m/%d/2021", "month/day/year"),
        ("%d/%m/2021 12:30", "day/month/year"),
        ("%d.%m.2021", "day.month.year"),
        ("2021/%m/%d", "year-month-day"),
        ("%d %B 2021", "day month year"),
        ("%m/%m/2021", "day/month/year"),  # day and month are equal
    ],
)
def test_the_format_of_dates_is_said(form, order):
    days = pd.Series(pd.date_range("2021-01-01", periods=30, freq="11D").strftime(form))
    iso = pd.Series(pd.date_range("2021-01-01", periods=30).strftime("%Y-%m-%d"))
    table = pd.DataFrame({"x": RNG(0).normal(size=300), "outcome": RNG(1).choice(["u", "v"], 300)})
    table["day"] = days.sample(300, replace=True, random_state=0, ignore_index=True)
    table["iso"] = iso.sample(300, replace=True, random_state=1, ignore_index=True)
    assert issue_of(posed(table), "dates").finding == f"Dates: “day” ({order}), “iso” (year-month-day)."


def test_numbers_that_are_too_large_stand_for_missing_ones():
    x = RNG(0).normal(size=300).round(3).astype(str)
    mostly, some, blank = x.astype(object), x.astype(object), x.astype(object)
    mostly[3:], blank[3:] = "1e308", ""
    some[:11] = ["inf", "-1e50"] + ["inf"] * 9
    problem = posed(small_table().assign(mostly=mostly, some=some, blank=blank))
    assert {"mostly", "blank"}.isdisjoint(problem.X)
    assert problem.X["some"].isna().sum() == 11
    assert kinds(problem) == {
        "empty": {"mostly", "blank"},
        "missing codes": {"some"},
        "missing values": {"some"},
    }
    assert issue_of(problem, "missing codes").finding.endswith("missing values: “some” (beyond ±1e50).")


def test_codes_for_missing_values_are_numbers_where_their_column_is_kept():
    renovated = np.where(RNG(0).uniform(size=300) < 0.1, RNG(1).integers(1950, 2015, 300), 9999)
    table = small_table().assign(renovated=renovated)
    assert kinds(posed(table))["missing codes"] == {"renovated"}
    assert posed(table).X["renovated"].isna().sum() == (renovated == 9999).sum()
    kept = posed(table, keep=["renovated"])
    assert "missing codes" not in kinds(kept)
    np.testing.assert_array_equal(kept.X["renovated"], renovated)


def test_a_column_of_limits_is_of_numbers_and_called_so():
    limits = RNG(0).choice(["<0.5", "<1", "<2.5", "3.1"], 300)
    limits[:9] = ":"  # a mark for missing values
    problem = posed(small_table().assign(titre=limits, rate=["**" if k < 9 else f"{k}.5" for k in range(300)]))
    assert problem.kinds["titre"] == "number"
    n = (limits != "3.1").sum() - 9
    issue = issue_of(problem, "mixed types")
    assert issue.finding == f"Numbers with something else among them: “titre” ({n} limits)."
    assert issue.action == "A limit such as “<0.5” is read as its number."


def test_numbers_in_a_second_unit_are_no_words():
    weight = [f"{60 + k % 37} kg" for k in range(300)]
    weight[:40] = ["176 pt"] * 40
    issue = issue_of(posed(small_table().assign(weight=weight)), "mixed types")
    finding = "Numbers with something else among them: “weight” (40 other texts such as “176 pt”)."
    assert issue.finding == finding
    assert issue.action.startswith("Other texts count as missing; write all numbers of a column in one unit.")


@pytest.mark.parametrize(
    ("forms", "examples"),
    [
        (("{:.1f}%", "{:.1f}%", "0.{:.0f}"), "“58.6%”, “0.61”"),
        (("{:.1f} mg", "{:.1f} mg", "{:.3f} ppm"), "“58.6 mg”, “60.600 ppm”"),
        (("{:.0f}/80", "{:.0f}/80", "{:.0f}/75"), "“59/80”"),
        (("2,333,33,{:03.0f}", "2,333,33,{:03.0f}", "2,333,34,{:03.0f}"), "“2,333,33,059”"),
        (("${:.1f}", "${:.1f}", "{:.1f} \u20ac"), "“$58.6”, “60.6 \u20ac”"),
        (3 * ("\u20b9{:.0f},123,45,678",), "“\u20b959,123,45,678”"),
        (3 * ("{:.0f}'11\"",), "“59'11\"”"),
        (3 * ("{:.0f}\u2032 2\u2033",), "“59\u2032 2\u2033”"),
    ],
)
def test_numbers_in_mixed_notation_are_called_so(forms, examples):
    repeats = 1 if len(set(forms)) > 1 else 3  # values that recur are categories
    values = [forms[k % 3].format(58.6 + k) for k in range(60)] * repeats
    table = pd.DataFrame({"a": values, "x": RNG(0).normal(size=len(values)).astype(str)})
    problem = build_problem(table.assign(outcome=RNG(1).choice(["u", "v"], len(values))), "outcome")
    issue = issue_of(problem, "mixed notation")
    assert issue.finding == f"Most values look like numbers, in a notation that isn't read: “a” ({examples})."
    assert ("a" in problem.X) == (repeats == 3)


@pytest.mark.parametrize("repeats", [1, 3])
def test_codes_of_digits_are_no_numbers_in_mixed_notation(repeats):
    letters = "ABCDEFGHKL"
    forms = ["0{:04d}", "{:04d} AB", "192.168.{:d}.1", "1.{:d}.3", "{:d}-7", "12{:02d}A", "{:d} to 9", "10,12,{:d}"]
    codes = {
        form: [form.format(k).replace("AB", letters[k % 10] + letters[k // 10]) for k in range(60)] for form in forms
    }
    codes["ICD"] = [f"{'VE'[k % 2]}{k}" if k % 7 == 0 else f"{400 + k}{'.8' * (k % 3 == 0)}" for k in range(60)]
    codes["article"] = [f"{20040 + k}{'ABC'[k % 3] * (k % 4 == 0)}" for k in range(60)]
    table = pd.DataFrame({form: repeats * values for form, values in codes.items()})
    table = table.assign(x=RNG(0).normal(size=len(table)), outcome=RNG(1).choice(["u", "v"], len(table)))
    assert "mixed notation" not in kinds(build_problem(table, "outcome"))


@pytest.mark.parametrize(
    "values",
    [[0.5, 1.5, 2.25], [1, 2, 1], [True, False, True], ["none", "x", "y"], pd.array([1, 2, None], dtype="Int64")],
    ids=["float", "int", "bool", "text", "nullable"],
)
def test_tables_that_are_no_text_are_posed(values):
    rng = RNG(0)
    table = pd.DataFrame(
        {
            "number": rng.normal(size=60),
            "flag": rng.choice([True, False], 60),
            "whole": pd.array([*rng.integers(0, 50, 59), None], dtype="Int64"),
            "day": pd.Series(pd.date_range("2021-01-01", periods=60)).sample(frac=1, random_state=0).to_numpy(),
            "word": pd.Categorical(rng.choice(["u", "v", "w"], 60)),
        }
    )
    table["y"] = pd.Series(values).repeat(20).sample(frac=1, random_state=1, ignore_index=True)
    problem = build_problem(table, "y", time="none")
    assert set(problem.X) - set(problem.derived) == set(table) - {"y"}


# Time and groups -----------------------------------------------------------------------------------------------------


def test_a_date_that_the_target_follows_can_be_turned_off_or_named():
    table = plant(1, traps=["drift"]).table
    assert posed(table).time_name == "“visit”"
    off = posed(table, time="none")
    assert off.time is None
    assert "visit" in off.X
    named = posed(table, time="visit")
    assert "visit" not in named.X
    assert named.time is not None


def drifting(n=240):
    return 0.03 * np.arange(n) + RNG(0).normal(size=n)


@pytest.mark.parametrize(
    ("parts", "called"),
    [
        ({"Year": 1990 + np.arange(240) // 12}, "“Year”"),
        ({"year": 1990 + np.arange(240) // 12, "month": np.tile(["Jan", "Feb", "Mar", "Apr"], 60)}, "“year”, “month”"),
        ({"hour": np.arange(240) % 24}, "the order of the rows (“hour” runs through it)"),
    ],
    ids=["year", "year and month", "hours in order"],
)
def test_time_in_parts_is_found(parts, called):
    table = pd.DataFrame({**parts, "x": RNG(1).normal(size=240).round(3), "outcome": drifting().round(3)})
    problem = posed(table)
    assert problem.time_name == called
    assert set(parts) <= set(problem.X)
    shuffled = table.assign(outcome=table["outcome"].sample(frac=1, random_state=0).to_numpy())
    assert posed(shuffled).time is None


@pytest.mark.parametrize("n_years", [3, 8])
def test_few_years_are_named_but_not_scored_forwards(n_years):
    table = pd.DataFrame({"year": 2001 + np.arange(240) * n_years // 240, "x": RNG(1).normal(size=240).round(3)})
    problem = posed(table.assign(outcome=drifting().round(3)))
    assert kinds(problem)["time order"] == {"year"}
    assert (problem.time is None) == (n_years == 3)
    assert ("3 times are too few" in issue_of(problem, "time order").action) == (n_years == 3)


def recording(task):
    """A sensor that drifts while a machine is switched on and off, or warms up and cools down, at times."""
    rng = RNG(6)
    drift = np.cumsum(rng.normal(0, 0.3, (600, 3)), axis=0)
    state = np.arange(600) // 37 % 2
    outcome = np.array(["off", "on"])[state] if task == "classification" else np.round(9 * drift[:, 0] + state, 2)
    return pd.DataFrame((drift + state[:, None]).round(2), columns=list("abc")).assign(outcome=outcome)


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_targets_that_go_on_from_row_to_row_are_named(task):
    table = recording(task)
    assert "similar neighbors" in kinds(posed(table))
    numbered = table.assign(row=np.arange(600))
    assert "similar neighbors" in kinds(posed(numbered))
    assert "similar neighbors" not in kinds(posed(numbered, time="row"))
    others = table.sort_values("outcome"), table.sort_values("a"), table.sample(frac=1, random_state=0)
    hours = table.assign(
        at=[f"{k % 24:02d}:00" for k in range(600)], outcome=np.sin(np.arange(600) / 24 * 2 * np.pi).round(3)
    )
    for other in (*others, hours, table.assign(unit=np.arange(600) // 60)):
        assert "similar neighbors" not in kinds(posed(other))


@pytest.mark.parametrize("name", ["day", "month", "year"])
@pytest.mark.parametrize("unit", ["{}", "u{}"])
def test_what_runs_anew_in_every_unit_is_no_time_of_the_rows(unit, name):
    table = panel().rename(columns={"days": name, "who": "subject"})
    table["subject"] = [unit.format(k) for k in np.repeat(np.arange(18), 10)]
    table[name] += 2001 if name == "year" else 1
    problem = posed(table)
    assert problem.time_name == ("“year”" if name == "year" else None)  # the target rises with it
    assert problem.group_name == "subject"


def test_the_parts_of_a_time_are_neither_an_identifier_nor_a_leak():
    rng = RNG(0)
    year, month = 1800 + np.arange(240), rng.integers(1, 13, 240)
    table = pd.DataFrame({"year": year, "month": month, "outcome": np.arange(240) + 0.1 * rng.normal(size=240)})
    for shuffled in (table, table.iloc[scrambled()]):
        problem = posed(shuffled)
        assert problem.time is not None
        assert list(problem.X) == ["year", "month"]


@pytest.mark.parametrize(
    "names", [("year", "month", "day"), ("Jahr", "Monat", "Tag"), ("Año", "Mes", "Día"), ("yr", "mo", "da")]
)
def test_the_parts_of_a_time_of_two_years_may_be_abbreviated_or_in_another_language(names):
    days = pd.date_range("2011-01-01", periods=240, freq="2D")
    table = pd.DataFrame(dict(zip(names, (days.year, days.month, days.day), strict=True)))
    problem = posed(table.assign(outcome=drifting().round(3)).iloc[scrambled()])
    assert problem.time_columns == names
    assert problem.time_name == ", ".join(f"“{name}”" for name in names)


def scrambled(n=240):
    return RNG(3).permutation(n)


def test_a_date_of_something_else_is_no_time():
    days = pd.Series(pd.date_range("1950-01-01", periods=240, freq="60D").strftime("%Y-%m-%d"))
    table = pd.DataFrame({"hired": days, "x": RNG(1).normal(size=240).round(3), "outcome": drifting().round(3)})
    assert posed(table.iloc[scrambled()]).time is None
    assert posed(table).time is not None  # the file is in its order
    for name in ("birth_date", "DOB", "Geburtsdatum", "born"):
        assert posed(table.rename(columns={"hired": name})).time is None
    table.insert(1, "visit date", RNG(2).permutation(days))
    assert posed(table.iloc[scrambled()]).time is None
    table["outcome"] += 0.1 * pd.to_datetime(table["visit date"]).rank()
    assert posed(table.iloc[scrambled()]).time_name == "“visit date”"


def test_the_year_of_a_car_is_no_time_unless_rows_are_in_its_order():
    table = pd.DataFrame({"year": 1990 + np.arange(240) // 12, "x": RNG(1).normal(size=240).round(3)})
    table["outcome"] = drifting().round(3)
    assert posed(table.iloc[scrambled()]).time is None
    assert posed(table.iloc[::-1]).time_name == "“year”"
    for of_a_thing in ("model_year", "yr_built"):
        assert posed(table.rename(columns={"year": of_a_thing})).time is None
    table["month"] = np.arange(240) % 12 + 1
    assert posed(table.iloc[scrambled()]).time_name == "“year”, “month”"


TIMES = {
    "timestamp": 9_600 + 60 * np.arange(240),
    "year": 1800 + np.arange(240),
    "period": [f"{2002 + k // 12}{k % 12 + 1:02d}" for k in range(240)],
    "week_no": np.arange(1, 241),
}


@pytest.mark.parametrize("name", TIMES)
def test_numbers_of_time_that_order_the_rows_are_the_time_if_the_target_follows(name):
    table = pd.DataFrame({name: TIMES[name], "x": RNG(1).normal(size=240).round(3), "outcome": drifting().round(3)})
    problem = posed(table)
    assert problem.time_name == f"“{name}”"
    assert set(kinds(problem)) == {"time order"}
    assert set(kinds(posed(table, time="none"))) == {"identifier"}
    shuffled = table.assign(outcome=table["outcome"].sample(frac=1, random_state=0).to_numpy())
    assert set(kinds(posed(shuffled))) == {"identifier"}
    assert set(kinds(posed(table.rename(columns={name: "row"})))) == {"identifier", "similar neighbors"}


def panel(n_units=18, n_times=10, spread=2.0):
    """Units measured at the same times, as in sleepstudy."""
    rng = RNG(0)
    unit = np.repeat(np.arange(n_units), n_times)
    time = np.tile(np.arange(n_times), n_units)
    y = spread * rng.normal(size=n_units)[unit] + 0.3 * time + rng.normal(size=len(unit))
    noise = rng.normal(size=len(unit)).round(2)
    return pd.DataFrame({"who": [f"u{k}" for k in unit], "days": time, "noise": noise, "outcome": y.round(3)})


def test_units_of_a_panel_are_groups_that_stay_columns():
    problem = posed(panel())
    assert problem.group_name == "who"
    assert "who" in problem.X
    assert "use --groups none" in issue_of(problem, "groups").action
    assert posed(panel(), groups="none").groups is None
    assert "who" not in posed(panel(), groups="who").X
    assert posed(panel(spread=0)).groups is None  # targets are not alike


@pytest.mark.parametrize(("name", "form"), [("Mouse (tag)", "P{:03d}"), ("patient_id", "{}")])
def test_units_of_which_most_have_one_row_but_most_rows_have_a_unit_in_common_are_groups(name, form):
    rng = RNG(0)
    n_rows = rng.permutation([1] * 72 + [4] * 48)
    unit = np.repeat(rng.permutation(np.arange(100, 220)), n_rows)
    y = np.repeat(rng.normal(size=120), n_rows) + 0.3 * rng.normal(size=len(unit))
    table = pd.DataFrame({name: [form.format(k) for k in unit], "a": rng.normal(size=len(unit)).round(3)})
    assert posed(table.assign(outcome=y.round(3))).group_name == name


def test_zeros_far_from_all_other_numbers_are_named():
    rng = RNG(0)
    quantities = {"bmi": rng.normal(32, 5, 300).round(1), "pulse": rng.normal(80, 12, 300).round()}
    usual = {"rain": rng.exponential(4, 300).round(1), "change": rng.normal(0, 9, 300).round(1)}
    usual |= {"amount": rng.lognormal(8, 1, 300).round(), "doses": rng.integers(2, 9, 300)}
    table = small_table().assign(**quantities, **usual)
    table.loc[rng.permutation(300)[:12], [*quantities, *usual]] = 0
    issue = issue_of(posed(table), "zeros")
    assert set(issue.columns) == set(quantities)
    assert f"“bmi” (0 in 12 rows, otherwise at least {table['bmi'][table['bmi'] > 0].min():g})" in issue.finding
    table["bmi"] = np.where(np.arange(300) % 3, table["bmi"], 0)  # a third
    assert kinds(posed(table))["zeros"] == {"pulse"}


def test_a_row_that_sums_up_others_does_not_decide_the_task():
    grades = small_table().assign(grade=RNG(0).choice([2, 3, 4, 5, 6], 300), number=np.arange(300))
    last = pd.DataFrame([{"number": "Average", "grade": 4.1}])
    problem = posed(pd.concat([grades, last]), "grade")
    assert (problem.task, len(problem.y)) == ("classification", 300)
    assert issue_of(problem, "numbers as classes").finding == "The target “grade” has 5 different numbers."
    assert issue_of(problem, "row of totals").action == "Left out."


def test_what_was_assumed_of_numbers_as_target_is_said():
    rng = RNG(0)
    table = pd.DataFrame(rng.normal(size=(1500, 2)).round(3), columns=["a", "b"])
    grades = posed(table.assign(outcome=rng.integers(3, 9, 1500)))
    assert grades.task == "classification"
    assert "use --task regression" in issue_of(grades, "numbers as classes").action
    assert issue_of(grades, "numbers as classes").finding == "The target “outcome” has 6 different numbers."
    counts = posed(table.assign(outcome=rng.negative_binomial(1, 0.15, 1500)))
    assert counts.task == "regression"
    assert "--task classification" in issue_of(counts, "continuous labels").action
    words = (100 * rng.normal(size=1500)).round(2).astype(str).astype(object)
    words[:6] = "Indef."
    finding = issue_of(posed(table.assign(outcome=words)), "missing target").finding
    assert finding == "Rows without a number in “outcome”: 6 (with “Indef.”: 6)."


# Leaks and copies ----------------------------------------------------------------------------------------------------


def copies(table):
    rng = RNG(9)
    problem = posed(table.assign(outcome=rng.choice(["u", "v"], len(table))))
    return kinds(problem).get("duplicate columns", set())


def test_copies_of_columns_are_found_up_to_scale_sign_names_and_type():
    rng = RNG(0)
    x, level = rng.normal(size=90), rng.integers(0, 3, 90)
    table = pd.DataFrame({"a": x, "b": -3 * x + 1, "c": x + 1e-3 * rng.normal(size=90), "d": rng.normal(size=90)})
    table["class"] = np.array(["First", "Second", "Third"])[level]
    table["pclass"] = level + 1
    table["level"] = np.array(list("xyz"))[level]
    table["other"] = rng.choice(list("xyz"), 90)
    assert copies(table) == {"b", "pclass", "level"}
    table.iloc[:2, [0, 3]] = 1e20  # a few huge values alone correlate any two columns
    table["b"] = -3 * table["a"] + 1
    assert "d" not in copies(table)


def test_copies_with_missing_cells_or_rounded_are_found_and_the_fuller_one_stays():
    rng = RNG(0)
    celsius, level = rng.normal(15, 8, 200).round(2), rng.integers(0, 4, 200)
    table = pd.DataFrame({"pounds": (2.20462 * celsius).round(2), "fahrenheit": 1.8 * celsius + 32, "celsius": celsius})
    table["school"] = np.array(["none yet", "basic", "high", "college"])[level]
    table["years"] = level * 4.0
    table["other"] = np.where(rng.uniform(size=200) < 0.1, level, rng.integers(0, 4, 200))
    table.loc[:15, "fahrenheit"], table.loc[10:25, "school"] = np.nan, ""
    assert copies(table) == {"fahrenheit", "celsius", "school"}


@pytest.mark.parametrize("container", ["complete", "with gaps"])
def test_numbers_in_another_unit_are_copies_though_both_are_rounded(container):
    rng = RNG(3)
    celsius, mph, height = rng.normal(12, 7, 300), rng.gamma(2, 6, 300), rng.normal(171, 9, 300)
    table = {"temp_f": (1.8 * celsius + 32).round(1), "temp_c": celsius.round(1)}
    table |= {"gust_mph": mph.round(1), "gust_kph": (1.609344 * mph).round(1)}
    table = pd.DataFrame(table | {"height_in": (height / 2.54).round(), "height_cm": height.round(1)})
    assert copies(table) == {"temp_c", "gust_mph", "height_in"}
    if container == "with gaps":
        table.loc[:20, ["temp_f", "temp_c"]] = np.nan
        assert copies(table) == {"temp_c", "gust_mph", "height_in"}


def test_numbers_in_the_same_unit_that_differ_are_no_copies():
    rng = RNG(3)
    age, paid = rng.integers(18, 90, 300), rng.gamma(2, 90, 300).round(2)
    table = pd.DataFrame({"age_in": age, "age_out": age + rng.integers(0, 2, 300), "paid": paid})
    table["charged"] = (paid + rng.choice([0.0, 0.01], 300)).round(2)
    table["thirds"] = (age / 3 + rng.normal(0, 0.6, 300)).round()
    assert not copies(table)
    assert copies(table.assign(whole=paid.round())) == {"whole"}


def test_numbers_that_order_words_are_kept_instead_of_them():
    grade = RNG(0).integers(0, 6, 200)
    words = np.array(["none yet", "basic", "middle", "high", "college", "university"])
    table = pd.DataFrame({"school": words[grade], "grade": grade, "x": RNG(1).normal(size=200).round(3)})
    assert copies(table) == {"school"}
    assert copies(table.rename(columns={"grade": "school_code"})) == {"school_code"}
    assert copies(table.assign(grade=pd.Series(words[grade]).map({w: k for k, w in enumerate(sorted(words))}))) == {
        "grade"
    }
    assert copies(table[grade < 5]) == {"grade"}
    table.loc[:9, "grade"] = np.nan
    assert copies(table) == {"grade"}


def test_a_measurement_is_no_copy_of_a_name_or_of_another_measurement():
    lake, rng = RNG(0).integers(0, 30, 300), RNG(1)
    elevation, latitude = 12 + rng.permutation(1500)[:30], rng.uniform(44, 49, 30).round(3)
    table = pd.DataFrame({"lake": [f"Lake {chr(65 + n // 5)}{n % 5}" for n in lake], "basin": lake + 1})
    table["lake_id"] = (1000 + rng.permutation(9000)[:30])[lake]
    table = table.assign(elevation=elevation[lake], latitude=latitude[lake], feet=(3.28084 * elevation[lake]).round())
    assert copies(table) == {"basin", "lake_id", "feet"}
    assert copies(table[::-1]) == {"basin", "lake_id", "feet"}


def test_flags_that_are_set_in_other_rows_are_no_copies():
    flags = RNG(0).uniform(size=(200, 2)) < 0.9
    table = pd.DataFrame(np.where(flags, "done", ""), columns=["a", "b"]).assign(x=RNG(1).normal(size=200).round(3))
    assert copies(table) == set()
    assert copies(table.assign(c=table["a"])) == {"c"}


def test_columns_that_differ_only_where_others_are_missing_are_no_copies():
    table = pd.DataFrame({"a": np.arange(200) < 8, "b": np.arange(200) < 6}).astype(int)
    table["x"] = RNG(0).normal(size=200).round(3)
    table.loc[:20, "x"] = np.nan
    assert copies(table) == set()


def test_leaks_of_a_quantity():
    table = plant(4, regression=True).table
    table["log"] = np.log(table["outcome"] - table["outcome"].min() + 1)
    assert kinds(posed(table)) == {"target leak": {"log"}}


FORMULAS = {
    "sum": lambda a, b, c: a + b,
    "difference": lambda a, b, c: a - b,
    "average": lambda a, b, c: (a + b + c) / 3,
    "product": lambda a, b, c: a * b,
    "ratio": lambda a, b, c: a / b,
    "product of three": lambda a, b, c: a * b / c,
    "change": lambda a, b, c: (b - a) / a,
    "change in percent": lambda a, b, c: 100 * (b - a) / a,
    "share lost": lambda a, b, c: (a - b) / a,
    "share lost in percent": lambda a, b, c: 100 * (a - b) / a,
}


@pytest.mark.parametrize("formula", FORMULAS.values(), ids=FORMULAS)
def test_a_target_that_is_calculated_from_columns_is_said(formula):
    a, b, c, noise = np.round(RNG(0).uniform(1, 9, (4, 200)), 2)
    y = formula(a, b, c)
    table = pd.DataFrame({"a": a, "b": b, "c": c, "noise": noise, "outcome": np.round(y, 4)})
    problem = posed(table)
    used = [name for name, value in zip("abc", (a, b, c), strict=True) if abs(np.corrcoef(y, value)[0, 1]) > 0.2]
    assert kinds(problem) == {"joint leak": set(used)}
    assert "Are these known before the target?" in issue_of(problem, "joint leak").action
    assert set("abc") <= set(problem.X)
    rough = table.assign(outcome=np.round(y + 0.2 * RNG(1).normal(size=200), 4))
    assert "joint leak" not in kinds(posed(rough))


@pytest.mark.parametrize(
    ("change", "factor"),
    [
        ("12.1", lambda x: 1 + x / 100),
        ("0.121", lambda x: 1 + x),
        ("15", lambda x: 1 - x / 100),
        ("0.15", lambda x: 1 - x),
    ],
)
def test_a_change_or_a_discount_is_a_factor(change, factor):
    rng = RNG(0)
    base, unit = rng.normal(140, 20, 300).round(), 100 if float(change) > 1 else 1
    is_discount = change.endswith("5")
    x = unit * (0.05 * rng.integers(0, 8, 300) if is_discount else rng.normal(0, 0.2, 300).clip(-0.9))
    x = x.round(len(change.partition(".")[2]))
    table = pd.DataFrame({"base": base, "age": rng.integers(18, 80, 300), "x": x, "after": (base * factor(x)).round()})
    issue = issue_of(posed(table, "after", task="regression"), "joint leak")
    assert (issue.columns, "a product or ratio" in issue.finding) == (("base", "x"), True)


def test_a_target_of_few_values_is_no_product():
    rng = RNG(0)
    table = pd.DataFrame({"age": rng.integers(18, 80, 300), "claims": 0, "premium": rng.normal(500, 90, 300).round()})
    table.loc[:59, "claims"] = rng.integers(1, 4, 60)
    loss = np.where(table["claims"] > 0, rng.gamma(2, 700, 300) + 100, 0).round(1)
    loss[0] = 93.4  # the only one below 100%
    assert "joint leak" not in kinds(posed(table.assign(loss=loss), "loss", task="regression"))


@pytest.mark.parametrize(("digits", "unit"), [(0, 1), (1, 100), (2, 1)])
def test_a_calculated_target_may_be_rounded(digits, unit):
    rng = RNG(0)
    height, weight = (1.7 + 0.1 * rng.normal(size=200)).round(2), (75 + 12 * rng.normal(size=200)).round(1)
    table = pd.DataFrame({"age": rng.integers(18, 80, 200), "height": (unit * height).round(2), "weight": weight})
    bmi = (weight / height**2).round(digits)
    issue = issue_of(posed(table.assign(bmi=bmi), "bmi", task="regression"), "joint leak")
    assert (issue.columns, "a product or ratio" in issue.finding) == (("height", "weight"), True)
    rough = table.assign(bmi=(weight / height**2 + 0.5 * rng.normal(size=200)).round(digits))
    assert "joint leak" not in kinds(posed(rough, "bmi", task="regression"))


def test_follow_up_time_is_asked_about():
    rng = RNG(0)
    table = pd.DataFrame(rng.normal(size=(200, 2)).round(3), columns=["age", "dose"])
    table["time"] = rng.integers(5, 900, 200)
    table["status"] = np.where(rng.uniform(size=200) < 0.4, "dead", "alive")
    assert kinds(posed(table, "status")) == {"follow-up time": {"time"}}
    assert "“time”: by the name, this may be the time until “status”" in posed(table, "status").issues[0].finding
    assert kinds(posed(table, "status", keep=["time"])) == {}
    assert kinds(posed(table.rename(columns={"status": "sort"}), "sort")) == {}
    assert kinds(posed(table.rename(columns={"status": "deceased"}), "deceased")) == {"follow-up time": {"time"}}


ASKED = ["time (days)", "follow-up_months", "survivalTime", "Months", "days_to_death", "time to relapse", "stime"]
ASKED += ["d.time", "Überlebenszeit", "time"]
NOT_ASKED = ["years_of_education", "time_to_work", "months_since_purchase", "years_at_address", "term_months"]
NOT_ASKED += ["followers", "survey", "os version"]
EVENTS = ["Vital Status", "death", "event", "survivalStatus", "cens", "censored", "pump failure", "verstorben"]
EVENTS += ["outcome", "Terminated", "Attrition", "left", "quit_within_a_year", "resigned"]
NO_EVENTS = ["loan_status", "marital_status", "Employment Status", "left ventricle", "existed"]


@pytest.mark.parametrize(
    ("target", "names", "asked"),
    [
        *((target, ["time"], []) for target in NO_EVENTS),
        *((target, ["time"], ["time"]) for target in EVENTS),
        ("event", [*NOT_ASKED, *ASKED], ASKED),
    ],
)
def test_only_a_time_until_an_event_is_asked_about(target, names, asked):
    rng = RNG(0)
    table = pd.DataFrame({"x": rng.normal(size=200).round(3), **{name: rng.integers(5, 90, 200) for name in names}})
    problem = build_problem(table.assign(**{target: rng.choice(["yes", "no"], 200)}), target)
    assert kinds(problem) == ({"follow-up time": set(asked)} if asked else {})


def test_what_is_filled_in_for_one_class_only_is_asked_about():
    table, rng = small_table(), RNG(1)
    table["exit"] = np.where((table["outcome"] == "low") & (rng.uniform(size=300) < 0.8), "done", "")
    n, size = (table["exit"] == "done").sum(), (table["outcome"] == "low").sum()
    problem = posed(table)
    assert kinds(problem) == {"filled in for one class": {"exit"}, "missing values": {"exit"}}
    finding = f"“exit” (in {n} of {size} rows of “low”, and in 0 of {300 - size} others): filled in for only one class."
    assert issue_of(problem, "filled in for one class").finding == finding
    assert "exit" in problem.X
    assert "filled in for one class" not in kinds(posed(table, keep=["exit"]))
    table.loc[table.index[table["exit"] == "done"][40:], "exit"] = ""  # in fewer rows
    table.loc[table.index[table["outcome"] != "low"][:2], "exit"] = "done"
    assert "filled in for one class" not in kinds(posed(table))


@pytest.mark.parametrize(
    ("labels", "form", "n_values"),
    [
        *((labels, "{}-{}", 30) for labels in (("P", "F"), ("1", "0"))),
        *((labels, "T{}: {}", 40) for labels in (("on time", "not delivered"), ("churned-2023", "active-2023"))),
        (("PASSED", "FAILED"), "Q{}-{}", 4),  # few, which are no groups
    ],
)
def test_a_column_with_the_label_in_it_is_a_leak_however_many_values_it_has(labels, form, n_values):
    table = small_table()
    table["outcome"] = np.where(table["outcome"] == table["outcome"].iloc[0], *labels)
    table["code"] = [form.format(2000 + k % n_values, label).upper() for k, label in enumerate(table["outcome"])]
    table["batch"] = [f"{2000 + k % 30}-{k % 2}" for k in range(300)]
    problem = posed(table)
    assert kinds(problem) == {"target leak": {"code"}}
    assert problem.groups is None


# The table as a whole ------------------------------------------------------------------------------------------------


def test_one_hot_columns_are_one_category():
    problem = posed(plant(1, traps=["one-hot"]).table)
    assert set(problem.source_columns("site")) == {"site_north", "site_south", "site_east", "site_west"}
    assert problem.X["site"].unique().tolist() != []
    assert not set(problem.source_columns("site")) & set(problem.X)
    table = plant(1).table.assign(a_1=np.tile([1, 0, 1], 100), a_2=np.tile([0, 1, 1], 100), a_3=np.tile([0, 0, 1], 100))
    assert "one-hot columns" not in kinds(posed(table))  # two are set at once


PAIRS = {  # a text of two numbers, and whether each is a column to choose
    "{:.0f}/{:.0f}": True,
    "{:.0f}x{:.0f}": True,
    "({:.4f}, {:.4f})": True,
    "{:.1f} by {:.1f} cm": True,
    "{:.0f}+{:.0f}": True,
    "\u2212{:.0f}\u2026+{:.0f}": True,
    "{:.0f}~{:.0f}\u2103": True,
    "{:.0f} out of {:.0f}": True,
    "{:.0f}-0{:.0f}": False,
    "{:.0f} or {:.0f} or so": False,
}


@pytest.mark.parametrize("form", ["{} out of {}", "{}/{}"])
def test_the_ground_floor_of_several_is_the_first_number_0(form):
    rng = RNG(0)
    floors = rng.integers(2, 12, 200)
    floor = rng.integers(0, floors)
    texts = [form.format(number or "ground", n) for number, n in zip(floor, floors, strict=True)]
    table = pd.DataFrame({"floor": texts, "noise": rng.normal(size=200), "outcome": rng.normal(size=200).round(2)})
    table.loc[190:, "floor"] = "Ground"
    floor[190:] = 0
    X = posed(table).X
    np.testing.assert_array_equal(X["floor (first number)"], floor)
    np.testing.assert_array_equal(X["floor (second number)"].isna(), np.arange(200) >= 190)


@pytest.mark.parametrize("form", PAIRS)
def test_numbers_in_one_field_are_columns_to_choose(form):
    rng = RNG(0)
    a, b = rng.uniform(100, 180, 200), rng.uniform(60, 95, 200)
    texts = [form.format(*pair) for pair in zip(a, b, strict=True)]
    outcome = np.where(b + rng.normal(0, 6, 200) > 78, "ill", "well")
    table = pd.DataFrame({"q": texts, "noise": rng.normal(size=200), "outcome": outcome})
    problem = posed(table)
    assert (set(problem.X) == {"q (first number)", "q (second number)", "noise"}) == PAIRS[form]
    assert ("several numbers" in kinds(problem)) == PAIRS[form]
    if PAIRS[form]:
        np.testing.assert_allclose(problem.X["q (second number)"], b, atol=0.51)
        assert problem.source_columns("q (first number)") == ["q"]


@pytest.mark.parametrize(
    "texts",
    [
        *(["18-24", "25-34", "35-44", "45-64"], [*("18-24", "25-34", "35-44", "45-64") * 3, "65 or older"]),
        *(["2-1", "1-0", "1-1"], ["1:10", "1:20", "1:40"]),
    ],
)
def test_ranges_and_few_pairs_of_numbers_are_categories(texts):
    table = small_table().assign(q=np.resize(texts, 300))
    assert list(posed(table).X)[-1] == "q"


@pytest.mark.parametrize(
    "form",
    ["{}-{} m²", "{}–{}", "{} to {}", "${}K-${}K (web est.)", "€ {},000 - € {},000", "{}\u00a0000–{}\u00a0000 руб."],
)
def test_ranges_of_which_hardly_two_are_equal_are_two_numbers(form):
    size, rng = RNG(0).integers(30, 150, 300), RNG(1)
    table = small_table().assign(q=[form.format(n, n + rng.integers(2, 12)) for n in size])
    problem = posed(table)
    np.testing.assert_array_equal(problem.X["q (first number)"], size * (1000 if "K" in form or "000" in form else 1))


def test_numbers_of_lots_with_a_hyphen_are_no_ranges():
    size, rng = RNG(0).integers(30, 150, 300), RNG(1)
    lots = [f"{n}-{rng.integers(200, 900)}" for n in size]
    for names in (lots, [f"{45000000 + 10**5 * (n % 9)}-{n % 7}" for n in size]):
        assert "several numbers" not in kinds(posed(small_table().assign(q=names)))


@pytest.mark.parametrize("separator", [";", ", ", ",", " | "])
def test_several_answers_in_a_field_are_columns_to_choose(separator):
    rng = RNG(0)
    ticked = pd.DataFrame(rng.random((300, 4)) < 0.4, columns=["R", "SQL", "C++", "Go (any)"])
    table = small_table().assign(tools=ticked.apply(lambda row: separator.join(row.index[row]), axis=1))
    problem = posed(table)
    assert kinds(problem)["several answers"] == {"tools"}
    empty = table["tools"] == ""
    for answer, column in ticked.items():
        assert problem.kinds[f"tools: {answer}"] == "boolean"
        pd.testing.assert_series_equal(
            problem.X[f"tools: {answer}"], column.astype(float).mask(empty), check_names=False
        )
    if separator == ",":
        table["tools"] = ticked.apply(lambda row: separator.join("1234"[k] for k in np.flatnonzero(row)), axis=1)
        assert "several answers" not in kinds(posed(table)), "thousands"
    addresses = [f"{number} Main St, Town {town}" for number, town in enumerate(rng.integers(0, 9, 300))]
    assert "several answers" not in kinds(posed(small_table().assign(home=addresses)))


def test_numbers_of_files_within_years_name_the_rows():
    year = np.sort(RNG(0).integers(2018, 2024, 300))
    number = pd.Series(year).groupby(year).cumcount() + 1
    files = {"Grave": [f"{k}/{y}" for k, y in zip(number, year, strict=True)]}
    files |= {"Case no": [f"{k}/{y % 100}" for k, y in zip(number, year, strict=True)]}
    problem = posed(small_table().assign(**files))
    assert kinds(problem)["identifier"] == set(files)
    assert "several numbers" not in kinds(problem)
    pressure = RNG(1).normal([130, 85], 12, (300, 2)).round().astype(int)
    problem = posed(small_table().assign(pressure=[f"{a}/{b}" for a, b in pressure]))
    assert kinds(problem)["several numbers"] == {"pressure"}


@pytest.mark.parametrize("names", [("HomeTeam", "AwayTeam"), ("Player 1", "Player 2")])
def test_two_parties_of_the_same_names_are_no_units(names):
    rng = RNG(0)
    home, guest = np.array([(i, j) for i in range(18) for j in range(18) if i != j]).T
    strength = rng.normal(size=18)
    y = (3 * strength[home] - strength[guest] + 0.5 * rng.normal(size=len(home))).round(2)
    table = pd.DataFrame(
        {names[0]: [f"FC {chr(65 + k)}" for k in home], names[1]: [f"FC {chr(65 + k)}" for k in guest], "outcome": y}
    )
    table = table.assign(a=rng.normal(size=len(y)).round(3))
    assert posed(table).group_name is None
    others = table.assign(**{names[1]: "Town " + table[names[1]].str[-1]})
    assert posed(others).group_name in names


@pytest.mark.parametrize("name", ["SIC code", "product_code", "AreaCode"])
def test_numbers_called_codes_are_categories(name):
    codes = RNG(0).choice([1010, 1125, 2040, 3300, 4711, 5050], 300)
    assert posed(small_table().assign(**{name: codes})).kinds[name] == "category"


@pytest.mark.parametrize("separator", [",", "; "])
def test_a_target_of_several_labels_is_named(separator):
    ticked = RNG(0).random((300, 3)) < 0.4
    labels = [separator.join(np.array(["bug", "docs", "build"])[row]) or "other" for row in ticked]
    (issue,) = [i for i in posed(small_table().assign(y=labels), "y").issues if i.kind == "several labels"]
    assert f"“{separator.join(['bug', 'docs', 'build'])}”" in issue.finding
    names = np.array(["Smith, John", "Smith, Ann", "Brown, Tom"])[RNG(1).integers(0, 3, 300)]
    for classes in (names, np.where(ticked[:, 0], "no", np.where(ticked[:, 1], "yes, daily", "yes, weekly"))):
        assert "several labels" not in kinds(posed(small_table().assign(y=classes), "y"))


LISTS = {
    "Python": str,
    "JSON": json.dumps,
    "objects": lambda names: json.dumps([{"id": len(name), "name": name, "rank": 1} for name in names]),
    "Python objects": lambda names: str([{"id": len(name), "name": name, "by": None} for name in names]),
    "without name": lambda names: json.dumps([{"tool": name} for name in names]),
    "database": lambda names: "{" + ",".join(f'"{name}"' if " " in name else name for name in names) + "}",
    "unquoted": lambda names: f"[{', '.join(names)}]",
}


@pytest.mark.parametrize("form", LISTS)
def test_answers_are_read_from_written_lists(form):
    rng = RNG(0)
    ticked = pd.DataFrame(rng.random((300, 4)) < 0.4, columns=["R", "SQL", "C++", "Go (any)"])
    names = [[*row.index[row], *([f"rare {i}"] if i % 3 == 0 else [])] for i, row in ticked.iterrows()]
    problem = posed(small_table().assign(tools=[*map(LISTS[form], names)]))
    assert [name for name in problem.X if name.startswith("tools")] == [f"tools: {name}" for name in sorted(ticked)]
    for answer, column in ticked.items():
        assert (problem.X[f"tools: {answer}"] == column).all()


def test_answers_between_semicolons_may_hold_commas():
    rng, names = RNG(0), ["School (college, etc.)", "Books, or papers", "Books"]
    ticked = pd.DataFrame(rng.random((300, 3)) < 0.5, columns=names)
    problem = posed(small_table().assign(learned=ticked.apply(lambda row: ";".join(row.index[row]), axis=1)))
    assert [name for name in problem.X if name.startswith("learned")] == [f"learned: {n}" for n in sorted(names)]
    for name, column in ticked.items():
        found = problem.X[f"learned: {name}"]
        assert (found[found.notna()] == column[found.notna()]).all()


def test_texts_that_only_rows_without_a_target_have_are_empty():
    table = small_table().assign(x=lambda t: t.index % 7)
    table["outcome"] = table["outcome"].where(table.index >= 40, "")
    table["reason"] = np.where(table.index < 40, "weather", "")
    assert posed(table).left_out["reason"] == "empty"


def test_a_list_of_pairs_is_no_list_of_answers():
    reviews = [str([(f"Rated {k % 4}", "good"), ("Rated 5", "fine")]) for k in range(300)]
    assert "several answers" not in kinds(posed(small_table().assign(reviews=reviews)))


def test_whether_a_free_text_is_there_is_a_column_to_choose():
    rng = RNG(0)
    given, rare = rng.random(300) < 0.3, rng.random(300) < 0.02
    page = np.where(given, [f"http://example.org/{k // 2}" for k in range(300)], "")
    problem = posed(small_table().assign(page=page, memo=np.where(rare, page, "")))
    assert kinds(problem)["texts with gaps"] == {"page"}
    assert problem.left_out["page"] in ("free text", "identifier")
    assert problem.kinds["page (given)"] == "boolean"
    assert (problem.X["page (given)"] == given).all()
    assert "memo (given)" not in problem.X


def test_a_second_number_that_hardly_varies_leaves_the_first_one_a_number():
    rating = RNG(0).integers(50, 95, 300)
    problem = posed(small_table().assign(wing=[f"{r}+{2 + (r > 70)}" for r in rating]))
    assert (problem.X["wing (first number)"] == rating).all()
    screens = np.where(rating > 70, "16:9", "4:3")
    assert "several numbers" not in kinds(posed(small_table().assign(screen=screens)))


def test_a_class_that_says_which_number_is_larger_is_asked_about():
    rng = RNG(0)
    table = pd.DataFrame(rng.poisson(1.5, (200, 2)), columns=["home", "away"]).assign(noise=rng.normal(size=200))
    order = np.sign(table["home"] - table["away"])
    problem = posed(table.assign(outcome=order.map({1: "H", 0: "D", -1: "A"})))
    assert kinds(problem)["joint leak"] == {"home", "away"}
    assert "it is a comparison of them" in issue_of(problem, "joint leak").finding
    score = table["home"].astype(str) + ":" + table["away"].astype(str)
    problem = posed(pd.DataFrame({"score": score, "noise": table["noise"], "outcome": order}))
    assert "from “score”: it is a comparison of its numbers" in issue_of(problem, "joint leak").finding
    noisy = table.assign(outcome=np.where(rng.random(200) < 0.05, "H", order.map({1: "H", 0: "D", -1: "A"})))
    assert "joint leak" not in kinds(posed(noisy))


def recordings(form, rng):
    """Six recordings of each of 25 people, whose features and diagnosis are theirs."""
    person = np.repeat(np.arange(25), 6)
    traits, ill = rng.normal(size=25), rng.random(25) < 0.5
    names = [form.format(p, k % 6) for k, p in enumerate(person)]
    x = traits[person] + rng.normal(0, 0.1, 150)
    return pd.DataFrame(
        {"file": names, "x": x.round(3), "z": rng.normal(size=150), "outcome": np.where(ill, "a", "b")[person]}
    )


@pytest.mark.parametrize("form", ["sub-{:02d}_run-{}", "rec_S{:02d}_{}.wav", "P{:02d}T{}", "subject {:02d} ({})"])
def test_names_of_rows_that_begin_alike_are_of_one_unit(form):
    table = recordings(form, RNG(2))
    problem = posed(table)
    assert kinds(problem)["groups"] == {"file"}
    np.testing.assert_array_equal(problem.groups, np.repeat(np.arange(25), 6))
    assert problem.group_name.startswith("file (")


def test_a_few_words_that_names_begin_with_are_kinds_and_no_units():
    rng = RNG(4)
    maker = rng.integers(0, 6, 240)
    words = np.array(["acme", "bolt", "corex", "dyno", "ergo", "flux", "gira", "hera", "ilex", "juno", "kiva", "lumo"])
    table = pd.DataFrame({"ram": rng.integers(1, 9, 240), "weight": rng.normal(180, 20, 240).round(1)})
    table["outcome"] = (90 * table["ram"] + 300.0 * maker + rng.normal(0, 60, 240)).round(2)
    model = [f" {'ABCDEFG'[k % 7]}{k}" for k in rng.permutation(240)]
    assert posed(table.assign(model=words[maker] + model)).groups is None
    assert posed(table.assign(model=words[maker + 6 * rng.integers(0, 2, 240)] + model)).group_name.startswith(
        "model ("
    )


def test_starts_of_names_that_say_the_class_or_nothing_are_no_units():
    table = recordings("sub-{:02d}_run-{}", RNG(2))
    of_classes = table.assign(file=[f"{label}_{k:05d}" for k, label in enumerate(np.resize(list("abcde"), 150))])
    of_classes["outcome"] = np.resize(list("abcde"), 150)
    assert posed(of_classes).groups is None
    shuffled = table.assign(outcome=RNG(0).permutation(table["outcome"]))
    assert posed(shuffled).groups is None
    counted = table.assign(file=[f"{p}0{k} rpm @ {k}" for k, p in enumerate(np.repeat(np.arange(25), 6))])
    assert posed(counted).groups is None


def table_and_totals(word):
    """A table of 90 rows, and the row of its totals with that word for the region."""
    table = pd.DataFrame(RNG(0).normal(size=(90, 2)).round(2), columns=["units", "outcome"])
    table.insert(0, "region", [f"r{k % 5}" for k in range(90)])
    return table, pd.DataFrame({"region": [word], "units": table["units"].sum(), "outcome": 0.5})


@pytest.mark.parametrize("word", ["Grand total", "Promedio", "Gesamt", "moyenne:", "平均分", "Moyenne du groupe"])
def test_a_last_row_of_totals_is_no_sample(word):
    table, totals = table_and_totals(word)
    problem = posed(pd.concat([table, totals]))
    assert f"“{word}” in “region”" in issue_of(problem, "row of totals").finding
    assert len(problem.y) == 90


def test_a_first_row_of_totals_is_no_sample():
    table, totals = table_and_totals("Grand total")
    first = posed(pd.concat([totals, table]))
    assert issue_of(first, "row of totals").finding.startswith("The first row summarizes the others: it has")
    assert first.rows.min() == 1
    assert "row of totals" not in kinds(posed(pd.concat([totals, table, totals])))  # a word among others


@pytest.mark.parametrize(
    ("name", "how"), [("Everything", "sum"), ("\u03a3", "mean"), ("TOTAL 2023", "sum"), ("", "mean"), ("", "sum")]
)
def test_a_last_row_of_totals_is_found_by_its_numbers(name, how):
    table = pd.DataFrame(RNG(0).uniform(10, 90, size=(150, 2)).round(1), columns=["sales", "area"])
    table.insert(0, "shop", [f"F{k}" for k in range(150)])
    table["outcome"] = (3 * table["sales"] + 9 * RNG(1).normal(size=150)).round(2)
    totals = table.drop(columns="shop").agg(how).round(2)
    problem = posed(pd.concat([table, pd.DataFrame([dict(totals) | {"shop": name}])]))
    finding = issue_of(problem, "row of totals").finding
    assert finding == "The last row summarizes the others: it has the sum or mean of “sales”, “area”, “outcome”."
    assert len(problem.y) == 150
    assert "missing values" not in kinds(problem)
    one = table.iloc[-1].to_dict() | {"sales": totals["sales"]}  # by chance in one column
    assert "row of totals" not in kinds(posed(pd.concat([table, pd.DataFrame([one])])))


def test_the_mean_of_grades_is_a_grade():
    table = pd.DataFrame(RNG(0).integers(1, 6, size=(150, 3)), columns=["a", "b", "c"]).assign(outcome=["u", "v"] * 75)
    table.iloc[-1, :3] = table.iloc[:-1, :3].mean().round()
    assert "row of totals" not in kinds(posed(table))


def test_hardly_any_missing_value_is_not_said_to_be_none():
    table = small_table()
    table.loc[0, "m1"] = np.nan
    issue = issue_of(posed(table), "missing values")
    assert issue.finding.endswith("“m1” has the most (under 1%).")
    assert "median" in issue.action
    assert "category" not in issue.action


def test_what_is_made_of_missing_categories_is_said():
    table = small_table().assign(color=RNG(0).choice(["red", "blue", "green", ""], 300))
    assert issue_of(posed(table), "missing values").action == "A missing category is a category of its own."


def test_rows_that_differ_in_a_column_that_is_no_feature_are_no_copies():
    table = plant(3, traps=["repeated rows"]).table
    named = table.assign(token=[f"{k:05x}q" for k in RNG(0).permutation(len(table))])
    problem = posed(named)
    assert (len(problem.y), kinds(problem)["duplicate rows"]) == (len(table), {"token"})
    assert problem.groups is not None  # they are not trained on and tested
    counted_rows = table.assign(row=np.arange(len(table)))
    assert "duplicate rows" in kinds(posed(counted_rows))
    shares = table.assign(share=np.random.default_rng(0).permutation(len(table)) / len(table))
    assert "duplicate rows" not in kinds(posed(shares))  # different numbers that count nothing


def test_copies_do_not_make_copies_look_natural():
    X = pd.DataFrame(RNG(0).normal(size=(306, 4)).round(3), columns=list("abcd"))
    few = pd.DataFrame(RNG(0).integers(0, 2, (306, 4)), columns=list("abcd"))  # few values repeat by nature
    assert kinds(posed(few.assign(outcome=RNG(1).choice(["u", "v"], 306)))) == {}
    oversampled = pd.concat([X, *[X.iloc[300:]] * 49], ignore_index=True)
    table = oversampled.assign(outcome=np.repeat(["u", "v"], [300, 300]))
    assert "are: 294" in issue_of(posed(table), "duplicate rows").finding.replace("tested", "are")


def test_copies_are_found_where_columns_have_few_values():
    rng = RNG(0)
    drawn = rng.integers(0, 400, 1000)
    for n_values, n_columns in (5, 20), (40, 3):
        table = pd.DataFrame(rng.integers(0, n_values, (400, n_columns))).add_prefix("q")
        table["outcome"] = rng.choice(["a", "b"], 400)
        problem = build_problem(table.iloc[drawn], "outcome")
        assert len(problem.y) == len(set(drawn))
        assert "duplicate rows" in kinds(problem)


def test_rows_that_coincide_since_columns_depend_on_each_other_are_no_copies():
    rng = RNG(0)
    mood = rng.normal(size=400)
    answers = {f"q{k}": np.clip(np.round(3 + mood + 0.3 * rng.normal(size=400)), 1, 5) for k in range(20)}
    ill = rng.uniform(size=400) < 0.4
    symptoms = {f"s{k}": np.where(ill, rng.uniform(size=400) < 0.4, 0).astype(int) for k in range(20)}
    for columns, outcome in (answers, rng.choice(["a", "b"], 400)), (symptoms, np.where(ill, "yes", "no")):
        table = pd.DataFrame(columns).assign(outcome=outcome)
        assert table.duplicated().sum() >= 20
        assert "duplicate rows" not in kinds(build_problem(table, "outcome"))


def test_a_class_whose_rows_repeat_each_other_is_refused():
    table = pd.DataFrame(RNG(0).normal(size=(65, 3)).round(4), columns=list("abc"))
    table.iloc[60:] = table.iloc[60].to_numpy()
    table["outcome"] = ["A"] * 60 + ["B"] * 5
    with pytest.raises(ValueError, match="class 'B' of the target 'outcome' has 1 of the 5 different rows"):
        posed(table)


def test_a_class_that_copies_of_rows_leave_rare_is_left_out_as_other_rare_ones():
    table = pd.DataFrame(RNG(0).normal(size=(206, 3)).round(4), columns=list("abc"))
    table["outcome"] = [1, 2] * 80 + [3] * 6 + [4] * 40
    table.loc[162:165, list("abc")] = table.loc[161, list("abc")].to_numpy()
    problem = posed(table)
    assert "“3”" in issue_of(problem, "rare classes").finding
    assert (problem.target.classes, np.bincount(problem.y).tolist()) == ([1, 2, 4], [80, 80, 40])
    assert set(problem.labels()[-40:]) == {4}
    assert problem.rows.tolist() == [*range(160), *range(166, 206)]
    assert "imbalance" not in kinds(problem)
    table["outcome"] = [1] * 200 + [2, 2, 2, 3, 3, 3]
    with pytest.raises(ValueError, match=r"one class only .*, or use --task regression for a quantity"):
        posed(table)


def test_many_rows_are_drawn_from():
    problem = posed(plant(5, n_samples=6000).table)
    assert len(problem.drawn) == 4000
    assert len(problem.y) == 6000
    assert kinds(problem) == {"many rows": set()}


# What files of people's work hold ------------------------------------------------------------------------------------


def measured(n=300, seed=0):
    """Two numbers and a quantity that depends on the first."""
    rng = RNG(seed)
    table = pd.DataFrame(rng.normal(size=(n, 2)).round(3), columns=["a", "b"])
    return table.assign(outcome=(table["a"] + 0.5 * rng.normal(size=n)).round(3)), rng


NUMBERS_OF_UNITS = ["CLIENTNUM", "cust_nbr", "PassengerId", "Unnamed: 0", "account key", "AcctNo"]
NUMBERS_OF_UNITS += ["Patientennr", "Vorgangsnummer", "bib"]


def test_numbers_of_units_are_never_a_quantity():
    table, rng = measured()
    numbers, shuffled = np.arange(10_000, 90_000, 31), RNG(2)
    for n, reason in (len(numbers), "identifier"), (90, "numbers of units"):
        columns = {name: numbers[shuffled.permutation(300) % n] for name in NUMBERS_OF_UNITS}
        left_out = build_problem(table.assign(**columns), "outcome").left_out
        assert left_out == dict.fromkeys(NUMBERS_OF_UNITS, reason)
    for name in ("PatNr", "patient_nbr"):
        by_name = build_problem(table.assign(**{name: numbers[rng.integers(0, 90, 300)]}), "outcome")
        assert by_name.group_name == name
        assert by_name.left_out == {name: "numbers of units"}
        assert issue_of(by_name, "groups").finding.startswith(f"Rows of one “{name}” belong together, by its name (")
    assert build_problem(table.assign(StatusID=numbers[rng.integers(0, 9, 300)]), "outcome").groups is None
    both = build_problem(
        table.assign(cust_nbr=rng.permutation(300) // 2, bib=rng.permutation(numbers)[np.arange(300) % 9]), "outcome"
    )
    assert issue_of(both, "numbers of units").finding.endswith(
        "“cust_nbr” (left out: fewer than 5 rows each on average), “bib” (used as a category)."
    )
    few = {name: rng.permutation(numbers)[rng.integers(0, 9, 300)] for name in NUMBERS_OF_UNITS}
    kinds_of = build_problem(table.assign(**few), "outcome").kinds
    assert {kinds_of[name] for name in NUMBERS_OF_UNITS} == {"category"}


@pytest.mark.parametrize("name", ["subject", "Patient", "animal"])
def test_units_with_numbers_are_groups_where_all_have_the_same_targets(name):
    table, rng = measured()
    unit = np.repeat(np.arange(1, 16), 20)
    table = table.assign(**{name: unit, "outcome": np.tile(["rest", "move"], 150)})
    for rows in (np.arange(300), rng.permutation(300)):
        problem = build_problem(table.iloc[rows], "outcome")
        assert problem.group_name == name
        assert problem.kinds[name] == "category"
    assert build_problem(table.assign(outcome=unit + table["a"]), "outcome").kinds[name] == "number"
    sizes = 1 + np.sort(rng.poisson(2.0, 300))
    assert build_problem(table.assign(**{name: rng.permutation(sizes)}), "outcome").groups is None
    assert build_problem(table.assign(**{f"time_in_{name}": unit}), "outcome").kinds[f"time_in_{name}"] == "number"


@pytest.mark.parametrize("name", ["Shop", "Police District", "dept"])
def test_numbers_of_places_are_groups_in_a_panel_and_categories_elsewhere(name):
    table, rng = measured()
    shop, day = np.arange(300) % 15, np.arange(300) // 15
    level = 3 * rng.normal(size=15)
    table = table.assign(**{name: shop + 1, "outcome": (table["a"] + level[shop]).round(2)})
    problem = build_problem(table, "outcome")
    assert (problem.group_name, problem.kinds[name]) == (None, "category")
    dated = table.assign(date=(np.datetime64("2024-01-01") + day).astype(str))
    assert build_problem(dated, "outcome").group_name == name
    amounts = {name: 17 * shop + 4, f"{name} code": rng.permutation(17 * shop + 4)}
    of_amounts = build_problem(table.assign(**amounts, outcome=rng.normal(size=300).round(2)), "outcome")
    assert [of_amounts.kinds[column] for column in amounts] == ["number", "category"]
    rising = build_problem(table.assign(outcome=(table["a"] + shop).round(2)), "outcome")
    assert rising.kinds[name] == "category"


@pytest.mark.parametrize("name", ["X Coordinate", "y_coord", "Coordinate", "coordinate_x"])
def test_coordinates_are_numbers_and_postal_codes_are_not(name):
    table, rng = measured()
    place = rng.normal(1_164_000, 16_000, 100).round()[np.arange(300) % 100]
    problem = build_problem(table.assign(**{name: place, "geo code": place[::-1]}), "outcome")
    assert (problem.kinds[name], name in problem.X) == ("number", True)
    assert problem.left_out == {"geo code": "numbers of units"}


def test_phones_and_postal_codes_of_rows_are_identifiers_and_no_free_text():
    table, rng = measured()
    table["Tel."] = [f"0170 {k}" for k in rng.choice(np.arange(10**6, 10**7), 300, replace=False)]
    table["postcode"] = [f"{rng.integers(1000, 9999)} {''.join(rng.choice(list('PQRS'), 2))}" for _ in range(300)]
    assert build_problem(table, "outcome").left_out == dict.fromkeys(("Tel.", "postcode"), "identifier")


def test_an_index_that_begins_again_is_an_identifier():
    table, _ = measured()
    week = 51 - np.arange(300) % 52  # of a region and year, the last one first
    seasonal = table.assign(**{"Unnamed: 0": week, "outcome": (table["a"] + np.sin(week / 8)).round(3)})
    problem = build_problem(seasonal, "outcome")
    assert problem.left_out == {"Unnamed: 0": "identifier"}
    assert "“Unnamed: 0” (counts the rows of each block anew)" in issue_of(problem, "identifier").finding
    assert problem.groups is None


def test_a_number_that_counts_the_rows_of_each_class_is_no_unit():
    rng = RNG(3)
    sizes = [70, 50, 34]
    kind = np.repeat(["gull", "tern", "skua"], sizes)
    table = pd.DataFrame({"Sample Number": np.concatenate([np.arange(1, n + 1) for n in sizes]), "kind": kind})
    table["wing"] = (np.repeat([30.0, 26, 33], sizes) + rng.normal(size=154)).round(1)
    assert build_problem(table, "kind").left_out == {"Sample Number": "identifier"}
    same = table.assign(**{"Sample Number": np.resize(np.arange(1, 23), 154)})
    assert build_problem(same, "kind").group_name == "Sample Number"


def test_a_family_and_a_title_are_no_unit():
    table, rng = measured()
    title = rng.choice(["Mr", "Mrs", "Miss"], 300)
    family = rng.choice(["Larsson", "Moreau", "Goodwin", "Fortune"], 300)
    first = [f"{a}{b}" for a in "ABCDEFGHKL" for b in "adeiklmnorstuvy" for _ in range(2)]
    names = [f"{f}, {t}. {n} {k % 2 * 'X'}" for k, (f, t, n) in enumerate(zip(family, title, first, strict=True))]
    alike = table.assign(name=names, outcome=(table["a"] + 3 * (title == "Mr")).round(3))
    assert build_problem(alike, "outcome").groups is None


@pytest.mark.parametrize(
    ("name", "value", "n_units", "is_group"),
    [
        *((name, lambda k: 10_000 + 31 * k, 90, True) for name in ("cust_nbr", "bib")),
        ("Subject", lambda k: 300 + k, 150, True),
        ("thing", "INV{:02d}".format, 15, True),
        ("thing", "ΑΓΡ-{:03d}".format, 15, True),
        ("thing", lambda k: f"E{37 * k:03d}", 15, False),
        ("thing", "{:03d}".format, 15, False),
        ("thing", "v{}".format, 15, False),
        *((name, "k{}".format, 20, False) for name in ("make", "school_type")),
        *((name, lambda k: k + 1, 8, False) for name in ("number_of_rooms", "household size")),
    ],
)
def test_names_of_units_with_similar_targets_are_groups_and_categories_and_counts_are_not(
    name, value, n_units, is_group
):
    table, rng = measured()
    unit, base = rng.permutation(np.arange(300) % n_units), 3 * rng.normal(size=n_units)
    table = table.assign(**{name: [*map(value, unit)], "outcome": (table["a"] + base[unit]).round(3)})
    problem = build_problem(table, "outcome")
    assert problem.group_name == (name if is_group else None)
    assert problem.kinds[name] == ("number" if n_units == 8 else "category")


@pytest.mark.parametrize("is_panel", [True, False])
def test_units_that_tell_the_class_are_groups_if_they_are_a_panel(is_panel):
    table, rng = measured()
    unit = np.repeat(np.arange(30), 10)
    month = np.tile(np.arange(10), 30) if is_panel else rng.integers(0, 10, 300)
    basin = np.array(["Loire", "Seine", "Rhône"])[unit % 3]
    rivers = np.array([f"{a}{b}" for a in ("Main", "Ruhr", "Elbe") for b in "abcdefghij"])[unit]
    problem = build_problem(table.assign(river=rivers, month=month, outcome=basin), "outcome")
    assert problem.left_out["river"] == "target leak"
    assert problem.group_name == ("river" if is_panel else None)


def test_names_of_units_with_few_rows_are_names_and_no_free_text():
    table, rng = measured()
    unit = np.concatenate([np.arange(90), np.repeat(np.arange(90, 195), 2)])  # texts most of which differ
    table["participant_id"] = [f"sub-{k:04d}" for k in unit]
    table["outcome"] = (table["a"] + rng.normal(size=195)[unit]).round(3)
    problem = build_problem(table, "outcome")
    assert problem.group_name == "participant_id"
    assert problem.left_out["participant_id"] == "identifier"


def test_a_second_name_of_many_units_is_a_copy():
    table, rng = measured()
    unit = rng.integers(0, 70, 300)
    table = table.assign(patient_no=301 + unit, patient_name=[f"Name{chr(97 + k // 9)}{chr(97 + k % 9)}" for k in unit])
    table["outcome"] = (table["a"] + 3 * rng.normal(size=70)[unit]).round(2)
    assert build_problem(table, "outcome").left_out["patient_name"] == "duplicate columns"
    city = rng.integers(0, 4, 300)
    table = measured()[0].assign(City=np.array(["Ulm", "Bonn", "Jena", "Kiel"])[city])
    table["Postal Code"] = np.array([89073, 53111, 7743, 24103])[city]
    assert build_problem(table, "outcome").left_out == {"Postal Code": "duplicate columns"}
    fees = table.rename(columns={"Postal Code": "fee"})
    assert build_problem(fees, "outcome").left_out == {}


def test_a_copy_with_gaps_of_its_own_stays():
    table, rng = measured()
    closed = (table["a"] - 0.5).where(rng.uniform(size=300) < 0.6)
    assert set(build_problem(table.assign(closed=closed), "outcome").columns) == {"a", "b", "closed"}
    assert "closed" not in build_problem(table.assign(closed=closed.fillna(table["a"] - 0.5)), "outcome").columns


def test_a_column_that_is_constant_in_the_complete_rows_is_in_no_sum():
    table, _ = measured()
    table["flag"] = np.where(table.index % 25 == 0, 4, 2)
    table["a"] = table["a"].where(table["flag"] == 2)
    assert {"b", "flag"} <= set(build_problem(table, "outcome").columns)


def test_few_units_of_a_panel_are_units_whatever_their_time_is_called():
    rng = RNG(0)
    shop, day = np.repeat(np.arange(5), 60), np.tile(np.arange(60), 5)
    table = pd.DataFrame({"filiala": np.array(["Ost", "West", "Nord", "Hafen", "Markt"])[shop]})
    table["ziua"] = (np.datetime64("2024-01-01") + day).astype(str)
    table = table.assign(x=rng.normal(size=300).round(2), outcome=(3 * shop + rng.normal(size=300)).round(2))
    assert build_problem(table, "outcome").group_name == "filiala"


def test_of_crossed_factors_the_one_with_many_values_is_the_unit():
    rng = RNG(0)
    core, depth = np.repeat(np.arange(60), 4), np.tile(np.arange(4), 60)
    y = 2.0 * depth + rng.normal(size=60)[core] + 0.5 * rng.normal(size=240)
    table = pd.DataFrame({"core": np.char.add("K", (7 * core).astype(str)), "x": rng.normal(size=240).round(2)})
    table = table.assign(depth=np.array(["0-10", "10-20", "20-40", "40-80"])[depth], outcome=y.round(2))
    assert build_problem(table, "outcome").group_name == "core"


def test_what_is_crossed_with_two_factors_is_a_unit():
    rng = RNG(0)
    land, sex, age = (axis.ravel() for axis in np.meshgrid(np.arange(25), np.arange(3), np.arange(3), indexing="ij"))
    table = pd.DataFrame({"geo": [f"{chr(65 + k % 5)}{chr(75 + k // 5)}" for k in land]})
    table = table.assign(sex=np.array(["F", "M", "T"])[sex], age=np.array(["15-24", "25-54", "55-64"])[age])
    table["x"] = rng.normal(size=225).round(2)
    alike = table.assign(outcome=(3 * (age == 0) + 2 * rng.normal(size=25)[land] + rng.normal(size=225)).round(2))
    assert build_problem(alike, "outcome").group_name == "geo"
    assert build_problem(table.assign(outcome=3 * (age == 0) + rng.normal(size=225)), "outcome").groups is None
    settings = alike.iloc[rng.integers(0, 225, 225)]  # not crossed
    assert build_problem(settings, "outcome").groups is None


@pytest.mark.parametrize("effect", ["tree", "core"])
def test_units_in_a_panel_whose_likeness_is_that_of_wholes_are_these(effect):
    rng = RNG(0)
    core, year = np.repeat(np.arange(40), 15), np.tile(np.arange(15), 40)
    tree = core // 2
    names = np.array([f"{a}{b}" for a in ("red", "oak") for b in "bcdfghjklm"])
    y = 2 * rng.normal(size=40)[{"tree": tree, "core": core}[effect]] + rng.normal(size=600)
    table = pd.DataFrame({"tree": names[tree], "core": np.char.add(names[tree], np.array(["N", "S"])[core % 2])})
    table = table.assign(year=1990 + year, x=rng.normal(size=600).round(2), outcome=y.round(2))
    assert build_problem(table, "outcome").group_name == effect


@pytest.mark.parametrize("n_levels", [4, 14])
def test_levels_with_numbers_are_no_units(n_levels):
    table, rng = measured()
    level = rng.integers(0, n_levels, 300)
    table = table.assign(tariff=[f"T{10 + k}" for k in level], outcome=(table["a"] + level).round(3))
    problem = build_problem(table, "outcome")
    assert (problem.groups, problem.kinds["tariff"]) == (None, "category")


@pytest.mark.parametrize(("name", "form"), [("CPF/CNPJ cliente", "132.723.{:03d}-67"), ("Č. průkazu", "{:06d}")])
def test_persons_with_long_codes_are_groups_whatever_their_targets(name, form):
    table, rng = measured()
    table[name] = [form.format(n) for n in rng.integers(0, 90, 300)]
    assert build_problem(table, "outcome").group_name == name


def test_values_in_the_first_row_of_a_patient_hold_for_all_visits():
    table, rng = measured()
    patient = np.sort(rng.integers(0, 90, 300))
    later = pd.Series(patient).duplicated()
    age, sex = rng.integers(20, 80, 90)[patient].astype(float), rng.choice(["f", "m"], 90)[patient].astype(object)
    table = table.assign(patient_id=patient, age=np.where(later, np.nan, age), sex=np.where(later, None, sex))
    problem = build_problem(table, "outcome")
    assert issue_of(problem, "filled in once").columns == ("age", "sex")
    np.testing.assert_array_equal(problem.X["age (of patient_id)"], age)
    np.testing.assert_array_equal(problem.X["sex (of patient_id)"], sex)
    assert not {"age", "sex"} & set(problem.X)
    named = build_problem(table, "outcome", groups="patient_id")
    assert set(named.X) == set(problem.X) - {"patient_id"}
    np.testing.assert_array_equal(named.X["age (of patient_id)"], age)
    assert problem.kinds["sex (of patient_id)"] == "category"
    visit = pd.DataFrame({"patient_id": [7.0], "age": [50.0], "sex": ["f"]})
    new = OfferedColumns(["sex (of patient_id)", "age (of patient_id)"], problem.derived)
    derived = {name: how for name, how in problem.derived.items() if how[0] == "of unit"}
    assert new.set_params(derived=derived).fit_transform(visit).to_numpy().tolist() == [["f", 50.0]]
    some = table.assign(age=np.where(rng.random(300) < 0.3, age, np.nan))  # also in later rows
    assert issue_of(build_problem(some, "outcome"), "filled in once").columns == ("sex",)


def test_a_flag_that_is_set_in_few_rows_is_a_column():
    table, _ = measured()
    table = table.assign(
        holiday=np.where(np.arange(300) % 30 == 0, "S", None), note=np.where(table["a"] > 2, "x", None)
    )
    problem = build_problem(table, "outcome")
    assert "holiday" in problem.X
    assert problem.left_out == {"note": "empty"}


def test_a_mean_in_a_last_row_that_is_nearly_empty_is_no_row():
    table, rng = measured()
    table = table.assign(kind=rng.choice(list("AB"), 300), mold=rng.choice(list("pq"), 300))
    last = pd.DataFrame({"kind": ["Média"], "outcome": [table["outcome"].mean().round(3)]})
    problem = build_problem(pd.concat([table, last]), "outcome")
    assert (len(problem.y), "row of totals" in kinds(problem)) == (300, True)


def test_values_in_the_first_line_of_an_order_hold_for_all_of_its_lines():
    table, rng = measured()
    order = np.sort(rng.integers(0, 190, 300))
    later = pd.Series(order).duplicated()
    country = rng.choice(["DE", "US"], 190)[order].astype(object)
    table = table.assign(Name=[f"#{1001 + n}" for n in order], country=np.where(later, None, country))
    problem = build_problem(table, "outcome")
    np.testing.assert_array_equal(problem.X["country (of Name)"], country)
    table.loc[np.flatnonzero(later)[0], "country"] = "DE"
    assert "filled in once" not in kinds(build_problem(table, "outcome"))


def test_what_has_attributes_is_a_unit():
    table, rng = measured()
    plot = rng.integers(0, 30, 300)
    height, age = rng.integers(50, 75, 30)[plot], rng.integers(20, 45, 30)[plot]
    table = table.assign(parcel=100 + plot, height=height, age=age)
    problem = build_problem(table, "outcome")
    assert problem.group_name == "parcel"
    assert "Rows of one “parcel” have the same “height”, “age” (30 values" in issue_of(problem, "groups").finding
    assert build_problem(table.drop(columns="age"), "outcome").groups is None
    names = np.array([f"{a}{b} 7" for a in "KLMNPR" for b in "aeiou"])[plot]
    assert build_problem(table.drop(columns="age").assign(owner=names), "outcome").group_name == "parcel"
    assert build_problem(table.rename(columns={"parcel": "week"}).drop(columns="height"), "outcome").groups is None
    level = rng.integers(1, 30, 300)
    powers = measured()[0].assign(level=level, square=level**2, log=np.log(level).round(4))
    assert build_problem(powers, "outcome").groups is None


def test_means_of_the_target_over_repetitions_are_a_leak():
    table, rng = measured()
    of_rows = np.repeat(np.arange(100), 3)
    y = (rng.normal(size=100)[of_rows] + 2 * rng.normal(size=300)).round(2)
    means = pd.Series(y).groupby(of_rows).transform("mean").round(3)
    table = table.assign(outcome=y, mean=means, other=means + 0.2 * rng.normal(size=100)[of_rows])
    assert build_problem(table, "outcome", groups="none").left_out == {"mean": "target leak"}
    assert "mean" in build_problem(table, "outcome", groups="none", keep=["mean"]).X


@pytest.mark.parametrize("counts", [[0.45, 0.33, 0.14, 0.06, 0.02], [0.2, 0.2, 0.2, 0.2, 0.2]])
def test_a_column_near_the_mean_of_its_pairs_of_counts_by_chance_is_no_leak(counts):
    table, rng = measured(900)
    visits = rng.choice(5, 900, p=counts)
    weight = rng.uniform(0.5, 1.8, 900).round(3)
    problem = build_problem(table.assign(weight=weight, visits=visits), "visits", task="regression")
    assert "weight" in problem.X
    of_film = rng.integers(0, 200, 900)
    mean = pd.Series(visits).groupby(of_film).transform("mean").round(3)
    problem = build_problem(table.assign(mean=mean, visits=visits), "visits", task="regression")
    assert problem.left_out == {"mean": "target leak"}


def test_a_forecast_in_whole_numbers_is_no_mean_of_the_targets():
    table, rng = measured(900)
    forecast = rng.integers(0, 60, 900)
    outcome = (forecast + 2.5 * rng.normal(size=900)).round(1)
    assert "forecast" in build_problem(table.assign(forecast=forecast, outcome=outcome), "outcome").X


@pytest.mark.parametrize("name", ["NO", "NO2", "NOx", "index", "key"])
def test_a_measurement_with_the_name_of_an_identifier_is_no_group(name):
    table, rng = measured()
    level = rng.integers(3, 60, 300)
    problem = build_problem(table.assign(**{name: level, "outcome": (0.3 * level + table["a"]).round(2)}), "outcome")
    assert problem.groups is None
    assert problem.kinds[name] == "number"


def test_a_code_that_fixes_the_target_is_a_leak_but_a_patient_of_one_class_is_a_group():
    table, rng = measured()
    table["outcome"] = np.where(table["outcome"] > 0, "yes", "no")
    code = np.where(table["outcome"] == "yes", rng.choice([1, 4], 300), rng.choice([2, 3, 5], 300))
    assert build_problem(table.assign(ReasonID=code), "outcome").left_out == {"ReasonID": "target leak"}
    of = rng.integers(0, 40, 300)
    patients = table.assign(patient_id=700 + of, outcome=np.where(of < 20, "yes", "no"))
    assert build_problem(patients, "outcome").group_name == "patient_id"


@pytest.mark.parametrize("n_classes", [2, 7])
def test_missing_in_one_small_class_of_many_is_no_leak(n_classes):
    table, _rng = measured(350)
    table["outcome"] = np.array([f"k{k}" for k in np.arange(350) % n_classes])
    table.loc[table["outcome"] == "k1", "b"] = np.nan
    left_out = build_problem(table, "outcome").left_out
    assert left_out == ({"b": "target leak"} if n_classes == 2 else {})


@pytest.mark.parametrize("pair", ["dates", "meter readings", "prices"])
def test_a_start_and_an_end_are_no_copies_and_their_difference_is_offered(pair):
    rng = RNG(0)
    spent = rng.integers(5, 60, 200)
    start = np.cumsum(rng.integers(100, 900, 200)).astype(float)
    if pair == "dates":
        begin = pd.Timestamp("2020-01-01") + pd.to_timedelta(start, "min")
        table = pd.DataFrame({"out": begin, "back": begin + pd.to_timedelta(spent, "min")}).astype(str)
    elif pair == "prices":
        table = pd.DataFrame({"open": (40_000 + start).round(2), "close": (40_000 + start + spent).round(2)})
    else:
        table = pd.DataFrame({"before": 5000 + start, "after": 5000 + start + spent + rng.integers(0, 9, 200) / 10})
    first, second = table.columns
    problem = build_problem(table.assign(outcome=(2 * spent + rng.normal(size=200)).round(2)), "outcome", keep=table)
    assert "start and end" in kinds(problem)
    assert "duplicate columns" not in kinds(problem) or second not in problem.left_out
    difference = problem.X[f"{second} minus {first}"] * (1440 if pair == "dates" else 1)
    assert np.corrcoef(difference, spent)[0, 1] > 0.99


@pytest.mark.parametrize(("first", "second"), [("net", "gross"), ("Area", "ConvexArea"), ("Length", "TotalLength")])
def test_numbers_of_which_one_is_the_larger_are_no_start_and_end(first, second):
    table, rng = measured()
    table[first] = rng.uniform(100, 900, 300).round()
    table[second] = (table[first] * rng.uniform(1.001, 1.03, 300)).round()
    assert "start and end" not in kinds(build_problem(table, "outcome"))
    readings = table.rename(columns={first: "prev. reading", second: "curr. reading"})
    assert "curr. reading minus prev. reading" in build_problem(readings, "outcome").X


def test_numbers_that_are_alike_are_a_start_and_an_end_by_their_names_only():
    rng = RNG(1)
    left = rng.uniform(20, 80, 300)
    right, depth = left * rng.normal(1.001, 0.004, 300), 0.7 * left * rng.normal(1, 0.004, 300)
    feet = pd.DataFrame({"left (cm)": left, "right (cm)": right, "depth (cm)": depth}).round(2)
    feet["order_id"] = rng.permutation(300) * 7 + 40_000
    feet["customer_id"] = feet["order_id"] + 1000 + rng.integers(0, 9, 300)
    feet["outcome"] = (left + 20 * rng.normal(size=300)).round(2)
    assert "start and end" not in kinds(build_problem(feet, "outcome"))
    prices = feet.rename(columns={"left (cm)": "Open", "right (cm)": "Close"}).drop(columns="depth (cm)")
    assert "Close minus Open" in build_problem(prices, "outcome").X


def test_a_date_that_is_often_before_another_one_is_no_end_of_it():
    table, rng = measured()
    days = [pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, most, 300), "D") for most in (300, 600)]
    problem = build_problem(table.assign(ordered=days[0].astype(str), paid=days[1].astype(str)), "outcome")
    assert "start and end" not in kinds(problem)


def test_several_rows_of_statistics_at_the_end_are_no_rows():
    table, _ = measured(80)
    table.insert(0, "shop", [f"Shop {k % 9}" for k in range(80)])
    numbers = table.drop(columns="shop")
    tail = [
        {"shop": word, **numbers.agg(how).round(2)} for word, how in (("Mean", "mean"), ("Max", "max"), ("SD", "std"))
    ]
    problem = build_problem(pd.concat([table, pd.DataFrame(tail)], ignore_index=True), "outcome")
    assert len(problem.y) == 80
    assert (
        issue_of(problem, "row of totals").finding
        == "The last 3 rows summarize the others: they have “Mean”, “Max”, “SD”."
    )
    named = table.assign(shop=[*table["shop"][:-1], "Max"])  # a name
    assert len(build_problem(named, "outcome").y) == 80


def test_subtotals_between_the_rows_are_no_rows():
    table, _ = measured(80)
    table.insert(0, "branch", [f"{'NSEW'[k // 20]} {k}" for k in range(80)])
    parts = []
    for k, name in enumerate(["North total", "South total", "East total", "West total"]):
        rows = table[20 * k : 20 * k + 20]
        parts += [rows, pd.DataFrame([{"branch": name, **rows.drop(columns="branch").sum()}])]
    pivot = pd.concat([*parts, pd.DataFrame([{"branch": "Grand total", **table.drop(columns="branch").sum()}])])
    assert len(build_problem(pivot.reset_index(drop=True), "outcome").y) == 80
    named = table.assign(branch=np.where(np.arange(80) % 9 == 0, "Total Oil", "Shell"))  # a firm
    assert len(build_problem(named, "outcome").y) == 80


@pytest.mark.parametrize("factor", [1.0, 2.2046])
def test_what_is_mostly_proportional_to_the_target_is_asked_about(factor):
    table, rng = measured()
    table["weight"] = rng.integers(400, 900, 300) / 10
    other = rng.uniform(size=300) < 0.3
    table["outcome"] = (table["weight"] * np.where(other, rng.uniform(0.5, 2, 300), factor)).round(6)
    problem = build_problem(table, "outcome")
    assert issue_of(problem, "mostly equal").columns == ("weight",)
    assert "weight" in problem.X
    assert kinds(build_problem(table, "outcome", keep=["weight"])) == {}
    rounded = table.assign(outcome=table["outcome"].round(1))
    assert issue_of(build_problem(rounded, "outcome"), "mostly equal").columns == ("weight",)
    alike = table.assign(outcome=(table["weight"] * np.exp(rng.normal(0, 0.01, 300))).round(1))
    assert "mostly equal" not in kinds(build_problem(alike, "outcome", keep=["weight"]))
    assert "mostly equal" not in kinds(build_problem(alike, "outcome"))


@pytest.mark.parametrize("size", [4, 6, 9])
def test_a_sum_of_many_columns_is_a_joint_leak(size):
    rng = RNG(size)
    table = pd.DataFrame(rng.gamma(2, 20, (200, size + 3)).round(1)).rename(columns=lambda k: f"p{k}")
    signs = np.where(np.arange(size) % 3 == 2, -1, 1)
    table["outcome"] = (table.iloc[:, :size] @ signs).round(1)
    assert set(issue_of(build_problem(table, "outcome"), "joint leak").columns) == {f"p{k}" for k in range(size)}
    rough = table.assign(outcome=table["outcome"] + RNG(1).normal(size=200).round(1))
    assert "joint leak" not in kinds(build_problem(rough, "outcome"))


@pytest.mark.parametrize("with_a_number", [True, False])
def test_a_sum_of_answers_in_words_is_a_joint_leak(with_a_number):
    rng = RNG(0)
    answers, scale = rng.integers(0, 5, (200, 6)), np.array(["never", "rarely", "at times", "often", "always"])
    table = pd.DataFrame(scale[answers]).rename(columns=lambda k: f"q{k}")
    table["seed"], table["age"] = rng.integers(10**9, size=200), rng.integers(20, 60, 200)
    sign = np.array([1, -1, 1, 1, 0, 0])
    table["score"] = answers @ sign + with_a_number * table["age"]
    expected = {"q0", "q1", "q2", "q3"} | ({"age"} if with_a_number else set())
    assert set(issue_of(build_problem(table, "score", task="regression"), "joint leak").columns) == expected
    rough = table.assign(score=table["score"] + (rng.random(200) < 0.3))
    assert "joint leak" not in kinds(build_problem(rough, "score", task="regression"))


def test_follow_up_given_by_two_dates_is_asked_about():
    rng = RNG(0)
    begin = pd.Timestamp("2014-02-01") + pd.to_timedelta(rng.integers(0, 900, 200), "D")
    dead = rng.uniform(size=200) < 0.4
    end = begin + pd.to_timedelta(np.where(dead, rng.integers(9, 300, 200), rng.integers(250, 900, 200)), "D")
    table = pd.DataFrame({"enrolled": begin.astype(str), "last contact": end.astype(str), "a": rng.normal(size=200)})
    problem = build_problem(table.assign(death=np.where(dead, "yes", "no")), "death")
    issue = issue_of(problem, "follow-up time")
    assert set(issue.columns) == {"enrolled", "last contact"}
    assert "by the name" not in issue.finding
    problem = build_problem(table.assign(LOS=(end - begin).days, death=np.where(dead, "yes", "no")), "death")
    assert set(issue_of(problem, "follow-up time").columns) == {"enrolled", "last contact", "LOS"}


def test_filled_in_nearly_only_for_one_class_is_asked_about():
    table, rng = measured()
    table["outcome"] = np.where(rng.uniform(size=300) < 0.4, "left", "stays")
    left = (table["outcome"] == "left") & (rng.uniform(size=300) < 0.9)
    table["reason"] = np.where(left | (np.arange(300) % 100 == 7), rng.choice(["pay", "move"], 300), "")
    issue = issue_of(build_problem(table, "outcome"), "filled in for one class")
    assert issue.columns == ("reason",)
    assert "nearly only" in issue.finding
    table["reason"] = np.where(rng.uniform(size=300) < 0.5, "pay", "")
    assert "filled in for one class" not in kinds(build_problem(table, "outcome"))
    amount = rng.gamma(2, 30, 300).round(2)
    table["reason"] = np.where(left, amount, 0)
    assert issue_of(build_problem(table, "outcome"), "filled in for one class").columns == ("reason",)
    table["reason"] = np.where(left, 1, 0)  # a flag that is set afterwards
    issue = issue_of(build_problem(table, "outcome"), "filled in for one class")
    assert f"“reason” (“1” in {left.sum()} of {(table['outcome'] == 'left').sum()} rows of “left”, " in issue.finding


def test_filled_in_hardly_for_the_others_of_a_rare_class_is_asked_about():
    rng = RNG(0)
    responded = rng.uniform(size=2600) < 0.11
    filled = rng.uniform(size=2600) < np.where(responded, 0.9, 0.009)
    table = pd.DataFrame({"age": rng.normal(50, 9, 2600).round(), "responded": responded.astype(int)})
    table["revenue_after"] = np.where(filled, rng.gamma(2, 30, 2600).round(2), 0)
    assert filled[~responded].sum() > 0.05 * filled.sum()
    assert issue_of(build_problem(table, "responded"), "filled in for one class").columns == ("revenue_after",)
    table["symptom"] = (rng.uniform(size=2600) < np.where(responded, 0.5, 0.01)).astype(int)
    table = table.drop(columns="revenue_after")
    assert "filled in for one class" not in kinds(build_problem(table, "responded"))


@pytest.mark.parametrize("names", [("year", "month"), ("season", "week")])
def test_a_panel_may_have_its_time_in_two_columns(names):
    rng = RNG(0)
    region, one, two = np.meshgrid(np.arange(8), np.arange(3), np.arange(1, 9), indexing="ij")
    table = pd.DataFrame({names[0]: 2010 + one.ravel(), names[1]: two.ravel(), "region": region.ravel()})
    y = 4 * rng.normal(size=8)[table["region"]] + rng.normal(size=len(table))
    table = table.assign(region="r" + table["region"].astype(str), outcome=y.round(3))
    if names[0] == "season":
        table = table.rename(columns={"season": "year of season"})
    assert build_problem(table, "outcome").group_name == "region"


def test_years_and_months_that_begin_anew_in_every_region_are_no_order_of_the_rows():
    rng = RNG(0)
    table = pd.DataFrame([(f"r{k}", year, m) for k in range(8) for year in (2018, 2019) for m in range(1, 13)])
    table = table.set_axis(["region", "year", "month"], axis=1)
    y = 4 * rng.normal(size=8)[np.arange(192) // 24] + rng.normal(size=192)
    problem = build_problem(table.assign(outcome=y.round(2)), "outcome")
    assert (problem.time, problem.group_name) == (None, "region")


def test_groups_are_named_by_the_column_of_their_names_that_stays():
    rng = RNG(0)
    unit = np.repeat(np.arange(12), 20)
    codes = np.array([*"abcdefghijk", ""])[unit]  # as "NA" of Namibia
    table = pd.DataFrame(
        {"iso": codes, "country": np.char.add("Land ", unit.astype(str)), "year": np.tile(range(20), 12)}
    )
    y = 4 * rng.normal(size=12)[unit] + rng.normal(size=240)
    assert build_problem(table.assign(outcome=y.round(2)), "outcome").group_name == "country"


def test_an_impossible_target_is_named_and_left_out():
    table, rng = measured()
    table["outcome"] = rng.integers(2, 11, 300) / 2
    table.loc[17, "outcome"] = 1900
    problem = build_problem(table, "outcome")
    assert len(problem.y) == 299
    assert (
        "the target 1900, but all others lie between 1 and 5: row 18" in issue_of(problem, "impossible target").finding
    )
    assert len(build_problem(table, "outcome", keep=["outcome"]).y) == 300
    table["outcome"] = rng.normal(60, 9, 300).round(2)
    assert len(build_problem(table, "outcome").y) == 300
    table.loc[17, "outcome"] = 6000
    assert "all others lie between" in issue_of(build_problem(table, "outcome"), "impossible target").finding
    table["outcome"] = np.exp(rng.normal(3, 0.3, 300)).round(2)
    table.loc[17, "outcome"] = 2.5 * table["outcome"].max()  # skewed
    assert len(build_problem(table, "outcome").y) == 300
    table.loc[17, "outcome"] = 900 * table["outcome"].max()
    assert len(build_problem(table, "outcome").y) == 299
    table["outcome"] = np.exp(2 * rng.normal(size=300)).round(4)  # an amount has no such range
    table.loc[17, "outcome"] = 3 * table["outcome"].max()
    assert len(build_problem(table, "outcome").y) == 300


def test_hours_weekdays_and_months_of_time_stamps_are_offered():
    table, rng = measured()
    stamps = pd.Timestamp("2021-03-01") + pd.to_timedelta(np.sort(rng.choice(9000, 300, replace=False)), "h")
    problem = build_problem(table.assign(at=stamps.strftime("%d.%m.%Y %H:%M:%S")), "outcome")
    assert {"at (hour)", "at (weekday)", "at (month)"} <= set(problem.X)
    assert "“at (hour)”" in issue_of(problem, "dates").action
    born = build_problem(table.assign(born=stamps.strftime("%Y-%m-%d")), "outcome")
    assert set(born.X) == {"a", "b", "born"}


def test_bands_of_the_target_are_a_leak():
    rng = RNG(0)
    points = rng.integers(0, 40, 200) / 4
    bands = np.digitize(points, [5.0, 7.0, 9.6])
    x = points + rng.normal(size=200)
    table = pd.DataFrame({"x": x, "grade": np.array(list("FCBA"))[bands], "level": bands, "points": points})
    table.loc[::15, "grade"] = np.nan
    problem = build_problem(table, "points")
    assert {n for n, why in problem.left_out.items() if why == "target leak"} == {"grade", "level"}
    halves = table.assign(passed=np.where(points < 7, "no", "yes"))[["x", "points", "passed"]]
    assert build_problem(halves, "points").left_out == {"passed": "target leak"}
    assert build_problem(halves.assign(points=np.where(points < 7, points, points + 1)), "points").left_out == {}
    table["points"] += 10 * bands  # groups that differ by nature
    assert "target leak" not in build_problem(table, "points").left_out.values()
    table["grade"] = np.array(list("FCBA"))[np.clip(bands + (rng.random(200) < 0.1), 0, 3)]
    assert "target leak" not in build_problem(table.drop(columns="level"), "points").left_out.values()


@pytest.mark.parametrize("form", ["a meter", "its reading before", "a panel"])
def test_a_running_sum_of_the_target_is_a_leak(form):
    rng = RNG(0)
    country = np.tile(["AT", "BE", "CH", "DE"], 90)
    table = pd.DataFrame({"x": rng.normal(size=360), "y": rng.gamma(2, size=360).round(2)})
    sums = table["y"].groupby(country).cumsum() if form == "a panel" else 480 + table["y"].cumsum()
    table["total"] = (sums - table["y"] * (form == "its reading before")).round(2)
    table["other"] = rng.gamma(2, size=360).cumsum()
    table = table.assign(country=country) if form == "a panel" else table
    assert build_problem(table, "y").left_out == {"total": "target leak"}
    assert build_problem(table.assign(total=table["total"].round(1)), "y").left_out == {"total": "target leak"}
    assert build_problem(table.assign(total=(table["total"] * 0.006).round(4)), "y").left_out == {
        "total": "target leak"
    }
    assert "total" in build_problem(table, "y", keep=["total"]).X


def test_the_target_in_other_words_is_a_leak_where_it_is_filled_in():
    rng = RNG(0)
    y = rng.choice(["oui", "non"], 300)
    copy = np.where(y == "oui", "zufrieden", "unzufrieden").astype(object)
    for share in (0.1, 0.7):
        copy[rng.random(300) < share] = np.nan
        problem = build_problem(pd.DataFrame({"x": rng.normal(size=300), "copy": copy, "y": y}), "y", keep=["x"])
        assert problem.left_out == {"copy": "target leak"}


def test_times_with_and_without_milliseconds_are_copies():
    table, rng = measured()
    times = pd.Timestamp("2024-03-01") + pd.to_timedelta(np.sort(rng.integers(0, 3_000_000_000, 300)), "ms")
    table = table.assign(submitted=times.strftime("%Y-%m-%dT%H:%M:%SZ"), submitted_time=times.astype("int64") // 10**6)
    problem = build_problem(table, "outcome")
    assert "start and end" not in kinds(problem)
    assert len({"submitted", "submitted_time"} & set(problem.X)) == 1


def test_names_of_units_that_hold_two_numbers_or_repeat_another_column_are_groups():
    table, rng = measured()
    batch = rng.integers(0, 40, 300)
    flow, moisture = rng.normal(20, 2, 40).round(1)[batch], rng.normal(size=40).round(2)[batch]
    table = table.assign(lot=[f"{24000 + n}/{n % 4}" for n in batch], flow=flow, moisture=moisture)
    assert build_problem(table, "outcome").group_name == "lot"
    table, rng = measured()
    who = np.arange(300) % 30
    table = table.assign(recording=[f"take{n}" for n in who], participant=[f"P{n:02d}" for n in who])
    assert build_problem(table, "outcome").group_name == "participant"


def test_what_the_names_of_rows_begin_with_is_a_unit():
    table, rng = measured()
    who = np.sort(rng.integers(0, 60, 300))
    visit = pd.Series(who).groupby(who).cumcount() + 1
    table = table.assign(FID=[f"K{7 * n}x" for n in who])
    assert build_problem(table, "outcome").group_name is None
    table["IID"] = table["FID"] + "-" + visit.astype(str)
    problem = build_problem(table, "outcome")
    assert problem.group_name == "FID"
    assert "begin with it" in issue_of(problem, "groups").finding
    assert build_problem(table.assign(IID=table["IID"].str[::-1]), "outcome").group_name is None


def test_prices_name_no_groups():
    rng = RNG(0)
    price = rng.integers(1, 12, 240)
    texts = [f"{'EUR' if k % 2 else 'DM'} {p},{k % 97:02d}" for k, p in enumerate(price)]
    problem = build_problem(
        pd.DataFrame({"x": rng.normal(size=240), "price": texts, "y": price + rng.normal(size=240)}), "y"
    )
    assert problem.group_name is None


def test_questions_and_three_values_name_no_groups():
    rng = RNG(0)
    answer = rng.choice(["never", "rarely", "often", "daily", "always"], 200)
    table = pd.DataFrame({"x": rng.normal(size=200), "How often are you on site?": answer})
    table["y"] = (answer == "daily") + 0.3 * rng.normal(size=200)
    assert build_problem(table, "y").group_name is None
    device = pd.Series(rng.choice(["desktop", "mobile", "tablet"], 200)).mask(table.index == 199)
    table = table.assign(device=device, y=(device == "mobile") + 0.3 * rng.normal(size=200))
    assert build_problem(table, "y").group_name is None


@pytest.mark.parametrize(("n_answers", "is_sorted"), [(2, True), (3, False), (5, True), (5, False)])
def test_as_many_answers_in_every_field_are_several_answers(n_answers, is_sorted):
    rng, table = RNG(0), small_table()
    hobbies = ["chess", "music", "cinema", "hiking", "cooking", "judo", "sewing", "dance"]
    order = sorted if is_sorted else list
    table["hobby"] = ["|".join(order(rng.choice(hobbies, n_answers, replace=False))) for _ in range(len(table))]
    assert {f"hobby: {hobby}" for hobby in hobbies} <= set(posed(table).X)


@pytest.mark.parametrize("second", [["A", "G"], ["S", "M", "L"], ["Texas", "Ohio", "A", "Iowa", "Utah", "Maine"]])
def test_pairs_are_not_several_answers(second):
    rng, table = RNG(0), small_table()
    first = ["A", "G"] if len(second) == 2 else ["A", "red", "Austin", "blue", "Salem", "black"]  # a gene, or others
    table["pair"] = [f"{rng.choice(first)}, {rng.choice(second)}" for _ in range(len(table))]
    problem = posed(table)
    assert "several answers" not in kinds(problem)
    assert "pair" in problem.X


def test_names_of_persons_are_not_several_answers():
    rng = RNG(0)
    table = small_table()
    first, last = (rng.choice(names, len(table)) for names in (["Ann", "Bo", "Cy", "Di"], ["Ek", "Fry", "Gall", "Hay"]))
    table["name"] = [f"{one}, {two}" for one, two in zip(last, first, strict=True)]
    assert "several answers" not in kinds(posed(table))


def test_a_ratio_that_is_zero_in_some_rows_is_calculated():
    rng = RNG(0)
    sold, shown = rng.poisson(2, 300), rng.integers(50, 900, 300)
    table = pd.DataFrame({"x": rng.normal(size=300), "sold": sold, "shown": shown, "outcome": sold / shown})
    assert build_problem(table.assign(outcome=(sold > 3) * sold), "outcome", task="regression").task == "regression"
    assert set(issue_of(posed(table), "joint leak").columns) == {"sold", "shown"}


def test_the_schema_of_report_json_knows_how_columns_are_derived():
    schema = json.loads(Path(report.__file__).with_name("report.schema.json").read_text(encoding="utf-8"))
    how = schema["properties"]["derived"]["additionalProperties"]["properties"]["how"]
    assert how["enum"] == list(KINDS)


def test_days_between_two_dates_are_a_leak_and_so_is_the_end():
    rng = RNG(0)
    start = pd.Timestamp("2022-01-01") + pd.to_timedelta(np.sort(rng.integers(0, 500_000, 200)), "min")
    end = start + pd.to_timedelta(rng.gamma(2, 2, 200) + 0.3, "D")
    days = (end.normalize() - start.normalize()).days  # nights, which differ from the time by less than a day
    table = pd.DataFrame({"stay": days, "admitted": start.astype(str), "discharged": end.astype(str)})
    table["severity"] = days / 5 + rng.normal(size=200)
    problem = build_problem(table, "stay")
    assert not any("discharged" in source for name in problem.X for source in problem.source_columns(name))
    assert {"admitted", "severity"} <= set(problem.X)
    assert "discharged minus admitted" in build_problem(table, "stay", keep=["discharged"]).X
    assert build_problem(table.assign(near=days + rng.normal(size=200)), "stay").left_out.get("near") is None


def test_a_copy_of_the_target_in_some_rows_is_a_leak():
    rng = RNG(0)
    rent = rng.integers(40, 200, 300) / 10
    deposit = np.where(rng.random(300) < 0.35, rent, np.nan)
    table = pd.DataFrame({"rent": rent, "deposit": deposit, "area": rent * 3 + rng.normal(0, 4, 300)})
    assert build_problem(table, "rent").left_out == {"deposit": "target leak"}


def test_a_rounded_pace_is_said_once_to_be_a_leak():
    rng = RNG(0)
    seconds = rng.normal(14_000, 2_000, 400).round()
    table = pd.DataFrame({"pace": (seconds / 42.2).round(-1), "age": rng.integers(18, 80, 400), "finish": seconds})
    (issue,) = [issue for issue in build_problem(table, "finish").issues if issue.kind == "target leak"]
    assert issue.columns == ("pace",)


@pytest.mark.parametrize(("n_above", "is_leak"), [(9, True), (3, False)])
def test_a_rare_flag_above_a_limit_is_a_leak_unless_few_rows_have_it(n_above, is_leak):
    rng = RNG(0)
    dust = rng.permutation(400) / 10
    alert = np.where(np.argsort(np.argsort(-dust)) < n_above, "yes", "no")
    table = pd.DataFrame({"dust": dust, "alert": alert, "wind": rng.normal(size=400)})
    assert ("alert" in build_problem(table, "dust").left_out) == is_leak


IDENTIFIERS = ["ID ogłoszenia", "ID do anúncio", "Parzelle", "IID", "MRN", "Employee no.", "hospital_name", "firm"]
IDENTIFIERS += ["Nr maszyny", "Code établissement", "Klant", "Proband", "paciente", "Kunden-Nr", "Пациент", "Horse"]
IDENTIFIERS += ["speaker", "Athlete", "Nº expediente"]
NO_IDENTIFIERS = ["idle time", "Idaho", "hybrid", "valid id cards per person", "Nº personas", "orders per customer"]
NO_IDENTIFIERS += ["manufacturer", "category", "cabin", "customer segment"]


@pytest.mark.parametrize(("names", "are_identifiers"), [(IDENTIFIERS, True), (NO_IDENTIFIERS, False)])
def test_identifiers_are_known_by_words_of_many_languages(names, are_identifiers):
    assert {name: is_identifier_name(name) for name in names} == dict.fromkeys(names, are_identifiers)


def test_a_sum_with_exceptions_is_asked_about():
    rng = RNG(0)
    parts = rng.uniform(5, 50, (300, 2)).round(1)
    table = pd.DataFrame(parts, columns=["level 3", "level 4"]).assign(poverty=rng.uniform(0, 90, 300).round(1))
    table["met"] = np.minimum(parts.sum(axis=1).round(1), 80)
    issue = issue_of(build_problem(table, "met"), "joint leak")
    assert (issue.columns, issue.finding.endswith(" of them in most rows.")) == (("level 3", "level 4"), True)
    rough = table.assign(met=table["met"] + rng.normal(0, 0.3, 300).round(1))
    assert "joint leak" not in kinds(build_problem(rough, "met"))


@pytest.mark.parametrize("word", ["I alt 2014", "ΣΥΝΟΛΟ ΜΑΪΟΥ", "Totale sett. 3", "Gesamt KW 12"])
def test_subtotals_in_other_languages_that_sum_up_one_column_are_no_rows(word):
    rng = RNG(0)
    table = pd.DataFrame(
        {"month": rng.choice(["a", "b"], 60), "x": rng.normal(size=60), "sold": rng.integers(5, 90, 60)}
    )
    blocks = [table[start : start + 20] for start in (0, 20, 40)]
    totals = [pd.DataFrame({"month": [f"{word} {k}"], "sold": block["sold"].sum()}) for k, block in enumerate(blocks)]
    problem = build_problem(pd.concat([part for pair in zip(blocks, totals, strict=True) for part in pair]), "sold")
    assert len(problem.y) == 60


def test_grades_that_half_of_the_rows_have_or_whose_ends_are_rare_are_leaks():
    rng = RNG(0)
    score = np.append(rng.normal(60, 8, 600).round(), [93, 97])
    rating = np.array(list("GFEDCBA"))[np.digitize(score, [21, 39, 55, 69, 81, 92])]
    table = pd.DataFrame({"score": score, "rating": rating, "area": score + rng.normal(0, 9, 602)})
    assert build_problem(table, "score").left_out == {"rating": "target leak"}
    table.loc[rng.random(602) < 0.6, "rating"] = None
    assert build_problem(table, "score").left_out == {"rating": "target leak"}


@pytest.mark.parametrize("by_size", [True, False])
def test_a_limit_of_each_category_is_a_leak(by_size):
    table, rng = measured()
    size = rng.integers(0, 3, 300)
    weight = rng.gamma(4, 2 + 3 * size)
    late = weight > (np.array([9, 22, 30])[size] if by_size else rng.gamma(4, 2 + 3 * size))
    table = table.assign(size=np.array(["letter", "box", "pallet"])[size], late=late, outcome=weight.round(2))
    problem = build_problem(table, "outcome")
    assert ("late" not in problem.columns) == by_size
    assert not by_size or "“late” (by “size”)" in issue_of(problem, "target leak").finding


def test_a_flag_of_long_delays_is_a_leak_where_most_have_none():
    rng = RNG(0)
    days = np.where(rng.random(600) < 0.6, 0, np.where(rng.random(600) < 0.5, rng.integers(1, 90, 600), 0))
    days[:130] = 91 + np.abs(rng.normal(120, 100, 130))
    table = pd.DataFrame(
        {"days": days, "default": np.where(days > 90, "yes", "no"), "a": rng.normal(size=600).round(3)}
    )
    assert posed(table, "days").left_out == {"default": "target leak"}


@pytest.mark.parametrize(("gap", "is_leak"), [(0, True), (6, False)])
def test_two_groups_that_differ_by_nature_are_no_bands(gap, is_leak):
    rng = RNG(0)
    guests = rng.normal(300, 50, 800).round()
    late = guests > 300
    guests = (
        np.where(late, guests + 1, guests)
        if gap == 0
        else (300 + 53 * np.where(late, gap, 0) + rng.normal(0, 50, 800)).round()
    )
    table = pd.DataFrame({"guests": guests, "meal": np.where(late, "lunch", "dinner"), "x": rng.normal(size=800)})
    assert ("meal" in build_problem(table, "guests").left_out) == is_leak


def test_an_end_of_a_difference_stays_if_its_start_leaks():
    rng = RNG(0)
    booked = pd.Timestamp("2022-06-01") + pd.to_timedelta(np.sort(rng.integers(0, 300, 400)), "D")
    arrival = booked + pd.to_timedelta(rng.integers(5, 90, 400), "D")
    is_canceled = rng.random(400) < 0.3
    canceled = (arrival - pd.to_timedelta(rng.integers(1, 5, 400), "D")).where(is_canceled)
    table = pd.DataFrame({"booked": booked, "canceled": canceled, "arrival": arrival, "x": rng.normal(size=400)})
    problem = build_problem(
        table.astype(str).replace("NaT", "").assign(status=np.where(is_canceled, "off", "on")), "status"
    )
    assert "canceled" in problem.left_out
    assert "arrival" in problem.X


def test_neighbors_in_a_spectrum_are_no_starts_and_ends():
    rng = RNG(0)
    bands = rng.normal(size=(80, 30)).cumsum(axis=1) / 1000 + rng.normal(5, 1, (80, 1))
    table = pd.DataFrame(bands, columns=[f"{400 + 10.5 * k}" for k in range(30)])
    assert not build_problem(table.assign(protein=rng.normal(10, 2, 80)), "protein").derived
    few = np.repeat(bands[:, :6], 2, axis=1) + rng.normal(0, 0.01, (80, 12))  # pairs that are alike
    table = pd.DataFrame(few, columns=[f"{1708 + 4 * k}" for k in range(12)]).assign(protein=rng.normal(10, 2, 80))
    assert not build_problem(table, "protein").derived


@pytest.mark.parametrize(
    ("name", "least"),
    [
        *((name, 10_000) for name in ("Zip Code", "ZIPCODE", "PLZ", "código postal", "PHONE")),
        *((name, 1000) for name in ("District (ZIP)", "Postleitzahl", "郵便番号")),
    ],
)
def test_codes_of_places_are_categories_if_they_repeat(name, least):
    rng = RNG(0)
    table = pd.DataFrame({name: rng.choice(rng.integers(least, 10 * least, 12), 300), "x": rng.normal(size=300)})
    problem = build_problem(table.assign(y=table["x"] + rng.normal(size=300)), "y")
    assert (problem.kinds[name], problem.group_name) == ("category", None)


def test_a_copy_is_found_beside_another_function_of_the_same_column():
    x = RNG(0).uniform(1, 9, 100).round(2)
    table = pd.DataFrame({"x": x, "logarithm": np.log(x), "double": 2 * x, "y": x + RNG(1).normal(size=100)})
    problem = build_problem(table, "y")
    assert problem.left_out == {"double": "duplicate columns"}


@pytest.mark.parametrize("seed", range(3))
def test_a_coarse_target_that_is_fitted_well_is_no_sum_with_exceptions(seed):
    rng = RNG(seed)
    X = pd.DataFrame(rng.normal(size=(40, 12))).rename(columns=lambda k: f"x{k}")
    mark = (3 + 0.5 * X.iloc[:, :5].sum(axis=1) + rng.normal(0, 0.3, 40)).round().clip(1, 5)
    assert "joint leak" not in kinds(build_problem(X.assign(mark=mark), "mark", task="regression"))


def test_a_sum_and_a_product_of_which_the_target_is_made_are_both_asked_about():
    rng = RNG(0)
    area, price, costs = (
        rng.uniform(30, 120, 300).round(1),
        rng.uniform(12, 25, 300).round(2),
        rng.uniform(90, 300, 300).round(),
    )
    rent = (area * price).round(2)
    table = pd.DataFrame({"area": area, "price": price, "costs": costs, "total": rent + costs, "rent": rent})
    asked = [issue for issue in build_problem(table, "rent").issues if issue.kind == "joint leak"]
    assert [set(issue.columns) for issue in asked] == [{"costs", "total"}, {"area", "price"}]


def test_titles_with_a_year_are_no_families():
    rng = RNG(0)
    year = rng.integers(2000, 2006, 400)
    words = zip(rng.choice(list("abcdefghij"), 400), rng.choice(list("klmnopqr"), 400), strict=True)
    titles = [f"{one} {two} ({y}, no. {k})" for k, ((one, two), y) in enumerate(zip(words, year, strict=True))]
    table = pd.DataFrame({"title": titles, "budget": rng.normal(size=400).round(3)})
    table["gross"] = (table["budget"] + year + rng.normal(size=400)).round(3)
    assert build_problem(table, "gross").group_name is None


def asked_or_left(table, kind="order within groups", **options):
    problem = build_problem(table, "outcome", **options)
    return {name for issue in problem.issues if issue.kind == kind for name in issue.columns}


@pytest.mark.parametrize(
    "made",
    [
        lambda y, by: 1000 * y / by.transform("sum"),
        lambda y, by: by.rank(),
        lambda y, by: -(y - by.transform("mean")) / by.transform("std"),
        lambda y, by: y * by.ngroup().map({0: 1.3, 1: 0.7, 2: 4.0}) + by.ngroup(),
    ],
    ids=["share", "rank", "score", "currency"],
)
def test_what_orders_rows_like_the_target_in_each_group_is_asked_about(made):
    table, rng = measured()
    group = pd.Series(rng.choice(["east", "north", "west"], 300))
    y = table["outcome"] + 50 + 10 * (group == "east") - 20 * (group == "west")
    table = table.assign(region=group, outcome=y.round(3))
    assert asked_or_left(table) == set()
    table["made"] = made(table["outcome"], table["outcome"].groupby(group)).round(4)
    assert asked_or_left(table) == {"made"}
    assert asked_or_left(table, keep=["made"]) == set()
    assert asked_or_left(table.assign(made=table["made"] + table["made"].std() / 20 * rng.normal(size=300))) == set()


def test_rows_in_the_order_of_a_column_do_not_order_ties_like_the_target():
    table, rng = measured()
    table = table.assign(
        when=np.arange(300) / 7, region=rng.choice(["east", "west"], 300), outcome=rng.integers(0, 25, 300)
    )
    assert asked_or_left(table) == set()


@pytest.mark.parametrize("units", [1, 6])
def test_means_and_targets_of_later_rows_are_leaks_and_those_of_earlier_ones_are_not(units):
    rng = RNG(0)
    n, unit = 300, np.repeat(np.arange(units), 300 // units)
    day = pd.Timestamp("2021-01-01") + pd.to_timedelta(np.tile(np.arange(n // units), units), unit="D")
    y = pd.Series(100 + rng.normal(size=n).cumsum() + 30 * unit).round(2)
    by = y.groupby(unit)
    table = pd.DataFrame({"shop": [f"shop {'abcdef'[k]}" for k in unit], "day": day.strftime("%Y-%m-%d")})
    table["before"], table["next"] = by.shift(1), by.shift(-1)
    table["mean_before"] = by.transform(lambda v: v.shift(1).rolling(3).mean()).round(2)
    table["mean_around"] = by.transform(lambda v: v.rolling(5, center=True).mean()).round(2)
    table["mean_until"] = by.transform(lambda v: v.rolling(3).mean()).round(2)
    table["noise"] = rng.normal(size=n)
    table = table.assign(outcome=y).iloc[rng.permutation(n)].reset_index(drop=True)
    left = build_problem(table.drop(columns=[] if units > 1 else "shop"), "outcome").left_out
    assert {name for name, why in left.items() if why == "target leak"} >= {"next", "mean_around", "mean_until"}
    assert not {"before", "mean_before", "noise"} & set(left)


@pytest.mark.parametrize("length", [2, 7, 8, 24, 168])
def test_a_mean_of_the_targets_until_the_row_is_a_leak_however_long(length):
    rng = RNG(0)
    hour = pd.Timestamp("2021-01-04") + pd.to_timedelta(np.arange(1000), unit="h")
    time = np.arange(1000)
    y = (30 + 0.1 * time + 26 * pd.Series(rng.normal(size=1000)).ewm(alpha=0.15).mean()).round(1)
    means = y.rolling(length, min_periods=1).mean()
    table = pd.DataFrame({"hour": hour.astype(str), "traffic": (y + rng.normal(0, 4, 1000)).round(), "smoothed": means})
    earlier = means.shift(1)
    table = table.assign(
        month=time // 100,
        day=time // 24,
        earlier=earlier.round(1),
        centered=y.rolling(length, 1, center=True).mean().round(2),
        no2=y,
    )
    left = build_problem(table.assign(smoothed=means.round(1)), "no2").left_out
    assert {name for name, why in left.items() if why == "target leak"} == {"smoothed", "centered"}


def test_a_flag_that_is_set_nearly_only_in_one_class_is_asked_about():
    table = small_table()
    is_low = table["outcome"] == "low"
    flag = is_low & (RNG(0).uniform(size=300) < 0.7)
    assert kinds(posed(table.assign(call=np.where(flag, "yes", "no")))) == {"filled in for one class": {"call"}}
    rare = is_low & (RNG(0).uniform(size=300) < 0.3)
    rare |= ~is_low & (RNG(1).uniform(size=300) < 0.02)
    assert kinds(posed(table.assign(call=np.where(rare, "yes", "no")))) == {}


def test_answers_that_have_columns_of_their_own_are_not_offered_again():
    rng = RNG(0)
    answers = [" ; ".join(rng.choice(["Python", "R", "SQL"], rng.integers(1, 4), replace=False)) for _ in range(300)]
    table = pd.DataFrame({"tools": answers, "age": rng.normal(40, 9, 300).round(), "outcome": rng.normal(size=300)})
    assert "several answers" in kinds(posed(table, task="regression"))
    table = table.assign(**{"tools: R": table["tools"].str.contains("R").map({True: "always", False: "never"})})
    problem = posed(table, task="regression")
    assert "several answers" not in kinds(problem)
    assert set(problem.X["tools: R"]) == {"always", "never"}


def test_ranks_within_each_year_are_asked_about():
    rng = RNG(0)
    table = pd.DataFrame({"year": np.repeat(np.arange(2015, 2023), 40), "age": rng.normal(50, 9, 320).round(1)})
    table["outcome"] = rng.normal(60, 9, 320).round(2)
    table["rank"] = table.groupby("year")["outcome"].rank(ascending=False, method="first")
    assert asked_or_left(table) == {"rank"}
    assert asked_or_left(table.assign(rank=rng.permutation(table["rank"]))) == set()


def test_batches_of_one_class_each_are_groups_and_codes_of_the_class_are_leaks():
    table, rng = measured()
    batch = np.arange(300) // 38
    table = table.assign(batch=[f"B{k}" for k in batch], outcome=np.where(batch % 2, "sick", "healthy"))
    table = table.iloc[rng.permutation(300)]
    assert build_problem(table, "outcome").group_name == "batch"
    codes = table.rename(columns={"batch": "StatusID"})
    assert build_problem(codes, "outcome").left_out == {"StatusID": "target leak"}


@pytest.mark.parametrize("name", ["N° patient", "No. patient", "patient no."])
def test_texts_that_name_a_known_unit_are_groups(name):
    table, rng = measured()
    names = np.array([f"P{k}" for k in rng.integers(10**6, 10**7, 160)])
    table = table.assign(**{name: rng.choice(names, 300)}, outcome=rng.normal(size=300))
    assert table[name].nunique() > 110
    assert build_problem(table, "outcome").group_name == name


def test_rows_of_a_unit_that_follow_each_other_are_groups():
    table, rng = measured()
    table = table.assign(record=np.repeat(rng.permutation(900)[:20] + 100, 15), outcome=rng.normal(size=300))
    assert build_problem(table, "outcome").group_name == "record"
    assert build_problem(table.rename(columns={"record": "pulse"}), "outcome").group_name is None


def test_numbered_units_of_one_class_each_are_groups():
    table, rng = measured()
    photo = rng.permutation(np.repeat(np.arange(60), 5))
    table = table.assign(src=[f"T{n:04d}" for n in photo], outcome=np.where(photo % 2, "sick", "healthy"))
    problem = build_problem(table, "outcome")
    assert problem.group_name == "src"
    assert "src" not in {n for n, why in problem.left_out.items() if why == "target leak"}


def test_places_given_by_coordinates_are_no_groups():
    rng, table = RNG(0), small_table()
    place = rng.integers(0, 60, len(table))
    latitude, longitude = (rng.uniform(*ends, 60).round(4) for ends in ((33, 41), (-124, -115)))
    text = [f"{latitude[p]}, {longitude[p]}" for p in place]
    table = table.assign(latitude=latitude[place], longitude=longitude[place])
    assert posed(table.assign(**{"Lat Long": text})).groups is None
    assert posed(table.assign(patient=text)).group_name == "patient"
