"""Readings: settings that a paper leaves open. Each has a name and changes some parameters of the experiments.

The module ``readings`` of a paper declares them as dictionaries, and measures its experiments under each of them::

    READINGS = {"default": {}, "one neighbor": {"n_neighbors": 1}}

    tables = sweep(measure, {"reading": READINGS})

Its module ``summaries`` judges the tables: ``estimates(tables)``, as from `estimates_under`, and ``DEFAULT_READING``,
the name of the reading that the other pages have.
"""

from itertools import product

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from compendium.statements import primary
from compendium.verdicts import rules_needing

COLUMNS = ("what", "estimate", "n", "above", "below")  # of a claim's first primary statement
EDGE = 3  # of the drawing, in distances of the default reading from the threshold


def sweep(measure, axes):
    """Measure tables under every combination of settings.

    Parameters
    ----------
    measure : callable
        Such as an `Experiment` or a function: takes the changed parameters as keywords, and returns a dict of tables.
    axes : dict of str to dict of (object to dict)
        For each column that identifies a setting: the changed parameters by the setting's name.

    Returns
    -------
    dict of str to DataFrame
        The tables of all combinations under each other, with a last column for each axis.
    """
    parts = {}
    for combination in product(*(settings.items() for settings in axes.values())):
        names = dict(zip(axes, (name for name, _ in combination), strict=True))
        changed = {parameter: value for _, changes in combination for parameter, value in changes.items()}
        for table, frame in measure(**changed).items():
            parts.setdefault(table, []).append(frame.assign(**names))
    return {table: pd.concat(frames, ignore_index=True) for table, frames in parts.items()}


def by_reading(tables):
    """Each reading with its part of the tables that have a column ``reading``.

    Parameters
    ----------
    tables : dict of str to DataFrame

    Yields
    ------
    (str, dict of str to DataFrame)
        Readings in the order in which the tables first have them.
    """
    parts = {}
    for table, frame in tables.items():
        for reading, part in frame.groupby("reading", sort=False):
            parts.setdefault(reading, {})[table] = part
    yield from parts.items()


def estimates_under(paper, readings):
    """What every claim whose tables a reading has is judged by, for each reading.

    Parameters
    ----------
    paper : str
        Key of the paper.
    readings : iterable of (str, dict of str to DataFrame)
        Each reading's name and its tables, by the names that the rules need.

    Returns
    -------
    DataFrame
        reading, claim; what, estimate, n, above and below of the first primary statement, missing if there is none.
    """
    rows = [
        {"reading": reading, "claim": claim_id}
        | {name: getattr(s, name) for s in primary(rule.statements_on(tables))[:1] for name in COLUMNS}
        for reading, tables in readings
        for claim_id, rule in rules_needing(paper, tables).items()
    ]
    found = pd.DataFrame(rows, columns=["reading", "claim", *COLUMNS])
    return found.astype(dict.fromkeys(COLUMNS[1:], float))


def beside_default(estimates, default):
    """Like compared with like: the estimates of readings that were measured with as many units as the default one.

    Parameters
    ----------
    estimates : DataFrame
        As from `estimates_under`.
    default : str
        The reading that the other pages have.

    Returns
    -------
    DataFrame
        With three more columns: default (whether it is that reading); beyond, how far an estimate lies on the claimed
        side of its threshold, negative on the other side; alike, whether that is the side of the default reading;
        missing where a reading has no estimate, or fewer units.
    """
    beyond = np.fmin(estimates["estimate"] - estimates["above"], estimates["below"] - estimates["estimate"])
    found = estimates.assign(default=estimates["reading"].eq(default), beyond=beyond)
    own = found[found["default"]].set_index("claim")[["beyond", "n"]].reindex(found["claim"]).set_index(found.index)
    as_many = found["beyond"].notna() & own["beyond"].notna() & (found["n"] >= own["n"])
    return found.assign(alike=(beyond > 0).eq(own["beyond"] > 0).where(as_many))


def by_claim(beside):
    """How the estimate of each claim moves between the readings that can be compared.

    Parameters
    ----------
    beside : DataFrame
        As from `beside_default`.

    Returns
    -------
    DataFrame
        claim, statement, needed (the thresholds), default (its estimate), least and most (of the other readings),
        readings (how many others), alike (percent of them on the default's side), fewer units (readings left out).
    """
    rows = []
    for claim, part in beside.dropna(subset="estimate").groupby("claim", sort=False):
        others, own = part[part["alike"].notna() & ~part["default"]], part[part["default"]]
        first = part.iloc[0]
        ends = [f"{side} {first[side]:.3g}" for side in ("above", "below") if np.isfinite(first[side])]
        rows.append(
            {
                "claim": claim,
                "statement": first["what"],
                "needed": " and ".join(ends),
                "default": own["estimate"].min(),
                "least": others["estimate"].min(),
                "most": others["estimate"].max(),
                "readings": len(others),
                "alike": round(100 * others["alike"].astype(float).mean()) if len(others) else np.nan,
                "fewer units": int((part["alike"].isna() & ~part["default"]).sum()),
            }
        )
    return pd.DataFrame(rows)


def same_side_in_words(claims):
    """Which claims depend on the reading, in one sentence, from a table as from `by_claim`."""
    compared = claims[claims["readings"] > 0]
    turned = compared[compared["alike"] < 100]
    listed = ", ".join(f"{row.claim} ({row.alike:.0f}%)" for row in turned.itertuples())
    stay = len(compared) - len(turned)
    sentence = f"Of {len(compared)} claims, {stay} lie on the same side of their threshold in all readings"
    return f"{sentence}; the others in this share of the readings: {listed}." if listed else f"{sentence}."


def dots(beside):
    """Draw the estimates: a row for each claim, a circle for each reading, a diamond for the default one.

    Parameters
    ----------
    beside : DataFrame
        As from `beside_default`. Each claim is drawn in distances of the default reading from its threshold, so that
        readings on the same side lie on the same side of the line.
    """
    known = beside[beside["alike"].notna()]
    claims = list(dict.fromkeys(known["claim"]))
    _, ax = plt.subplots(figsize=(7.4, 0.32 * len(claims) + 1))
    for place, claim in enumerate(claims):
        part = known[known["claim"] == claim]
        own = part["default"].to_numpy()
        x = (part["beyond"] / max(abs(part["beyond"][own].iloc[0]), 1e-12)).clip(-EDGE, EDGE).to_numpy()
        ax.plot(x[~own], [place] * (~own).sum(), "o", fillstyle="none", color="0.35", markersize=6)
        ax.plot(x[own], [place], "D", color="C1", markersize=7)
    ax.axvline(0, color="0.4", linestyle="--", linewidth=1)
    ax.set_yticks(range(len(claims)), claims)
    ax.set(xlim=(-EDGE - 0.2, EDGE + 0.2), ylim=(len(claims) - 0.5, -0.5))
    ax.set_xlabel("other side of the threshold < 0 < claimed side (default reading: 1 or -1)")
    plt.show()


def agreement(compared):
    """How many printed numbers agree with ours, and how far ours are from print, by reading and printed table.

    Parameters
    ----------
    compared : iterable of DataFrame
        As from `compendium.published.compare`, with the columns reading, table (the printed one) and chosen_on (whether
        a default was chosen looking at the number).

    Returns
    -------
    DataFrame
        reading, table, chosen_on, comparable (numbers of which we have one), agree, distance (mean absolute
        difference) and rms (root mean square difference).
    """
    found = pd.concat(compared, ignore_index=True)
    found = found[found["agrees"].notna()]
    found = found.assign(agree=found["agrees"].eq(True), distance=found["difference"].abs())
    groups = found.assign(rms=found["distance"] ** 2).groupby(["reading", "table", "chosen_on"], sort=False)
    means = groups[["distance", "rms"]].mean()
    counts = groups["agree"].agg(comparable="size", agree="sum")
    return counts.join(means.assign(rms=np.sqrt(means["rms"]))).reset_index()
