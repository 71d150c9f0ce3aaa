"""The experiment of Andonie and Cataron 2004: Tables 1 and 2, and the learning rule of ERLVQ."""

from andonie2004.borders import borders
from andonie2004.cost import operations
from andonie2004.protocol import Settings
from andonie2004.recognition import recognition, relevances
from andonie2004.rule import dependence_bounds, normalization, parzen_dependence, softmax_flattening, step
from compendium.experiment import DataExperiment, Schema, parameter, table


class EnergyRelevance(DataExperiment):
    """Recognition rates and relevances of LVQ, RLVQ, OWA-RLVQ and ERLVQ; the measure, step and softmax of ERLVQ.

    The defaults of scaling, codebook vectors, learning rate and ERLVQ's rate are the reading that
    `andonie2004.readings.Readings` found nearest to print on Vowel.

    Measurements other than the recognition rates take at most 20 repetitions, ``normalization`` at most 5.

    Tables
    ------
    relevances
        dataset, method, feature, mean, std, n, first, place; see `andonie2004.recognition.relevances`.
    recognition
        dataset, protocol, method, repeat, metric, value; see `andonie2004.recognition.recognition`.
    borders
        classes, features, repeat, metric, value; see `andonie2004.borders.borders`.
    bounds
        kind, repeat, metric, value; see `andonie2004.rule.dependence_bounds`.
    step
        dataset, repeat, metric, value; see `andonie2004.rule.step`.
    flattening
        n_features, step, metric, value; see `andonie2004.rule.softmax_flattening`.
    normalization
        dataset, norm, repeat, metric, value; see `andonie2004.rule.normalization`.
    dependence
        dataset, norm, repeat, metric, value; see `andonie2004.rule.parzen_dependence`.
    cost
        varied, n_features, n_codebooks, method, metric, value; see `andonie2004.cost.operations`.
    """

    schema = Schema(
        relevances=table("dataset method feature", values="mean std n first place"),
        recognition=table("dataset protocol method metric", repetition="repeat", labels={"n_tested": "tested"}),
        borders=table("classes features metric", repetition="repeat"),
        bounds=table("kind metric", repetition="repeat"),
        step=table("dataset metric", repetition="repeat"),
        flattening=table("n_features step metric"),
        normalization=table("dataset norm metric", repetition="repeat"),
        dependence=table("dataset norm metric", repetition="repeat"),
        cost=table("varied n_features n_codebooks method metric"),
    )

    dataset: list[str] = parameter(["iris", "vowel", "ionosphere"], "data sets, or paths of CSV files", "data sets")
    n_prototypes: int = parameter(5, "codebook vectors per class", "[1, 100]")
    learning_rate: float = parameter(0.3, "of the codebook vectors", "(0, 1]")
    erlvq_rate: str = parameter(
        "equal",
        "ERLVQ's learning rate: as the others', or n times it (n features)",
        "{equal, compensated}",
    )
    relevance_rate_rlvq: float = parameter(1e-4, "learning rate of RLVQ's relevances", "[0, 1]")
    relevance_rate_owa: float = parameter(0.01, "learning rate of OWA-RLVQ's relevances", "[0, 1]")
    relevance_rate_erlvq: float = parameter(0.1, "learning rate of ERLVQ's relevances", "[0, 100]")
    sigma: float = parameter(1.0, "width of the Parzen window", "(0, 1000]")
    n_epochs: int = parameter(30, "passes through the training samples", "[1, 10000]")
    scaling: str = parameter("minmax", "scaling of the inputs", "{raw, minmax, zscore}")
    n_splits: int = parameter(10, "folds, for data sets without a fixed split", "[2, 100]")
    n_repeats: int = parameter(100, "sets of initial codebooks", "[1, 10000]")

    @property
    def settings(self):
        """The parameters of the LVQ algorithms."""
        return Settings(**self.pick(*Settings._fields))

    def measure(self):
        """See the class."""
        few = min(self.n_repeats, 20)
        data = (self.dataset, self.settings)
        shared = self.pick("target", "seed")
        recognized = recognition(*data, n_repeats=self.n_repeats, **shared, **self.pick("n_splits"))
        is_relevance = recognized["metric"].str.startswith("relevance")
        return {
            "relevances": relevances(recognized),
            "recognition": recognized[~is_relevance].reset_index(drop=True),
            "borders": borders(seed=self.seed),
            "bounds": dependence_bounds(seed=self.seed),
            "step": step(*data, n_repeats=few, **shared),
            "flattening": softmax_flattening(seed=self.seed),
            "normalization": normalization(*data, n_repeats=min(few, 5), **shared),
            "dependence": parzen_dependence(*data, n_repeats=few, **shared),
            "cost": operations(seed=self.seed),
        }
