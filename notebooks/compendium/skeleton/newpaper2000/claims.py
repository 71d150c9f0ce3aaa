"""The claims: their statements, and sentences of what was found; fix statements before you look at the results."""

from compendium.statements import POINT, mean_of
from compendium.verdicts import Claim


class P1(Claim):
    """Two features classify iris as well as all four: the accuracies are equivalent.

    The change is within one point of zero, less than two of the 150 samples.
    """

    def statements(self, accuracy):
        iris = accuracy[accuracy["dataset"] == "iris"].pivot(index="repeat", columns="n_features", values="value")
        if iris.empty:
            return []
        change = 100 * (iris[2] - iris.iloc[:, -1])
        return [mean_of("change with two features", change, "repetitions", above=-POINT, below=POINT, unit="points")]

    def sentence(self, change):
        return f"two features changed the accuracy of iris by {change.change} against all four"
