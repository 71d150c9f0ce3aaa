"""Claims of Nel 1998, each a function of the tables of the experiments.

The rules were written from the thesis and ``data/published/nel1998_claims.csv`` before any result was seen. Where a
claim names LIVER, PIMA or ION and the data set is not available, the answer is "not testable here".
"""

from compendium.verdicts import Verdict, claim, judge

HALVES = ("WDBC1", "WDBC2")


def _needs(present, *wanted):
    """The answer when a claim's data sets are not in the run, else None."""
    missing = [name for name in wanted if name not in set(present)]
    if not missing:
        return None
    return Verdict(
        "not testable here",
        f"{len(wanted) - len(missing)} of {len(wanted)} samples that the claim names are in this run; missing: "
        f"{', '.join(missing)}",
    )


def _mean_correlations(table, criterion, metric):
    chosen = table[(table["method"] == criterion) & (table["metric"] == metric)]
    return chosen.groupby(["dataset", "classifier"], sort=False)["value"].mean().unstack("classifier")


@claim("nel1998", "N1", needs=["correlations"])
def information_follows_single_feature_accuracy(correlations):
    """Mean correlation per split at least 0.9 on both halves of WDBC and below 0.5 on LIVER, for both classifiers."""
    mean = _mean_correlations(correlations, "mutual_information", "mean_of_per_split_correlation")
    absent = _needs(mean.index, *HALVES, "LIVER")
    if absent:
        return absent
    strong, weak = bool((mean.loc[list(HALVES)] >= 0.9).all(axis=None)), bool((mean.loc["LIVER"] < 0.5).all())
    said = "; ".join(f"{name} {row['RANN']:.2f} (RANN), {row['kNN']:.2f} (k-NN)" for name, row in mean.iterrows())
    return judge(strong and weak, f"mean correlation per split: {said}", partly=strong or weak)


@claim("nel1998", "N2", needs=["correlations"])
def low_gamma_goes_with_high_accuracy(correlations):
    """Every mean correlation per split negative; every correlation of the means over splits below -0.5."""
    single = _mean_correlations(correlations, "gamma_test", "mean_of_per_split_correlation")
    means = _mean_correlations(correlations, "gamma_test", "correlation_of_means")
    negative, strong = (single < 0).all(axis=None), (means < -0.5).all(axis=None)
    said = "; ".join(f"{name} {row['RANN']:.2f} (RANN), {row['kNN']:.2f} (k-NN)" for name, row in means.iterrows())
    return judge(
        bool(negative and strong),
        f"correlation of the means over splits: {said}; per split {(single < 0).to_numpy().sum()} of {single.size} "
        "mean correlations are negative",
        partly=bool((means < 0).all(axis=None)),
    )


@claim("nel1998", "N3", needs=["distances"])
def gamma_falls_with_the_distance_of_the_classes(distances):
    """The mean falls from each distance to the next; at the largest it is below a hundredth of the first, and at least
    half of the random draws are negative."""
    mean = distances.groupby("distance")["value"].mean().sort_index()
    falls = bool((mean.diff().dropna() < 0).all())
    last = distances[distances["distance"] == mean.index[-1]]["value"]
    near, negative = abs(last.mean()) < 0.01 * mean.iloc[0], (last < 0).mean()
    always = "each time" if falls else "not each time"
    return judge(
        bool(falls and near and negative >= 0.5),
        f"the mean Gamma went from {mean.iloc[0]:.1f} to {mean.iloc[-1]:.3f} thousandths over {len(mean)} distances "
        f"and fell {always}; at the largest {negative:.0%} of {len(last)} random draws are negative",
        partly=falls,
    )


# One percentage point of test accuracy. Between the thesis' own tables, another random network changes the accuracy by
# about as much, so a smaller difference doesn't count.
POINT = 1.0


def _full(table):
    return table[table["method"] == "full"].set_index(["sample", "classifier"])["test"]


def _gain(table, chosen):
    """Mean test accuracy of chosen rows minus that of the full set: one row per sample, one column per classifier."""
    means = chosen.groupby(["sample", "classifier"], sort=False)["test"].mean()
    return (means - _full(table)).dropna().unstack("classifier")


def _say(gain):
    return "; ".join(f"{name} {row['RANN']:+.1f} (RANN), {row['kNN']:+.1f} (k-NN)" for name, row in gain.iterrows())


@claim("nel1998", "N4", needs=["summary"])
def gamma_subsets_are_as_good_as_all_features(summary):
    """The five subsets that eq. (7.1) ranks first (not the best by test accuracy) are at most a point below the full
    set everywhere; the gain of k-NN is largest on LIVER, and at least two points there ("several")."""
    absent = _needs(summary["sample"], "LIVER", *HALVES)
    ranked = summary[(summary["method"] == "gamma_test") & (summary["order"] <= 5)]
    gain = _gain(summary, ranked)
    as_good = bool((gain >= -POINT).all(axis=None))
    if absent and as_good:
        return absent
    liver = "LIVER" in gain.index and bool(gain["kNN"].idxmax() == "LIVER" and gain.loc["LIVER", "kNN"] >= 2 * POINT)
    return judge(
        as_good and liver,
        f"the five best by eq. (7.1) against all features, points of test accuracy: {_say(gain)}",
        partly=as_good or liver,
    )


@claim("nel1998", "N5", needs=["summary"])
def information_fails_on_liver(summary):
    """On LIVER even the best subset by test accuracy is below the full set, for both classifiers."""
    absent = _needs(summary["sample"], "LIVER")
    if absent:
        return absent
    ours = summary[(summary["sample"] == "LIVER") & (summary["method"] == "mutual_information")]
    best = ours.groupby("classifier")["test"].max() - _full(summary)["LIVER"]
    return judge(
        bool((best < 0).all()),
        f"the best of {ours['subset'].nunique()} subsets on LIVER minus all features: {best['RANN']:+.1f} points "
        f"(RANN), {best['kNN']:+.1f} (k-NN)",
        partly=bool((best < 0).any()),
    )


@claim("nel1998", "N6", needs=["summary"])
def the_wrapper_hardly_beats_the_filters(summary):
    """On every sample, the mean test accuracy of RANN on the five subsets that the wrapper itself ranks first is at
    most one standard deviation (over splits) above that on each filter's first five."""
    top = summary[(summary["classifier"] == "RANN") & (summary["order"] <= 5)]
    mean = top.groupby(["sample", "method"], sort=False)["test"].mean().unstack("method")
    sd = top[top["method"] == "RANN_wrapper"].groupby("sample")["test_sd"].mean()
    lead = {name: mean["RANN_wrapper"] - mean[name] for name in ("gamma_test", "mutual_information")}
    within = {name: (values <= sd) for name, values in lead.items()}
    said = "; ".join(
        f"{name} {lead['gamma_test'][name]:+.1f} over Gamma, {lead['mutual_information'][name]:+.1f} over mutual "
        f"information (sd {sd[name]:.1f})"
        for name in mean.index
    )
    holds = all(values.all() for values in within.values())
    return judge(
        holds, f"lead of the wrapper's own first five in points: {said}", partly=bool(within["gamma_test"].all())
    )


@claim("nel1998", "N7", needs=["summary"])
def the_network_beats_nearest_neighbours(summary):
    """RANN has the higher test accuracy on at least four fifths of all candidates."""
    by = summary.drop_duplicates(["sample", "subset", "classifier"])
    pairs = by.pivot_table(index=["sample", "subset"], columns="classifier", values="test")
    better = pairs["RANN"] > pairs["kNN"]
    by_sample = better.groupby("sample", sort=False).mean()
    said = ", ".join(f"{name} {share:.0%}" for name, share in by_sample.items())
    return judge(
        better.mean() >= 0.8,
        f"RANN better than k-NN on {better.sum()} of {len(better)} subsets ({said}), by "
        f"{(pairs['RANN'] - pairs['kNN']).mean():+.1f} points on average",
        partly=better.mean() > 0.5,
    )


@claim("nel1998", "N8", needs=["large"])
def fewer_features_are_better_on_ion(large):
    """The mean accuracy of all subsets of six features from the rankings (not of the best by test accuracy) is above
    the full set for both classifiers; the mean accuracy of RANN is highest at twelve features or fewer."""
    absent = _needs(large["sample"], "ION")
    if absent:
        return absent
    ours = large[(large["sample"] == "ION") & (large["method"] == "mutual_information")]
    by_size = ours.groupby(["n_features", "classifier"])["test"].mean().unstack("classifier")
    six = by_size.loc[6] - _full(large)["ION"]
    peak = int(by_size["RANN"].idxmax())
    return judge(
        bool((six > 0).all() and peak <= 12),
        f"subsets of six features minus all: {six['RANN']:+.1f} points (RANN), {six['kNN']:+.1f} (k-NN); the mean over "
        f"subsets of one size is highest at {peak} features for RANN, {by_size['kNN'].idxmax()} for k-NN",
        partly=bool((six > 0).any()),
    )


@claim("nel1998", "N9", needs=["large"])
def all_features_of_wdbc_are_as_good_as_any_subset(large):
    """The best subset from the rankings by mutual information is at most a point above the full set, for both
    classifiers. It is the best by test accuracy, which works against the claim."""
    absent = _needs(large["sample"], "WDBC")
    if absent:
        return absent
    ours = large[(large["sample"] == "WDBC") & (large["method"] == "mutual_information")]
    lead = ours.groupby("classifier")["test"].max() - _full(large)["WDBC"]
    return judge(
        bool((lead <= POINT).all()),
        f"the best of {ours['subset'].nunique()} subsets minus all features: {lead['RANN']:+.1f} points (RANN), "
        f"{lead['kNN']:+.1f} (k-NN)",
        partly=bool((lead <= POINT).any()),
    )


@claim("nel1998", "N10", needs=["overlap"])
def different_subsets_of_equal_quality(overlap):
    """For the five subsets that each method itself ranks first: in every pair of methods a Jaccard overlap below two
    thirds and mean accuracies within two points; partly if in more than half of the pairs."""
    pairs = overlap.pivot_table(index=["sample", "first", "second"], columns="metric", values="value")
    apart, equal = pairs["jaccard"] < 2 / 3, pairs["difference"].abs() <= 2 * POINT
    both = apart & equal
    return judge(
        bool(both.all()),
        f"of {len(pairs)} pairs of methods on a sample {apart.sum()} overlap by less than two thirds (mean "
        f"{pairs['jaccard'].mean():.2f}) and {equal.sum()} differ by at most {2 * POINT:.0f} points of accuracy; both "
        f"holds for {both.sum()}",
        partly=both.mean() > 0.5,
    )
