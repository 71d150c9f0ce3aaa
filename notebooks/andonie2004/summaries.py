"""The readings of Andonie and Cataron 2004 judged: their agreement with print, and what each would answer."""

import numpy as np
import pandas as pd

from andonie2004 import claims
from andonie2004.erlvq import EnergyRelevance
from andonie2004.printed import measured_ranks, printed_ranks
from andonie2004.protocol import ERLVQ_RATES, METHODS
from compendium import readings
from compendium.published import compare, printed_table
from compendium.tables import means

CHOSEN_ON = "vowel"  # its protocol is known, and its test part is the largest, so a choice on it follows chance least
SETTING = ["scaling", "n_prototypes", "learning_rate"]
CHOICES = ["ERLVQ's rate", "scaling", "vectors per class", "learning rate"]


def _name(rate, scaling, n_prototypes, learning_rate):
    return f"{rate} rate, {scaling}, {n_prototypes} per class, step {learning_rate:g}"


def default_reading():
    """The reading that the defaults of `andonie2004.erlvq.EnergyRelevance` follow."""
    settings = EnergyRelevance().settings
    return _name(settings.erlvq_rate, settings.scaling, settings.n_prototypes, settings.learning_rate)


def _by_reading(table):
    """A table by setting and method as one by reading, with its `CHOICES`; a setting gives two readings."""
    tables = []
    for rate, name in ERLVQ_RATES.items():
        of_rate = table.assign(method=table["method"].replace({name: "ERLVQ"}))
        of_rate = of_rate[of_rate["method"].isin(claims.ORDER)]
        chosen = of_rate[SETTING].set_axis(CHOICES[1:], axis=1)
        names = [_name(rate, *row) for row in chosen.itertuples(index=False)]
        of_rate = pd.concat([of_rate.drop(columns=SETTING), chosen], axis=1)
        tables.append(of_rate.assign(**{CHOICES[0]: rate, "reading": names}))
    return pd.concat(tables, ignore_index=True)


def _recognition(rates):
    """Recognition rates by reading, in the form of the experiment's table ``recognition``."""
    by = [*SETTING, "dataset", "protocol", "repeat"]
    methods = rates.columns.drop([*by, "n_tested"])
    rate = _by_reading(rates.melt([*by, "n_tested"], methods, var_name="method").assign(metric="rate"))
    tested = rate[rate["method"] == "ERLVQ"].assign(metric="n_tested", method="", value=lambda rows: rows["n_tested"])
    return pd.concat([rate, tested], ignore_index=True).drop(columns="n_tested")


def agreement(tables):
    """How many printed numbers each reading brings back, by printed table and data set.

    Parameters
    ----------
    tables : dict of str to DataFrame
        Tables of `andonie2004.readings.Readings`.

    Returns
    -------
    DataFrame
        As from `compendium.readings.agreement`, with ``distance`` the root mean square difference, in points; NaN for
        ranks, and where a method diverged.
    """
    measured = _recognition(tables["rates_by_setting"]).query("metric == 'rate'")
    cases = measured[["reading", "dataset", "protocol"]].drop_duplicates()
    printed = cases.merge(printed_table("andonie2004", 1)[["dataset", "method", "value"]], on="dataset")
    compared = compare(printed, measured, ["reading", "dataset", "protocol", "method"])
    compared["table"] = "Table 1, " + compared["dataset"] + " (" + compared["protocol"] + ")"
    compared["chosen_on"] = compared["dataset"] == CHOSEN_ON
    ranked = measured_ranks(_by_reading(tables["relevances_by_setting"]))
    printed = ranked[["reading"]].drop_duplicates().merge(printed_ranks(), how="cross")
    ranks = compare(printed, ranked, ["reading", "dataset", "method", "metric"])
    ranks = ranks.assign(table="Table 2, " + ranks["dataset"], chosen_on=False, difference=np.nan)
    diverged = compared["difference"].isna().groupby([compared["reading"], compared["table"]]).transform("any")
    compared["difference"] = compared["difference"].mask(diverged)
    agreed = readings.agreement([compared, ranks])
    return agreed.assign(distance=agreed["rms"]).drop(columns="rms")


DEFAULT_READING = default_reading()


def estimates(tables):
    """What claims A1 to A3 are judged by under every reading.

    Parameters
    ----------
    tables : dict of str to DataFrame
        As for `agreement`.

    Returns
    -------
    DataFrame
        As from `compendium.readings.estimates_under`, with the columns of `CHOICES`.
    """
    rates, relevances = _recognition(tables["rates_by_setting"]), _by_reading(tables["relevances_by_setting"])
    judged = []
    for name, table in (("recognition", rates), ("relevances", relevances)):
        for key, of_reading in table.groupby(["reading", *CHOICES], sort=False):
            choices = dict(zip(CHOICES, key[1:], strict=True))
            judged.append(readings.estimates_under("andonie2004", [(key[0], {name: of_reading})]).assign(**choices))
    return pd.concat(judged).sort_values("claim", kind="stable", ignore_index=True)


def by_choice(beside):
    """The estimates of each claim over the readings with the same choice.

    Parameters
    ----------
    beside : DataFrame
        As from `compendium.readings.beside_default`, with the columns of `CHOICES`.

    Returns
    -------
    DataFrame
        choice, option, readings, then for each claim the median estimate and the percentage of readings on the claimed
        side of the threshold, of those with as many units as the default reading.
    """
    known = beside[beside["alike"].notna()]
    choices = [("all", "", known)]
    choices += [(c, option, chosen) for c in CHOICES for option, chosen in known.groupby(c, sort=False)]
    rows = []
    for choice, option, chosen in choices:
        row = {"choice": choice, "option": str(option), "readings": chosen["reading"].nunique()}
        for claim, of_claim in chosen.groupby("claim"):
            row |= {f"{claim}, median": of_claim["estimate"].median()}
            row |= {f"{claim}, claimed side (%)": 100 * (of_claim["beyond"] > 0).mean()}
        rows.append(row)
    return pd.DataFrame(rows)


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
    sentences = []
    for rate, lvq in ("equal", "LVQ, rate/n"), ("compensated", "LVQ"):
        measured = rates[[ERLVQ_RATES[rate], lvq]].dropna()
        difference = measured[ERLVQ_RATES[rate]] - measured[lvq]
        sentences.append(
            f"At the {rate} rate, ERLVQ has exactly the recognition rate of {lvq.replace(', ', ' with ')} in "
            f"{(difference == 0).mean():.0%} of {len(difference):,} runs; the mean difference is "
            f"{difference.mean():+.2f} points."
        )
    diverged = rates[["LVQ", "RLVQ", "OWA-RLVQ", *ERLVQ_RATES.values()]].isna().sum()
    if diverged.any():
        listed = ", ".join(f"{method} {count}" for method, count in diverged.items())
        sentences.append(f"Training diverged in this many of {len(rates):,} runs: {listed}.")
    return sentences


def by_number_of_prototypes(rates):
    """Mean recognition rates with fewer codebook vectors per class than the default reading, and its other settings.

    Parameters
    ----------
    rates : DataFrame
        ``rates_by_setting`` of `andonie2004.readings.Readings`.

    Returns
    -------
    DataFrame
        dataset, protocol, prototypes (per class), and the mean rate of each of `andonie2004.protocol.METHODS` over the
        runs that did not diverge.
    """
    default = EnergyRelevance().settings
    like_default = rates["scaling"].eq(default.scaling) & rates["learning_rate"].eq(default.learning_rate)
    fewer = rates[like_default & rates["n_prototypes"].lt(default.n_prototypes)]
    fewer = fewer.rename(columns={"n_prototypes": "prototypes", ERLVQ_RATES[default.erlvq_rate]: "ERLVQ"})
    by = ["dataset", "protocol", "prototypes"]
    return means(fewer.melt(by, METHODS, var_name="method"), by, "method")


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
