"""Traps planted on purpose are found, with their columns; clean tables give no alarm."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

from fscore.dossier import pose, read_text
from fscore.dossier.leaks import _monotone, _tree_score, duplicate_columns
from fscore.dossier.planting import TRAPS, plant
from fscore.dossier.rows import duplicate_rows, follows_time
from fscore.dossier.traps import column_traps, one_hot_groups


def posed(table, tmp_path, target="outcome", **options):
    table.to_csv(tmp_path / "my.csv", index=False)
    return pose(read_text(tmp_path / "my.csv"), target, **options)


def kinds(problem):
    found = {}
    for trap in problem.traps:
        found.setdefault(trap.kind, set()).update(trap.columns)
    return found


@pytest.mark.parametrize("name", TRAPS)
def test_a_planted_trap_is_found_and_no_other(name, tmp_path):
    planted = plant(1, traps=[name])
    problem = posed(planted.table, tmp_path)
    found = kinds(problem)
    assert set(found) == set(planted.traps)
    for kind, columns in planted.traps.items():
        assert set(columns) <= found[kind]
    assert all(trap.found.endswith(".") and trap.done.endswith(".") for trap in problem.traps)


@pytest.mark.parametrize("seed", range(4))
def test_clean_tables_give_no_alarm(seed, tmp_path):
    assert kinds(posed(plant(seed, n_classes=2 + seed % 2).table, tmp_path)) == {}


@pytest.mark.parametrize("loader", [load_iris, load_wine, load_breast_cancer])
def test_well_known_clean_sets_give_no_alarm(loader, tmp_path):
    assert kinds(posed(loader(as_frame=True).frame, tmp_path, "target")) == {}


@pytest.mark.parametrize("name", ["sequence", "constant", "free text", "empty", "recoded target", "noisy target"])
def test_what_can_not_be_a_feature_is_left_out(name, tmp_path):
    planted = plant(2, traps=[name])
    problem = posed(planted.table, tmp_path)
    gone = {column for columns in planted.traps.values() for column in columns}
    assert not gone & set(problem.X)
    assert set(planted.relevant) <= set(problem.X)


def test_a_leak_that_the_user_vouches_for_stays(tmp_path):
    problem = posed(plant(2, traps=["noisy target"]).table, tmp_path, keep=["marker"])
    assert "marker" in problem.X
    assert kinds(problem) == {}


def test_copies_of_rows_go_and_contradictions_stay_together(tmp_path):
    planted = plant(3, traps=["repeated rows"])
    problem = posed(planted.table, tmp_path)
    assert len(problem.y) == 300
    problem = posed(plant(3, traps=["contradiction"]).table, tmp_path)
    assert len(np.unique(problem.groups)) == 300
    assert len(problem.y) == 315


def test_few_values_repeat_by_nature():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.integers(0, 2, (200, 4)).astype(float), columns=list("abcd"))
    repeated, _, natural = duplicate_rows(X, rng.integers(0, 2, 200))
    assert repeated.any()
    assert natural


def test_groups_and_time_are_used_or_turned_off(tmp_path):
    table = plant(1, traps=["groups"]).table
    problem = posed(table, tmp_path)
    assert problem.group_name == "patient_id"
    assert "patient_id" not in problem.X
    assert posed(table, tmp_path, groups="none").groups is None
    table = plant(1, traps=["drift"]).table
    assert posed(table, tmp_path).time_name == "visit"
    off = posed(table, tmp_path, time="none")
    assert off.time is None
    assert "visit" in off.X


def test_one_hot_columns_are_one_unit(tmp_path):
    problem = posed(plant(1, traps=["one-hot"]).table, tmp_path)
    (unit,) = [unit for unit in problem.units if unit.name == "site"]
    assert set(unit.columns) == {"site_north", "site_south", "site_east", "site_west"}
    X = pd.DataFrame({"a_1": [1.0, 0, 1], "a_2": [0.0, 1, 1], "a_3": [0.0, 0, 0]})
    assert one_hot_groups(X) == {}  # two are set at once
    X = pd.DataFrame(np.eye(3)[[0, 1, 2, 0]], columns=["blood group_A_pos", "blood group_A_neg", "blood group_B"])
    assert one_hot_groups(X) == {"blood group": list(X)}


def test_copies_of_columns_are_found_up_to_scale_and_sign():
    rng = np.random.default_rng(0)
    x = rng.normal(size=50)
    X = pd.DataFrame({"a": x, "b": -3 * x + 1, "c": x + 1e-3 * rng.normal(size=50), "d": rng.normal(size=50)})
    assert duplicate_columns(X) == {"b": "a"}
    X = pd.DataFrame({"a": list("xyzx") * 5, "b": list("pqrp") * 5, "c": list("pqrq") * 5}, dtype=object)
    assert duplicate_columns(X) == {"b": "a"}


def test_extreme_numbers_are_codes_only_if_they_repeat_far_from_the_rest():
    rng = np.random.default_rng(0)
    values = rng.uniform(20, 90, 200).round(1)
    once = values.copy()
    once[0] = -999
    inside = rng.integers(0, 120, 400)[:200].astype(float)
    inside[:9] = 99
    often = values.copy()
    often[:9] = -999
    table = pd.DataFrame({"once": once, "inside": inside, "often": often}).astype(str)
    _, _, codes, _ = column_traps(table)
    assert codes == {"often": [-999.0]}


def test_order_in_time_needs_evidence():
    rng = np.random.default_rng(0)
    time = np.arange(400.0)
    assert not follows_time(time, rng.integers(0, 2, 400), "classification")
    assert follows_time(time, (np.sin(time / 9) + rng.normal(size=400) > 0).astype(int), "classification")
    assert not follows_time(rng.permutation(time), time, "regression")
    assert follows_time(time, 0.01 * time + rng.normal(size=400), "regression")


def test_regression_leaks(tmp_path):
    for name in ("noisy target",):
        planted = plant(4, regression=True, traps=[name])
        assert kinds(posed(planted.table, tmp_path)) == {"target leak": {"marker"}}
    table = plant(4, regression=True).table
    table["log"] = np.log(table["outcome"] - table["outcome"].min() + 1)
    assert kinds(posed(table, tmp_path)) == {"target leak": {"log"}}


def test_many_rows_are_drawn_from(tmp_path):
    problem = posed(plant(5, n_samples=6000).table, tmp_path)
    assert len(problem.drawn) == 4000
    assert len(problem.y) == 6000
    assert kinds(problem) == {"many rows": set()}


def test_a_class_of_one_row_and_a_column_of_few_values_tell_nothing_of_a_leak():
    y = np.array([0] * 20 + [1])
    assert _tree_score(y.astype(float), y, "classification") == 0
    values = np.where(np.arange(40) < 3, np.arange(40.0), np.nan)
    assert _monotone(values, np.arange(40.0)) == 0
    assert _monotone(np.ones(40), np.arange(40.0)) == 0
    assert _monotone(np.arange(40.0) ** 3, -np.arange(40.0)) == pytest.approx(1)


def test_a_constant_target_follows_no_time():
    assert not follows_time(np.arange(100.0), np.zeros(100), "regression")


def test_copies_do_not_make_copies_look_natural():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(306, 4)).round(3), columns=list("abcd"))
    oversampled = pd.concat([X, *[X.iloc[300:]] * 49], ignore_index=True)
    repeated, _, natural = duplicate_rows(oversampled, np.repeat([0, 1], [300, 300]))
    assert repeated.sum() == 294
    assert not natural


def test_a_few_huge_values_make_no_duplicate():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(200, 2)), columns=["a", "b"])
    X.iloc[:2] = 1e20
    X["c"] = -3 * X["a"] + 1
    assert duplicate_columns(X) == {"c": "a"}


def test_a_class_whose_rows_repeat_each_other_is_refused(tmp_path):
    table = pd.DataFrame(np.random.default_rng(0).normal(size=(65, 3)).round(4), columns=list("abc"))
    table.iloc[60:] = table.iloc[60].to_numpy()
    table["outcome"] = ["A"] * 60 + ["B"] * 5
    with pytest.raises(ValueError, match="class 'B' of the target 'outcome' has 5 rows, but only 1 of the 5 different"):
        posed(table, tmp_path)


def test_a_column_that_only_looks_like_an_identifier_can_be_kept(tmp_path):
    rng = np.random.default_rng(0)
    income = np.sort(rng.choice(90_000, 60, replace=False))
    table = pd.DataFrame({"income": income, "a": rng.normal(size=60), "outcome": rng.choice(["u", "v"], 60)})
    assert "income" not in posed(table, tmp_path).X
    assert "income" in posed(table, tmp_path, keep=["income"]).X


@pytest.mark.parametrize(
    ("form", "said"),
    [
        ("%m/01/2021", "“day”: dates, read as day/month/year, but month/day/year fits as well."),
        ("%m/01/21", "“day”: dates, read as month/day/year, but day/month/year fits as well."),
        ("%m/%d/2021", "“day”: dates, read as month/day/year."),
        ("%d/%m/2021 12:30", "“day”: dates, read as day/month/year."),
        ("%d.%m.2021", "“day”: dates, read as day.month.year."),
        ("2021/%m/%d", "“day”: dates, read as year-month-day."),
        ("%d %B 2021", "“day”: dates, read as day month year."),
        ("%Y-%m-%d", "“day”: dates, read as year-month-day."),
        ("%m/%m/2021", "“day”: dates, read as day/month/year."),  # day and month are equal
    ],
)
def test_the_format_of_dates_is_said(form, said):
    days = pd.Series(pd.date_range("2021-01-01", periods=30, freq="11D").strftime(form))
    (trap,) = column_traps(pd.DataFrame({"day": days}))[3]
    assert trap.found == said


def test_columns_of_dates_are_listed_by_format():
    days = pd.Series(pd.date_range("2021-01-01", periods=30, freq="11D"))
    table = pd.DataFrame({"a": days.dt.strftime("%Y-%m-%d"), "b": days.dt.strftime("%m/01/%Y"), "c": days})
    (trap,) = column_traps(table)[3]
    assert trap.found == (
        "“a”, “b”, “c”: dates, read “a” as year-month-day; “b” as day/month/year, but month/day/year fits as well."
    )


def test_numbers_that_are_too_large_are_called_so():
    x = np.random.default_rng(0).normal(size=100).round(3).astype(str)
    mostly, some, blank = x.copy().astype(object), x.copy().astype(object), x.copy().astype(object)
    mostly[3:] = "1e308"
    some[:11] = ["inf", "-1e50"] + ["inf"] * 9
    blank[3:] = ""
    X, _, _, traps = column_traps(pd.DataFrame({"mostly": mostly, "some": some, "blank": blank, "x": x}))
    assert list(X) == ["some", "x"]
    assert [(trap.kind, trap.columns) for trap in traps] == [
        ("empty", ("blank",)),
        ("only huge numbers", ("mostly",)),
        ("huge numbers", ("some",)),
        ("missing values", ("some",)),
    ]
    assert traps[1].found.startswith("“mostly”: only infinite numbers and such beyond ±1e50")
    assert traps[2].found == "“some”: numbers that are infinite or beyond ±1e50: 11."


def test_a_text_that_names_rows_can_not_be_kept_and_the_remedy_says_so():
    table = pd.DataFrame({"customerID": [f"{k:04x}-QZ" for k in range(60)], "x": np.arange(60.0) % 7}).astype(str)
    (trap,) = column_traps(table)[3]
    assert trap.kind == "identifier"
    assert trap.done == "Left out: it names rows; --keep says that a column of numbers doesn't."
    X, _, _, (trap,) = column_traps(table, keep=["customerID"])
    assert "customerID" not in X
    assert trap.kind == "free text"
    assert trap.done == "Left out, with --keep, too; derive columns from them to use them."


@pytest.mark.parametrize(
    ("forms", "examples"),
    [
        (("{:.1f}%", "{:.1f}%", "{:.3f}"), "“58.6%”, “60.600”"),
        (("{:.1f} mg", "{:.1f} mg", "{:.3f} g"), "“58.6 mg”, “60.600 g”"),
        (("({:.1f})", "({:.1f})", "{:.3f}"), "“(58.6)”, “60.600”"),
        (("2,33,{:03.0f}", "2,33,{:03.0f}", "2,34,{:03.0f}"), "“2,33,059”"),
        (("${:.1f}", "${:.1f}", "{:.1f} \u20ac"), "“$58.6”, “60.6 \u20ac”"),
    ],
)
@pytest.mark.parametrize("repeats", [1, 3])
def test_numbers_in_mixed_notation_are_called_so(forms, examples, repeats, tmp_path):
    values = [forms[k % 3].format(58.6 + k) for k in range(60)] * repeats
    table = pd.DataFrame({"a": values, "x": np.arange(len(values)) % 7, "outcome": ["u", "v"] * (len(values) // 2)})
    table.to_csv(tmp_path / "my.csv", index=False, sep=";")
    X, _, _, traps = column_traps(read_text(tmp_path / "my.csv").drop(columns="outcome"))
    (trap,) = traps
    assert trap.kind == "mixed notation"
    assert trap.found == f"“a”: most values look like numbers, in a notation that isn't read: {examples}."
    assert ("a" in X) == trap.done.startswith("Used as categories") == (repeats == 3)


@pytest.mark.parametrize(
    "form", ["0{:04d}", "{:04d} AB", "192.168.{:d}.1", "1.{:d}.3", "{:d}-7", "12{:02d}A", "{:d} to 9", "10,12,{:d}"]
)
def test_codes_of_digits_are_no_numbers_in_mixed_notation(form):
    letters = "ABCDEFGHKL"
    values = [form.format(k).replace("AB", letters[k % 10] + letters[k // 10]) for k in range(60)]
    for column in (values, values * 3):
        table = pd.DataFrame({"a": column}).astype(str)
        assert "mixed notation" not in {trap.kind for trap in column_traps(table)[3]}


@pytest.mark.parametrize(
    "values",
    [[0.5, 1.5, 2.25], [1, 2, 1], [True, False, True], ["none", "x", "y"], pd.array([1, 2, None], dtype="Int64")],
    ids=["float", "int", "bool", "text", "nullable"],
)
def test_tables_that_are_no_text_are_posed(values):
    rng = np.random.default_rng(0)
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
    assert set(pose(table, "y", time="none").X) == set(table) - {"y"}


def test_what_was_done_is_said_of_features_only(tmp_path):
    table = plant(1, traps=["drift"]).table
    table["born"] = (pd.Timestamp("1980-01-01") + pd.to_timedelta(np.arange(len(table)) * 37 % 5000, "D")).astype(str)
    (time,) = [trap for trap in posed(table, tmp_path).traps if trap.kind == "time order"]
    assert "tested on later; the column is not a feature (--time none turns it off)." in time.done
    done = {trap.kind: trap.done for trap in posed(table, tmp_path).traps}
    assert done["dates"] == "Used as days since 1970. Left out: “visit” (time order)."
    done = {trap.kind: trap.done for trap in posed(table.drop(columns="born"), tmp_path, time="visit").traps}
    assert done["dates"] == "Left out: “visit” (--time)."
    done = {trap.kind: trap.done for trap in posed(plant(1, traps=["missing where"]).table, tmp_path).traps}
    assert done["missing values"] == "Left out: “dose” (target leak)."
    done = {trap.kind: trap.done for trap in posed(plant(1, traps=["missing"]).table, tmp_path).traps}
    assert done["missing values"].startswith("Numbers are filled with the median")
    assert "Left out" not in done["missing values"]
