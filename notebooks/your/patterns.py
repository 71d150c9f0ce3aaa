"""Files after the pattern of public ones that people ask about, each with the right answer written down beside it."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine


@dataclass
class Pattern:
    """A file and what the report must say of it.

    Attributes
    ----------
    table : DataFrame
    target : str
    traps : dict of str to set of str
        Columns by the kind of trap; nothing else may be found. An empty set: the whole table.
    chosen : set of str
        Columns that must be among the first of the ranking, as many as there are; empty if the file has no such truth.
    model : {"linear", "trees", "forest"} or None
        The better model, if there is a clear one.
    task : {"classification", "regression"}
    """

    table: pd.DataFrame
    target: str
    traps: dict = field(default_factory=dict)
    chosen: set = field(default_factory=set)
    model: str | None = None
    task: str = "regression"


PATTERNS = {}


def pattern(make):
    """Register a file by the name of its function."""
    PATTERNS[make.__name__.strip("_").replace("_", " ")] = make
    return make


def _numbers(rng, n, names, digits=2):
    return pd.DataFrame(rng.normal(size=(n, len(names))).round(digits), columns=list(names))


@pattern
def _iris(rng):
    return Pattern(load_iris(as_frame=True).frame, "target", task="classification", model="linear")


@pattern
def _wine(rng):
    return Pattern(load_wine(as_frame=True).frame, "target", task="classification")


@pattern
def _breast_cancer(rng):
    return Pattern(load_breast_cancer(as_frame=True).frame, "target", task="classification", model="linear")


@pattern
def _diabetes(rng):
    found = {"continuous labels": {"target"}}
    return Pattern(load_diabetes(as_frame=True).frame, "target", found, {"bmi", "s5"}, "linear")


@pattern
def _sleep_study(rng):
    """18 subjects on 10 days each."""
    who, days = np.repeat(np.arange(308, 326), 10), np.tile(np.arange(10), 18)
    reaction = 250 + 30 * rng.normal(size=18)[who - 308] + 10 * days + 15 * rng.normal(size=180)
    table = pd.DataFrame({"Reaction": reaction.round(2), "Days": days, "Subject": who})
    return Pattern(table, "Reaction", {"groups": {"Subject"}}, {"Days"})


@pattern
def _chick_weights(rng):
    """50 chicks, weighed at the same times, on four diets."""
    chick, time = np.repeat(np.arange(50), 12), np.tile(np.arange(0, 23, 2), 50)
    diet = (chick // 13).astype(str)
    growth = 8 + 2.5 * rng.normal(size=50) + (chick[::12] // 13)
    weight = 40 + growth[chick] * time + 5 * rng.normal(size=600)
    table = pd.DataFrame({"weight": weight.round(), "Time": time, "Chick": chick, "Diet": np.char.add("d", diet)})
    return Pattern(table, "weight", {"groups": {"Chick"}, "continuous labels": {"weight"}}, {"Time"})


@pattern
def _country_panel(rng):
    """Health in 12 countries over 30 years."""
    country, year = np.repeat(np.arange(12), 30), np.tile(np.arange(1990, 2020), 12)
    spending = 100 * np.exp(0.04 * (year - 1990) + rng.normal(size=12)[country] + 0.1 * rng.normal(size=360))
    life = 70 + 3 * rng.normal(size=12)[country] + 0.2 * (year - 1990) + 0.5 * rng.normal(size=360)
    names = np.array([f"Country {letter}" for letter in "ABCDEFGHIJKL"])[country]
    table = pd.DataFrame({"Country": names, "Year": year, "Spending": spending.round(1), "Life": life.round(2)})
    return Pattern(table, "Life", {"groups": {"Country"}, "time order": {"Year"}})


@pattern
def _exercise(rng):
    """30 people, their pulse at three times; the id is a number."""
    who = np.repeat(np.arange(1, 31), 3)
    kind = np.array(["rest", "walking", "running"])[(who - 1) // 10]
    pulse = 90 + 8 * rng.normal(size=30)[who - 1] + 15 * (kind == "running") + 3 * rng.normal(size=90)
    time = np.tile(["1 min", "15 min", "30 min"], 30)
    table = pd.DataFrame({"id": who, "time": time, "kind": kind, "pulse": pulse.round(1)})
    return Pattern(table, "pulse", {"groups": {"id"}})


@pattern
def _cars_by_make(rng):
    """The make says much about the price, and is not a group."""
    make, power = rng.integers(0, 15, 400), rng.integers(60, 250, 400)
    price = 5 * rng.normal(size=15)[make] + 0.1 * power + rng.normal(size=400)
    table = pd.DataFrame({"make": [f"make{k}" for k in make], "hp": power, "doors": rng.choice([2, 4], 400)})
    return Pattern(table.assign(price=price.round(3)), "price", {}, {"make", "hp"})


@pattern
def _flights(rng):
    """Monthly passengers: a trend and seasons."""
    year, month = np.repeat(np.arange(1949, 1961), 12), np.tile(np.arange(12), 12)
    months = np.array(["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"])[month]
    season = np.array([-24, -36, -2, -8, -4, 35, 63, 62, 16, -20, -53, -28])[month]
    passengers = 120 + 30 * (year - 1949) + 2.6 * month + season + 8 * rng.normal(size=144)
    table = pd.DataFrame({"year": year, "month": months, "passengers": passengers.round()})
    found = {"time order": {"year", "month"}, "continuous labels": {"passengers"}}
    return Pattern(table, "passengers", found, {"year", "month"})


@pattern
def _bicycles_by_hour(rng):
    """Counts in the order of hours, without a date."""
    n = 24 * 40
    hour, heat = np.tile(np.arange(24), 40), 15 + 8 * np.sin(np.arange(n) / n * 3) + rng.normal(size=n)
    count = np.maximum(0, 40 + 3 * heat + 60 * np.exp(-((hour - 17) ** 2) / 8) + 0.05 * np.arange(n)).round()
    table = pd.DataFrame({"hour": hour, "temp": heat.round(1), "wind": rng.gamma(3, 3, n).round(1), "count": count})
    return Pattern(table, "count", {"time order": {"hour"}, "continuous labels": {"count"}}, {"hour", "temp"}, "trees")


@pattern
def _taxis(rng):
    """The total is the fare and the tip."""
    distance = rng.gamma(2, 2, 500).round(2)
    fare, tip = (3 + 2.2 * distance + 2 * rng.normal(size=500)).round(2), rng.gamma(3, 1.5, 500).round(2)
    table = pd.DataFrame({"distance": distance, "passengers": rng.integers(1, 5, 500), "fare": fare, "tip": tip})
    return Pattern(table.assign(total=(fare + tip).round(2)), "total", {"joint leak": {"fare", "tip"}})


@pattern
def _body_mass(rng):
    """The index is weight over squared height."""
    height, weight = (1.7 + 0.1 * rng.normal(size=300)).round(2), (75 + 12 * rng.normal(size=300)).round(1)
    table = pd.DataFrame({"age": rng.integers(18, 80, 300), "height": height, "weight": weight})
    return Pattern(table.assign(bmi=(weight / height**2).round(4)), "bmi", {"joint leak": {"height", "weight"}})


@pattern
def _exam_codes(rng):
    """A code that has the result in it."""
    table = _numbers(rng, 400, ["hours", "age", "noise"])
    result = np.where(table["hours"] + 0.8 * rng.normal(size=400) > 0, "PASS", "FAIL")
    table["code"] = [f"{2010 + k % 8}{word}" for k, word in enumerate(result)]
    return Pattern(table.assign(result=result), "result", {"target leak": {"code"}}, {"hours"}, None, "classification")


@pattern
def _bank_customers(rng):
    """Shuffled numbers of customers, an imbalanced answer."""
    table = _numbers(rng, 1000, ["CreditScore", "Balance", "Salary"])
    table.insert(0, "CustomerId", 15_600_000 + rng.permutation(1000) * 37)
    table["Age"] = rng.integers(18, 80, 1000)
    left = 0.08 * (table["Age"] - 49) + table["Balance"] + rng.logistic(size=1000) > 2
    found = {"identifier": {"CustomerId"}}
    if left.mean() < 0.2:
        found["imbalance"] = {"Exited"}
    return Pattern(table.assign(Exited=left.astype(int)), "Exited", found, {"Age", "Balance"}, None, "classification")


@pattern
def _titanic(rng):
    """The class of the ticket twice, as number and word; the cabin is mostly empty."""
    level = rng.integers(1, 4, 700)
    sex = rng.choice(["male", "female"], 700, p=[0.64, 0.36])
    age = rng.integers(1, 75, 700).astype(float)
    age[rng.uniform(size=700) < 0.2] = np.nan
    fare = (80 / level + rng.gamma(2, 5, 700)).round(2)
    alive = 2.4 * (sex == "female") - 0.9 * level + 0.8 + rng.logistic(size=700) > 0
    table = pd.DataFrame(
        {"survived": np.where(alive, "yes", "no"), "pclass": level, "sex": sex, "age": age, "fare": fare}
    )
    table["class"] = np.array(["First", "Second", "Third"])[level - 1]
    found = {"duplicate columns": {"class"}, "missing values": {"age"}}
    return Pattern(table, "survived", found, {"sex", "pclass"}, None, "classification")


@pattern
def _lung_cancer(rng):
    """Survival: follow-up time beside the status."""
    table = _numbers(rng, 228, ["karno", "cal", "loss"])
    risk = table["karno"]
    dead = risk + rng.logistic(size=228) > -0.6
    time = np.where(dead, 250, 500) * rng.gamma(4, 0.25, 228)
    table = table.assign(time=time.round(), status=np.where(dead, "dead", "alive"))
    return Pattern(table, "status", {"follow-up time": {"time"}}, set(), None, "classification")


@pattern
def _doctor_visits(rng):
    """Counts with a long tail."""
    table = _numbers(rng, 1500, ["health", "income", "noise"])
    visits = rng.negative_binomial(1, 1 / (1 + 4 * np.exp(0.5 * table["health"])))
    return Pattern(table.assign(visits=visits), "visits", {"continuous labels": {"visits"}}, {"health"})


@pattern
def _wine_quality(rng):
    """Grades from 3 to 8."""
    table = _numbers(rng, 900, ["alcohol", "acid", "sugar"])
    grade = np.clip(np.round(5.5 + 0.7 * table["alcohol"] - 0.5 * table["acid"] + 0.6 * rng.normal(size=900)), 3, 8)
    found = {"numbers as classes": {"quality"}, "imbalance": {"quality"}}
    if (np.bincount(grade.astype(int))[3:] < 5).any():
        found["rare classes"] = {"quality"}
    table = table.assign(quality=grade.astype(int))
    return Pattern(table, "quality", found, {"alcohol", "acid"}, None, "classification")


@pattern
def _diamonds(rng):
    """A price that is not a linear function."""
    carat = rng.gamma(2, 0.4, 800).clip(0.2, 3).round(2)
    cut = rng.choice(["Fair", "Good", "Ideal"], 800)
    price = np.exp(6 + 1.9 * np.log(carat + 0.1) + 0.4 * (cut == "Ideal") * (carat > 1) + 0.1 * rng.normal(size=800))
    table = pd.DataFrame(
        {"carat": carat, "cut": cut, "depth": rng.normal(61, 1, 800).round(1), "price": price.round(2)}
    )
    return Pattern(table, "price", {}, {"carat", "cut"})


@pattern
def _steps_and_thresholds(rng):
    """Pollution that depends on thresholds of two columns."""
    table = _numbers(rng, 600, ["wind", "traffic", "rain", "sun"])
    y = 3 * (table["wind"] > 0.5) * (table["traffic"] < 0) + 2 * (table["traffic"].abs() < 0.4)
    table = table.assign(pollution=(y + 0.5 * rng.normal(size=600)).round(3))
    return Pattern(table, "pollution", {}, {"wind", "traffic"}, "trees")


@pattern
def _calls_of_a_bank(rng):
    """Days since the last call: 999 for never, in 96 of 100 rows."""
    table = _numbers(rng, 1000, ["duration", "age"])
    days = rng.integers(1, 20, 1000).astype(float)
    days[rng.uniform(size=1000) < 0.96] = 999
    answer = np.where(table["duration"] + rng.logistic(size=1000) > 0, "yes", "no")
    found = {"missing codes": {"pdays"}, "missing values": {"pdays"}}
    table = table.assign(pdays=days, answer=answer)
    return Pattern(table, "answer", found, {"duration"}, None, "classification")


@pattern
def _grades_of_pupils(rng):
    """The final grade is the average of two others and a bit more: no joint leak."""
    table = _numbers(rng, 400, ["G1", "G2", "absences"], 1)
    final = (table["G1"] + 2 * table["G2"]) / 3 + 0.3 * rng.normal(size=400)
    return Pattern(table.assign(G3=final.round(2)), "G3", {}, {"G1", "G2"}, "linear")


@pattern
def _noise(rng):
    table = _numbers(rng, 200, "abcdef").assign(y=rng.choice(["u", "v"], 200))
    return Pattern(table, "y", {}, set(), None, "classification")


@pattern
def _survey_with_ids(rng):
    """Answers in words, a token a row, a remark."""
    words = np.array(["disagree", "neutral", "agree"])
    level = rng.integers(0, 3, (500, 5))
    table = pd.DataFrame(words[level], columns=[f"q{k}" for k in range(1, 6)])
    table.insert(0, "token", [f"{code:08x}" for code in rng.integers(2**28, 2**32, 500)])
    left = np.where(level[:, 0] + level[:, 2] + rng.normal(size=500) > 2, "stays", "leaves")
    return Pattern(table.assign(plan=left), "plan", {"identifier": {"token"}}, {"q1", "q3"}, None, "classification")
