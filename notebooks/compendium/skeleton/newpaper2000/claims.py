"""Rules that judge the claims; fix each rule before you look at the results."""

from compendium.inference import equivalent, mean_interval
from compendium.verdicts import Verdict, claim

MARGIN = 1.0  # points


@claim("newpaper2000", "P1", needs=["accuracy"])
def two_features_are_enough(accuracy):
    """Two features classify iris as well as all four: the accuracies are equivalent (two one-sided tests).

    Replicated if the 90 % interval of the loss lies within one point of zero, less than two of the 150 samples; not
    replicated if it lies above one point; else inconclusive.
    """
    iris = accuracy[accuracy["dataset"] == "iris"].pivot(index="repeat", columns="n_features", values="value")
    if iris.empty:
        return Verdict("not tested yet", "the claim is about iris, which is not in this run")
    loss = 100 * (iris.iloc[:, -1] - iris[2])
    low, high = mean_interval(loss, 0.9)
    answer = "not replicated" if low > MARGIN else "inconclusive"
    return Verdict(
        "replicated" if equivalent(low, high, MARGIN) else answer,
        f"with two features {loss.mean():.2f} points less than with all {iris.columns[-1]} (90 % interval {low:.2f} to "
        f"{high:.2f}; {len(loss)} repetitions)",
    )
