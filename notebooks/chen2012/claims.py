"""The claims of Chen 2012: their statements, and sentences of what was found.

A repetition (five folds, each sample tested once) is the unit of all intervals, or a data set where a claim is about
data sets in general.
"""

from itertools import pairwise

import numpy as np
import pandas as pd

from chen2012.auc import ORIGINAL
from compendium.inference import bootstrap_interval
from compendium.papers import names_of
from compendium.statements import (
    ALMOST_ALL,
    INDEX,
    POINT,
    each_over_sets,
    fact,
    least_of,
    mean_of,
    means_of,
    over_sets,
    secondary,
    statistic_of,
)
from compendium.verdicts import Claim

NAMES = names_of("chen2012")
RIVALS = ["IG", "Fisher", "Relieff"]
PUBLIC = ["wdbc", "ionosphere", "sonar", "spectf"]  # the sets of the thesis without the Adrenal tumour
RUNS = "repetitions"
FAIR = "IG, equal scores at random"  # else the order of the columns breaks ties, in which the appended ones are last


def _curves(auc, dataset, evaluator):
    """AUC by repetition (rows), and by method and subset size (columns)."""
    part = auc[(auc["dataset"] == dataset) & (auc["evaluator"] == evaluator)]
    return part.pivot_table(index="repeat", columns=["method", "n_features"], values="value")


def _repeated(table, by):
    """Values by repetition (rows) and the columns ``by``."""
    return table.pivot_table(index="repeat", columns=by, values="value", sort=False)


def _has(table, *datasets):
    """Whether a run has the data sets that a claim is about."""
    return set(datasets) <= set(table["dataset"])


def _points(what, differences, above=-POINT, **more):
    """A statement about the mean over the repetitions of differences between AUCs, in points."""
    return mean_of(what, 100 * differences, RUNS, above=above, unit="points", **more)


def _gain(what, differences, **more):
    """The same for a gain: there is none if it is less than a point."""
    return _points(what, differences, 0, margin=POINT, **more)


def _each(what, differences):
    """Secondary statements that AUC falls by less than a point on each data set."""
    return means_of(what, {name: 100 * each for name, each in differences.items()}, RUNS, above=-POINT, unit="points")


def _by_set(differences):
    """Differences by data set, as repeated measurements of each; from a dict of series over repetitions."""
    return pd.concat(differences, names=["dataset"])


class C1(Claim):
    """Evaluated by GMLVQ on Ionosphere, its ranking has the best mean AUC of the four rankings at nearly every size.

    The share of the sizes up to 30, the largest that the claim names, at which it leads. "Nearly every" is more than
    four sizes in five, as elsewhere in this compendium. The interval is a bootstrap over the repetitions.
    """

    def statements(self, auc):
        if not _has(auc, "ionosphere"):
            return []
        curves = _curves(auc, "ionosphere", "GMLVQ")
        sizes = [size for size in curves["GMLVQ"].columns if size <= 30]
        cube = np.stack([curves[method][sizes].to_numpy() for method in ("GMLVQ", *RIVALS)], axis=2)

        def share(cube):
            means = cube.mean(axis=0)
            return 100 * np.mean(means[:, 0] > means[:, 1:].max(axis=1))

        percent = {"above": ALMOST_ALL, "unit": "%", "possible": (0, 100)}
        return [statistic_of("sizes at which GMLVQ leads", cube, share, RUNS, **percent)]

    def sentence(self, share):
        return (
            f"GMLVQ's ranking had the best mean AUC at {share.number} of the sizes up to 30; {share.above:.0f}% was "
            "needed"
        )


class C2(Claim):
    """On Sonar, the SVM's AUC grows from 2 to 36 of the first features by GMLVQ.

    The threshold is zero. Secondary is that GMLVQ outperforms the better of information gain and Fisher in the mean AUC
    over the sizes below all features. So are three more: that AUC grows in each third of the way, that at 36 features
    it is within 0.02 of the printed 0.95, and the same for ReliefF.
    """

    def statements(self, auc):
        if not _has(auc, "sonar"):
            return []
        curves = _curves(auc, "sonar", "RBFSVM")
        sizes = curves["GMLVQ"].columns
        least = sizes[sizes >= 36].min()  # size 36, or the next size of the grid
        until = sizes[sizes <= least]
        stops = until[np.linspace(0, len(until) - 1, 4).round().astype(int)]
        fewer = sizes[:-1]  # with all features the rankings are identical
        statements = []
        for method in ("GMLVQ", "Relieff"):
            ours, name, more = curves[method], NAMES.get(method, method), {"secondary": method != "GMLVQ"}
            thirds = [100 * (ours[b] - ours[a]) for a, b in pairwise(stops)]
            leads = [100 * (ours[fewer] - curves[rival][fewer]).mean(axis=1) for rival in ("IG", "Fisher")]
            last, points = {"above": 0.93, "below": 0.97, "possible": (0, 1)}, {"above": 0, "unit": "points"}
            statements += [
                _gain(f"gain by {name} to 36 features", ours[least] - ours[sizes[0]], **more),
                *secondary([least_of(f"lead of {name} on IG and Fisher", leads, RUNS, margin=POINT, **points)]),
                *secondary([least_of(f"least gain by {name} in a third", thirds, RUNS, **points)]),
                mean_of(f"AUC by {name} at 36 features", ours[least], RUNS, secondary=True, **last),
            ]
        return statements

    def sentence(self, gain, lead, third, last, *_):
        return (
            f"from 2 to 36 features, AUC {gain.moved} to {last.number} (published: 0.95); GMLVQ leads other rankings "
            f"by {lead.change}"
        )


class C3(Claim):
    """On SPECTF, evaluated by GMLVQ, the first six features of GMLVQ's ranking are as good as all.

    "Quite close" means that the loss of AUC is less than a point. SPECTF is the only public set, and GMLVQ the
    evaluator, for which the thesis says so; the quoted numbers are those of the Adrenal tumor data, which are not
    public.
    """

    def statements(self, auc):
        if not _has(auc, "spectf"):
            return []
        ours = _curves(auc, "spectf", "GMLVQ")["GMLVQ"]
        six = 6 if 6 in ours else ours.columns[ours.columns <= max(6, ours.columns[0])].max()
        return [_points("AUC of six features minus that of all", ours[six] - ours[ours.columns.max()])]

    def sentence(self, change):
        return f"on SPECTF, six features instead of all changed the AUC by {change.measured}"


class C4(Claim):
    """The first features of two splits overlap more by GMLVQ than by the other rankings, over data sets in general.

    The thesis says so of the Adrenal tumor data, which are not public; the public sets stand for them. The overlap
    (Jaccard) is averaged over the sizes, and over the three other rankings; each of these is secondary. The threshold
    is zero: "more stable".
    """

    def statements(self, stability):
        overlap = stability.pivot_table(index="dataset", columns="method", values="value")
        lead = {NAMES.get(rival, rival): overlap["GMLVQ"] - overlap[rival] for rival in RIVALS}
        claimed = {"above": 0, "margin": INDEX}
        return [
            *over_sets("overlap minus that by the others", sum(lead.values()) / 3, **claimed),
            *each_over_sets("overlap minus that by {}", lead, **claimed),
        ]

    def sentence(self, lead, *_):
        return (
            f"the overlap of GMLVQ's rankings was {lead.difference('larger', 'smaller')} than that of the others on "
            f"{lead.sets}"
        )


class C5(Claim):
    """With the weight N^2/10 the entropy of the relevances falls, and AUC by less than a point, on these data sets.

    The sentence has two halves, and both are stated: "discriminative", and not "deteriorating the performance". The
    training stops at the step that the validation part chooses, as in the thesis. Both are means over the data sets;
    data sets in general, and each one, are secondary. What the weight does to a descent without validation is not
    stated: the thesis claims nothing about it.
    """

    def statements(self, entropy):
        chosen, falls, changes = entropy[entropy["stopping"] == "validation"], {}, {}
        for dataset, part in chosen.groupby("dataset", sort=False):
            table = _repeated(part, ["metric", "setting"])
            falls[dataset] = table["entropy"]["none"] - table["entropy"]["N^2/10"]
            changes[dataset] = table["auc"]["N^2/10"] - table["auc"]["none"]
        *falls_elsewhere, fall = over_sets("fall of the entropy", _by_set(falls), above=0, unit="bits")
        *elsewhere, change = over_sets("change of AUC", 100 * _by_set(changes), above=-POINT, unit="points")
        more = _each("change of AUC on {}", changes)
        return [fall, change, *secondary([*falls_elsewhere, *elsewhere]), *more]

    def sentence(self, fall, change, general_fall, general_change, *each):
        least = min(each, key=lambda row: row.estimate)
        return (
            f"the penalty changed the entropy by {-fall.estimate:+.1f} bits and AUC by {change.change}, at worst by "
            f"{least.change}"
        )


class C6(Claim):
    """Where directions are unseen, the projection keeps distances and predictions, and at least halves the spread.

    The claim has two halves. The classifier stays: distances between training samples and prototypes are the same up to
    1e-9, the accuracy of the projection, and so are their predictions: a theorem. The ranking becomes unique: the
    spread of the relevances over random starts falls by more than half; a unique one would have none. Predictions of
    new samples, of which the thesis does not speak, are secondary.
    """

    def statements(self, ambiguity):
        run = ["dataset", "n_samples", "repeat"]
        unseen = ambiguity[ambiguity["metric"] == "unseen"].groupby(run)["value"].min()
        concerned = ambiguity[pd.MultiIndex.from_frame(ambiguity[run]).isin(unseen.index[unseen > 0])]
        if concerned.empty:
            return []
        worst = concerned.groupby("metric")["value"].max()
        spread = concerned.pivot_table(index=run, columns="metric", values="value")
        falls = (100 * (1 - spread["spread_after"] / spread["spread_before"])).to_numpy()
        none = {"below": 1e-9, "secondary": True}
        return [
            fact("largest change of a distance in training", worst["distance_change"], below=1e-9),
            *(
                fact(f"largest share of changed predictions {where}", worst[f"prediction_change_{part}"], **none)
                for part, where in (("train", "in training"), ("test", "of new samples"))
            ),
            mean_of(
                "fall of the spread of the relevances", falls, "runs", interval=bootstrap_interval, above=50, unit="%"
            ),
        ]

    def sentence(self, distance, training, new, fall):
        return (
            f"no training prediction changes, but {100 * new.estimate:.0f}% of new ones can; the spread of relevances "
            f"falls by {fall.number}"
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
    """Appended features among the first N, summed over the data sets, by repetition and method."""
    return table[table["metric"] == "added"].pivot_table(
        index="repeat", columns="method", values="value", aggfunc="sum"
    )


def _by_data_set(table):
    """The same of each data set, by data set, repetition and method."""
    own = table[table["metric"] == "added"]
    return own.pivot_table(index=["dataset", "repeat"], columns="method", values="value", sort=False)


def _fewer(totals, one, other, **more):
    """The statement that ``one`` ranks fewer appended features first than ``other``."""
    what = f"appended features, {NAMES.get(other, other)} minus {NAMES.get(one, one)}"
    return mean_of(what, totals[other] - totals[one], RUNS, above=0, unit="features", **more)


class C7(Claim):
    """Information gain ranks fewer random features first than each other ranking, with its ties broken at random.

    Of the first N features of each ranking, summed over the data sets. Information gain scores most columns exactly
    zero; if the order of the columns breaks these ties, the random columns come last only because they were appended.
    So we break ties at random; readings for which only the order of the columns was measured use that. The order of the
    others, the same with ties by column, and the mean of the others on a data set in general, are secondary. The
    threshold is zero, because the claim is about the order.
    """

    def statements(self, irrelevant):
        if not _has(irrelevant, *PUBLIC):
            return []
        totals, of_set = _totals(irrelevant), _by_data_set(irrelevant)
        by_column = totals["IG"].rename("ties by column")
        totals["IG"] = totals.get(FAIR, by_column)
        rivals = ["GMLVQ", "Relieff", "Fisher"]
        leads = [totals[rival] - totals["IG"] for rival in rivals]
        lead = of_set[rivals].mean(axis=1) - of_set.get(FAIR, of_set["IG"])
        features = {"above": 0, "unit": "features"}
        return [
            least_of("random features, least of the others minus information gain", leads, RUNS, **features),
            *secondary(over_sets("random features, others minus information gain", lead, **features)[:1]),
            *(_fewer(totals, *pair, secondary=True) for pair in (("GMLVQ", "Relieff"), ("Relieff", "Fisher"))),
            mean_of(
                "random features, GMLVQ minus information gain, ties by column",
                totals["GMLVQ"] - by_column,
                RUNS,
                above=0,
                unit="features",
                secondary=True,
            ),
        ]

    def sentence(self, least, general, first, second, by_column):
        return (
            f"with random ties, information gain lets in {_more(-least.estimate, 'random features ')}than the best "
            f"rival; by column, {_more(-by_column.estimate)}than GMLVQ"
        )


def _more(difference, what=""):
    return f"{abs(difference):.1f} {'fewer' if difference < 0 else 'more'} {what}"


class C8(Claim):
    """Every ranking has more than a quarter of the noisy copies among its first N features.

    "Cannot be efficiently removed": one that removed them efficiently would keep out three of four; this threshold was
    chosen after the results were seen. The statement is about the ranking with the fewest, summed over the data sets;
    the ties of information gain are broken at random, but for readings that were measured by the order of the columns
    only. That ranking on data sets in general, and that GMLVQ and information gain have fewer than ReliefF and Fisher,
    are secondary.
    """

    def statements(self, redundant):
        if not _has(redundant, *PUBLIC):
            return []
        totals, of_set = _totals(redundant), _by_data_set(redundant)
        totals["IG"], of_set["IG"] = totals.get(FAIR, totals["IG"]), of_set.get(FAIR, of_set["IG"])
        n_copies = redundant.groupby("dataset")["n_added"].first()
        shares = {method: 100 * totals[method] / n_copies.sum() for method in ("GMLVQ", *RIVALS)}
        fewest = min(shares, key=lambda method: shares[method].mean())
        of_each = 100 * of_set[fewest].div(n_copies, level="dataset")
        percent = {"above": 25, "unit": "%", "possible": (0, 100)}
        return [
            least_of("copies among the first N, fewest of any ranking", list(shares.values()), RUNS, **percent),
            *secondary(over_sets("copies among the first N by that ranking", of_each, **percent)[:1]),
            *(_fewer(totals, one, other, secondary=True) for one in ("GMLVQ", "IG") for other in ("Relieff", "Fisher")),
        ]

    def sentence(self, fewest, *_):
        return f"even the best ranking puts {fewest.number} of the noisy copies among its first N features"


class C9(Claim):
    """Evaluated by GMLVQ, the cut-down metric of the ranking loses less than a point of AUC against a new one.

    "Comparable": the mean over these data sets and over the subset sizes that the thesis counts. Each data set, and
    data sets in general, are secondary.
    """

    def statements(self, auc):
        if not _has(auc, *PUBLIC):
            return []
        table = auc[auc["counted"] & (auc["evaluator"] == "GMLVQ")]
        means = {dataset: _repeated(part, "method") for dataset, part in table.groupby("dataset", sort=False)}
        changes = {dataset: part[ORIGINAL] - part["GMLVQ"] for dataset, part in means.items()}
        *general, these = over_sets("AUC against a new metric", 100 * _by_set(changes), above=-POINT, unit="points")
        return [these, *secondary(general), *_each("AUC against a new metric on {}", changes)]

    def sentence(self, these, _, *each):
        worst = min(each, key=lambda row: row.estimate)
        return f"reusing the learned metric changed AUC by {these.change} on average, at worst by {worst.change}"


class C10(Claim):
    """With steps that are too long, waypoint averaging ends lower than plain steps on most of these data sets.

    "Enables it to move closer to the minimum": the thesis shows one descent. Steps are too long if they are longer than
    those of the other experiments (factor 1); the costs are means over these factors. Chance has no part in a descent.
    The difference over data sets in general, in cost per sample, is secondary.
    """

    def statements(self, descent):
        ends = (
            descent.sort_values("evaluations")
            .groupby(["dataset", "factor", "solver"])["value"]
            .last()
            .unstack("solver")
        )
        gain = (ends["plain steps"] - ends["waypoint averaging"])[ends.index.get_level_values("factor") > 1]
        gain = gain.groupby("dataset").mean()
        lower = 100 * (gain > 0).mean()
        return [
            fact("data sets on which waypoint averaging ends lower", lower, above=50, unit="%"),
            *over_sets("cost of plain steps minus waypoint averaging", gain, above=0, secondary=True),
        ]

    def sentence(self, lower, gain):
        sets = f"{gain.n * lower.estimate / 100:.0f} of {gain.sets}"
        return f"waypoint averaging ended at a lower cost on {sets}, by {gain.number} per sample"
