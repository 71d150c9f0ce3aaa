"""Claims of Nel 1998, each a function of the tables of the experiments.

Splits of one sample are independent random partitions, so intervals over splits say how well the mean over all such
partitions is known: the claims are about these samples and these classifiers. Where a claim names LIVER, PIMA, ION or a
half of WDBC and the run doesn't have it, the answer is "not testable here".
"""

import numpy as np

from compendium.inference import bootstrap_interval, correlation_interval, equivalent, mean_interval, share_interval
from compendium.verdicts import Verdict, by_interval, claim, combine
from nel1998.printed import single_network_spreads

HALVES = ("WDBC1", "WDBC2")
CLASSIFIERS = {"RANN": "RANN", "kNN": "k-NN"}
FILTERS = {"gamma_test": "Gamma", "mutual_information": "mutual information"}
FIRST = 5  # subsets of each method, as many as the thesis prints
STRONG, WEAK = 0.9, 0.5  # correlations: more than four fifths, less than a quarter of the variance
NEARLY_ALL = 0.8
DIFFERENT = 2 / 3  # overlap of two sets of five features that differ in one each


def _needs(present, *wanted):
    """The answer when a claim's samples are not in the run, else None."""
    missing = [name for name in wanted if name not in set(present)]
    if not missing:
        return None
    return Verdict(
        "not testable here",
        f"{len(wanted) - len(missing)} of {len(wanted)} samples that the claim names are in this run; missing: "
        f"{', '.join(missing)}",
    )


def _said(mean, low, high, unit=""):
    return f"{mean:+.2f}{unit} ({low:+.2f} to {high:+.2f})"


@claim("nel1998", "N1", needs=["correlations"])
def information_follows_single_feature_accuracy(correlations):
    """The mean correlation per split is above 0.9 on both halves of WDBC and between -0.5 and 0.5 on LIVER.

    For both classifiers, by 95 % intervals over splits, which are combined. "Almost perfectly": 0.9 leaves less than a
    fifth of the variance; "only weakly": 0.5 explains less than a quarter, in either direction.
    """
    chosen = correlations.query("method == 'mutual_information' and metric == 'mean_of_per_split_correlation'")
    absent = _needs(chosen["dataset"], *HALVES, "LIVER")
    if absent:
        return absent
    answers, said = [], []
    for (sample, classifier), part in chosen.groupby(["dataset", "classifier"], sort=False):
        r = part["value"].dropna()
        low, high = mean_interval(r)
        if sample in HALVES:
            answers.append(by_interval(low, high, STRONG))
        elif sample == "LIVER":
            outside = low > WEAK or high < -WEAK
            within = equivalent(low, high, WEAK)
            answers.append("replicated" if within else "not replicated" if outside else "inconclusive")
        said.append(f"{sample}, {CLASSIFIERS[classifier]} {_said(r.mean(), low, high)}")
    return Verdict(combine(answers), f"mean correlation per split (95 % interval, {len(r)} splits): {'; '.join(said)}")


@claim("nel1998", "N2", needs=["correlations", "subsets"])
def low_gamma_goes_with_high_accuracy(correlations, subsets):
    """The correlation of the means over splits is negative on every sample and for both classifiers.

    By Fisher's 95 % interval with the number of different subsets, because the claim is about subsets at random; all
    are combined. The threshold is zero: twenty subsets can't tell the printed -0.57 from the -0.5 that the thesis
    names.
    """
    chosen = correlations.query("method == 'gamma_test' and metric == 'correlation_of_means'")
    n_subsets = subsets.groupby("sample")["mask"].nunique()
    answers, said = [], []
    for row in chosen.itertuples():
        n = int(n_subsets[row.dataset])
        low, high = correlation_interval(row.value, n)
        answers.append(by_interval(-high, -low, 0.0))
        said.append(f"{row.dataset}, {CLASSIFIERS[row.classifier]} {_said(row.value, low, high)}, n = {n}")
    return Verdict(combine(answers), f"correlation of the means over splits (95 % interval): {'; '.join(said)}")


@claim("nel1998", "N3", needs=["distances"])
def gamma_falls_with_the_distance_of_the_classes(distances):
    """Gamma falls from each distance to the next, ends at zero, and is negative in some draws at the largest.

    Three parts, which are combined. It falls: the 95 % interval of the fall, over random draws, lies above zero for
    each step. It ends at zero: at the largest distance the 90 % interval of the mean lies within a hundredth of the
    value at the smallest (two one-sided tests); the last printed value is far below that. Negative: more than one draw
    in twenty, by its 95 % interval, because a rarer event would not be expected in the single draw that is printed.
    """
    wide = distances.pivot(index="repeat", columns="distance", values="value").sort_index(axis=1)
    mean = wide.mean()
    steps = [by_interval(*mean_interval(fall), 0.0) for fall in -np.diff(wide.to_numpy(), axis=1).T]
    last, near = wide.iloc[:, -1], 0.01 * mean.iloc[0]
    low, high = mean_interval(last, 0.9)
    ends = "replicated" if equivalent(low, high, near) else "not replicated" if low > near else "inconclusive"
    share = share_interval((last < 0).sum(), len(last))
    return Verdict(
        combine([combine(steps), ends, by_interval(*share, 0.05)]),
        f"the mean Gamma goes from {mean.iloc[0]:.1f} to {mean.iloc[-1]:.3f} thousandths over {len(mean)} distances "
        f"(90 % interval of the last {low:.3f} to {high:.3f}), with {steps.count('replicated')} of {len(steps)} falls "
        f"beyond chance; at the largest distance {(last < 0).mean():.0%} of {len(last)} draws are negative (95 % "
        f"interval {share[0]:.0%} to {share[1]:.0%})",
    )


def _test_parts(accuracies):
    """Test accuracy in percent: one row per classifier, sample and subset, one column per split."""
    part = accuracies[accuracies["metric"] == "test_acc_pct"]
    return part.set_index(["classifier", "sample", "subset", "split"])["value"].unstack("split")


def _firsts(summary, method, sample):
    """The subsets that a method itself ranks first."""
    chosen = summary[(summary["method"] == method) & (summary["sample"] == sample) & (summary["order"] <= FIRST)]
    return list(dict.fromkeys(chosen["subset"]))


def _full(of_sample):
    """Accuracy of all features by split; ``of_sample`` holds the subsets of one sample and classifier."""
    return of_sample.loc["1" * len(of_sample.index[0])].to_numpy()


def _spread(accuracies, sample, classifier):
    """Standard deviation over splits of one network's (or k-NN's) test accuracy with all features, as in print."""
    own = accuracies[(accuracies["sample"] == sample) & (accuracies["classifier"] == classifier)]
    full = own[~own["subset"].str.contains("0") & (own["metric"] == "test_acc_pct")]
    return single_network_spreads(full.rename(columns={"sample": "dataset"}))["sd"].item()


def _below(low, high, threshold):
    """Answer to "is it below the threshold?"."""
    return by_interval(-high, -low, -threshold)


@claim("nel1998", "N4", needs=["summary", "accuracies"])
def gamma_subsets_are_as_good_as_all_features(summary, accuracies):
    """The five subsets that eq. (7.1) ranks first are not worse than all features, and k-NN gains most on LIVER.

    The gain is the difference of the test accuracies, split by split; the five are those with the best score, not with
    the best test accuracy. Not worse: on each sample and for each classifier the 95 % interval of the gain lies above
    minus one standard deviation over splits, the spread that the thesis prints. Most on LIVER: the interval of k-NN's
    gain there minus that on each other sample lies above zero. All parts are combined.
    """
    samples = list(dict.fromkeys(summary.loc[summary["method"] == "gamma_test", "sample"]))
    absent = _needs(samples, "LIVER")
    if absent:
        return absent
    test = _test_parts(accuracies)
    answers, said, gains = [], [], {}
    for sample in samples:
        for classifier, name in CLASSIFIERS.items():
            own = test.loc[classifier, sample]
            gain = own.loc[_firsts(summary, "gamma_test", sample)].mean().to_numpy() - _full(own)
            low, high = mean_interval(gain)
            answers.append(by_interval(low, high, -_spread(accuracies, sample, classifier)))
            said.append(f"{sample}, {name} {_said(gain.mean(), low, high)}")
            gains[sample, classifier] = gain
    leads = [gains["LIVER", "kNN"] - gains[sample, "kNN"] for sample in samples if sample != "LIVER"]
    most = [by_interval(*mean_interval(lead), 0.0) for lead in leads]
    answers += [combine(most)] if most else []
    return Verdict(
        combine(answers),
        f"gain over all features in points (95 % interval, {test.shape[1]} splits): {'; '.join(said)}; k-NN gains more "
        f"on LIVER than on {most.count('replicated')} of {len(most)} other samples beyond chance",
    )


@claim("nel1998", "N5", needs=["summary", "accuracies"])
def information_fails_on_liver(summary, accuracies):
    """On LIVER even the best subset of the rankings, by test accuracy, is worse than all features (both classifiers).

    Replicated if the 95 % interval of its gain over splits lies below zero, which the choice of the best makes harder;
    not replicated if the interval that allows for the choice (Bonferroni) lies above; both classifiers are combined.
    """
    absent = _needs(summary["sample"], "LIVER")
    if absent:
        return absent
    answers, said = [], []
    for classifier, name in CLASSIFIERS.items():
        gain, n = _best_gain(summary, accuracies, "LIVER", classifier)
        (low, high), (lowest, _) = mean_interval(gain), mean_interval(gain, 1 - 0.05 / n)
        answers.append("replicated" if high < 0 else "not replicated" if lowest > 0 else "inconclusive")
        said.append(f"{name} {_said(gain.mean(), low, high)}")
    return Verdict(
        combine(answers),
        f"the best of {n} subsets minus all features in points (95 % interval, {len(gain)} splits): {', '.join(said)}",
    )


def _best_gain(summary, accuracies, sample, classifier):
    """Gain over all features, by split, of the best subset of the rankings by mutual information; and their number."""
    chosen = summary[(summary["method"] == "mutual_information") & (summary["sample"] == sample)]
    own = _test_parts(accuracies).loc[classifier, sample]
    subsets = own.loc[chosen["subset"].unique()]
    return subsets.loc[subsets.mean(axis=1).idxmax()].to_numpy() - _full(own), len(subsets)


@claim("nel1998", "N6", needs=["summary", "accuracies"])
def the_wrapper_hardly_beats_the_filters(summary, accuracies):
    """RANN is on the wrapper's first five subsets less than one standard deviation better than on each filter's.

    By the 95 % interval of the difference of the test accuracies over splits; the standard deviation is that of all
    features over splits, which the thesis prints. Mutual information on LIVER is left out, because the thesis itself
    says that it fails there (N5). All samples and both filters are combined.
    """
    test = _test_parts(accuracies).loc["RANN"]
    answers, said = [], []
    for sample in dict.fromkeys(summary.loc[summary["method"] == "RANN_wrapper", "sample"]):
        own, spread = test.loc[sample], _spread(accuracies, sample, "RANN")
        wrapper = own.loc[_firsts(summary, "RANN_wrapper", sample)].mean().to_numpy()
        for method, name in FILTERS.items():
            if (sample, method) == ("LIVER", "mutual_information"):
                continue
            lead = wrapper - own.loc[_firsts(summary, method, sample)].mean().to_numpy()
            low, high = mean_interval(lead)
            answers.append(_below(low, high, spread))
            said.append(f"{sample}, {name} {_said(lead.mean(), low, high)} (sd {spread:.1f})")
    return Verdict(
        combine(answers), f"lead of the wrapper in points (95 % interval, {test.shape[1]} splits): {'; '.join(said)}"
    )


@claim("nel1998", "N7", needs=["summary", "accuracies"])
def the_network_beats_nearest_neighbours(summary, accuracies):
    """RANN has a higher mean test accuracy than k-NN on more than four fifths of all candidates.

    By a 95 % bootstrap interval of the share over splits. "Nearly all" is read as four of five: exceptions are few.
    """
    candidates = summary.loc[summary["method"] != "full", ["sample", "subset"]].drop_duplicates()
    test, wanted = _test_parts(accuracies), list(candidates.itertuples(index=False, name=None))
    lead = (test.loc["RANN"].loc[wanted] - test.loc["kNN"].loc[wanted]).to_numpy()
    share = (lead.mean(axis=1) > 0).mean()
    low, high = bootstrap_interval(lead.T, lambda rows: (rows.mean(axis=0) > 0).mean())
    by_sample = dict.fromkeys(candidates["sample"])
    said = ", ".join(
        f"{sample} {(lead[(candidates['sample'] == sample).to_numpy()].mean(axis=1) > 0).mean():.0%}"
        for sample in by_sample
    )
    return Verdict(
        by_interval(low, high, NEARLY_ALL),
        f"RANN better than k-NN on {share:.0%} of {len(lead)} subsets (95 % interval {max(low, 0):.0%} to "
        f"{min(high, 1):.0%}, {lead.shape[1]} splits; {said}), by {lead.mean():+.1f} points on average",
    )


@claim("nel1998", "N8", needs=["large", "large_accuracies"])
def fewer_features_are_better_on_ion(large, large_accuracies):
    """On ION the subsets of six features from the rankings are better than all features, for both classifiers.

    The gain is the mean over all of these subsets (not the best by test accuracy) minus all features; its 95 % interval
    over splits must lie above zero; both classifiers are combined.
    """
    absent = _needs(large["sample"], "ION")
    if absent:
        return absent
    ours = large[(large["sample"] == "ION") & (large["method"] == "mutual_information")]
    six = ours.loc[ours["n_features"] == 6, "subset"].unique()
    answers, said = [], []
    for classifier, name in CLASSIFIERS.items():
        own = _test_parts(large_accuracies).loc[classifier, "ION"]
        gain = own.loc[six].mean().to_numpy() - _full(own)
        low, high = mean_interval(gain)
        peak = ours[ours["classifier"] == classifier].groupby("n_features")["test"].mean().idxmax()
        answers.append(by_interval(low, high, 0.0))
        said.append(f"{name} {_said(gain.mean(), low, high)}, mean by size highest at {peak} features")
    return Verdict(
        combine(answers),
        f"{len(six)} subsets of six features minus all features in points (95 % interval, {len(gain)} splits): "
        f"{'; '.join(said)}",
    )


@claim("nel1998", "N9", needs=["large", "large_accuracies"])
def all_features_of_wdbc_are_as_good_as_any_subset(large, large_accuracies):
    """On WDBC the best subset of the rankings leads all features by less than one standard deviation over splits.

    Replicated if the 95 % interval of its lead, over splits, lies below the standard deviation of all features, the
    spread that the thesis prints; the best is chosen by test accuracy, which makes this harder. Not replicated if the
    interval that allows for the choice (Bonferroni) lies above. Both classifiers are combined.
    """
    absent = _needs(large["sample"], "WDBC")
    if absent:
        return absent
    answers, said = [], []
    for classifier, name in CLASSIFIERS.items():
        lead, n = _best_gain(large, large_accuracies, "WDBC", classifier)
        spread = _spread(large_accuracies, "WDBC", classifier)
        (low, high), (lowest, _) = mean_interval(lead), mean_interval(lead, 1 - 0.05 / n)
        answers.append("replicated" if high < spread else "not replicated" if lowest > spread else "inconclusive")
        said.append(f"{name} {_said(lead.mean(), low, high)} (sd {spread:.1f})")
    return Verdict(
        combine(answers),
        f"the best of {n} subsets minus all features in points (95 % interval, {len(lead)} splits): {', '.join(said)}",
    )


@claim("nel1998", "N10", needs=["overlap", "summary", "accuracies"])
def different_subsets_of_equal_quality(overlap, summary, accuracies):
    """Any two methods rank different subsets first, and RANN's accuracy on them is equivalent.

    For the first five of each method: the mean Jaccard overlap is below two thirds, that of two sets of five features
    that differ in one each; and the 90 % interval over splits of the difference of the accuracies lies within one
    standard deviation of all features over splits (two one-sided tests). A pair of methods counts against the claim if
    its subsets overlap more or its interval lies outside. Mutual information on LIVER is left out: the thesis says that
    it fails there. All pairs are combined.
    """
    test = _test_parts(accuracies).loc["RANN"]
    jaccard = overlap[overlap["metric"] == "jaccard"]
    answers, overlaps, said = [], [], []
    for row in jaccard.itertuples():
        if row.sample == "LIVER" and "mutual_information" in (row.first, row.second):
            continue
        own = test.loc[row.sample]
        first, second = (
            own.loc[_firsts(summary, name, row.sample)].mean().to_numpy() for name in (row.first, row.second)
        )
        low, high = mean_interval(first - second, 0.9)
        spread = _spread(accuracies, row.sample, "RANN")
        apart = low > spread or high < -spread
        if row.value >= DIFFERENT or apart:
            answers.append("not replicated")
        else:
            answers.append("replicated" if equivalent(low, high, spread) else "inconclusive")
        overlaps.append(row.value)
        said.append(max(abs(low), abs(high)) / spread)
    return Verdict(
        combine(answers),
        f"{answers.count('replicated')} of {len(answers)} pairs of methods on a sample rank different subsets of "
        f"equivalent accuracy first, {answers.count('not replicated')} don't; mean overlap "
        f"{np.mean(overlaps):.2f}; the 90 % intervals of the difference ({test.shape[1]} splits) reach "
        f"{np.median(said):.2f} standard deviations in the median",
    )
