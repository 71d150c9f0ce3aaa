"""Training of GMLVQ: the entropy of its relevances and its descent (Sections 4.1 and 4.2 of Chen 2012)."""

from chen2012.descent import SOLVERS, descend, evaluate_by_steps, valley
from chen2012.entropy import entropy_profiles, weigh_entropy, without_profiles
from chen2012.protocol import GMLVQExperiment, mean_over
from compendium.experiment import Schema, parameter, table
from compendium.units import crossed, run_units


class Training(GMLVQExperiment):
    """Claims C5 and C10, Figures 7 to 10: the effect of the entropy weight, and how far two solvers descend.

    Tables
    ------
    entropy
        dataset, stopping, setting, repeat, metric, alpha (number), value: the mean over the folds. ``stopping`` is
        "validation" where the step with the least loss on the validation part was kept, as in the thesis, and "end"
        where the last one was, so that a strong entropy is unlimited. ``setting`` is the weight as a string: a number,
        or "none", "auto" (n / 4N) or "N^2/10". Metrics: ``entropy`` (bits) and ``largest`` of the relevances, ``auc``
        and ``accuracy`` on the test part.
    profiles
        dataset, stopping, setting ("none", "auto" and "N^2/10" only), feature, mean, std: the relevances.
    descent
        dataset, solver, factor, evaluations, metric ("cost", per sample), value: see `chen2012.descent.descend`.
    evaluators
        dataset, training, steps, repeat, metric ("auc"), value: all features, evaluated as Section 5.2 can be read, see
        `chen2012.descent.evaluate_by_steps`; the mean over the folds.
    valley
        solver, iteration, x1, x2, cost, step: see `chen2012.descent.valley`.
    """

    schema = Schema(
        profiles=table("dataset stopping setting feature", values="mean std"),
        entropy=table("dataset stopping setting metric alpha", repetition="repeat"),
        descent=table("dataset solver factor evaluations metric"),
        evaluators=table("dataset training steps metric", repetition="repeat"),
        valley=table("solver iteration", values="x1 x2 cost step"),
    )

    weights: list[float] = parameter(
        [0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0], "entropy weights besides 0, n/4N, N^2/10", "(0, 10000]"
    )
    factor: list[float] = parameter([0.25, 1.0, 4.0, 16.0], "factors of the first steps", "(0, 1000]")
    max_evaluations: int = parameter(150, "evaluations of the cost per descent", "[2, 100000]")

    steps: list[int] = parameter([1, 2, 5, 10, 20, 50, 100], "steps of the evaluating GMLVQ", "[1, 10000]")
    n_repeats_steps: int = parameter(4, "repetitions for each number of steps", "[1, 200]")

    def measure(self):
        """See the class."""
        entropy = self.entropy()
        return {
            "profiles": entropy_profiles(entropy),
            "entropy": without_profiles(entropy),
            "descent": self.descent(),
            "evaluators": self.evaluators(),
            "valley": valley(),
        }

    def entropy(self, weights=None):
        """Table ``entropy``, with the metrics ``relevance 1``, ``relevance 2``, ... for `entropy_profiles`.

        Parameters
        ----------
        weights : sequence of float, optional
            Besides 0, n / 4N and N^2/10; by default the parameter.

        Returns
        -------
        DataFrame
        """
        alpha = tuple(dict.fromkeys(["none", *(self.weights if weights is None else weights), "auto", "N^2/10"]))
        table = run_units(weigh_entropy, self.splits(alpha=alpha), label="entropy")
        by = ["dataset", "stopping", "setting", "repeat", "metric"]  # sizes of folds, and so n / 4N, may differ
        return table.groupby(by, sort=False)[["alpha", "value"]].mean().reset_index()

    def descent(self):
        """Table ``descent``.

        Returns
        -------
        DataFrame
        """
        shared = {"settings": self.settings, **self.pick("max_evaluations", "target")}
        units = crossed(shared, dataset=self.dataset, factor=self.factor, solver=SOLVERS)
        return run_units(descend, units, label="descent")

    def evaluators(self):
        """Table ``evaluators``.

        Returns
        -------
        DataFrame
        """
        units = [unit for unit in self.splits(steps=tuple(self.steps)) if unit["repeat"] < self.n_repeats_steps]
        return mean_over("fold", run_units(evaluate_by_steps, units, label="evaluators"))
