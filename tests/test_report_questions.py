"""What the report asks about or leaves out because it follows from the target, and how a target is read."""

import numpy as np
import pandas as pd
import pytest

from fscore.report import Table, build_problem
from fscore.report.analysis import Analysis, Settings

RNG = np.random.default_rng


def asked(table, target="outcome"):
    """The columns of each kind of issue, and the problem."""
    problem = build_problem(Table.of(table.astype(str).replace("nan", "")), target)
    by_kind = {}
    for issue in problem.issues:
        by_kind.setdefault(issue.kind, set()).update(issue.columns)
    return by_kind, problem


def test_what_is_filled_in_for_several_classes_or_all_but_one_is_asked_about():
    rng = RNG(0)
    outcome = rng.choice(["paid", "refunded", "partly refunded", "voided"], 400, p=[0.6, 0.17, 0.15, 0.08])
    table = pd.DataFrame({"price": rng.uniform(5, 90, 400).round(2), "refund": 0.0, "paid at": "2024-05-01"})
    table["paid at"] = pd.Series(pd.date_range("2024-01-01", periods=400, freq="7h").astype(str))
    table.loc[outcome == "voided", "paid at"] = ""
    returned = np.isin(outcome, ["refunded", "partly refunded"])
    table.loc[returned, "refund"] = rng.uniform(1, 5, returned.sum()).round(2)
    by_kind, problem = asked(table.assign(outcome=outcome))
    assert by_kind["filled in for one class"] == {"refund", "paid at"}
    (issue,) = [issue for issue in problem.issues if issue.kind == "filled in for one class"]
    assert "“paid at” (" in issue.finding
    assert "rows of all but “voided”" in issue.finding
    assert issue.finding.endswith("filled in or not 0 for only some classes.")


def test_what_is_filled_in_where_a_quantity_is_not_zero_is_asked_about():
    rng = RNG(1)
    episodes = rng.poisson(0.4 + np.arange(400) % 3 / 4)
    cost = np.where(episodes > 0, rng.uniform(1, 9, 400).round(1), np.nan)
    table = pd.DataFrame({"age": rng.integers(1, 90, 400), "cost": cost, "outcome": episodes * 1.5})
    assert asked(table)[0]["filled in for one class"] == {"cost"}
    for issue in asked(table.fillna(0.0))[1].issues:
        assert issue.kind != "filled in for one class" or issue.finding.endswith("): not 0 for only some targets.")
    table.loc[np.flatnonzero(episodes == 0)[:3], "cost"] = 2.0  # the sun shines, but the plant stands still
    assert "filled in for one class" not in asked(table)[0]


def test_amounts_that_are_filled_in_for_large_targets_alone_are_asked_about_though_some_are_zero():
    rng = RNG(5)
    hours = rng.gamma(2, 20, 500).round()
    parts = rng.multinomial(1, [0.6, 0.37, 0.03], 500) * hours[:, None]
    parts = np.where(hours[:, None] >= 45, parts, np.nan)
    table = pd.DataFrame(parts, columns=["repair", "supply", "storm"]).assign(size=rng.integers(1, 99, 500))
    by_kind, _ = asked(table.assign(outcome=hours))
    assert by_kind["filled in for one class"] >= {"repair", "supply", "storm"}


def test_a_flag_of_a_target_of_zero_is_asked_about_and_not_left_out():
    rng = RNG(15)
    is_open = rng.random(600) < 0.9
    table = pd.DataFrame({"heat": rng.normal(15, 8, 600).round(1), "open": np.where(is_open, "yes", "no")})
    table["outcome"] = rng.gamma(1, 90, 600).round() * is_open + is_open
    by_kind, problem = asked(table)
    assert by_kind["filled in for one class"] == {"open"}
    assert "open" in problem.X
    (issue,) = [issue for issue in problem.issues if issue.kind == "filled in for one class"]
    assert "“open” (“no” in " in issue.finding
    assert "filled in for one class" not in asked(table.assign(open=rng.permutation(table["open"])))[0]


def test_what_is_filled_in_beyond_a_limit_of_a_quantity_is_asked_about():
    rng = RNG(17)
    loss = rng.normal(5, 30, 600).round()
    table = pd.DataFrame(
        {"age": rng.integers(1, 90, 600), "cause": np.where(loss >= 20, rng.integers(1, 9, 600), np.nan)}
    )
    by_kind, problem = asked(table.assign(outcome=loss))
    assert by_kind["filled in for one class"] == {"cause"}
    (issue,) = [issue for issue in problem.issues if issue.kind == "filled in for one class"]
    n = (loss >= 20).sum()
    assert f"(in {n} of {n} rows whose target is 20 or more, and in 0 of {600 - n} others)" in issue.finding
    assert asked(table.assign(outcome=-loss))[0]["filled in for one class"] == {"cause"}
    table["cause"] = table["cause"].where(rng.random(600) < np.clip((loss - 20) / 40, 0, 1))  # ever more often
    assert "filled in for one class" not in asked(table.assign(outcome=loss))[0]


def test_a_rare_flag_that_is_set_in_one_class_alone_is_asked_about():
    rng = RNG(18)
    cancelled = rng.choice(["yes", "no"], 600, p=[0.4, 0.6])
    parked = (cancelled == "no") & (rng.random(600) < 0.2)
    table = pd.DataFrame({"days": rng.integers(1, 90, 600), "parked": parked.astype(int), "outcome": cancelled})
    assert asked(table)[0]["filled in for one class"] == {"parked"}
    table.loc[np.flatnonzero(cancelled == "yes")[:2], "parked"] = 1
    assert "filled in for one class" not in asked(table)[0]


def test_few_amounts_that_are_rare_and_of_one_class_are_asked_about():
    rng = RNG(4)
    outcome = rng.choice(["paid", "default"], 800, p=[0.6, 0.4])
    rare = (outcome == "default") & (rng.random(800) < 0.25)
    table = pd.DataFrame(
        {"income": rng.normal(30, 9, 800).round(1), "recovered": rng.uniform(1, 9, 800).round(2) * rare}
    )
    assert asked(table.assign(outcome=outcome))[0]["filled in for one class"] == {"recovered"}
    words = {
        f"word {k}": rng.integers(1, 9, 800) * ((outcome == "default") & (rng.random(800) < 0.25)) for k in range(4)
    }
    assert "filled in for one class" not in asked(pd.DataFrame(words).assign(outcome=outcome))[0]  # of letters, say


def test_flags_of_one_class_that_tell_it_together_are_asked_about():
    rng = RNG(5)
    kind = rng.choice(5, 900, p=[0.6, 0.1, 0.1, 0.1, 0.1])
    table = pd.DataFrame({f"code {k}": (kind == k).astype(int) for k in (1, 2, 3, 4)})
    codes = list(table)
    table["speed"] = rng.normal(size=900).round(2)
    table["outcome"] = np.where(kind > 0, "failed", "fine")
    by_kind, problem = asked(table)
    assert by_kind["filled in for one class"] == set(codes)
    (issue,) = [issue for issue in problem.issues if issue.kind == "filled in for one class"]
    assert issue.finding.endswith("each only in the class “failed”, of which they are 100% of the rows together.")
    table.loc[rng.permutation(np.flatnonzero(kind > 0))[:60], codes] = 0  # for other reasons
    assert "filled in for one class" not in asked(table)[0]


def test_a_product_of_rounded_factors_is_asked_about():
    rng = RNG(6)
    speed, rate = rng.uniform(20, 90, 300), rng.uniform(3, 12, 300)
    table = pd.DataFrame(
        {"speed": speed.round(), "per 100 km": rate.round(1), "heat": rng.uniform(70, 99, 300).round(1)}
    )
    outcome = (speed * rate / 100).round(4)
    assert asked(table.assign(outcome=outcome))[0]["joint leak"] == {"speed", "per 100 km"}
    noisy = (outcome * np.exp(0.03 * rng.normal(size=300))).round(4)
    assert "joint leak" not in asked(table.assign(outcome=noisy))[0]


def test_a_sum_of_rounded_parts_is_asked_about_as_a_sum():
    rng = RNG(7)
    parts = pd.DataFrame(rng.gamma(2, [3.0, 1.0, 1.5], (300, 3)), columns=["goals", "threes", "free"])
    table = parts.round(1).assign(minutes=rng.uniform(5, 40, 300).round(1))
    outcome = (parts @ [2.0, 1.0, 1.0]).round(1)
    (issue,) = [i for i in asked(table.assign(outcome=outcome))[1].issues if i.kind == "joint leak"]
    assert set(issue.columns) == set(parts)
    assert "a sum" in issue.finding
    noisy = (outcome + rng.normal(size=300)).round(1)
    assert "joint leak" not in asked(table.assign(outcome=noisy))[0]


def test_a_part_that_others_nearly_give_is_named_as_well():
    minutes = RNG(18).integers(50, 3000, 400)
    table = pd.DataFrame({f"{k} points": (minutes * share).round() for k, share in ((2, 0.14), (3, 0.03), (1, 0.07))})
    table["2 points"] = (table["2 points"] * RNG(19).uniform(0.7, 1.3, 400)).round()
    table["3 points"] += RNG(20).integers(0, 5, 400)
    outcome = table @ [2, 3, 1]
    assert asked(table.assign(outcome=outcome))[0]["joint leak"] == set(table)


def test_a_question_names_all_columns_of_a_sum():
    table = pd.DataFrame(RNG(16).integers(0, 90, (300, 7)), columns=[f"part {k}" for k in "abcdefg"])
    (issue,) = [i for i in asked(table.assign(outcome=table.sum(axis=1)))[1].issues if i.kind == "joint leak"]
    assert all(f"“{name}”" in issue.finding for name in table)


def test_a_sum_of_parts_that_few_rows_have_is_asked_about():
    rng = RNG(15)
    table = pd.DataFrame(rng.integers(0, 40, (300, 3)).astype(float), columns=["carrier", "weather", "late"])
    outcome = table.sum(axis=1).where(rng.random(300) < 0.3, rng.integers(-20, 15, 300))
    table[outcome < 15] = np.nan
    table["distance"] = rng.uniform(100, 900, 300).round(1)
    assert asked(table.assign(outcome=outcome))[0]["joint leak"] == {"carrier", "weather", "late"}
    table["late"] += rng.integers(0, 5, 300)
    assert "joint leak" not in asked(table.assign(outcome=outcome))[0]


def test_what_follows_from_the_class_is_asked_about():
    rng = RNG(2)
    species = rng.choice(["ulmus glabra", "ulmus minor", "acer campestre", "tilia cordata", "acer rubrum"], 300)
    table = pd.DataFrame({"height": rng.normal(20, 3, 300).round(1), "soil": rng.choice(list("abc"), 300)})
    table["genus"] = pd.Series(species).str.split().str[0]
    by_kind, problem = asked(table.assign(species=species), "species")
    assert by_kind["coarser target"] == {"genus"}
    assert "genus" in problem.X
    one_hot = pd.get_dummies(table["genus"], prefix="genus", dtype=int)
    split = table.drop(columns="genus").join(one_hot).assign(species=species)
    assert asked(split, "species")[0]["coarser target"] == {"genus"}
    table.loc[5, "genus"] = "populus"  # an error
    assert "coarser target" not in asked(table.assign(species=species), "species")[0]


def test_two_columns_that_give_the_class_together_are_asked_about():
    rng = RNG(3)
    grade, credits = rng.integers(0, 5, 500), rng.choice([2, 3, 4], 500)
    table = pd.DataFrame({"credits": credits, "points": credits * grade, "hours": rng.integers(0, 20, 500)})
    table["outcome"] = np.array(list("ABCDF"))[grade]
    assert asked(table)[0]["joint leak"] == {"credits", "points"}
    table.loc[rng.permutation(500)[:20], "points"] = 1
    assert "joint leak" not in asked(table)[0]
    unit = rng.integers(0, 25, 500)  # of which all rows have one class, with anything beside
    table = pd.DataFrame(
        {"unit": [f"unit {'abcdefghijklmnopqrstuvwxy'[k]}" for k in unit], "hours": table["hours"] // 5}
    )
    assert "joint leak" not in asked(table.assign(outcome=np.array(list("AABCD"))[unit % 5]))[0]


def test_a_thousand_classes_are_counted_without_overflow():
    outcome = [f"{k % 1200:04}x" for k in range(6000)]
    table = pd.DataFrame(
        {"x": RNG(0).normal(size=6000).round(2), "note": ["seen" if k % 3 else "" for k in range(6000)]}
    )
    assert "filled in for one class" not in asked(table.assign(outcome=outcome))[0]


def election(rng, n_places=60, n_parties=6):
    place, party = np.repeat(np.arange(n_places), n_parties), np.tile(np.arange(n_parties), n_places)
    electorate, leave = rng.integers(40000, 90000, n_places), rng.integers(300, 700, n_places) / 10
    votes = (rng.uniform(0.5, 1.5, len(place)) * (n_parties - party) * 3000).astype(int)
    of_place = pd.Series(votes).groupby(place)
    return pd.DataFrame(
        {
            "place": [
                f"{'ABCDEFGHIJ'[k % 10]}{'aeiou'[k % 5]}{'klmnrst'[k % 7]} {'xyz'[k % 3]}{k // 30}" for k in place
            ],
            "party": np.array(["red", "blue", "green", "grey", "pink", "gold"])[party],
            "electorate": electorate[place],
            "leave": leave[place],
            "turnout": rng.integers(500, 800, n_places)[place] / 10,
            "spent": rng.integers(100, 9000, len(place)),
            "valid": of_place.transform("sum"),
            "elected": np.where(votes == of_place.transform("max"), "Yes", "No"),
            "votes": votes,
        }
    )


def test_the_groups_of_a_panel_are_the_units_that_have_attributes():
    _, problem = asked(election(RNG(4)).drop(columns=["valid", "elected"]), "votes")
    assert problem.group_name == "place"


def test_wells_of_plates_are_no_units_where_compounds_have_attributes():
    rng = RNG(11)
    plate, well = np.repeat(np.arange(8), 40), np.tile(np.arange(40), 8)
    compound = plate * 5 + well // 8
    table = pd.DataFrame({"plate": [f"plate {'abcdefgh'[k]}" for k in plate]})
    table["well"] = [f"{'ABCDE'[k // 8]}{k % 8 + 1}" for k in well]
    table["compound"] = [f"{'bcdfg'[k % 5]}{'aeiou'[k // 5 % 5]}{'lmn'[k // 25]} acid" for k in compound]
    table["weight"], table["logp"] = (
        rng.uniform(200, 500, 75).round(1)[compound],
        rng.normal(size=75).round(2)[compound],
    )
    table["viability"] = (100 - 10 * (well % 8) + rng.normal(size=320)).round(2)
    assert asked(table, "viability")[1].group_name == "compound"


def test_marks_out_of_a_number_are_numbers_also_as_target():
    rng = RNG(12)
    x = rng.integers(20, 60, 200)
    problem = asked(pd.DataFrame({"x": x + rng.integers(0, 9, 200), "exam": [f"{k}/60" for k in x]}), "exam")[1]
    assert (problem.task, problem.y.tolist()) == ("regression", x.tolist())


def test_subtotals_are_no_rows_also_where_rows_of_some_blocks_have_no_target():
    rng, rows = RNG(13), []
    for block in range(12):
        sold, house = rng.integers(10, 90, 8), f"{'abcdefghijkl'[block]} house"
        share = ["closed" if block % 3 == 0 and day == 2 else (sold[day] / 90).round(3) for day in range(8)]
        rows += [[house, day + 1, sold[day], share[day]] for day in range(8)]
        rows.append([f"Subtotal {house}", "", sold.sum(), (sold.sum() / 720).round(3)])
    by_kind, problem = asked(pd.DataFrame(rows, columns=["hotel", "day", "sold", "share"]), "share")
    assert "row of totals" in by_kind
    assert len(problem.y) == 12 * 8 - 4


def test_sums_over_groups_are_left_out_and_the_first_of_each_group_is_asked_about():
    by_kind, problem = asked(election(RNG(4)), "votes")
    assert problem.left_out["valid"] == "target leak"
    assert by_kind["order within groups"] == {"elected"}
    table = election(RNG(4))
    table["elected"] = RNG(0).permutation(table["elected"])
    assert "order within groups" not in asked(table, "votes")[0]


def test_a_target_of_dates_is_refused_with_what_to_do():
    days = pd.Series(pd.date_range("2024-01-01", periods=80)).astype(str)
    table = pd.DataFrame({"x": RNG(0).normal(size=80).round(2), "opened": days, "closed": days[::-1].tolist()})
    with pytest.raises(ValueError, match=r"'closed' holds dates.* days since 'opened'"):
        build_problem(Table.of(table.astype(str)), "closed")
    with pytest.raises(ValueError, match=r"'closed' holds dates.* such as those since a start"):
        build_problem(Table.of(table.drop(columns="opened").astype(str)), "closed")


def test_counts_that_get_ever_rarer_are_a_quantity_and_codes_among_them_missing():
    rng = RNG(5)
    counts = rng.permutation(np.repeat([0, 1, 2, 3, 4, 5, 99, -88], [500, 120, 60, 30, 8, 2, 12, 9]))
    table = pd.DataFrame({"x": rng.normal(size=len(counts)).round(2), "outcome": counts})
    problem = asked(table)[1]
    assert (problem.task, len(problem.y), problem.y.max()) == ("regression", 720, 5)
    grades = rng.permutation(np.repeat([1, 2, 3, 4, 5, 99], [100, 150, 300, 120, 50, 12]))
    problem = asked(pd.DataFrame({"x": rng.normal(size=len(grades)).round(2), "outcome": grades}))[1]
    assert (problem.task, problem.target.classes) == ("classification", [1, 2, 3, 4, 5])


@pytest.mark.parametrize("codes", [[7, 9], [8, 9]])
def test_two_codes_of_a_survey_are_no_classes_beside_yes_and_no(codes):
    values = RNG(6).permutation(np.repeat([1, 2, *codes], [300, 400, 9, 12]))
    problem = asked(pd.DataFrame({"x": RNG(7).normal(size=len(values)).round(2), "outcome": values}))[1]
    assert problem.target.classes == [1, 2]


def test_answers_with_a_sign_at_the_end_or_shortened_are_merged():
    rng = RNG(8)
    outcome = rng.choice(["Yes", "No", "YES!", "Y", "no.", "n", "Nope"], 400, p=[0.4, 0.3, 0.05, 0.05, 0.05, 0.05, 0.1])
    problem = asked(pd.DataFrame({"x": rng.normal(size=400).round(2), "outcome": outcome}))[1]
    assert problem.target.classes == ["No", "Nope", "Yes"]
    marks = rng.choice(["a", "a!", "b."], 400)
    signs = asked(pd.DataFrame({"x": rng.normal(size=400).round(2), "outcome": marks}))[1]
    assert signs.target.classes == ["a", "a!", "b."]
    compass = rng.choice(["N", "NO", "O", "S"], 400)
    winds = asked(pd.DataFrame({"x": rng.normal(size=400).round(2), "outcome": compass}))[1]
    assert winds.target.classes == ["N", "NO", "O", "S"]
    letters = asked(pd.DataFrame({"x": rng.normal(size=400).round(2), "outcome": rng.choice(["N", "S", "Y"], 400)}))[1]
    assert letters.target.classes == ["N", "S", "Y"]


@pytest.mark.parametrize("target", ["sum", "class"])
def test_a_column_without_values_in_early_rows_is_scored_forwards_in_time(target):
    rng = RNG(10)
    x, later = rng.normal(size=200), np.arange(200) > 120
    previous = np.where(later, rng.normal(size=200), np.nan)
    y = x + np.nan_to_num(previous) + np.arange(200) / 50
    table = pd.DataFrame({"day": pd.date_range("2023-01-01", periods=200), "x": x, "previous": previous})
    table[target] = y.round(3) if target == "sum" else np.where(y > np.median(y), "high", "low")
    problem = build_problem(table, target, time="day")
    analysis = Analysis(problem, Settings(problem.task))
    assert analysis.run("fold 0")


def test_a_currency_is_read_by_its_sign_and_its_code():
    amounts = RNG(0).uniform(2, 30, 80).round(2)
    forms = ["£{}", "{} GBP", "{}"]
    table = pd.DataFrame({"spent": [forms[k % 3].format(amount) for k, amount in enumerate(amounts)]})
    problem = asked(table.assign(outcome=RNG(0).normal(size=80).round(2)))[1]
    assert problem.X["spent"].tolist() == amounts.tolist()
    table["spent"] = table["spent"].str.replace("GBP", "CAD")
    assert Table.of(table).types["spent"].kind != "number"


@pytest.mark.parametrize("word", ["Gesamtdurchschnitt", "Overall average", "MÉDIA GERAL"])
def test_a_last_row_of_means_by_its_name_is_no_row(word):
    rng = RNG(9)
    table = pd.DataFrame({"name": [f"{k:03}abc" for k in rng.permutation(90)], "test": rng.uniform(size=90).round(2)})
    table["outcome"] = rng.uniform(size=90).round(2)
    table.loc[90] = [word, 0.5, 0.5]
    by_kind, problem = asked(table)
    assert "row of totals" in by_kind
    assert len(problem.y) == 90


def test_what_is_said_of_a_proportion_is_a_sentence():
    rng = RNG(19)
    table = pd.DataFrame({"litres": rng.uniform(4, 15, 300).round(1)})
    outcome = (20 * table["litres"]).where(rng.random(300) < 0.9, rng.uniform(50, 300, 300)).round()
    (issue,) = [i for i in asked(table.assign(outcome=outcome))[1].issues if i.kind == "mostly equal"]
    assert "“litres” (the target is 20 times it in " in issue.finding


def test_two_limits_that_tell_two_classes_are_asked_about():
    rng = RNG(8)
    table = pd.DataFrame({"age": rng.integers(14, 19, 400), "term": rng.normal(6, 1, 400).round(1)})
    table["mark"] = (table["term"] + rng.normal(size=400)).round(1)
    table["attended"] = rng.uniform(60, 100, 400).round(1)
    passed = (table["mark"] >= 6) & (table["attended"] >= 75)
    assert asked(table.assign(outcome=passed))[0]["joint leak"] == {"mark", "attended"}
    passed[passed.idxmax()] = False
    assert "joint leak" not in asked(table.assign(outcome=passed))[0]


@pytest.mark.parametrize("formula", [lambda a, b: 100 * a / b, lambda a, b: a + b, lambda a, b: a * b])
def test_columns_that_a_leak_is_calculated_from_are_asked_about(formula):
    rng = RNG(10)
    hours, staff, heat = rng.integers(20, 90, (3, 300))
    cost = formula(hours, staff).round(2)
    over = np.where(cost > np.median(cost), "yes", "no")
    table = pd.DataFrame({"hours": hours, "staff": staff, "heat": heat, "cost": cost, "outcome": over})
    by_kind, problem = asked(table)
    assert problem.left_out == {"cost": "target leak"}
    assert by_kind["joint leak"] == {"hours", "staff"}
    assert "joint leak" not in asked(table.assign(hours=rng.permutation(hours)))[0]


def test_what_nearly_gives_the_month_of_a_leak_is_not_asked_about():
    """Although the number of the month is nearly a sum."""
    rng, days = RNG(10), pd.date_range("2023-01-01", periods=300)
    heat = rng.integers(20, 90, 300)
    by_kind, problem = asked(pd.DataFrame({"day": days, "heat": heat, "outcome": np.sort(rng.gamma(2, 9, 300))}))
    assert problem.left_out["day (month)"] == "target leak"
    assert "joint leak" not in by_kind


@pytest.mark.parametrize(("exponent", "n_limits"), [(-1, 1), (-1, 2), (1, 3), (-2, 4), (-0.5, 1)])
def test_classes_that_are_ranges_of_a_product_or_ratio_are_asked_about(exponent, n_limits):
    rng = RNG(11)
    pay, area, floor = np.exp(rng.normal(4, 0.4, (3, 600))).round(1)
    index = pay * area**exponent
    limits = np.quantile(index, np.arange(1, n_limits + 1) / (n_limits + 1))
    table = pd.DataFrame({"floor": floor, "pay": pay, "area": area})
    outcome = np.array(list("badec"))[np.digitize(index, limits)]
    assert asked(table.assign(outcome=outcome))[0]["joint leak"] == {"pay", "area"}
    rough = np.array(list("badec"))[np.digitize(index * np.exp(0.1 * rng.normal(size=600)), limits)]
    assert "joint leak" not in asked(table.assign(outcome=rough))[0]


def test_classes_that_lie_apart_are_no_ranges_of_a_product():
    rng = RNG(12)
    species = rng.choice(["long", "broad"], 300)
    size = np.exp(3 + 0.1 * rng.normal(size=(2, 300)) + 0.3 * np.array([species == "long", species == "broad"]))
    table = pd.DataFrame({"length": size[0].round(1), "width": size[1].round(1), "outcome": species})
    assert "joint leak" not in asked(table)[0]
    paid, day = np.exp(rng.normal(7, 1, 900)), 19_000 + rng.integers(0, 300, 900)
    claim = paid * np.exp(0.03 * (day - 19_150) / 150 + 0.002 * rng.normal(size=900))  # which the day hardly changes
    band = np.array(list("abcd"))[np.digitize(claim, np.quantile(claim, [0.25, 0.5, 0.75]))]
    assert "joint leak" not in asked(pd.DataFrame({"day": day, "paid": paid.round(2), "outcome": band}))[0]
    area = np.exp(7 + rng.normal(size=300)).round()  # of which the diameter gives nothing new
    table = pd.DataFrame({"area": area, "diameter": 2 * np.sqrt(area / np.pi), "outcome": species})
    assert "joint leak" not in asked(table)[0]


@pytest.mark.parametrize("unit", [0.1, 1])
def test_a_flag_of_a_target_far_above_another_column_is_asked_about(unit):
    rng = RNG(13)
    plan = rng.integers(10, 90, 300)
    outcome = plan + rng.normal(3, 5, 300)
    table = pd.DataFrame({"line": rng.choice(list("XYZ"), 300), "plan": plan})
    table["late"] = np.where(outcome > plan + 6, "yes", "no")
    table["outcome"] = (outcome / unit).round() * unit
    assert asked(table)[0]["joint leak"] == {"late"}
    assert "joint leak" not in asked(table.assign(late=rng.permutation(table["late"])))[0]
    treated = table["late"].eq("yes")  # a cause, not a part of the target
    table["outcome"] = (plan + 20 * treated + 3 * rng.normal(size=300)).round(1)
    assert "joint leak" not in asked(table)[0]


def test_a_part_that_counts_only_above_zero_is_asked_about():
    rng = RNG(31)
    loss, excess = rng.gamma(2, 400, 300).round(2), rng.choice([200, 500, 800], 300)
    table = pd.DataFrame({"age": rng.integers(18, 80, 300), "excess": excess, "loss": loss})
    table["outcome"] = (loss - excess).clip(0).round(2)
    assert asked(table)[0]["joint leak"] == {"excess", "loss"}
    noisy = table["outcome"] + 90 * rng.normal(size=300)
    assert "joint leak" not in asked(table.assign(outcome=noisy.where(table["outcome"] > 0, 0).clip(0).round(2)))[0]


def test_a_change_is_calculated_from_its_percentage_and_from_its_ends():
    rng = RNG(31)
    before, gain = rng.normal(80, 12, 300).round(1), rng.normal(-1, 4, 300)
    after = (before + gain).round(1)
    table = pd.DataFrame({"age": rng.integers(18, 80, 300), "before": before, "outcome": (after - before).round(1)})
    percent = (100 * table["outcome"] / before).round(2)
    assert asked(table.assign(percent=percent))[0]["joint leak"] == {"before", "percent"}
    assert asked(table.assign(percent=percent, after=after))[0]["joint leak"] == {"before", "percent", "after"}
    assert "joint leak" not in asked(table.assign(percent=rng.permutation(percent)))[0]


@pytest.mark.parametrize("percent", [False, True])
def test_all_parts_of_a_share_are_asked_about(percent):
    rng = RNG(14)
    sown, heat = rng.integers(60, 200, 300), rng.normal(20, 4, 300).round(1)
    grown = rng.binomial(sown, rng.uniform(0.3, 0.95, 300))
    table = pd.DataFrame({"sown": sown, "grown": grown, "dead": sown - grown, "heat": heat})
    table["outcome"] = (100 * grown / sown).round(1) if percent else (grown / sown).round(4)
    assert asked(table)[0]["joint leak"] == {"sown", "grown", "dead"}
    assert asked(table.drop(columns="sown"))[0]["joint leak"] == {"grown", "dead"}
    assert "joint leak" not in asked(table.drop(columns=["sown", "dead"]))[0]


def test_another_column_of_the_same_classes_is_asked_about_where_it_is_mostly_the_target():
    rng = RNG(9)
    outcome = rng.choice(["fatal", "serious", "slight"], 400, p=[0.1, 0.3, 0.6])
    table = pd.DataFrame(
        {"speed": rng.normal(40, 9, 400).round(), "worst": outcome, "before": rng.permutation(outcome)}
    )
    table.loc[rng.permutation(400)[:60], "worst"] = "slight"
    assert asked(table.assign(outcome=outcome))[0]["mostly equal"] == {"worst"}
    two = {"fatal": "yes", "serious": "no", "slight": "no"}  # answers alike are usual
    answers = table.replace(two).assign(outcome=pd.Series(outcome).map(two))
    assert "mostly equal" not in asked(answers)[0]


def test_all_rows_of_one_value_may_be_totals():
    rng = RNG(10)
    countries = pd.MultiIndex.from_product(
        [range(2001, 2021), ["Chile", "Ghana", "Nepal", "Peru"]], names=["year", "of"]
    )
    of_countries = pd.DataFrame(rng.gamma(2, 50, (80, 2)).round(1), countries, ["weight", "outcome"])
    world = of_countries.groupby("year").sum().round(1).assign(of="World").set_index("of", append=True)
    table = pd.concat([world, of_countries]).sort_index(level="year", kind="stable", sort_remaining=False).reset_index()
    problem = asked(table)[1]
    assert len(problem.y) == 80
    assert "World" not in set(problem.X["of"])
    table.loc[table["of"] == "World", "outcome"] *= 1.1
    assert len(asked(table)[1].y) == 100


def test_a_number_of_units_whose_rows_are_counted_is_a_group():
    rng = RNG(11)
    sizes = rng.integers(20, 60, 15)
    unit, cycle = np.repeat(np.arange(15) + 1, sizes), np.concatenate([np.arange(n) + 1 for n in sizes])
    table = pd.DataFrame({"unit": unit, "cycle": cycle, "heat": rng.normal(size=len(unit)).round(2)})
    table["outcome"] = np.repeat(rng.normal(size=15), sizes).round(3) + table["heat"]
    assert asked(table)[1].group_name == "unit"
    assert asked(table.assign(cycle=rng.permutation(cycle)))[1].group_name is None


def test_rows_of_one_unit_at_one_time_say_once_that_the_target_changes_with_it():
    rng = RNG(12)
    day = np.sort(rng.integers(0, 700, 150))
    of_accident = rng.integers(0, 3, 150)
    table = pd.DataFrame({"accident_index": [f"A{k:03d}" for k in range(150)], "date": pd.Timestamp("2022-01-01")})
    table["date"] = (table["date"] + pd.to_timedelta(day, unit="D")).dt.strftime("%Y-%m-%d")
    table = table.assign(outcome=pd.Series(of_accident).map(["slight", "serious", "fatal"].__getitem__))
    table = table.loc[np.repeat(np.arange(150), rng.integers(1, 12, 150))].reset_index(drop=True)
    table["age"] = rng.integers(1, 90, len(table))
    assert "time order" not in asked(table)[0]
    later = table.assign(outcome=np.where(np.arange(len(table)) > len(table) / 2, "fatal", "slight"))
    assert "time order" in asked(later)[0]


@pytest.mark.parametrize("name", ["Number of claims", "Anzahl Schäden", "Число убытков", "n_children"])
def test_the_name_says_that_few_numbers_are_counts(name):
    counts = np.repeat([0, 1, 2, 3], [300, 60, 20, 6])
    table = pd.DataFrame({"age": RNG(13).integers(18, 80, len(counts)), name: counts})
    assert asked(table, name)[1].task == "regression"
    assert asked(table.rename(columns={name: "severity"}), "severity")[1].task == "classification"


@pytest.mark.parametrize(("name", "is_group"), [("site_index", False), ("site_code", True)])
def test_the_index_of_a_site_measures_it(name, is_group):
    rng = RNG(14)
    table = pd.DataFrame({name: rng.integers(18, 33, 300), "height": rng.normal(20, 3, 300).round(1)})
    table["outcome"] = (table["height"] / 10 + rng.normal(size=300)).round(2)
    assert (asked(table)[1].group_name == name) == is_group
