"""The rules that judge the claims of Chen 2012 from the tables of its experiments."""

import numpy as np
import pandas as pd
from scipy.stats import spearmanr

from compendium.verdicts import Verdict, claim, judge

LITTLE = 0.01  # largest loss of AUC that counts as "little lost" or "about as well"
RIVALS = ["IG", "Fisher", "Relieff"]
PUBLIC = ["wdbc", "ionosphere", "sonar", "spectf"]  # the sets of the thesis without the Adrenal tumour


def _absent(table, *names):
    """The verdict if the run lacks data sets that the claim is about, else None."""
    missing = sorted(set(names) - set(table["dataset"]))
    if missing:
        said = f"{len(missing)} of {len(names)} data sets that the claim is about not in this run: {', '.join(missing)}"
        return Verdict("not tested yet", said)
    return None


def _of_all(table, verdict):
    """Verdict on a claim about all data sets: not tested if some are missing, with the evidence of the others."""
    if absent := _absent(table, *PUBLIC):
        return Verdict(absent.answer, f"{absent.evidence}; on {_sets(table)} only: {verdict.evidence}")
    return verdict


def _sets(table):
    return ", ".join(table["dataset"].unique())


def _curves(auc, dataset, evaluator):
    """Mean AUC by subset size (rows) and ranking (columns)."""
    part = auc[(auc["dataset"] == dataset) & (auc["evaluator"] == evaluator)]
    return part.pivot_table(index="n_features", columns="method", values="value")


def _means(table, by):
    return table.groupby(by, sort=False)["value"].mean()


@claim("chen2012", "C1", needs=["auc"])
def gmlvq_ranks_ionosphere_best(auc):
    if absent := _absent(auc, "ionosphere"):
        return absent
    curves = _curves(auc, "ionosphere", "GMLVQ").loc[:30]
    lead = curves["GMLVQ"] - curves[RIVALS].max(axis=1)
    ahead = (lead > 0).mean()
    return judge(
        ahead >= 0.9,
        f"evaluated by GMLVQ on Ionosphere, its ranking led at {(lead > 0).sum()} of {len(lead)} subset sizes up to "
        f"30, by {100 * lead.mean():+.2f} points of AUC on average",
        partly=ahead > 0.5,
    )


@claim("chen2012", "C2", needs=["auc"])
def svm_gains_steadily_on_sonar(auc):
    if absent := _absent(auc, "sonar"):
        return absent
    curves = _curves(auc, "sonar", "RBFSVM")
    least = curves.index[curves.index >= 36].min()  # size 36, or the next size of the grid
    fewer = curves.iloc[:-1]  # with all features the rankings are identical
    steady, leads, peaks, said = [], [], [], []
    for method, name in (("GMLVQ", "GMLVQ"), ("Relieff", "ReliefF")):
        ours = curves[method]
        until = ours.loc[:least]
        gain, rising = until.iloc[-1] - until.iloc[0], spearmanr(until.index, until).statistic
        ahead = (fewer[method] > fewer[["IG", "Fisher"]].max(axis=1)).mean()
        steady.append(gain > 0.065 and rising > 0.9)  # half of the printed 0.82 to 0.95
        leads.append(ahead >= 0.75)
        peaks.append(abs(ours.idxmax() - 36) <= 8 and abs(ours.max() - 0.95) <= 0.02)
        said.append(
            f"{name} {until.iloc[0]:.3f} at {until.index[0]} and {until.iloc[-1]:.3f} at {least} (rank correlation "
            f"with the size {rising:.2f}), greatest {ours.max():.3f} at {ours.idxmax()}, ahead of information gain and "
            f"Fisher at {ahead:.0%} of the sizes"
        )
    return judge(
        all(steady + leads + peaks),
        f"AUC of the SVM on Sonar with the first features of {'; '.join(said)}",
        partly=all(steady) and (all(leads) or all(peaks)),
    )


@claim("chen2012", "C3", needs=["auc"])
def a_handful_of_features_is_enough(auc):
    losses = {}
    for dataset in auc["dataset"].unique():
        for evaluator in auc["evaluator"].unique():
            ours = _curves(auc, dataset, evaluator)["GMLVQ"]
            six = ours.loc[6] if 6 in ours.index else ours.loc[: min(6, ours.index.max())].iloc[-1]
            losses[f"{dataset} ({evaluator})"] = six - ours.iloc[-1]
    enough = [value >= -0.005 for value in losses.values()]
    said = ", ".join(f"{name} {100 * value:+.1f}" for name, value in losses.items())
    return judge(all(enough), f"AUC of six features less that of all, in points: {said}", partly=any(enough))


@claim("chen2012", "C4", needs=["stability"])
def gmlvq_rankings_vary_least(stability):
    overlap = _means(stability, ["dataset", "size", "method"]).unstack("method")
    most = overlap["GMLVQ"] > overlap[RIVALS].max(axis=1)
    said = ", ".join(f"{method} {value:.2f}" for method, value in overlap.mean().items())
    return judge(
        most.mean() >= 0.75,
        f"overlap (Jaccard) of the first features of two splits, mean over sets and sizes: {said}; GMLVQ highest in "
        f"{most.sum()} of {len(most)} cases",
        partly=most.mean() > 0.25,
    )


@claim("chen2012", "C5", needs=["entropy"])
def entropy_sharpens_at_little_cost(entropy):
    table = _means(entropy, ["stopping", "dataset", "metric", "setting"]).unstack("setting")
    change = table["N^2/10"] - table["none"]
    bits, auc = (change.loc["validation"].xs(metric, level="metric") for metric in ("entropy", "auc"))
    largest = table.loc["end", "N^2/10"].xs("largest", level="metric")
    lost = change.loc["end"].xs("auc", level="metric")
    sharper, mild, collapsed = (bits < 0).all(), (auc >= -LITTLE).all(), (largest > 0.9).any()
    return judge(
        sharper and mild and not collapsed,
        f"on {_sets(entropy)}, with N^2/10 and the best step on the validation part, entropy changed by "
        f"{bits.mean():+.2f} bits and AUC by {100 * auc.mean():+.2f} points (worst {100 * auc.min():+.2f}); descended "
        f"to the end, the largest relevance "
        f"is {largest.mean():.2f} and AUC changes by {100 * lost.mean():+.2f}: one feature is left",
        partly=sharper and mild,
    )


@claim("chen2012", "C6", needs=["ambiguity"])
def projection_makes_relevances_unique(ambiguity):
    run = ["dataset", "n_samples", "repeat"]
    unseen = ambiguity[ambiguity["metric"] == "unseen"].groupby(run)["value"].min()
    concerned = ambiguity[pd.MultiIndex.from_frame(ambiguity[run]).isin(unseen.index[unseen > 0])]
    if concerned.empty:
        return Verdict("not tested yet", "no model had directions that its data did not show: n_samples is too large")
    table = concerned.groupby("metric")["value"]
    worst, mean = table.max(), table.mean()
    trained = worst["distance_change"] < 1e-9 and worst["prediction_change_train"] == 0
    kept = worst["prediction_change_test"] == 0
    fall = 1 - mean["spread_after"] / mean["spread_before"]
    return judge(
        trained and kept and fall >= 0.5,
        f"on {_sets(concerned)}, where directions were unseen: distances between training samples and prototypes "
        f"changed by at most {worst['distance_change']:.0e}, {worst['prediction_change_train']:.0%} of their "
        f"predictions; new samples are predicted differently in {mean['prediction_change_test']:.1%}; relevances of "
        f"random starts spread {mean['spread_before']:.2f} before and {mean['spread_after']:.2f} after, {fall:.0%} "
        f"less; equation 92 as printed changes distances by {worst['distance_change_printed']:.0e}",
        partly=trained and fall >= 0.25,
    )


def chance(table):
    """Appended features that a random ranking has among its first N: ``a N / (N + a)`` of ``a`` appended to N.

    Parameters
    ----------
    table : DataFrame
        Columns dataset, n_own (N) and n_added (a).

    Returns
    -------
    Series
        Indexed by dataset.
    """
    sizes = table.groupby("dataset", sort=False)[["n_own", "n_added"]].first()
    return sizes["n_added"] * sizes["n_own"] / sizes.sum(axis=1)


def _totals(table):
    """Appended features among the first N, summed over the data sets, by method; and those by chance."""
    added = table[(table["metric"] == "added") & table["method"].isin(["GMLVQ", *RIVALS])]
    totals = _means(added, ["dataset", "method"]).unstack("method").sum()
    by_chance = chance(added)
    said = ", ".join(f"{method} {value:.1f}" for method, value in totals.sort_values().items())
    said = f"totals over {len(by_chance)} sets: {said}; by chance {by_chance.sum():.1f}"
    return totals, by_chance.sum(), said


@claim("chen2012", "C7", needs=["irrelevant"])
def information_gain_filters_random_features_best(irrelevant):
    totals, _, said = _totals(irrelevant)
    order = list(totals.sort_values().index)
    at_random = irrelevant[irrelevant["method"] == "IG, equal scores at random"]
    if len(at_random):
        total = _means(at_random, "dataset").sum()
        said += f"; information gain that puts features of equal score in random order {total:.1f}"
    verdict = judge(
        order == ["IG", "GMLVQ", "Relieff", "Fisher"], f"random features let in, {said}", partly=order[0] == "IG"
    )
    return _of_all(irrelevant, verdict)


@claim("chen2012", "C8", needs=["redundant"])
def nothing_filters_copies(redundant):
    totals, by_chance, said = _totals(redundant)
    fewer = totals[["GMLVQ", "IG"]].max() < totals[["Relieff", "Fisher"]].min()
    poor = (totals >= 0.75 * by_chance).all()
    return _of_all(redundant, judge(fewer and poor, f"noisy copies let in, {said}", partly=fewer or poor))


@claim("chen2012", "C9", needs=["auc"])
def the_metric_can_be_reused(auc):
    table = auc[auc["counted"] & (auc["evaluator"] == "GMLVQ")]
    means = _means(table, ["dataset", "method", "n_features"]).unstack("method")
    gain = (means["GMLVQ_original_omega"] - means["GMLVQ"]).groupby("dataset", sort=False).mean()
    said = ", ".join(f"{dataset} {100 * value:+.2f}" for dataset, value in gain.items())
    verdict = judge(
        (gain >= -LITTLE).all(),
        f"AUC of the cut-down metric less that of a new one, mean over the sizes, in points: {said}",
        partly=(gain >= -LITTLE).any(),
    )
    return _of_all(auc, verdict)


@claim("chen2012", "C10", needs=["descent"])
def waypoints_get_closer(descent):
    ends = descent.sort_values("evaluations").groupby(["dataset", "factor", "solver"])["value"].last().unstack("solver")
    gain = ends["plain steps"] - ends["waypoint averaging"]
    longest = gain.xs(gain.index.get_level_values("factor").max(), level="factor")
    lower = gain > 0
    return judge(
        (longest > 0).all() and lower.mean() >= 0.5,
        f"waypoint averaging ended lower in {lower.sum()} of {len(lower)} descents, by {np.mean(longest):.3f} a sample "
        f"with the longest steps and {gain.min():+.3f} in its worst case",
        partly=(longest > 0).any(),
    )
