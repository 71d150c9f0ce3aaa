"""What the thesis leaves open, and what becomes of its tables and claims under each reading."""

from itertools import product

import pandas as pd

from chen2012.auc import Auc
from chen2012.entropy import without_profiles
from chen2012.irrelevant_redundant import IrrelevantRedundant, at_original_size
from chen2012.protocol import METHODS
from chen2012.ranking import Ranking, stability
from chen2012.training import Training
from compendium.experiment import DataExperiment, Schema, parameter, table
from compendium.readings import sweep

# The settings that bring back Tables 3 and 4, and Tables 5 and 6, each by itself.
OF_AUC = {"validation_loss": "error", "delete_rate": 0.0, "evaluator_parts": "training"}
OF_APPENDED = {"validation_loss": "auc", "delete_rate": 0.05}
# What each reading changes of these. The pages have "both_cost_05", which is nearest to all four tables together.
READINGS = {
    "by_table": {},
    **{
        f"{loss}_{100 * rate:02.0f}": {"validation_loss": loss, "delete_rate": rate}
        for loss, rate in product(("error", "cost", "auc"), (0.0, 0.05, 0.3))
    },
    "evaluator_30": {"evaluator_delete_rate": 0.3},
    # The evaluating GMLVQ is trained on the training and the validation part, so nothing stops it.
    "both_error": {"validation_loss": "error", "delete_rate": 0.0, "evaluator_parts": "both"},
    "both_cost": {"validation_loss": "cost", "delete_rate": 0.0, "evaluator_parts": "both"},
    "both_cost_05": {"validation_loss": "cost", "delete_rate": 0.05, "evaluator_parts": "both"},
    "both_cost_10": {"validation_loss": "cost", "delete_rate": 0.1, "evaluator_parts": "both"},
    "weight_per_sample": {"alpha": "auto"},
    "no_entropy": {"alpha": "none"},
    "short_steps": {"step_prototypes": 0.1, "step_metric": 0.02},
    "random_ties": {"ties": "random"},
    "one_neighbour": {"n_neighbors": 1},  # Relief instead of ReliefF
    "width_bins": {"discretizer": "width"},
    "normal_noise": {"noise": "normal"},
    "amplitude_ratios": {"noise_db": [20.0, 33.98, 38.06]},  # 10, 50 and 80 as ratios of amplitudes
    "libsvm": {"svm": "libsvm"},
    "svm_grid": {"svm": "grid"},
    "first_settings": {  # our settings before we looked for those of the thesis
        "alpha": "auto",
        "validation_loss": "cost",
        "delete_rate": 0.0,
        "ties": "random",
        "noise": "normal",
        "svm": "grid",
    },
}


class Readings(DataExperiment):
    """The tables of the other experiments under every reading, with fewer repetitions.

    Tables
    ------
    readings
        reading, changed: the parameters that differ from those chosen table by table, as text.
    auc_readings, stability_readings, entropy_readings, irrelevant_readings, redundant_readings
        The tables ``auc``, ``stability``, ``entropy`` (without other weights than those of the thesis, n / 4N and
        none), ``irrelevant`` and ``redundant`` (metric ``added``) of the other experiments, with a column ``reading``.
    """

    schema = Schema(
        readings=table("reading", values="changed"),
        auc_readings=table("dataset n_features counted evaluator method metric reading", repetition="repeat"),
        stability_readings=table("dataset method size metric reading", values="value n"),
        entropy_readings=table("dataset stopping setting metric alpha reading", repetition="repeat"),
        irrelevant_readings=table("dataset kind method n_own n_added size metric reading", repetition="repeat"),
        redundant_readings=table("dataset kind method n_own n_added size metric reading", repetition="repeat"),
    )
    allows_missing = True

    dataset: list[str] = Auc.dataset
    reading: list[str] | None = parameter(None, "readings, of those that the module declares; by default all")
    step: int | None = Auc.step
    n_repeats: int = parameter(5, "repetitions, each with a different division of the data", "[1, 200]")
    n_repeats_auc: int = parameter(3, "repetitions of the evaluation by AUC", "[1, 200]")

    def measure(self):
        """See the class."""
        names = self.reading or list(READINGS)
        if unknown := sorted(set(names) - set(READINGS)):
            raise ValueError(f"reading {unknown[0]!r} is unknown; choose from {', '.join(READINGS)}.")
        changed = [", ".join(f"{name} = {value}" for name, value in READINGS[reading].items()) for reading in names]
        measured = sweep(self.pages, {"reading": {name: READINGS[name] for name in names}})
        return {"readings": pd.DataFrame({"reading": names, "changed": changed}), **measured}

    def pages(self, **changed):
        """The tables of the pages with fewer repetitions.

        Parameters
        ----------
        **changed
            Parameters of the pages' experiments.

        Returns
        -------
        dict of str to DataFrame
        """
        size = {**self.pick("target", "step", "n_repeats", "seed"), "dataset": self.dataset}
        values, added = {**size, **OF_AUC, **changed}, IrrelevantRedundant.taking({**size, **OF_APPENDED, **changed})
        return {
            "auc_readings": Auc.taking({**values, "n_repeats": self.n_repeats_auc}).auc(),
            "stability_readings": stability(Ranking.taking(values).rankings(METHODS)),
            "entropy_readings": without_profiles(Training.taking(values).entropy(())),
            "irrelevant_readings": _counts(added, "irrelevant"),
            "redundant_readings": _counts(added, "redundant"),
        }


def _counts(experiment, kind):
    table = at_original_size(experiment.added_features(kind, METHODS))
    return table[table["metric"] == "added"]
