"""The arena: every contestant on every field, by the same splits and classifiers."""

import re

import numpy as np
import pandas as pd

from comparison.contestant import OWN, contestants
from comparison.fields import PLANTED, Truth
from comparison.protocol import CLASSIFIERS, compete, field_of
from compendium.experiment import DataExperiment, ParameterError, Schema, parameter, table
from compendium.protocol import load_set, masks_of
from compendium.units import name_of, run_units, seed_for, tidy
from fscore.stability import average_tanimoto_index, nogueira_stability, relative_weighted_consistency

N_CHOSEN = 20  # features of each field in the table ``chosen``


class Arena(DataExperiment):
    """Every contestant on every field.

    A field is a data set as it is ("plain"), with permuted copies of its columns ("probes", irrelevant by
    construction) or with noisy ones ("copies", redundant), or it is generated, and the relevant features are known. Of
    each split, a contestant sees the training part only, scaled to mean 0 and variance 1; three classifiers are then
    trained on the columns that it chose and judged on the test part.

    Tables
    ------
    contestants
        contestant, family, library, own_size, entered (whether it took part), reason.
    fields
        field, dataset, planted, samples, features, classes, grouped, and the number of columns that are relevant, copy
        and probe. ``samples`` counts those used.
    scores
        field, size (label), metric, and a column for each contestant: the balanced accuracy of each classifier and
        ``auc`` (their mean area under the curve), means over the splits with an answer. A method that chooses the size
        itself has the same value at every size.
    selections
        field, metric, and a column for each contestant, means over the sizes: ``chosen`` (columns), ``found`` (share
        of the relevant features that were chosen, a copy counting as its original), ``probes`` (share of the chosen
        columns that are probes), ``redundant`` (share that repeat the source of another chosen column), ``stability``
        with ``lower`` and ``upper`` (Nogueira, 95%), ``cw_rel``, ``ati``, ``seconds`` (mean processor time of a
        selection, of those interrupted the time until then) and ``evaluations`` of the criterion. NaN where unknown.
    splits
        field, split, and a column for each contestant: the balanced accuracy, mean over classifiers and sizes. NaN
        without an answer.
    answers
        contestant, status ("done", "time limit" or "failed"), reason, units (field x split) and fields with this
        outcome. To select nothing is an answer.
    chosen
        field (without planted columns), feature (number of the column in the data set, from 1), share: of the sizes and
        splits with an answer in which a contestant chose it, mean over the contestants but those of the family
        "baseline". The 20 features with the largest shares.
    """

    schema = Schema(
        contestants=table("contestant", values="family library own_size entered reason"),
        fields=table("field", values="dataset planted samples features classes grouped relevant copy probe"),
        scores=table("field size metric", values="*"),
        selections=table("field metric", values="*"),
        splits=table("field", repetition="split", values="*"),
        answers=table("contestant status", values="reason units fields"),
        chosen=table("field feature", values="share"),
    )

    dataset: list[str] = parameter(
        [
            "iris",
            "seeds",
            "wine",
            "wdbc",
            "digits",
            "sonar",
            "ionosphere",
            "parkinsons",
            "pima",
            "bupa",
            "house",
            "segment",
            "spambase",
            "spectf",
            "vowel",
            "waveform_noise",
            "dermatology_358",
            "wpbc_31",
            "musk1",
            "madelon",
            "alon",
            "golub",
        ],
        "data sets, or paths of CSV files",
        "data sets",
    )
    planted: list[str] = parameter(list(PLANTED), "columns added to the data sets", "{plain, probes, copies}")
    most_planted: int = parameter(60, "features of a data set that gets planted columns at most", "[0, 100000]")
    known: list[str] = parameter(
        [
            "n=200 d=50",
            "n=60 d=50",
            "n=500 d=50",
            "n=200 d=20",
            "n=200 d=200",
            "n=200 d=50 relevant=16",
            "n=200 d=50 copies=24",
            "n=200 d=50 noise=0.3",
            "n=200 d=50 form=products relevant=4",
        ],
        "generated fields: n, d, relevant, copies, noise, form",
    )
    sizes: list[str] = parameter(["5", "10", "sqrt"], "numbers of features to select; sqrt is the root of all")
    max_samples: int = parameter(300, "samples of a data set at most", "[30, 100000]")
    n_splits: int = parameter(3, "folds of the cross-validation", "[2, 50]")
    n_repeats: int = parameter(4, "repetitions of it", "[1, 100]")
    n_trees: int = parameter(25, "trees of the random forest that scores", "[1, 1000]")
    limit: float = parameter(2.0, "seconds of processor time for a selection, all sizes together", "(0, 100000]")

    def __init__(self, **values):
        super().__init__(**values)
        if not all(size == "sqrt" or re.fullmatch("[1-9][0-9]{0,5}", size) for size in self.sizes):
            raise ParameterError(f"sizes = {self.sizes!r:.500} is invalid; each is an integer from 1, or sqrt.")
        for text in self.known:
            Truth.parse(text)

    def measure(self):
        """See the class."""
        shared = self.pick("sizes", "max_samples", "n_splits", "n_trees", "limit", "seed")
        described = self.fields()
        entered = {key: player for key, (_, player) in contestants().items() if not player.missing_package()}
        units = [
            {"key": key, "version": player.version, "split": split, **field, **shared}
            for field in described
            for split in range(self.n_splits * self.n_repeats)
            for key, player in entered.items()
        ]
        rows = run_units(compete, units, label="arena", version=0)  # a unit says that of its contestant
        pairs = [(unit, field_of(unit, self.max_samples, self.seed)) for unit in described]
        fields = {field.name: (unit, field) for unit, field in pairs}
        if len(fields) < len(described):
            raise ValueError("two fields have the same name; rename one of the files, or name each field once.")
        once = rows.drop_duplicates(["field", "contestant", "split"])
        entries = _entries()
        baselines = entries.loc[entries["family"] == "baseline", "contestant"]
        return {
            "contestants": entries,
            "fields": pd.DataFrame([_described(unit, field) for unit, field in fields.values()]),
            "scores": _scores(rows),
            "selections": _selections(rows, once, {name: field for name, (_, field) in fields.items()}),
            "splits": _by_split(rows),
            "answers": _answers(once),
            "chosen": _chosen(rows[~rows["contestant"].isin(baselines)], fields, self.seed),
        }

    def fields(self):
        """The units' descriptions of their fields."""
        observed = [
            {"dataset": dataset, "target": self.target, "planted": planted}
            for dataset in self.dataset
            for planted in self.planted
            if planted == "plain" or load_set(dataset, self.target).data.shape[1] <= self.most_planted
        ]
        return [*observed, *({"known": text} for text in self.known)]


def _entries():
    rows = []
    for _, player in contestants().values():
        missing = player.missing_package()
        reason = f"the package {missing} is not installed" if missing else ""
        rows.append((player.name, player.family, player.library, player.own_size, not missing, reason))
    return pd.DataFrame(rows, columns=["contestant", "family", "library", "own_size", "entered", "reason"])


def _described(unit, field):
    counts = {kind: int(np.sum(field.kind == kind)) for kind in ("relevant", "copy", "probe")}
    return {
        "field": field.name,
        "dataset": name_of(unit["dataset"]) if "dataset" in unit else "generated",
        "planted": unit.get("planted", "known"),
        "samples": len(field.X),
        "features": field.X.shape[1],
        "classes": len(np.unique(field.y)),
        "grouped": field.groups is not None,
        **counts,
    }


def _scores(rows):
    """The table ``scores``."""
    sizes = rows.loc[rows["size"] != OWN, ["field", "size"]].drop_duplicates()
    own_size = rows[rows["size"] == OWN].drop(columns="size").merge(sizes, on="field")
    rows = pd.concat([rows[rows["size"] != OWN], own_size])
    metrics = rows.melt(["field", "size", "contestant"], [*CLASSIFIERS, "auc"], "metric")
    return _wide(metrics, ["field", "size", "metric"])


def _by_split(rows):
    """The table ``splits``."""
    accuracy = rows.assign(value=rows[list(CLASSIFIERS)].mean(axis=1))
    return _wide(accuracy, ["field", "split"])


def _selections(rows, once, fields):
    """The table ``selections``."""
    table = []
    for (field, name, _), case in rows.groupby(["field", "contestant", "size"], sort=False):
        chosen = list(case.loc[case["status"] == "done", "chosen"])
        table += tidy({"field": field, "contestant": name}, scores_of(chosen, fields[field]))
    for (field, name), case in once.groupby(["field", "contestant"], sort=False):
        measured = {metric: case[metric].mean() for metric in ("seconds", "evaluations")}
        table += tidy({"field": field, "contestant": name}, measured)
    table = pd.DataFrame(table)
    known = table.groupby(["field", "metric"])["value"].transform("count") > 0
    return _wide(table[known], ["field", "metric"])


def _answers(once):
    """The table ``answers``, with the reason of the first unit of a status."""
    once = once.assign(reason=once["reason"].str.replace(r"\(random_state=\d+\)", "", regex=True))
    outcomes = once.groupby(["contestant", "status"], sort=False)
    fields = ("field", lambda field: tuple(field.unique()))
    return outcomes.agg(reason=("reason", "first"), units=("field", "count"), fields=fields).reset_index()


def _chosen(rows, fields, seed):
    """The table ``chosen``."""
    table = []
    for name, (unit, field) in fields.items():
        case = rows[(rows["field"] == name) & (rows["status"] == "done")]
        if unit.get("planted") != "plain" or case.empty:
            continue
        masks = masks_of(case["chosen"], field.X.shape[1])[:, _places(unit, field, seed)]
        shares = pd.DataFrame(masks, dtype=float).groupby(case["contestant"].to_numpy()).mean().mean()
        top = shares.sort_values(ascending=False, kind="stable").head(N_CHOSEN)
        table += [
            {"field": name, "feature": column + 1, "share": float(f"{share:.4g}")} for column, share in top.items()
        ]
    return pd.DataFrame(table, columns=["field", "feature", "share"])


def _places(unit, field, seed):
    """Where the columns of the data set stand in its field without planted columns, which has them in random order."""
    rng = np.random.default_rng(seed_for(seed, "planted", field.origin, unit["planted"]))
    return np.argsort(rng.permutation(field.X.shape[1]))


def _wide(table, by):
    """Means of ``value``, one column for each contestant: rows of a long table would repeat the names."""
    wide = table.pivot_table(index=by, columns="contestant", values="value", sort=False, dropna=False, observed=True)
    wide = wide[list(dict.fromkeys(table["contestant"]))].dropna(how="all")
    return wide.map(lambda value: float(f"{value:.4g}")).rename_axis(columns=None).reset_index()


def scores_of(subsets, field):
    """Size, truth and stability of the subsets that a contestant chose.

    Parameters
    ----------
    subsets : list of tuple of int
        Indices of the chosen columns, one tuple a split.
    field : comparison.fields.Field

    Returns
    -------
    dict of str to float
        See `Arena`. The stability needs two subsets.
    """
    masks = masks_of(subsets, field.X.shape[1])
    measured = {"chosen": masks.sum(axis=1).mean() if len(masks) else np.nan, **known_columns(subsets, field)}
    stable = nogueira_stability(masks) if len(masks) > 1 else (np.nan,) * 3
    measured |= dict(zip(("stability", "lower", "upper"), stable, strict=True))
    agree = len(masks) > 1 and masks.any()
    measured["cw_rel"] = relative_weighted_consistency(masks) if agree else np.nan
    measured["ati"] = average_tanimoto_index(masks, both_empty=np.nan) if agree else np.nan
    return measured


def known_columns(subsets, field):
    """Means over the subsets of the shares ``found``, ``probes`` and ``redundant``; NaN where nothing is known.

    Parameters
    ----------
    subsets : list of tuple of int
    field : comparison.fields.Field

    Returns
    -------
    dict of str to float
    """
    shares = {"found": [], "probes": [], "redundant": []}
    kinds = set(field.kind)
    for chosen in map(list, subsets):
        if "relevant" in kinds:
            sources = set(field.source[chosen])  # a copy stands for its original
            shares["found"].append(np.mean([j in sources for j in np.flatnonzero(field.kind == "relevant")]))
        if "probe" in kinds and chosen:
            shares["probes"].append(np.mean(field.kind[chosen] == "probe"))
        if "copy" in kinds and chosen:
            shares["redundant"].append(1 - len(set(field.source[chosen])) / len(chosen))
    return {name: float(np.mean(values)) if values else np.nan for name, values in shares.items()}
