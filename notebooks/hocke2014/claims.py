"""The claims of Hocke and Martinetz 2014: their statements, and sentences of what was found."""

import numpy as np

from compendium.inference import signed_rank_interval
from compendium.statements import INDEX, POINT, Statement, each_over_sets, fact, mean_of, means_of, over_sets, secondary
from compendium.verdicts import Check, Claim
from fscore.datasets.registry import read_registry

ROUNDING = 1e-6  # smaller relative changes are rounding errors
FEW = 10  # percent of the genes
SIDES = ("higher", "lower")
SCALED = {"raw": "raw", "minmax": "min-max", "zscore": "z-scored"}
COMPETING = ("Relief", "ReliefF", "Simba", "I-Relief", "LMBA (reconstructed)", "diagonal LMNN")
UNIT = "data sets"


def _measured(table, metric, by):
    """Mean of a metric, indexed by the columns ``by``."""
    return table[table["metric"] == metric].groupby(by, sort=False, dropna=False)["value"].mean()


def _largest(table, metric):
    return table.loc[table["metric"] == metric, "value"].max()


def _typical(what, differences, **claimed):
    """A statement about the median difference over data sets, with the interval of Wilcoxon's signed-rank test."""
    d = np.asarray(differences, dtype=float).round(12)
    return Statement(what, np.median(d), lambda level: signed_rank_interval(d, level), len(d), UNIT, **claimed)


def _over_scalings(what, differences, **claimed):
    """Statements about the mean over the scalings of the inputs, and secondary ones about each of them."""
    return [
        _typical(what, differences.groupby("dataset", sort=False).mean(), **claimed),
        *(
            _typical(f"{what}, {SCALED[inputs]} inputs", part, secondary=True, **claimed)
            for inputs, part in differences.groupby(level="inputs", sort=False)
        ),
    ]


class M1(Check):
    """After random factors on the columns MDM has the same optimum and distances, and k-NN the same predictions.

    A theorem: the weights absorb the factors. Relative changes up to 1e-6 are errors of the solver; of the predictions
    none may change.
    """

    def statements(self, scaling):
        ours = scaling[scaling["method"].str.endswith("MDM")]
        return [
            fact("largest relative change of the optimum", _largest(ours, "objective_change"), below=ROUNDING),
            fact("largest relative change of a weighted distance", _largest(ours, "distance_change"), below=ROUNDING),
            fact("largest share of changed predictions", _largest(ours, "prediction_change"), below=ROUNDING),
        ]

    def sentence(self, optimum, _, predictions):
        return (
            f"rescaling the columns changes the optimum by {optimum.number} of its value, and {predictions.number} "
            "predictions"
        )


class M2(Claim):
    """The program in full and as `MDM` solves it has an optimum for every sample of distinct points.

    "Always" leaves no exception. It is a matter of proof, not of chance: weights that are large enough separate
    distinct points of different classes. None separate identical ones; the paper does not speak of them, so that these
    are secondary.
    """

    def statements(self, feasibility):
        by = ["dataset", "case", "repeat"]
        wide = feasibility.pivot_table(index=by, columns="metric", values="value", sort=False)
        without = (wide[["optimal_full", "optimal_mdm"]] != 1).any(axis=1)
        identical = wide["identical_pairs"] > 0
        twins = 100 * without[identical].mean()
        return [
            fact("samples of distinct points without a solution", without[~identical].sum(), below=1),
            fact(
                "samples with identical points of different classes: without a solution",
                twins,
                below=1,
                unit="%",
                secondary=True,
            ),
        ]

    def sentence(self, distinct, twins):
        which = "with distinct points every program" if distinct.estimate == 0 else "not every program"
        return f"{which} had a solution; with identical points of two classes, {twins.number} had none"


class M3(Claim):
    """Some noise columns get weight zero.

    "May become zero": the mean share of the noise columns, over hard and soft MDM, is above one percent, because a
    rarer event would be of no use. With more features than samples and with fewer, each alone, data sets in general,
    and that noise columns get weight zero more often than the others, are secondary. The unit is a draw of the noise.
    """

    def statements(self, noise):
        shares = noise[noise["metric"] == "zero_share"]
        of_set = 100 * shares.pivot_table(index=["wide", "dataset", "repeat"], columns="column_kind", values="value")
        zero = of_set.groupby(level=["wide", "repeat"]).mean()
        percent, more = {"unit": "%", "possible": (0, 100)}, zero["noise"] - zero["own"]

        def by_shape(values):
            return {
                f"{'more' if wide else 'fewer'} features than samples": each for wide, each in values.groupby("wide")
            }

        return [
            mean_of(
                "noise columns with weight zero", zero["noise"].groupby("repeat").mean(), "draws", above=1, **percent
            ),
            *secondary(over_sets("share of noise columns", of_set["noise"], above=1, **percent)[:1]),
            *means_of("noise columns with weight zero, {}", by_shape(zero["noise"]), "draws", above=1, **percent),
            *means_of("zero weights, noise minus others: {}", by_shape(more), "draws", above=0, unit="points"),
        ]

    def sentence(self, mean, general, narrow, wide, fewer, more):
        return (
            f"MDM zeroes {wide.estimate:.0f}% of noise columns where features outnumber samples; elsewhere "
            f"{narrow.estimate:.0f}%, {fewer.difference('more', 'less')} than of real columns"
        )


class M4(Claim):
    """With slack, bad samples move the weights less, over the data sets.

    "Reduces the influence": the threshold is zero, because the paper names no size. That they raise the test error less
    is secondary. Both are means over the kinds of outliers and the values of nu.
    """

    def statements(self, outliers, outlier_tests):
        change = _measured(outliers, "weight_change", ["dataset", "kind", "nu"]).unstack("nu")
        hard = change.columns.isna()
        more = change.loc[:, ~hard].sub(change.loc[:, hard].iloc[:, 0], axis=0).mean(axis=1).groupby("dataset").mean()
        rise = 100 * outlier_tests.groupby("dataset")["difference"].mean()
        points = {"below": 0, "margin": POINT, "unit": "points"}
        return [
            _typical("change of the weights, with slack minus without", more, below=0, margin=INDEX),
            _typical("rise of the error, with slack minus without", rise, secondary=True, **points),
        ]

    def sentence(self, weights, error):
        return (
            f"slack changed the effect of outliers on the weights by {weights.change} and on the error by "
            f"{error.change} ({weights.sets})"
        )


class M5(Claim):
    """Soft MDM's k-NN error is lower than that of equal weights over the data sets.

    The threshold is zero, because the paper names no size. It does not say how the unweighted inputs are scaled, so the
    errors are means over raw and z-scored inputs, each of which is secondary.
    """

    def statements(self, gain):
        error = _measured(gain, "error", ["inputs", "dataset", "method"]).unstack("method")
        difference = 100 * (error["soft MDM"] - error["none"])
        what = "error minus that of equal weights"
        return _over_scalings(what, difference, below=0, margin=POINT, unit="points")

    def sentence(self, mean, raw, scaled):
        return (
            f"learned weights changed k-NN's error by {mean.change}: {raw.change} on raw inputs, {scaled.change} on "
            "z-scored ones"
        )


class M6(Claim):
    """Soft MDM's k-NN error is less than a point above the competing weightings' mean, over the scalings of the inputs.

    "Compares very well" is not "better": one point more than the mean of the others still is. The errors are means over
    k and over raw, min-max and z-scored inputs, each of which is secondary; the unit is a data set. Mean ranks are not
    used: on most sets all methods are within a point of each other, and ranks would treat that like ten points.
    """

    def statements(self, uci_summary):
        mean = uci_summary[uci_summary["metric"] == "error"]
        error = 100 * mean.groupby(["inputs", "dataset", "method"], sort=False)["mean"].mean().unstack("method")
        behind = error["soft MDM"] - error[list(COMPETING)].mean(axis=1)
        return _over_scalings("error minus the competitors' mean", behind, below=POINT, unit="points")

    def sentence(self, mean, *each):
        worst = max(each, key=lambda row: row.estimate)
        scaling = worst.what.rpartition(", ")[2]
        return (
            f"soft MDM's error was {mean.difference(*SIDES)} than its rivals' over {mean.sets}, "
            f"{worst.difference(*SIDES)} on {scaling}"
        )


class M7(Claim):
    """On each of these data sets MDM keeps less than a tenth of the genes, hard and soft.

    "Shows its ability": on the data sets at hand. Few means less than a tenth, which was set before the experiment. The
    share over data sets in general, and that neither the error nor that of equal weights on the kept genes rises, are
    secondary. Generated data sets are left out: they are not gene expression.
    """

    def statements(self, gene_expression):
        generated = [name for name, known in read_registry().items() if known.kind == "generated"]
        real = gene_expression[~gene_expression["dataset"].isin(generated)]
        if real.empty:
            return []
        given, kept, error, error_kept = (
            _measured(real, metric, ["dataset", "method"]).unstack("method")
            for metric in ("n_given", "n_kept", "error", "error_kept")
        )
        both = ("hard MDM", "soft MDM")
        share = {m: 100 * kept[m] / given[m] for m in both}
        rise = {m: 100 * (np.maximum(error[m], error_kept[m]) - error["none"]) for m in both}
        percent = {"below": FEW, "unit": "%", "possible": (0, 100)}
        return [
            fact("largest share of genes kept on a data set", max(part.max() for part in share.values()), **percent),
            *each_over_sets("genes that {} keeps", share, **percent),
            *each_over_sets("rise of the error by {}", rise, below=0, margin=POINT, unit="points"),
        ]

    def sentence(self, most, hard, soft, error, error_soft):
        return (
            f"hard MDM keeps {hard.estimate:.1f}% of the genes, at most {most.number} on any of {hard.n} sets; the "
            f"error changes by {error.change}"
        )


class M8(Check):
    """Minimizing the maximum and maximizing the minimum give the same optimal ratio and the same shares of features.

    A theorem. Relative differences up to 1e-6 of the ratio and 1e-3 of the shares are errors of the solvers; the shares
    are less exact, as an optimum is flat in them.
    """

    def statements(self, equivalence):
        return [
            fact(
                "largest relative difference of the optimal ratio",
                _largest(equivalence, "ratio_difference"),
                below=ROUNDING,
            ),
            fact("largest difference of a feature's share", _largest(equivalence, "weight_difference"), below=1e-3),
        ]

    def sentence(self, ratio, share):
        return f"the optimal ratios of both programs differ by {ratio.number}, the shares of features by {share.number}"


class M9(Check):
    """The program has D + 1 unknowns and a constraint for each pair of samples, N (N - 1) / 2, at every size.

    True by construction, and exact: half of the N^2 constraints in the paper repeat the others or compare a sample with
    itself.
    """

    def statements(self, size):
        full = size[size["solver"] == "full"]
        unknowns, rows = (full[full["metric"] == what] for what in ("unknowns", "constraints"))
        pairs = rows["n_samples"] * (rows["n_samples"] - 1) / 2
        return [
            fact("programs without D + 1 unknowns", (unknowns["value"] != unknowns["n_features"] + 1).sum(), below=1),
            fact("programs without one constraint for each pair", (rows["value"] != pairs).sum(), below=1),
        ]

    def sentence(self, _, pairs):
        exceptions = f"with {pairs.number} exceptions" if pairs.estimate else "without exception"
        return f"the program has one constraint for each of the N (N - 1) / 2 pairs of samples, {exceptions}"


class M10(Claim):
    """When the columns are rescaled, most weightings other than MDM change predictions of k-NN.

    "In contrast to other feature weighting methods" does not say all of them; which ones is secondary. A method that
    does not depend on the scaling changes none on any data set, as MDM (M1): so one data set with a changed prediction
    is enough. Relief counts for each way of using its scores, because the paper names none.
    """

    def statements(self, scaling):
        chosen = scaling[
            (scaling["metric"] == "prediction_change") & ~scaling["method"].isin(["none", "minmax", "zscore"])
        ]
        others = chosen[~chosen["method"].str.endswith("MDM")]
        changed = others.groupby(["method", "dataset"], sort=False)["value"].max() > 0
        n_sets = changed.groupby(level="method", sort=False).sum()
        return [
            fact("other weightings that change predictions", 100 * (n_sets > 0).mean(), above=50, unit="%"),
            *(
                fact(f"data sets where rescaling changes predictions: {method}", n, above=0, secondary=True)
                for method, n in n_sets.items()
            ),
        ]

    def sentence(self, _, *each):
        unchanged = [row.what.rpartition(": ")[2] for row in each if row.estimate == 0]
        named = f", but not those of {' and '.join(unchanged)}" if 0 < len(unchanged) <= 2 else ""
        return (
            f"rescaling changed the predictions of {len(each) - len(unchanged)} of {len(each)} other weightings{named}"
        )
