"""The claims of Nel 1998: their statements, and sentences of what was found.

Splits of one sample are independent random partitions, so intervals over splits say how well the mean over all such
partitions is known: the claims are about these samples and these classifiers.
"""

from functools import cache, partial
from itertools import pairwise

import numpy as np
import pandas as pd

from compendium.inference import (
    best_interval,
    correlation_interval,
)
from compendium.statements import (
    ALMOST_ALL,
    POINT,
    Statement,
    fact,
    least_of,
    mean_of,
    means_of,
    over_sets,
    secondary,
    share_of,
    share_of_means,
    statistic_of,
)
from compendium.verdicts import Claim
from nel1998.printed import CLASSIFIERS
from nel1998.protocol import HALVES
from nel1998.published_settings import rows_of, usable

METHODS = {"gamma_test": "Gamma", "mutual_information": "information", "RANN_wrapper": "wrapper"}
FILTERS = ("gamma_test", "mutual_information")
FIRST = 5  # subsets of each method, as many as the thesis prints
STRONG, WEAK = 0.9, 0.5  # correlations: more than four fifths, less than a quarter of the variance
MOST = 0.8  # share of the features of "almost the whole set"
DIFFERENT = 2 / 3  # overlap of two sets of five features that differ in one each
SPLITS = "splits"
# Printed tables of the subsets of each method (RANN, k-NN).
TABLES = {
    "gamma_test": ("7.5", "7.6"),
    "mutual_information": ("7.7", "7.8"),
    "RANN_wrapper": ("7.9", "7.10"),
    "large": ("7.13", "7.14"),
}


class N1(Claim):
    """The mean correlation per split is above 0.9 on WDBC, for both halves and classifiers.

    "Almost perfect": 0.9 leaves less than a fifth of the variance. Each of the four is secondary, and so is that the
    correlation is between -0.5 and 0.5 on LIVER, where it explains less than a quarter: "only weakly".
    """

    def statements(self, correlations):
        chosen = correlations.query("method == 'mutual_information' and metric == 'mean_of_per_split_correlation'")
        if not {*HALVES, "LIVER"} <= set(chosen["dataset"]):
            return []
        wide = chosen.pivot_table(index="split", columns=["dataset", "classifier"], values="value", sort=False)
        half = {"above": STRONG, "possible": (-1, 1)}
        claimed = dict.fromkeys(HALVES, half) | {"LIVER": {"above": -WEAK, "below": WEAK, "possible": (-1, 1)}}
        each = [
            mean_of(f"correlation on {sample}, {CLASSIFIERS[classifier]}", r, SPLITS, **claimed[sample])
            for (sample, classifier), r in wide.items()
            if sample in claimed
        ]
        strong = [r for (sample, _), r in wide.items() if sample in HALVES]
        return [
            least_of("correlation on WDBC, least of halves and classifiers", strong, SPLITS, **half),
            *secondary(
                [mean_of("correlation on LIVER", wide["LIVER"].mean(axis=1), SPLITS, **claimed["LIVER"]), *each]
            ),
        ]

    def sentence(self, strong, weak, *_):
        return (
            f"mutual information and single-feature accuracy correlate at {strong.number} or more on WDBC, and at "
            f"{weak.number} on LIVER"
        )


class N2(Claim):
    """Over random subsets Gamma and accuracy are negatively correlated, on average over the data sets.

    The sentence of the thesis says "error", but its tables have the negative correlation with the accuracy. The
    correlations are averaged over both classifiers, too. The unit is a subset, because the claim is about subsets at
    random; means are by Fisher's z, and the classifiers have the same subsets. The threshold is zero: twenty subsets
    can't tell the printed -0.57 on WDBC1 from the -0.5 that the thesis names. Each classifier, each data set, and data
    sets in general are secondary.
    """

    def statements(self, correlations, subsets):
        chosen = correlations.query("method == 'gamma_test' and metric == 'correlation_of_means'")
        mean = chosen.groupby(["classifier", "dataset"], sort=False)["value"].mean()
        n_subsets = subsets.groupby("sample")["mask"].nunique()

        def mean_of_sets(what, r, **claimed):
            sizes = n_subsets[r.index].to_numpy()
            return Statement(
                what,
                float(np.tanh(np.arctanh(r).mean())),
                lambda level: correlation_interval(r, sizes, level),
                int(sizes.sum()),
                "subsets",
                below=0,
                possible=(-1, 1),
                **claimed,
            )

        def of_set(sample, classifier, r):
            n = int(n_subsets[sample])
            what = f"correlation on {sample}, {CLASSIFIERS[classifier]}"
            more = {"below": 0, "possible": (-1, 1), "secondary": True}
            return Statement(what, r, lambda level: correlation_interval([r], [n], level), n, "subsets", **more)

        both = np.tanh(np.arctanh(mean).groupby("dataset", sort=False).mean())
        return [
            mean_of_sets("mean correlation, both classifiers", both),
            *(
                mean_of_sets(f"mean correlation, {CLASSIFIERS[key]}", mean[key], secondary=True)
                for key in mean.index.unique("classifier")
            ),
            *over_sets("mean correlation, in general", both, below=0, possible=(-1, 1), secondary=True),
            *(of_set(sample, classifier, r) for (classifier, sample), r in mean.items()),
        ]

    def sentence(self, mean, first, second, general, *each):
        weakest = max(each, key=lambda row: row.estimate)
        return (
            f"the correlation of Gamma and accuracy is {first.number} (RANN) and {second.number} (k-NN), the weakest "
            f"{weakest.number}"
        )


class N3(Claim):
    """Gamma falls from each distance to the next.

    "Becomes smaller and smaller": the fall over random draws is positive for each step. Secondary is that it ends at
    zero: the mean at the largest distance is within a hundredth of that at the smallest. So is that it is negative
    there in more than one draw in twenty; a rarer event would not be expected in the single draw that is printed.
    """

    def statements(self, distances):
        wide = distances.pivot(index="repeat", columns="distance", values="value").sort_index(axis=1)
        last, near = wide.iloc[:, -1], 0.01 * wide.iloc[:, 0].mean()
        falls = {f"{a:g} to {b:g}": wide[a] - wide[b] for a, b in pairwise(wide.columns)}
        least = "least fall from one distance to the next, in thousandths"
        ends = {"above": -near, "below": near, "secondary": True}
        negative = {"above": 5, "secondary": True}
        return [
            least_of(least, list(falls.values()), "draws", above=0),
            mean_of("Gamma at the largest distance, in thousandths", last, "draws", **ends),
            share_of(
                "draws with negative Gamma at the largest distance", (last < 0).sum(), len(last), "draws", **negative
            ),
        ]

    def sentence(self, least, end, negative):
        return (
            f"Gamma falls by at least {least.number} thousandths at a step, ends at {end.number} thousandths and is "
            f"negative in {negative.number} of draws"
        )


def _tests(accuracies):
    """Test accuracy in percent: one row per classifier, sample and subset, one column per split that all have."""
    part = accuracies[accuracies["metric"] == "test_acc_pct"]
    tests = part.set_index(["classifier", "sample", "subset", "split"])["value"].unstack("split")
    return tests.dropna(axis="columns")


def _gains(accuracies):
    """As `_tests`, less the accuracy of all features."""
    tests = _tests(accuracies)
    full = tests[~tests.index.get_level_values("subset").str.contains("0")].droplevel("subset")
    return tests - full.reindex(tests.index.droplevel("subset")).to_numpy()


def _first(summary, accuracies):
    """Mean gain over all features of the subsets that a method itself ranks first, by classifier, sample and method."""
    keys = ["classifier", "sample", "subset"]
    chosen = summary[summary["order"].between(1, FIRST)].drop_duplicates([*keys, "method"])
    gains = _gains(accuracies)
    found = chosen[[*keys, "method"]].join(gains, on=keys)
    return found.groupby(["classifier", "sample", "method"], sort=False)[list(gains)].mean()


def _points(what, values, **claimed):
    """A statement about a mean over splits, in points."""
    return mean_of(what, values, SPLITS, unit="points", **claimed)


class N4(Claim):
    """Most of the five subsets that eq. (7.1) ranks first are less than a point worse than all features, or better.

    The gain is the difference of the test accuracies, split by split; the five are those with the best score, not with
    the best test accuracy. "In most cases ... equally well or better": a case is a subset and a classifier, on any of
    the samples. The interval is a bootstrap over the splits. The mean gain on samples in general and on each, and that
    k-NN gains most on LIVER, are secondary.
    """

    def statements(self, summary, accuracies):
        if "LIVER" not in set(summary["sample"]):
            return []
        gain = _first(summary, accuracies).xs("gamma_test", level="method")
        samples = gain.index.unique("sample")
        each = {f"{sample}, {name}": gain.loc[key, sample] for sample in samples for key, name in CLASSIFIERS.items()}
        lead = {sample: gain.loc["kNN", "LIVER"] - gain.loc["kNN", sample] for sample in samples.drop("LIVER")}
        cases = _cases(summary, accuracies, "gamma_test")
        return [
            share_of_means("cases less than a point worse, or better", cases, SPLITS, -POINT, above=50),
            _in_general("mean gain, in general", gain.groupby("sample", sort=False).mean(), above=-POINT),
            *means_of("gain on {}", each, SPLITS, above=-POINT, unit="points"),
            *means_of("k-NN's gain on LIVER minus {}", lead, SPLITS, above=0, margin=POINT, unit="points"),
        ]

    def sentence(self, cases, *rows):
        liver = next(row for row in rows if row.what == "gain on LIVER, k-NN")
        return (
            f"{cases.number} of the first subsets lose less than a point against all features; k-NN on LIVER changes "
            f"by {liver.change}"
        )


def _in_general(what, values, **claimed):
    """A secondary statement about samples in general, from values by sample (rows) and split (columns), in points."""
    by_set = values.rename_axis("dataset").stack()
    return secondary(over_sets(what, by_set, unit="points", **claimed))[0]


def _cases(summary, accuracies, method):
    """Gains of a method's first subsets: splits in rows, a column for each subset and classifier of each sample."""
    chosen = summary[(summary["method"] == method) & summary["order"].between(1, FIRST)]
    gains = _gains(accuracies)
    cases = chosen[["classifier", "sample", "subset"]].drop_duplicates().itertuples(index=False, name=None)
    return np.column_stack([gains.loc[case].to_numpy() for case in cases])


class N5(Claim):
    """On LIVER even the best subset of the rankings, by k-NN's test accuracy, is worse than all features.

    "None of the chosen sets outperforms the full set" by k-NN; RANN is secondary. The interval is that of the largest
    of the gains, which allows for the choice.
    """

    def statements(self, summary, accuracies):
        if "LIVER" not in set(summary["sample"]):
            return []
        chosen = summary[(summary["method"] == "mutual_information") & (summary["sample"] == "LIVER")][
            "subset"
        ].unique()
        statements = []
        for classifier, name in CLASSIFIERS.items():
            gains = _gains(accuracies).loc[classifier, "LIVER"].loc[chosen]
            best = gains.loc[gains.mean(axis=1).idxmax()]
            more = {"interval": partial(best_interval, n=len(gains)), "margin": POINT, "secondary": classifier != "kNN"}
            statements.append(_points(f"gain of the best subset, {name}", best, below=0, **more))
        return statements

    def sentence(self, rann, knn):
        return f"on LIVER, with the best of its subsets k-NN's accuracy {knn.moved}, and RANN's {rann.moved}"


class N6(Claim):
    """RANN is on the wrapper's first five subsets less than a point better than on the filters', on average.

    "Not such a big advantage": the mean over the samples and both filters. Mutual information on LIVER is left out,
    because the thesis itself says that it fails there (N5). Samples in general, and each filter on each sample, are
    secondary.
    """

    def statements(self, summary, accuracies):
        first = _first(summary, accuracies).loc["RANN"]
        leads = {
            f"lead on {METHODS[method]} on {sample}": wrapper - first.loc[sample, method]
            for sample, wrapper in first.xs("RANN_wrapper", level="method").iterrows()
            for method in FILTERS
            if (sample, method) in first.index and (sample, method) != ("LIVER", "mutual_information")
        }
        return [
            _points("mean lead on the filters", _mean_by_split(leads), below=POINT),
            _in_general("mean lead, in general", _by_sample(leads), below=POINT),
            *means_of("{}", leads, SPLITS, below=POINT, unit="points"),
        ]

    def sentence(self, mean, _, *each):
        most = max(each, key=lambda row: row.estimate)
        return f"the wrapper's accuracy exceeds the filters' by {mean.number} on average, at most by {most.number}"


def _by_sample(differences):
    """Differences by sample, the last word of their names, and split: the mean of those of a sample."""
    return pd.DataFrame(differences).T.groupby(lambda what: what.split()[-1], sort=False).mean()


def _mean_by_split(differences):
    """Mean of several differences in each split; splits of different samples are independent of each other."""
    return np.mean([np.asarray(values) for values in differences.values()], axis=0)


class N7(Claim):
    """RANN has a higher mean test accuracy than k-NN on more than four in five of the subsets that the thesis reports.

    "Almost all of the sets reported"; the thesis prints 52 of 56, so that an experiment like ours could hardly show
    more than nine in ten even if it is right. Four in five was chosen after the results were seen. Our own candidates,
    of which it says nothing, and the mean lead on samples in general, are secondary. The interval is that of the share
    if the splits are drawn again.
    """

    def statements(self, summary, accuracies):
        test = _tests(accuracies)
        lead = (test.loc["RANN"] - test.loc["kNN"]).dropna()
        reported = [key for key in reported_subsets() if key in lead.index]
        candidates = summary.loc[summary["method"] != "full", ["sample", "subset"]].drop_duplicates()
        ours, statements = list(candidates.itertuples(index=False, name=None)), []
        for whose, chosen in (("reported", reported), ("our", ours)):
            if chosen:
                more = {"above": ALMOST_ALL, "secondary": chosen is ours}
                what = f"{whose} subsets on which RANN leads"
                statements.append(share_of_means(what, lead.loc[chosen].to_numpy().T, SPLITS, **more))
        if reported:
            means = lead.loc[reported].groupby("sample", sort=False).mean()
            statements.append(_in_general("mean lead on reported subsets, in general", means, above=0, margin=POINT))
        return statements

    def sentence(self, reported, ours, *_):
        return (
            f"RANN beat k-NN on {reported.number} of the reported subsets and {ours.number} of ours; {ALMOST_ALL}% was "
            "needed"
        )


@cache
def printed_accuracies():
    """Test accuracies that the thesis prints for subsets, in percent, with their standard deviations over splits."""
    rows = usable(rows_of([table for pair in TABLES.values() for table in pair]))
    rows = rows[rows["metric"] == "test_acc_pct"]
    return rows.assign(value=rows["value"].astype(float), spread=rows["spread"].astype(float))


@cache
def reported_subsets():
    """The subsets in Tables 7.5 to 7.10: sample and mask, each once."""
    rows = printed_accuracies()
    rows = rows[rows["table"].isin([table for pair in list(TABLES.values())[:3] for table in pair])]
    return list(dict.fromkeys(rows[["dataset", "subset"]].itertuples(index=False, name=None)))


class N8(Claim):
    """On ION the subsets of six features from the rankings are better than all features.

    "Even better": the threshold is zero. The gain is the mean over both classifiers and all of these subsets, not the
    best by test accuracy. Each classifier is secondary.
    """

    def statements(self, large, large_accuracies):
        if "ION" not in set(large["sample"]):
            return []
        ours = large[(large["sample"] == "ION") & (large["method"] == "mutual_information")]
        six = ours.loc[ours["n_features"] == 6, "subset"].unique()
        gains = _gains(large_accuracies)
        return _both("gain by six features", {key: gains.loc[key, "ION"].loc[six].mean() for key in CLASSIFIERS})

    def sentence(self, mean, rann, knn):
        return (
            f"on ION, six features instead of all changed accuracy by {mean.change}: RANN's by {rann.change}, k-NN's "
            f"by {knn.change}"
        )


def _both(what, gains):
    """Statements about gains above zero: the mean of both classifiers, and each of them as secondary ones."""
    more = {"above": 0, "margin": POINT}
    each = {f"{what}, {name}": gains[key] for key, name in CLASSIFIERS.items()}
    mean = _points(f"{what}, mean of both classifiers", _mean_by_split(gains), **more)
    return [mean, *means_of("{}", each, SPLITS, unit="points", **more)]


class N9(Claim):
    """On WDBC subsets of at least four fifths of the features are better than smaller ones, over both classifiers.

    "Almost the whole set": the thesis prints 25 of 30 features and all. The threshold is zero: "better". The means are
    over all subsets that were tested, also those of PBIL, of which the thesis says the same. Each classifier is
    secondary.
    """

    def statements(self, large, large_accuracies):
        sizes = large[large["sample"] == "WDBC"].drop_duplicates("subset").set_index("subset")["n_features"]
        if sizes.empty:
            return []
        most = sizes[sizes >= MOST * sizes.max()].index
        tests = _tests(large_accuracies)
        gains = {
            key: tests.loc[key, "WDBC"].loc[most].mean() - tests.loc[key, "WDBC"].drop(most).mean()
            for key in CLASSIFIERS
        }
        return _both("gain by almost all features", gains)

    def sentence(self, mean, rann, knn):
        return (
            f"keeping at least four fifths of the features changed accuracy by {mean.change}: RANN's by {rann.change}, "
            f"k-NN's by {knn.change}"
        )


class N10(Claim):
    """On these samples two methods rank different subsets first, and RANN's accuracies on them differ by under a point.

    The sentence has two halves, and both are stated, for the first five of each method. Different: the mean Jaccard
    overlap over the pairs of methods is below two thirds, that of two sets of five features that differ in one each.
    Near-equal: the mean over pairs and samples of the absolute difference between the mean accuracies. Mutual
    information on LIVER is left out: the thesis says that it fails there. Samples in general, and each pair, are
    secondary.
    """

    def statements(self, overlap, summary, accuracies):
        first = _first(summary, accuracies).loc["RANN"]
        jaccard = overlap[overlap["metric"] == "jaccard"]
        informed = (jaccard[["first", "second"]] == "mutual_information").any(axis=1)
        pairs = jaccard[~(informed & (jaccard["sample"] == "LIVER"))]
        overlaps = pairs.groupby("sample")["value"].mean()
        apart = {
            f"{METHODS[row.first]} minus {METHODS[row.second]} on {row.sample}": first.loc[row.sample, row.first]
            - first.loc[row.sample, row.second]
            for row in pairs.itertuples()
        }
        cube = np.column_stack([np.asarray(values) for values in apart.values()])

        def distance(values):
            return float(np.abs(values.mean(axis=0)).mean())

        means = pd.DataFrame(apart).mean().abs()
        distances = means.groupby(lambda what: what.split()[-1], sort=False).mean().rename_axis("dataset")
        general = {"below": DIFFERENT, "possible": (0, 1), "secondary": True}
        return [
            fact("overlap of the first subsets", overlaps.mean(), below=DIFFERENT),
            statistic_of("mean distance of the accuracies", cube, distance, SPLITS, below=POINT, unit="points"),
            *over_sets("overlap of the first subsets, in general", overlaps.rename_axis("dataset"), **general),
            *over_sets(
                "mean distance of the accuracies, in general", distances, below=POINT, unit="points", secondary=True
            ),
            *means_of("{}", apart, SPLITS, above=-POINT, below=POINT, unit="points"),
        ]

    def sentence(self, overlap, distance, *_):
        return (
            f"the methods' first subsets overlap by {overlap.number} on average, and their accuracies differ by "
            f"{distance.number}"
        )
