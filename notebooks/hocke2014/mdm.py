"""Claims M1 to M5 and M8 to M10 of Hocke and Martinetz 2014: claims about the method itself."""

from compendium.experiment import Schema, parameter, table
from hocke2014.gain import knn_gain
from hocke2014.noise import noise_columns
from hocke2014.outliers import outlier_tests, outliers
from hocke2014.program import equivalence, feasibility, program_size
from hocke2014.protocol import CrossValidation
from hocke2014.scaling import scaling_invariance

FEW = 5  # largest number of repetitions if no test errors are averaged


class MethodClaims(CrossValidation):
    """Claims M1 to M5 and M8 to M10: invariance, feasibility, noise, outliers, k-NN error, equivalence, program size.

    Tables
    ------
    scaling
        dataset, method, repeat, metric, value: see `hocke2014.scaling.scaling_invariance`.
    feasibility
        dataset, case, repeat, metric, value: see `hocke2014.program.feasibility`.
    noise
        dataset, wide, method, nu, column_kind, repeat, metric, value: see `hocke2014.noise.noise_columns`.
    outliers
        dataset, kind, method, nu, repeat, fold, metric, value: see `hocke2014.outliers.outliers`.
    outlier_tests
        dataset, kind, nu, difference, p, p_holm: see `hocke2014.outliers.outlier_tests`.
    gain
        dataset, inputs, method, repeat, fold, metric, value: see `hocke2014.gain.knn_gain`.
    equivalence
        dataset, metric, value: see `hocke2014.program.equivalence`.
    size
        varied, n_samples, n_features, solver, repeat, metric, value: see `hocke2014.program.program_size`.
    """

    schema = Schema(
        scaling=table("dataset method metric", repetition="repeat"),
        feasibility=table("dataset case metric", repetition="repeat"),
        noise=table("dataset wide method nu column_kind metric", repetition="repeat"),
        outliers=table("dataset kind method nu metric", repetition="repeat fold"),
        outlier_tests=table("dataset kind nu", values="difference p p_holm"),
        gain=table("dataset inputs method metric", repetition="repeat fold", labels={"n_nonzero": "nonzero weights"}),
        equivalence=table("dataset metric"),
        size=table("varied n_samples n_features solver metric", repetition="repeat"),
    )

    n_neighbors: int = parameter(3, "neighbors of the classifier", "[1, 99]")
    n_outliers: int = parameter(3, "training samples that are moved or mislabelled", "[1, 100]")
    n_noise: int = parameter(10, "noise columns to append", "[1, 10000]")
    decades: float = parameter(3.0, "largest absolute exponent u of the column factors 10**u", "(0, 9]")
    sizes: list[int] = parameter([50, 100, 200, 400], "numbers of samples for the size of the program", "[10, 5000]")

    def measure(self):
        """See the class."""
        shared = self.pick("dataset", "target", "seed")
        validated = {**shared, **self.pick("n_neighbors", "n_splits", "n_repeats")}
        few = min(self.n_repeats, FEW)
        spoilt = outliers(**validated, **self.pick("n_outliers"))
        return {
            "scaling": scaling_invariance(**shared, **self.pick("n_neighbors", "decades"), n_repeats=few),
            "feasibility": feasibility(**shared),
            "noise": noise_columns(**shared, **self.pick("n_noise"), n_repeats=few),
            "outliers": spoilt,
            "outlier_tests": outlier_tests(spoilt),
            "gain": knn_gain(**validated, **self.pick("nu", "n_inner_splits")),
            "equivalence": equivalence(**shared),
            "size": program_size(**self.pick("sizes", "seed")),
        }
