"""Rules that judge the claims; fix each rule before you look at the results."""

from compendium.verdicts import claim, judge


@claim("newpaper2000", "P1", needs=["accuracy"])
def two_features_are_enough(accuracy):
    """Mean accuracy on iris with two features at most one point below that with all."""
    iris = accuracy[accuracy["dataset"] == "iris"].groupby("n_features")["value"].mean()
    if iris.empty:
        return judge(False, "0 runs on iris")
    loss = 100 * (iris.iloc[-1] - iris[2])
    return judge(loss <= 1, f"with two features {loss:+.1f} points below all {iris.index[-1]}")
