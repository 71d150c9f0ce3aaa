"""Claims of Nel 1998, each a function of the tables of ``fscore.studies.nel1998``.

The rules were written from the words of the thesis and of ``data/published/claims.csv`` before any result was seen. Where
a claim names LIVER, PIMA or ION and the set can't be had, the answer is "not testable here".
"""

from fscore.report.verdicts import Verdict, claim, judge


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
    """Almost perfectly: at least 0.9 per split on both halves of WDBC; weakly: below 0.5 on LIVER. Both classifiers."""
    mean = _mean_correlations(correlations, "mutual_information", "mean_of_per_split_correlation")
    absent = _needs(mean.index, *HALVES, "LIVER")
    if absent:
        return absent
    strong, weak = bool((mean.loc[list(HALVES)] >= 0.9).all(axis=None)), bool((mean.loc["LIVER"] < 0.5).all())
    said = "; ".join(f"{name} {row['RANN']:.2f} (RANN), {row['kNN']:.2f} (k-NN)" for name, row in mean.iterrows())
    return judge(strong and weak, f"mean correlation per split: {said}", partly=strong or weak)


@claim("nel1998", "N2", needs=["correlations"])
def low_gamma_goes_with_high_accuracy(correlations):
    """Negative for every sample and classifier; beyond -0.5 for the means over splits."""
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
    by_distance = distances.groupby("distance")["value"]
    mean = by_distance.mean().sort_index()
    falls = bool((mean.diff().dropna() < 0).all())
    last = distances[distances["distance"] == mean.index[-1]]["value"]
    return judge(
        falls and abs(last.mean()) < 1 and (last < 0).any(),
        f"the mean Gamma fell from {mean.iloc[0]:.1f} to {mean.iloc[-1]:.3f} thousandths over {len(mean)} distances, "
        f"{'each time' if falls else 'not each time'}; at the largest {(last < 0).mean():.0%} of the values were negative",
        partly=falls,
    )
