"""All printed accuracies of a sample at once: can they come from ten partitions that they share?

The subsets of a sample were judged on the same ten partitions, so their means depend on each other: ten lucky
partitions lift all of them. A number two standard errors from ours may be one of twenty that chance moved together.
"""

import numpy as np
import pandas as pd
from scipy import stats

from compendium.published import printed_tolerance
from nel1998.accuracy import variance_of_network

N_SPLITS = 10  # of the thesis
FEWEST = 3  # splits of ours for each number, from which their covariance is estimated
ON = ["subset", "metric"]


def joint_tests(printed, accuracies):
    """Test the printed means of each sample and classifier together, by Hotelling's statistic.

    Parameters
    ----------
    printed : DataFrame
        dataset (the sample), subset, classifier, metric, value (as printed), bias (in points, what selection adds to
        the printed mean). A number that was printed several times counts once, with its mean.
    accuracies : DataFrame
        As from `nel1998.accuracy.accuracies`, on many partitions.

    Returns
    -------
    DataFrame
        dataset, classifier, numbers, splits (of ours), test, train (mean of print minus ours, in points), statistic (of
        Hotelling, the squared distance of print from ours in the metric of the covariance between partitions), p; NaN
        where we have fewer than three partitions for each number.
    """
    rows = []
    for (sample, classifier), group in printed.groupby(["dataset", "classifier"], sort=False):
        same = accuracies[(accuracies["sample"] == sample) & (accuracies["classifier"] == classifier)]
        wide = same.pivot(index="split", columns=ON, values="value")
        expected = group["value"].astype(float) - group["bias"].fillna(0.0)
        theirs = expected.groupby([group[name] for name in ON], sort=False).mean()
        theirs = theirs[theirs.index.isin(wide.columns)]
        if theirs.empty:
            continue
        ours, difference = wide[theirs.index], theirs - wide[theirs.index].mean()
        by_metric = difference.groupby("metric").mean()
        what = {"dataset": sample, "classifier": classifier, "numbers": len(theirs), "splits": len(ours)}
        what |= {"test": by_metric.get("test_acc_pct", np.nan), "train": by_metric.get("train_acc_pct", np.nan)}
        rounding = printed_tolerance(group["value"].iloc[0]) ** 2 / 3  # variance of a printed digit
        of_network = variance_of_network(same).groupby([same[name] for name in ON]).mean()[theirs.index].to_numpy()
        rows.append(what | _hotelling(difference, ours, of_network + N_SPLITS * rounding))
    return pd.DataFrame(rows, columns=["dataset", "classifier", "numbers", "splits", "test", "train", "statistic", "p"])


def _hotelling(difference, ours, noise):
    n, k = ours.shape
    if n < FEWEST * k:
        return {"statistic": np.nan, "p": np.nan}
    covariance = (np.cov(ours.T.to_numpy()) + np.diag(noise)) * (1 / N_SPLITS + 1 / n)
    statistic = float(difference @ np.linalg.solve(covariance, difference))
    return {"statistic": statistic, "p": float(stats.f.sf((n - k) / (k * (n - 1)) * statistic, k, n - k))}
