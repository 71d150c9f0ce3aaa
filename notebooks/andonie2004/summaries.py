"""The readings of Andonie and Cataron 2004 judged: their agreement with print, and what each would answer."""

import numpy as np
import pandas as pd

from andonie2004 import claims
from andonie2004.erlvq import EnergyRelevance
from andonie2004.protocol import ERLVQ_RATES
from compendium.published import compare, printed_table
from compendium.verdicts import MARKS

__all__ = ["CHOSEN_ON", "agreement", "by_choice", "default_reading", "multiverse", "the_choice", "verdicts"]

CHOSEN_ON = "vowel"  # its protocol is known, and its test part is the largest, so a choice on it follows chance least
SETTING = ["scaling", "n_prototypes", "learning_rate"]
CHOICES = ["ERLVQ's rate", "scaling", "vectors per class", "learning rate"]


def _name(rate, scaling, n_prototypes, learning_rate):
    return f"{rate} rate, {scaling}, {n_prototypes} per class, step {learning_rate:g}"


def default_reading():
    """The reading that the defaults of `andonie2004.erlvq.EnergyRelevance` follow."""
    settings = EnergyRelevance().settings
    return _name(settings.erlvq_rate, settings.scaling, settings.n_prototypes, settings.learning_rate)


def _readings(table, columns):
    """A table by setting as one by reading: ``columns`` and those that `CHOICES` names; two readings a setting.

    ``columns(part, rate, name)`` gives the rows of one reading of ERLVQ's rate, whose method is called ``name``.
    """
    parts = []
    for rate, name in ERLVQ_RATES.items():
        part = columns(table, name)
        chosen = part[SETTING].set_axis(CHOICES[1:], axis=1)
        names = [_name(rate, *row) for row in chosen.itertuples(index=False)]
        part = pd.concat([part.drop(columns=SETTING), chosen], axis=1)
        parts.append(part.assign(**{CHOICES[0]: rate, "reading": names}))
    return pd.concat(parts, ignore_index=True)


def _recognition(rates):
    """Recognition rates by reading, in the form of the experiment's table ``recognition``."""
    by = ["dataset", "protocol", "repeat", "n_tested"]
    wide = _readings(rates, lambda table, name: table[[*SETTING, *by, *claims.ORDER[:3]]].assign(ERLVQ=table[name]))
    given = ["reading", *CHOICES, "dataset", "protocol", "repeat"]
    rate = wide.melt(given, claims.ORDER, var_name="method").assign(metric="rate")
    tested = wide[[*given, "n_tested"]].rename(columns={"n_tested": "value"}).assign(metric="n_tested", method="")
    return pd.concat([rate, tested], ignore_index=True)


def _relevances(relevances):
    """Relevances by reading, in the form of the experiment's table ``relevances``."""

    def of(table, name):
        named = table.assign(method=table["method"].replace({name: "ERLVQ"}))
        return named[named["method"].isin(claims.ORDER)]

    return _readings(relevances, of)


def agreement(tables):
    """How many printed numbers each reading brings back, by printed table and data set.

    Parameters
    ----------
    tables : dict of str to DataFrame
        Tables of `andonie2004.readings.Readings`.

    Returns
    -------
    DataFrame
        reading, table, comparable, agree, distance (root mean square difference, in points; NaN for ranks), chosen_on
        (whether the default was chosen by these numbers).
    """
    measured = _recognition(tables["rates_by_setting"]).query("metric == 'rate'")
    cases = measured[["reading", "dataset", "protocol"]].drop_duplicates()
    printed = cases.merge(printed_table("andonie2004", 1)[["dataset", "method", "value"]], on="dataset")
    compared = compare(printed, measured, ["reading", "dataset", "protocol", "method"])
    compared["table"] = "Table 1, " + compared["dataset"] + " (" + compared["protocol"] + ")"
    compared["chosen_on"] = compared["dataset"] == CHOSEN_ON
    ranked = _relevances(tables["relevances_by_setting"])
    ranked = ranked.assign(metric="feature_at_rank_" + ranked["place"].astype(str), value=ranked["feature"], sd=np.nan)
    printed = ranked[["reading"]].drop_duplicates().merge(printed_table("andonie2004", 2), how="cross")
    ranks = compare(printed, ranked, ["reading", "dataset", "method", "metric"])
    ranks = ranks.assign(table="Table 2, " + ranks["dataset"], chosen_on=False, difference=np.nan)
    found = pd.concat([compared, ranks], ignore_index=True)
    groups = found.groupby(["reading", "table", "chosen_on"], sort=False)
    counted = groups["agrees"].agg(comparable="count", agree=lambda agrees: int(agrees.eq(True).sum()))
    counted["distance"] = groups["difference"].agg(lambda difference: np.sqrt((difference**2).mean(skipna=False)))
    return counted.reset_index()[["reading", "table", "comparable", "agree", "distance", "chosen_on"]]


def verdicts(tables):
    """The verdicts on claims A1 to A3 under every reading.

    Parameters
    ----------
    tables : dict of str to DataFrame
        As for `agreement`.

    Returns
    -------
    DataFrame
        reading, the columns of `CHOICES`, claim, answer, evidence.
    """
    rates, relevances = _recognition(tables["rates_by_setting"]), _relevances(tables["relevances_by_setting"])
    judged = [
        ("A1", claims.erlvq_recognizes_best, rates),
        ("A2", claims.relevances_help_on_two_sets, rates),
        ("A3", claims.rankings_of_iris_are_opposite, relevances),
    ]
    rows = [
        {**dict(zip(["reading", *CHOICES], key, strict=True)), "claim": claim_id, **rule(part).as_dict()}
        for claim_id, rule, table in judged
        for key, part in table.groupby(["reading", *CHOICES], sort=False)
    ]
    return pd.DataFrame(rows)


def by_choice(agreement):
    """The reading nearest to print on each data set, and how far it is from print on the others.

    Parameters
    ----------
    agreement : DataFrame
        As from `agreement`.

    Returns
    -------
    DataFrame
        nearest on, reading, then for each part of Table 1 the root mean square difference in points.
    """
    far = _distances(agreement)
    rows = [{"nearest on": table, "reading": far[table].idxmin(), **far.loc[far[table].idxmin()]} for table in far]
    return pd.DataFrame(rows)


def _distances(agreement):
    rates = agreement.dropna(subset=["distance"])
    return rates.pivot_table(index="reading", columns="table", values="distance", sort=False)


def multiverse(verdicts):
    """Answers to each claim, counted over the readings with the same choice.

    Parameters
    ----------
    verdicts : DataFrame
        As from `verdicts`.

    Returns
    -------
    DataFrame
        choice, option, readings, then a column for each claim, such as "● 3, ○ 17".
    """
    parts = [("all", "", verdicts)]
    parts += [(c, option, part) for c in CHOICES for option, part in verdicts.groupby(c, sort=False)]
    rows = [
        {
            "choice": choice,
            "option": str(option),
            "readings": part["reading"].nunique(),
            **{claim_id: _counted(answers) for claim_id, answers in part.groupby("claim")["answer"]},
        }
        for choice, option, part in parts
    ]
    return pd.DataFrame(rows)


def _counted(answers):
    counts = answers.value_counts()
    return ", ".join(f"{mark} {counts[answer]}" for answer, mark in MARKS.items() if answer in counts)


def the_choice(agreement):
    """Sentences: how many readings were tried, which is nearest where it was chosen, and how it does elsewhere.

    Parameters
    ----------
    agreement : DataFrame
        As from `agreement`.

    Returns
    -------
    list of str
    """
    default, n = default_reading(), agreement["reading"].nunique()
    said = [f"{n} readings were compared with print, after the fact. The default of the main page is: {default}."]
    far = _distances(agreement)
    names = agreement.loc[agreement["chosen_on"], "table"].unique()
    if not len(names):
        return [*said, f"This run lacks the data set on which it was chosen ({CHOSEN_ON})."]
    nearest = far[names[0]].idxmin()
    place = far.rank().loc[default] if default in far.index else None
    known = "the default" if nearest == default else f"not the default but: {nearest}"
    said.append(f"Nearest to print in {names[0]} is {known}, {far.loc[nearest, names[0]]:.1f} points from it.")
    if place is not None:
        others = [
            f"{table} it is number {place[table]:.0f} of {n}, {far.loc[default, table]:.1f} points from print"
            for table in far
            if table != names[0]
        ]
        said.append(f"On data that it was not chosen on: in {'; in '.join(others)}.")
    return said


def same_as_lvq(rates):
    """Sentences: how often ERLVQ has the recognition rate of LVQ with steps of the same length, and what diverged.

    Parameters
    ----------
    rates : DataFrame
        ``rates_by_setting`` of `andonie2004.readings.Readings`, or as from `runs`.

    Returns
    -------
    list of str
    """
    said = []
    for rate, lvq in ("equal", "LVQ, rate/n"), ("compensated", "LVQ"):
        measured = rates[[ERLVQ_RATES[rate], lvq]].dropna()
        difference = measured[ERLVQ_RATES[rate]] - measured[lvq]
        said.append(
            f"At the {rate} rate, ERLVQ has exactly the recognition rate of {lvq} in {(difference == 0).mean():.0%} of "
            f"{len(difference)} runs; the mean difference is {difference.mean():+.2f} points."
        )
    diverged = rates[["LVQ", "RLVQ", "OWA-RLVQ", *ERLVQ_RATES.values()]].isna().sum()
    if diverged.any():
        listed = ", ".join(f"{method} {count}" for method, count in diverged.items())
        said.append(f"Training diverged in this many of {len(rates)} runs: {listed}.")
    return said


def runs(recognition, erlvq_rate):
    """Recognition rates of the main page, a row for each run and a column for each method.

    Parameters
    ----------
    recognition : DataFrame
        Table of `andonie2004.erlvq.EnergyRelevance`.
    erlvq_rate : {"equal", "compensated"}
        That of the column ERLVQ.

    Returns
    -------
    DataFrame
    """
    table = recognition[recognition["metric"] == "rate"]
    wide = table.set_index(["dataset", "protocol", "repeat", "method"])["value"].unstack("method")
    return wide.rename(columns={"ERLVQ": ERLVQ_RATES[erlvq_rate]})


def printed_leads(counts):
    """A sentence: by how many samples ERLVQ leads OWA-RLVQ in print.

    Parameters
    ----------
    counts : DataFrame
        As from `andonie2004.printed.counts`.
    """
    gains = counts[counts["method"] == "ERLVQ"].set_index("dataset")["gain"]
    listed = ", ".join(f"{gain:.0f} on {dataset}" for dataset, gain in gains.items())
    return f"In print, ERLVQ recognizes this many samples more than OWA-RLVQ: {listed}."


def opposite_orders(relevances):
    """Sentences: how ERLVQ's order of the features agrees with those of the other methods.

    Parameters
    ----------
    relevances : DataFrame
        Table of `andonie2004.erlvq.EnergyRelevance`.

    Returns
    -------
    list of str
        No sentence for a data set with one feature, which has no correlation.
    """
    places = relevances.set_index(["dataset", "feature", "method"])["place"].unstack("method")
    said = []
    for dataset, part in places.groupby(level="dataset", sort=False):
        correlation = part[claims.ORDER[1:]].corr()["ERLVQ"].drop("ERLVQ").dropna()
        if len(correlation):
            listed = " and ".join(f"{value:+.2f} with {method}'s" for method, value in correlation.items())
            said.append(f"On {dataset}, the rank correlation of ERLVQ's order of the features is {listed}.")
    return said
