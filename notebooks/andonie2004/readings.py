"""The settings that Andonie and Cataron 2004 leave open, varied together: which of them bring Table 1 back?"""

from andonie2004.erlvq import EnergyRelevance
from andonie2004.protocol import ERLVQ_RATES
from andonie2004.recognition import recognition, relevances
from compendium.experiment import Experiment, Schema, parameter, table
from compendium.readings import sweep

METHODS = ("LVQ", "RLVQ", "OWA-RLVQ", *ERLVQ_RATES.values(), "LVQ, rate/n")


class Readings(Experiment):
    """Recognition rates and relevances under every combination of scaling, codebook vectors and learning rate.

    Each combination is measured with ERLVQ at the equal and at the compensated rate, so it gives two readings. The
    other settings are the defaults of `andonie2004.erlvq.EnergyRelevance`.

    Tables
    ------
    rates_by_setting
        scaling, n_prototypes, learning_rate, dataset, protocol, repeat, n_tested (samples), then a column for each of
        `METHODS` with the recognition rate in percent; NaN if the training diverged.
    relevances_by_setting
        scaling, n_prototypes, learning_rate, and the columns of `andonie2004.recognition.relevances`, for Iris, the
        only data set whose features the paper ranks.
    """

    schema = Schema(
        rates_by_setting=table("scaling n_prototypes learning_rate dataset protocol", repetition="repeat", values="*"),
        relevances_by_setting=table(
            "scaling n_prototypes learning_rate dataset method feature", values="mean std n first place"
        ),
    )

    dataset: list[str] = parameter(["iris", "vowel", "ionosphere"], "data sets", "data sets")
    scaling: list[str] = parameter(["raw", "minmax", "zscore"], "scalings of the inputs", "{raw, minmax, zscore}")
    n_prototypes: list[int] = parameter([1, 2, 3, 5], "codebook vectors per class", "[1, 100]")
    learning_rate: list[float] = parameter([0.01, 0.05, 0.1, 0.3, 0.5], "of the codebook vectors", "(0, 1]")
    n_splits: int = EnergyRelevance.n_splits
    n_repeats: int = parameter(20, "sets of initial codebooks", "[1, 10000]")

    def measure(self):
        """See the class."""
        settings = self.pick("scaling", "n_prototypes", "learning_rate")
        axes = {name: {value: {name: value} for value in values} for name, values in settings.items()}
        measured = sweep(self.page, axes)
        return {name: table[[*axes, *table.columns.drop(list(axes))]] for name, table in measured.items()}

    def page(self, **changed):
        """Both tables under one setting."""
        shared = {"methods": METHODS, "target": None, **self.pick("n_repeats", "n_splits", "seed")}
        table = recognition(self.dataset, EnergyRelevance().settings._replace(**changed), **shared)
        by = ["dataset", "protocol", "repeat"]
        wide = table[table["metric"] == "rate"].set_index([*by, "method"])["value"].unstack("method", sort=False)
        wide["n_tested"] = table[table["metric"] == "n_tested"].groupby(by)["value"].first().astype(int)
        return {
            "rates_by_setting": wide.reset_index()[[*by, "n_tested", *METHODS]],
            "relevances_by_setting": relevances(table[table["dataset"] == "iris"]),
        }
