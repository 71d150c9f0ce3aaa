"""Rules that judge the claims of Andonie and Cataron 2004, each a function of the experiments' tables."""

import numpy as np
from scipy import stats

from compendium.inference import mean_interval, share_interval
from compendium.verdicts import Verdict, by_interval, claim, combine, judge

ORDER = ["LVQ", "RLVQ", "OWA-RLVQ", "ERLVQ"]
ROUNDING = 1e-9


def _rates(recognition):
    """Recognition rate by data set, protocol and repetition (rows) and method (columns)."""
    table = recognition[recognition["metric"] == "rate"]
    return table.set_index(["dataset", "protocol", "repeat", "method"])["value"].unstack("method")[ORDER]


def _span(low, high):
    return f"95 % interval {low:+.2f} to {high:+.2f}" if np.isfinite(low) else "one run, so no interval"


@claim("andonie2004", "A1", needs=["recognition"])
def erlvq_recognizes_best(recognition):
    """From the same codebooks, ERLVQ's mean recognition rate exceeds that of each other method, on each data set.

    Each lead is the mean difference over sets of initial codebooks. It is replicated if its 95 % interval (the usual
    level) lies above zero; not replicated if it lies below half a test sample, because the least lead in print is one
    sample; else inconclusive. The answers for all methods, data sets and protocols are combined. The initial codebooks
    are the part of chance, since the paper starts all methods from the same ones; the test samples are fixed, as in
    print.
    """
    rates = _rates(recognition).dropna()
    sample = 100 / recognition[recognition["metric"] == "n_tested"].groupby("dataset")["value"].first()
    answers, nearest = [], []
    for (dataset, protocol), part in rates.groupby(level=["dataset", "protocol"], sort=False):
        leads = part[["ERLVQ"]].to_numpy() - part[ORDER[:3]]
        intervals = {method: mean_interval(leads[method]) for method in leads}
        answers += [_lead(*interval, sample[dataset]) for interval in intervals.values()]
        rival = leads.mean().idxmin()
        nearest.append(f"{dataset} ({protocol}) {leads[rival].mean():+.2f} on {rival}, {_span(*intervals[rival])}")
    n = rates.groupby(level=["dataset", "protocol"]).size().min()
    return Verdict(
        combine(answers),
        f"ERLVQ leads in {answers.count('replicated')} and does not lead in {answers.count('not replicated')} of "
        f"{len(answers)} comparisons over {n} sets of codebooks, the others are open; smallest lead by data set, in "
        f"points: {'; '.join(nearest)}",
    )


def _lead(low, high, sample):
    return "replicated" if low > 0 else "not replicated" if high < sample / 2 else "inconclusive"


@claim("andonie2004", "A2", needs=["recognition"])
def relevances_help_on_two_sets(recognition):
    """The mean gain of RLVQ, OWA-RLVQ and ERLVQ over LVQ is positive on Iris and Ionosphere, and larger than on Vowel.

    Four statements, each judged by whether the 95 % interval of a mean or of a difference of two means (Welch) lies
    above zero; the answers are combined. "Clear" and "small" are compared with each other, so that no threshold is
    needed. Gains are in points of the recognition rate, over sets of initial codebooks; on Iris over both protocols.
    """
    rates = _rates(recognition).dropna().groupby(level=["dataset", "repeat"]).mean()
    missing = sorted({"iris", "ionosphere", "vowel"} - set(rates.index.get_level_values("dataset")))
    if missing:
        return Verdict(
            "not tested yet",
            f"{len(missing)} of the 3 data sets without rates (not in this run, or diverged): {', '.join(missing)}",
        )
    gain = rates[ORDER[1:]].mean(axis=1) - rates["LVQ"]
    gain = {dataset: gain[dataset].to_numpy() for dataset in ("iris", "ionosphere", "vowel")}
    intervals = {dataset: mean_interval(values) for dataset, values in gain.items()}
    answers = [by_interval(*intervals[dataset], 0) for dataset in ("iris", "ionosphere")]
    answers += [by_interval(*_welch_interval(gain[dataset], gain["vowel"]), 0) for dataset in ("iris", "ionosphere")]
    listed = ", ".join(f"{name} {values.mean():+.2f} ({_span(*intervals[name])})" for name, values in gain.items())
    return Verdict(
        combine(answers),
        f"mean gain of the three relevance methods over LVQ, in points, over {len(gain['iris'])} sets of codebooks: "
        f"{listed}; of {len(answers)} statements {answers.count('replicated')} hold and "
        f"{answers.count('not replicated')} fail",
    )


def _welch_interval(a, b):
    """95 % interval of the difference of two means, with unequal variances."""
    if min(len(a), len(b)) < 2:
        return -np.inf, np.inf
    if a.var() == b.var() == 0:
        return (a.mean() - b.mean(),) * 2
    interval = stats.ttest_ind(a, b, equal_var=False).confidence_interval(0.95)
    return interval.low, interval.high


@claim("andonie2004", "A3", needs=["relevances"])
def rankings_of_iris_are_opposite(relevances):
    """On Iris, feature 1 has the largest relevance in ERLVQ, and feature 4 in RLVQ and OWA-RLVQ, in most repetitions.

    For each of the three methods: replicated if the exact 95 % interval of the share of repetitions lies above 1/2, not
    replicated if below, else inconclusive; the three are combined. More than half is what "puts first" means if the
    initial codebooks are chosen at random.
    """
    iris = relevances[relevances["dataset"] == "iris"].set_index(["method", "feature"])
    if iris.empty:
        return Verdict("not tested yet", "1 data set that the claim is about not in this run: iris")
    answers, listed = [], []
    for method, feature in (("RLVQ", 4), ("OWA-RLVQ", 4), ("ERLVQ", 1)):
        first, n = int(iris.loc[(method, feature), "first"]), int(iris.loc[(method, feature), "n"])
        low, high = share_interval(first, n)
        answers.append(by_interval(low, high, 0.5))
        order = iris.loc[method]["place"].sort_values().index
        listed.append(
            f"{method} feature {feature} in {first} of {n} (95 % interval of the share {low:.2f} to {high:.2f}; by the "
            f"means {', '.join(map(str, order))})"
        )
    means = iris.loc["ERLVQ"]["mean"].dropna()  # the paper prints none
    spread = f"; the mean relevances of ERLVQ lie between {means.min():.5f} and {means.max():.5f}" if len(means) else ""
    return Verdict(combine(answers), f"first in the ranking of Iris: {'; '.join(listed)}{spread}")


@claim("andonie2004", "A4", needs=["borders"])
def the_first_two_features_delimit(borders):
    """Classes 1 and 2 of Iris are better delimited on features 1 and 2, and their centres farther apart on 3 and 4.

    "Delimited" is judged by the accuracy of k-NN and by the smallest distance between the classes. Each of the three
    differences is replicated if the middle 95 % of its values over random halves of the flowers lie on the claimed
    side of zero, not replicated if on the other, else inconclusive; the three are combined. A statistic varies between
    random halves about as it does between samples of full size.
    """
    part = borders[borders["classes"] == "1 and 2"]
    wide = part.set_index(["metric", "repeat", "features"])["value"].unstack("features")
    answers, listed = [], []
    claimed = ("accuracy", 1, "k-NN accuracy"), ("gap", 1, "gap"), ("centres", -1, "distance of the centres")
    for metric, sign, name in claimed:
        first, last = (wide.loc[metric, features].to_numpy() for features in ("1 and 2", "3 and 4"))
        low, high = np.quantile(sign * (first - last), [0.025, 0.975])
        answers.append(by_interval(low, high, 0))
        listed.append(f"{name} {first.mean():.3f} against {last.mean():.3f} ({answers[-1]})")
    return Verdict(
        combine(answers),
        f"classes 1 and 2 of Iris on features 1, 2 against 3, 4, means over {len(first)} random halves: "
        f"{', '.join(listed)}",
    )


@claim("andonie2004", "A5", needs=["bounds"], check=True)
def the_measure_keeps_its_bounds(bounds):
    """On random tables o is not negative and at most 1 - E, zero under independence, 1 - E where X depends on Y alone.

    A theorem. Rounding errors up to 1e-9 are allowed; tables that are neither independent nor determined must lie
    farther than that from both bounds.
    """
    table = bounds.groupby(["kind", "metric"])["value"].agg(["min", "max"])
    least, slack = table.xs("o", level="metric")["min"].min(), table.xs("slack", level="metric")["min"].min()
    independent = np.abs(table.loc[("independent", "o")]).max()
    determined = np.abs(table.loc[("determined", "slack")]).max()
    apart = table.loc[("random", "o"), "min"] > ROUNDING and table.loc[("random", "slack"), "min"] > ROUNDING
    return judge(
        min(least, slack) > -ROUNDING and max(independent, determined) < ROUNDING and apart,
        f"over {bounds['repeat'].nunique()} tables of each kind o is at least {least:.0e}, at most {independent:.0e} "
        f"under independence, and within {determined:.0e} of 1 - E where X is determined by Y",
        partly=min(least, slack) > -ROUNDING,
    )


@claim("andonie2004", "A6", needs=["dependence"])
def pairs_raise_the_dependence(dependence):
    """On each data set, learning from pairs raises the estimate of o on held-out samples, relative to equal relevances.

    Replicated if the 95 % interval of the mean relative gain lies above zero, not replicated if below, else
    inconclusive; the data sets are combined. Learning and held-out halves of different repetitions overlap, so the
    variance of the mean is (1/J + 1) times that of the J gains (Nadeau and Bengio 2003), not 1/J times.
    """
    ours = dependence[dependence["norm"] == "softmax"]
    answers, listed = [], []
    for dataset, part in ours[ours["metric"] == "gain"].groupby("dataset", sort=False):
        gain = part["value"].to_numpy()
        low, high = _resampled_interval(gain)
        answers.append(by_interval(low, high, 0))
        listed.append(f"{dataset} {gain.mean():+.1e} ({low:+.1e} to {high:+.1e}; up in {np.mean(gain > 0):.0%})")
    cosine = ours[ours["metric"] == "cosine"]["value"]
    plain = dependence[(dependence["norm"] == "l1") & (dependence["metric"] == "gain")]["value"]
    return Verdict(
        combine(answers),
        f"mean relative gain with its 95 % interval over {len(gain)} random halves: {'; '.join(listed)}; with division "
        f"by the sum instead of the softmax {plain.mean():+.1e}; mean cosine of the pairs' steps with the gradient "
        f"over all samples {cosine.mean():+.2f}",
    )


def _resampled_interval(values):
    """95 % interval of the mean over overlapping random halves."""
    J = len(values)
    if J < 2:
        return -np.inf, np.inf
    reach = stats.t.ppf(0.975, J - 1) * np.sqrt(1 / J + 1) * values.std(ddof=1)
    return values.mean() - reach, values.mean() + reach


@claim("andonie2004", "A7", needs=["normalization"], check=True)
def softmax_keeps_relevances_in_bounds(normalization):
    """At every step all relevances lie between zero and one and sum to one, also if raw updates are negative.

    True of any softmax of two or more features; the relevance of a single one is one, and isn't judged. Rounding errors
    of the sum up to 1e-9 are allowed.
    """
    alone = normalization.loc[(normalization["metric"] == "least") & (normalization["value"] == 1), "dataset"]
    normalization = normalization[~normalization["dataset"].isin(alone)]
    if normalization.empty:
        return Verdict("not testable here", "data sets with two or more features: 0")
    ours = normalization[normalization["norm"] == "softmax"].groupby("metric")["value"]
    least, greatest = ours.min(), ours.max()
    bounded = least["least"] > 0 and greatest["greatest"] < 1 and greatest["sum_error"] < ROUNDING
    plain = normalization[(normalization["norm"] == "l1") & (normalization["metric"] == "ratio")]["value"]
    return judge(
        bounded and least["negative"] >= 0,
        f"at every step all relevances lay in [{least['least']:.4f}, {greatest['greatest']:.4f}] and their sum was one "
        f"up to {greatest['sum_error']:.0e}; the largest is at most {greatest['ratio']:.4f} times the smallest (with "
        f"division by the sum {plain.max():.1f} times)",
        partly=bounded,
    )


@claim("andonie2004", "A8", needs=["cost"], check=True)
def a_step_costs_little(cost):
    """The operations of a step grow linearly with the features and with the codebook vectors, at most twice RLVQ's.

    Counted, not timed, so it holds or fails exactly: the counts lie on a straight line (up to rounding errors of 1e-9).
    Twice, because a step of RLVQ finds the winner, moves it and updates the relevances, too.
    """
    counts = cost.set_index(["varied", "n_features", "n_codebooks", "method"])["value"].unstack("method")
    straight, listed = [], []
    for varied, column in (("features", "n_features"), ("codebooks", "n_codebooks")):
        number = counts.loc[varied].index.get_level_values(column).to_numpy(dtype=float)
        operations = counts.loc[varied]["ERLVQ"].to_numpy()
        slope, constant = np.polyfit(number, operations, 1)
        error = np.abs(slope * number + constant - operations).max() / operations.max()
        straight.append(bool(error < ROUNDING and np.diff(operations).min() > 0))
        each = varied.replace("codebooks", "codebook vectors")
        listed.append(f"{slope:.1f} operations for each of the {each} (largest deviation from the line {error:.0e})")
    ratio = (counts["ERLVQ"] / counts["RLVQ"]).max()
    return judge(
        all(straight) and ratio <= 2,
        f"a step takes {' and '.join(listed)}, and at most {ratio:.2f} times the operations of RLVQ",
        partly=all(straight),
    )
