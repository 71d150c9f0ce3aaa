"""Stages are pure, and see what the stages before them made of the problem; rules within a stage have no order."""

import numpy as np
import pandas as pd
import pytest

from fscore.report import OfferedColumns, build_problem
from fscore.report.stages import STAGES, run_stage

N = 90


def kinds(problem):
    return {issue.kind for issue in problem.issues}


def base(seed=0, n=N):
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(rng.normal(50, 9, (n, 4)).round(1), columns=["height", "pulse", "dose", "age"])
    table["outcome"] = np.where(table["dose"] + 5 * rng.normal(size=n) > 50, "high", "low")
    return table


def with_total(table):
    """A last row "Total" with the sums of the numbers."""
    numbers = table.select_dtypes("number").sum().round(1)
    return pd.concat([table, pd.DataFrame([{**dict.fromkeys(table, ""), **numbers, "region": "Total"}])])


def test_a_class_in_one_hot_columns_is_a_leak_as_in_one_column():
    rng = np.random.default_rng(0)
    table = base().assign(outcome=rng.choice(["a", "b", "c"], N))
    words = build_problem(table.assign(code=table["outcome"].map({"a": "x", "b": "y", "c": "z"})), "outcome")
    one_hot = {f"code_{new}": (table["outcome"] == old).astype(int) for old, new in zip("abc", "xyz", strict=True)}
    problem = build_problem(table.assign(**one_hot), "outcome")
    assert words.left_out == problem.left_out == {"code": "target leak"}
    vouched = build_problem(table.assign(**one_hot), "outcome", keep=["code_x"])
    assert "code" in vouched.X


def test_independent_columns_beside_a_row_of_totals_are_no_joint_leak():
    rng = np.random.default_rng(0)
    table = base().assign(outcome=rng.normal(90, 9, N).round(1), region=[f"r{k % 5}" for k in range(N)])
    problem = build_problem(with_total(table), "outcome")
    assert kinds(problem) == {"row of totals"}
    assert len(problem.y) == N


@pytest.mark.parametrize("value", ["DE", 7.0])
def test_a_constant_beside_a_row_of_totals_is_left_out(value):
    table = base().assign(outcome=np.random.default_rng(1).normal(9, 2, N).round(2), region=value)
    table["area"] = [f"r{k % 5}" for k in range(N)]
    totals = with_total(table).assign(area=[*table["area"], "Total"])
    totals.iloc[-1, list(totals).index("region")] = "Total" if value == "DE" else value * N
    problem = build_problem(totals, "outcome")
    assert problem.left_out == {"region": "constant"}


PAIRS = {
    "copies of rows, and a leak that differs in them": (
        lambda t, rng: pd.concat([t, t.sample(20, random_state=0)]).assign(
            marker=lambda u: (u["outcome"] == "high") + 0.01 * rng.normal(size=N + 20)
        ),
        {"duplicate rows", "target leak"},
    ),
    "a copy of a leak": (
        lambda t, rng: t.assign(code=(t["outcome"] == "high") * 2 + 1, twin=(t["outcome"] == "high") * 4 + 9),
        {"target leak"},
    ),
    "a row number in a file that is sorted by class": (
        lambda t, rng: t.sort_values("outcome").assign(Id=np.arange(N)),
        {"identifier"},
    ),
    "one-hot columns of a constant": (
        lambda t, rng: t.assign(site_a=1, site_b=0, site_c=0),
        {"one-hot columns", "constant"},
    ),
}


@pytest.mark.parametrize("pair", PAIRS)
def test_two_traps_in_one_file_do_not_hide_each_other(pair):
    plant, expected = PAIRS[pair]
    problem = build_problem(plant(base(), np.random.default_rng(5)), "outcome")
    assert kinds(problem) == expected


def trapped():
    """A table with something for most rules."""
    rng, table = np.random.default_rng(3), base(3, 150)
    table["row"] = np.arange(150)
    table["kg"], table["lb"] = table["age"], (2.2046 * table["age"]).round(1)
    table["fixed"], table["blank"] = 1, ""
    table["visit"] = pd.Series(pd.date_range("2021-01-01 08:00", periods=150, freq="7h")).dt.strftime("%Y-%m-%d %H:%M")
    table["left"] = (pd.to_datetime(table["visit"]) + pd.to_timedelta(rng.integers(1, 99, 150), "min")).astype(str)
    for k, site in enumerate(("north", "south", "east")):
        table[f"site_{site}"] = (np.arange(150) % 3 == k).astype(int)
    table["note"] = [f"patient said {k} and {k * 7}" for k in range(150)]
    table["marker"] = (table["outcome"] == "high") + 0.01 * rng.normal(size=150)
    table["patient_nbr"] = rng.integers(10**7, 2 * 10**7, 60)[rng.integers(0, 60, 150)]
    return pd.concat([table, table.iloc[:9]])


def test_a_stage_neither_depends_on_the_order_of_its_rules_nor_changes_the_problem(monkeypatch):
    table = trapped()
    expected = build_problem(table, "outcome")
    before, table_before = expected.X.copy(), expected.table.copy()
    for name, rules in STAGES.items():
        run_stage(rules, expected)
        monkeypatch.setitem(STAGES, name, rules[::-1])
    pd.testing.assert_frame_equal(expected.X, before)
    pd.testing.assert_frame_equal(expected.table, table_before)
    problem = build_problem(table, "outcome")
    assert problem.issues == expected.issues
    assert problem.left_out == expected.left_out
    pd.testing.assert_frame_equal(problem.X, expected.X)


ENCODINGS = {  # of three values
    "words": lambda codes: {"q": np.array(["red", "green", "blue"])[codes]},
    "other words": lambda codes: {"q": np.array(["C", "A", "B"])[codes]},
    "numbers": lambda codes: {"q": codes + 1},
    "numbers in another order": lambda codes: {"q": np.array([7, 3, 5])[codes]},
    "one-hot": lambda codes: {f"q_{k}": (codes == k).astype(int) for k in range(3)},
    "truth values": lambda codes: {f"q_{k}": codes == k for k in range(3)},
}
ROLES = {  # values of the column by class number
    "feature": lambda y, rng: rng.integers(0, 3, len(y)),
    "target leak": lambda y, rng: y,
    "constant": lambda y, rng: np.zeros(len(y), int),
    "duplicate columns": lambda y, rng: np.arange(len(y)) // 7 % 3,
}


@pytest.mark.parametrize("role", ROLES)
def test_the_role_of_a_column_does_not_depend_on_its_encoding(role):
    rng = np.random.default_rng(0)
    table = base()[["height", "dose"]].assign(outcome=rng.choice(["a", "b", "c"], N))
    codes = ROLES[role](pd.factorize(table["outcome"], sort=True)[0], rng)
    if role == "duplicate columns":
        table["twin"] = np.array(["u", "v", "w"])[codes]
    roles = {}
    for name, encode in ENCODINGS.items():
        problem = build_problem(table.assign(**encode(codes)), "outcome")
        roles[name] = problem.left_out.get("q", "feature" if "q" in problem.X else None)
    assert set(roles.values()) == {role}, roles


def test_columns_are_offered_as_they_are_written_down():
    stamps = pd.Series(pd.to_datetime(["2021-03-05 18:30", "2021-12-31 00:00", None]))
    days = (stamps - pd.Timestamp("1970-01-01")) / pd.Timedelta(days=1)
    X = pd.DataFrame({"at": days, "until": days + 0.5, "k_a": [1.0, 0, 0], "k_b": [0.0, 1, 0]})
    derived = {
        "hour": ("hour", ["at"]),
        "day": ("weekday", ["at"]),
        "month": ("month", ["at"]),
        "gap": ("difference", ["at", "until"]),
        "k": ("category", ["k_a", "k_b"]),
    }
    made = OfferedColumns(["hour", "day", "month", "gap", "k"], derived).fit_transform(X)
    assert made["hour"].tolist()[:2] == [18.5, 0.0]
    assert made["day"].tolist()[:2] == ["Friday", "Friday"]
    assert made["month"].tolist()[:2] == [3.0, 12.0]
    assert made["gap"].tolist()[:2] == [0.5, 0.5]
    assert made["k"].tolist()[:2] == ["k_a", "k_b"]
    assert made.iloc[2].isna().all()
