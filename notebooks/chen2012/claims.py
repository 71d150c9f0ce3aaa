"""The rules that judge the claims of Chen 2012 from the tables of its experiments.

A repetition (five folds, each sample tested once) is the unit of all intervals, or a data set where a claim is about
data sets in general. Intervals are at the usual level of 95 %.
"""

from itertools import pairwise

import numpy as np
import pandas as pd

from chen2012.names import NAMES
from compendium.inference import bootstrap_interval, mean_interval
from compendium.verdicts import Verdict, by_interval, claim, combine

LITTLE = 0.01  # largest loss of AUC that counts as little: twice the 0.005 that the thesis calls "quite close"
RIVALS = ["IG", "Fisher", "Relieff"]
PUBLIC = ["wdbc", "ionosphere", "sonar", "spectf"]  # the sets of the thesis without the Adrenal tumour


def _absent(table, *names):
    """The verdict if the run lacks data sets that the claim is about, else None."""
    missing = sorted(set(names) - set(table["dataset"]))
    if missing:
        return Verdict("not tested yet", f"this run lacks {', '.join(missing)}, which the claim is about")
    return None


def _of_all(table, verdict):
    """Verdict on a claim about all data sets: not tested if some are missing, with the evidence of the others."""
    if absent := _absent(table, *PUBLIC):
        sets = ", ".join(table["dataset"].unique())
        return Verdict(absent.answer, f"{absent.evidence}; on {sets} only: {verdict.evidence}")
    return verdict


def _curves(auc, dataset, evaluator):
    """AUC by repetition (rows), and by method and subset size (columns)."""
    part = auc[(auc["dataset"] == dataset) & (auc["evaluator"] == evaluator)]
    return part.pivot_table(index="repeat", columns=["method", "n_features"], values="value")


def _repeated(table, by):
    """Values by repetition (rows) and the columns ``by``."""
    return table.pivot_table(index="repeat", columns=by, values="value", sort=False)


def _mean(values, unit=1.0, form="+.2f"):
    """A mean with its interval, as text, and the interval."""
    low, high = mean_interval(values)
    text = f"{unit * np.mean(values):{form}} ({unit * low:{form}} to {unit * high:{form}})"
    return text, low, high


@claim("chen2012", "C1", needs=["auc"])
def gmlvq_ranks_ionosphere_best(auc):
    """Evaluated by GMLVQ on Ionosphere, its ranking has the best mean AUC of the four rankings at nearly every size.

    The statistic is the share of the sizes up to 30, the largest that the claim names, at which it leads; its interval
    is a bootstrap over the repetitions. "Nearly every" is more than four sizes in five. Replicated if the
    interval lies above, not replicated if it lies below, but partly if it still lies above one half: then GMLVQ leads
    at most sizes.
    """
    if absent := _absent(auc, "ionosphere"):
        return absent
    curves = _curves(auc, "ionosphere", "GMLVQ")
    sizes = [size for size in curves["GMLVQ"].columns if size <= 30]
    cube = np.stack([curves[method][sizes].to_numpy() for method in ("GMLVQ", *RIVALS)], axis=2)

    def share(cube):
        means = cube.mean(axis=0)
        return np.mean(means[:, 0] > means[:, 1:].max(axis=1))

    low, high = bootstrap_interval(cube, share)
    answer = by_interval(low, high, 0.8)
    if answer == "not replicated" and low > 0.5:
        answer = "partly"
    means = cube.mean(axis=0)
    lead = 100 * (means[:, 0] - means[:, 1:].max(axis=1))
    return Verdict(
        answer,
        f"GMLVQ led at {share(cube):.0%} of {len(sizes)} sizes ({low:.0%} to {high:.0%}, {len(cube)} repetitions), by "
        f"{lead.mean():+.2f} points of AUC on average",
    )


@claim("chen2012", "C2", needs=["auc"])
def svm_gains_steadily_on_sonar(auc):
    """On Sonar, the SVM's AUC grows with GMLVQ's and ReliefF's features, above IG and Fisher, to near 0.95 at 36.

    Four things are judged for both rankings and combined. The gain from 2 to 36 features is more than 0.065, half of
    that printed. It is steady: each third of the way gains. The ranking leads: its mean AUC over
    the sizes below all features is above that of information gain and of Fisher. The AUC at 36 features is
    within 0.02 of the printed 0.95: "near", and twice as wide as a mean over 25 repetitions is uncertain.
    """
    if absent := _absent(auc, "sonar"):
        return absent
    curves = _curves(auc, "sonar", "RBFSVM")
    sizes = curves["GMLVQ"].columns
    least = sizes[sizes >= 36].min()  # size 36, or the next size of the grid
    until = sizes[sizes <= least]
    stops = until[np.linspace(0, len(until) - 1, 4).round().astype(int)]
    fewer = sizes[:-1]  # with all features the rankings are identical
    answers, said = [], []
    for method, name in (("GMLVQ", "GMLVQ"), ("Relieff", "ReliefF")):
        ours = curves[method]
        gain, low, high = _mean(ours[least] - ours[sizes[0]], 100)
        thirds = [mean_interval(ours[b] - ours[a]) for a, b in pairwise(stops)]
        leads = [mean_interval((ours[fewer] - curves[rival][fewer]).mean(axis=1)) for rival in ("IG", "Fisher")]
        top, bottom, roof = _mean(ours[least], 1, ".3f")
        answers += [by_interval(low, high, 0.065), *(by_interval(*third, 0) for third in thirds)]
        answers += [*(by_interval(*lead, 0) for lead in leads), _within(bottom, roof, 0.93, 0.97)]
        shown = ", ".join(f"{100 * a:+.1f} to {100 * b:+.1f}" for a, b in leads)
        said.append(
            f"{name}: {gain} points from {sizes[0]} to {least} features, {top} there, lead over information gain and "
            f"Fisher {shown} points"
        )
    return Verdict(combine(answers), f"{'; '.join(said)} ({len(curves)} repetitions)")


def _within(low, high, least, most):
    """Whether an interval lies within [least, most], outside, or on a bound."""
    if least <= low and high <= most:
        return "replicated"
    return "not replicated" if high < least or low > most else "inconclusive"


@claim("chen2012", "C3", needs=["auc"])
def a_handful_of_features_is_enough(auc):
    """On SPECTF, evaluated by GMLVQ, the first six features of GMLVQ's ranking are as good as all.

    The loss is at most 0.005, that which the thesis calls "quite close" on the Adrenal tumour data. SPECTF is the only
    public set, and GMLVQ the evaluator, for which it says so; the others are shown but not judged.
    """
    if absent := _absent(auc, "spectf"):
        return absent
    losses = {}
    for dataset in auc["dataset"].unique():
        for evaluator in auc["evaluator"].unique():
            ours = _curves(auc, dataset, evaluator)["GMLVQ"]
            six = 6 if 6 in ours else ours.columns[ours.columns <= max(6, ours.columns[0])].max()
            losses[dataset, evaluator] = ours[six] - ours[ours.columns.max()]
    said, low, high = _mean(losses.pop(("spectf", "GMLVQ")), 100)
    others = ", ".join(f"{name} ({evaluator}) {100 * loss.mean():+.1f}" for (name, evaluator), loss in losses.items())
    return Verdict(
        by_interval(low, high, -0.005),
        f"on spectf (GMLVQ), AUC of six features less that of all {said} points ({auc['repeat'].nunique()} repetitions)"
        + (f"; where the thesis does not claim it: {others}" if others else ""),
    )


@claim("chen2012", "C4", needs=["stability"])
def gmlvq_rankings_vary_least(stability):
    """The first features of two splits overlap more by GMLVQ than by each of the other rankings.

    The unit is the data set: the overlap (Jaccard) is averaged over the sizes, its difference to each of the three
    rankings has an interval (Student's) over the sets, and the three answers are combined.
    """
    overlap = stability.pivot_table(index="dataset", columns="method", values="value")
    leads = {rival: overlap["GMLVQ"] - overlap[rival] for rival in RIVALS}
    said = ", ".join(f"{_mean(lead)[0]} over {NAMES.get(rival, rival)}" for rival, lead in leads.items())
    return Verdict(
        combine(by_interval(*mean_interval(lead), 0) for lead in leads.values()),
        f"mean overlap by GMLVQ {overlap['GMLVQ'].mean():.2f}, its lead {said} ({len(overlap)} data sets)",
    )


@claim("chen2012", "C5", needs=["entropy"])
def entropy_sharpens_at_little_cost(entropy):
    """With the weight N^2/10 the entropy of the relevances falls on each data set, and AUC by less than one point.

    Judged at the step that the validation part chooses, as in the thesis, on every set, and combined. One
    point is twice the difference that the thesis calls "quite close". What the weight does to a descent without
    validation is shown but not judged: the thesis does not claim anything about it.
    """
    chosen = entropy[entropy["stopping"] == "validation"]
    answers, bits, losses = [], [], []
    for dataset, part in chosen.groupby("dataset", sort=False):
        table = _repeated(part, ["metric", "setting"])
        fall = table["entropy"]["none"] - table["entropy"]["N^2/10"]
        loss, low, high = _mean(table["auc"]["N^2/10"] - table["auc"]["none"], 100)
        answers += [by_interval(*mean_interval(fall), 0), by_interval(low, high, -LITTLE)]
        bits.append(f"{dataset} {-fall.mean():+.2f}")
        losses.append(f"{dataset} {loss}")
    end = entropy[(entropy["stopping"] == "end") & (entropy["setting"] == "N^2/10")]
    largest = end.loc[end["metric"] == "largest", "value"].mean()
    return Verdict(
        combine(answers),
        f"change of the entropy in bits: {', '.join(bits)}; of AUC in points: {', '.join(losses)} "
        f"({chosen['repeat'].nunique()} repetitions); descended to the end, the largest relevance is {largest:.2f}",
    )


@claim("chen2012", "C6", needs=["ambiguity"])
def projection_makes_relevances_unique(ambiguity):
    """Where directions are unseen, the projection keeps distances and predictions, and at least halves the spread.

    Three parts are combined. Distances between training samples and prototypes are the same up to 1e-9, the
    accuracy of the projection, and so are their predictions: a theorem, which checks our code. New samples are
    predicted the same, too. The spread of the relevances over random starts falls by more than half, averaged over runs
    with an interval by bootstrap: a ranking that is unique would have none.
    """
    run = ["dataset", "n_samples", "repeat"]
    unseen = ambiguity[ambiguity["metric"] == "unseen"].groupby(run)["value"].min()
    concerned = ambiguity[pd.MultiIndex.from_frame(ambiguity[run]).isin(unseen.index[unseen > 0])]
    if concerned.empty:
        return Verdict("not tested yet", "no model had directions that its data did not show: n_samples is too large")
    table = concerned.groupby("metric")["value"]
    worst, mean = table.max(), table.mean()
    trained = worst["distance_change"] < 1e-9 and worst["prediction_change_train"] == 0
    spread = concerned.pivot_table(index=run, columns="metric", values="value")
    falls = 1 - spread["spread_after"] / spread["spread_before"]
    low, high = bootstrap_interval(falls)
    parts = [
        "replicated" if trained else "not replicated",
        "replicated" if worst["prediction_change_test"] == 0 else "not replicated",
        by_interval(low, high, 0.5),
    ]
    return Verdict(
        combine(parts),
        f"distances between training samples and prototypes changed by at most {worst['distance_change']:.0e}, "
        f"{worst['prediction_change_train']:.0%} of their predictions; new samples are predicted differently in "
        f"{mean['prediction_change_test']:.1%}; relevances of random starts spread {falls.mean():.0%} less ({low:.0%} "
        f"to {high:.0%}, {len(falls)} runs); equation 92 as printed changes distances by "
        f"{worst['distance_change_printed']:.0e}",
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
    """Appended features among the first N, summed over the data sets, by repetition and method; and as text."""
    added = table[table["metric"] == "added"]
    totals = added.pivot_table(index="repeat", columns="method", values="value", aggfunc="sum")
    listed = totals[["GMLVQ", *RIVALS]].mean().sort_values()
    said = ", ".join(f"{NAMES.get(method, method)} {value:.1f}" for method, value in listed.items())
    by_chance = chance(added)
    return (
        totals,
        f"totals over {len(by_chance)} sets ({len(totals)} repetitions): {said}; chance {by_chance.sum():.1f}",
    )


def _fewer(totals, one, other):
    """Whether ``one`` lets in fewer than ``other``, and the difference as text."""
    said, low, high = _mean(totals[other] - totals[one], 1, "+.1f")
    return by_interval(low, high, 0), f"{NAMES.get(other, other)} less {NAMES.get(one, one)} {said}"


@claim("chen2012", "C7", needs=["irrelevant"])
def information_gain_filters_random_features_best(irrelevant):
    """Information gain lets in fewer random features than GMLVQ, GMLVQ fewer than ReliefF, ReliefF fewer than Fisher.

    Each of the three steps is judged by the difference of the totals over the data sets, whose interval is over the
    repetitions, and the answers are combined.
    """
    totals, said = _totals(irrelevant)
    steps = [_fewer(totals, *pair) for pair in (("IG", "GMLVQ"), ("GMLVQ", "Relieff"), ("Relieff", "Fisher"))]
    at_random = "IG, equal scores at random"
    if at_random in totals:
        said += f"; information gain with equal scores in random order {totals[at_random].mean():.1f}"
    said = f"random features let in, {said}; {', '.join(text for _, text in steps)}"
    return _of_all(irrelevant, Verdict(combine(answer for answer, _ in steps), said))


@claim("chen2012", "C8", needs=["redundant"])
def nothing_filters_copies(redundant):
    """GMLVQ and information gain let in fewer noisy copies than ReliefF and Fisher, and every ranking more than half.

    Four differences of the totals over the data sets, and the four totals, are judged by intervals over the
    repetitions and combined. A ranking that handled copies would keep out most, hence the threshold of one half.
    """
    totals, said = _totals(redundant)
    half = redundant.groupby("dataset")["n_added"].first().sum() / 2
    steps = [_fewer(totals, one, other) for one in ("GMLVQ", "IG") for other in ("Relieff", "Fisher")]
    poor = [by_interval(*mean_interval(totals[method]), half) for method in ("GMLVQ", *RIVALS)]
    said = f"noisy copies let in, {said}; {', '.join(text for _, text in steps)}"
    return _of_all(redundant, Verdict(combine([*(answer for answer, _ in steps), *poor]), said))


@claim("chen2012", "C9", needs=["auc"])
def the_metric_can_be_reused(auc):
    """Evaluated by GMLVQ, the cut-down metric of the ranking loses less than one point of AUC against a new one.

    On each data set, the mean over the subset sizes that the thesis counts; the answers of all sets are combined. One
    point is twice the difference that the thesis calls "quite close".
    """
    table = auc[auc["counted"] & (auc["evaluator"] == "GMLVQ")]
    answers, said = [], []
    for dataset, part in table.groupby("dataset", sort=False):
        means = _repeated(part, "method")
        gain, low, high = _mean(means["GMLVQ_original_omega"] - means["GMLVQ"], 100)
        answers.append(by_interval(low, high, -LITTLE))
        said.append(f"{dataset} {gain}")
    evidence = (
        f"AUC of the cut-down metric less that of a new one, in points: {', '.join(said)} "
        f"({table['repeat'].nunique()} repetitions)"
    )
    return _of_all(auc, Verdict(combine(answers), evidence))


@claim("chen2012", "C10", needs=["descent"])
def waypoints_get_closer(descent):
    """With steps that are too long, waypoint averaging ends at a lower cost than plain steps.

    Too long are the steps above those that the other experiments use (factor 1). The unit is the data set, with the
    mean over these factors of the difference in cost per sample; its interval (Student's) is over the sets.
    """
    ends = descent.sort_values("evaluations").groupby(["dataset", "factor", "solver"])["value"].last().unstack("solver")
    gain = ends["plain steps"] - ends["waypoint averaging"]
    long = gain[gain.index.get_level_values("factor") > 1]
    said, low, high = _mean(long.groupby("dataset").mean(), 1, "+.3f")
    return Verdict(
        by_interval(low, high, 0),
        f"cost per sample of plain steps less that of waypoint averaging, with long steps {said} "
        f"({descent['dataset'].nunique()} data sets); waypoint averaging lower in {(gain > 0).sum()} of {len(gain)} "
        f"descents, by {gain.min():+.3f} in its worst case",
    )
