"""Rules that judge the claims of Hocke and Martinetz 2014, each a function of the experiments' tables."""

import numpy as np
from scipy import stats

from compendium.inference import mean_interval, share_interval, sign_test
from compendium.verdicts import Verdict, by_interval, claim, combine, judge
from fscore.datasets.registry import read_registry

ROUNDING = 1e-6  # smaller relative changes are rounding errors
LEVEL = 0.05
FEW = 0.1  # share of the genes
SCALED = {"raw": "raw", "minmax": "min-max", "zscore": "z-scored"}


def _measured(table, metric, by):
    """Mean of a metric, indexed by the columns ``by``."""
    return table[table["metric"] == metric].groupby(by, sort=False, dropna=False)["value"].mean()


def _worst(table, metric, by):
    return table[table["metric"] == metric].groupby(by, sort=False)["value"].max()


def _signed_ranks(differences):
    """Whether differences over data sets are positive, by Wilcoxon's signed-rank test: the answer, and a phrase."""
    d = np.asarray(differences, dtype=float).round(12)
    untied = d[d != 0]
    p = float(stats.wilcoxon(untied).pvalue) if len(untied) else 1.0
    ranks = stats.rankdata(np.abs(untied))
    ahead = ranks[untied > 0].sum() > ranks[untied < 0].sum()
    answer = "inconclusive" if p >= LEVEL else "replicated" if ahead else "not replicated"
    return answer, f"on {(d > 0).sum()} of {len(d)} sets, Wilcoxon p = {p:.2g}"


@claim("hocke2014", "M1", needs=["scaling"], check=True)
def scaling_does_not_matter(scaling):
    """After random factors on the columns MDM has the same optimum and distances, and k-NN the same predictions.

    A theorem: the weights absorb the factors. Relative changes up to 1e-6 are errors of the solver; of the predictions
    none may change.
    """
    ours = scaling[scaling["method"].str.endswith("MDM")]
    distance, objective = (_worst(ours, f"{what}_change", "method").max() for what in ("distance", "objective"))
    predictions = _worst(ours, "prediction_change", "method").max()
    return judge(
        max(distance, objective) < ROUNDING and predictions == 0,
        f"after random factors the largest relative change was {objective:.0e} for the optimum and {distance:.0e} for "
        f"a weighted distance; {predictions:.1%} of the k-NN predictions changed",
        partly=objective < ROUNDING,
    )


@claim("hocke2014", "M2", needs=["feasibility"], check=True)
def hard_program_is_feasible(feasibility):
    """The program in full and as `MDM` solves it has an optimum for every sample, also with identical points.

    A matter of proof, not of chance: weights that are large enough separate distinct points of different classes, and
    none separate identical ones. Partly, if it has an optimum whenever no two identical points differ in class.
    """
    by = ["dataset", "case", "repeat"]
    wide = feasibility.pivot_table(index=by, columns="metric", values="value", sort=False)
    optimal = (wide[["optimal_full", "optimal_mdm"]] == 1).all(axis=1)
    identical = wide["identical_pairs"] > 0
    usual, exception = optimal[~identical], optimal[identical]
    evidence = (
        f"an optimum was found for {usual.sum()} of {len(usual)} samples without identical points of different "
        f"classes, and for {exception.sum()} of {len(exception)} samples with such points"
    )
    return judge(usual.all() and exception.all(), evidence, partly=usual.all())


@claim("hocke2014", "M3", needs=["noise"])
def noise_gets_weight_zero(noise):
    """Noise columns get weight zero more often than the other columns, with fewer and with more features than samples.

    For each data set, the mean difference of the two shares of zero weights (over hard and soft MDM) is replicated if
    its 95 % interval (the usual level) over draws of the noise lies above zero, not replicated if below, else
    inconclusive; all data sets of a kind are combined, and then the two kinds, since the claim names neither.
    """
    shares = noise[noise["metric"] == "zero_share"]
    by = ["wide", "dataset", "repeat", "column_kind"]
    zero = shares.groupby(by, sort=False)["value"].mean().unstack("column_kind")
    answers, listed = [], []
    for wide, part in zero.groupby(level="wide"):
        difference = (part["noise"] - part["own"]).groupby(level="dataset")
        sets = [by_interval(*mean_interval(values), 0) for _, values in difference]
        answers.append(combine(sets))
        mean = part.mean()
        listed.append(
            f"{'more' if wide else 'fewer'} features than samples: {mean['noise']:.0%} of the noise columns got weight "
            f"zero, and {mean['own']:.0%} of the others; noise more often on {sets.count('replicated')} of {len(sets)} "
            f"sets, less often on {sets.count('not replicated')} (95 % intervals over {difference.size().max()} draws)"
        )
    return Verdict(combine(answers), "; ".join(listed))


@claim("hocke2014", "M4", needs=["outliers", "outlier_tests"])
def slack_lowers_the_influence_of_outliers(outliers, tests):
    """With slack, bad samples move the weights less and raise the test error less, over the data sets.

    Each of the two is averaged over the kinds of outliers and the values of nu, and judged by Wilcoxon's signed-rank
    test over the data sets: replicated if significant at 5 % (the usual level) in the claimed direction, not replicated
    if in the other, else inconclusive. The two are combined.
    """
    change = _measured(outliers, "weight_change", ["dataset", "kind", "nu"]).unstack("nu")
    hard = change.columns.isna()
    less = change.loc[:, ~hard].rsub(change.loc[:, hard].iloc[:, 0], axis=0).mean(axis=1).groupby("dataset").mean()
    spared = -tests.groupby("dataset")["difference"].mean()
    (weights, moved), (error, rose) = _signed_ranks(less), _signed_ranks(spared)
    return Verdict(
        combine([weights, error]),
        f"with slack the weights moved less {moved} (mean difference {-less.mean():+.3f} in total variation), and the "
        f"test error rose less {rose} (mean difference {-100 * spared.mean():+.2f} points)",
    )


@claim("hocke2014", "M5", needs=["gain"])
def weights_improve_knn(gain):
    """Soft MDM's k-NN error is lower than that of equal weights over the data sets, for raw and for z-scored inputs.

    For each scaling, Wilcoxon's signed-rank test over the data sets: replicated if significant at 5 % (the usual level)
    in the claimed direction, not replicated if in the other, else inconclusive. The two are combined, because the paper
    does not say how the unweighted inputs are scaled.
    """
    error = _measured(gain, "error", ["inputs", "dataset", "method"]).unstack("method")
    difference = error["none"] - error["soft MDM"]
    answers, listed = [], []
    for inputs, part in difference.groupby(level="inputs", sort=False):
        answer, lower = _signed_ranks(part)
        answers.append(answer)
        listed.append(f"{SCALED[inputs]} inputs: lower error {lower}, mean difference {-100 * part.mean():+.1f} points")
    return Verdict(combine(answers), f"soft MDM against equal weights, {'; '.join(listed)}")


@claim("hocke2014", "M6", needs=["uci_ranks", "uci_tests"])
def soft_version_is_competitive(ranks, tests):
    """Soft MDM's mean rank among the weightings is better than the middle, for every scaling of the inputs.

    "Compares very well with competing methods": better than a method without merit, whose mean rank is the middle. The
    95 % interval (the usual level) has the half-width 1.96 sqrt((m^2 - 1) / (12 n)) that the mean rank of one of m
    equal methods has over n data sets. Replicated if it lies below the middle, not replicated if above, else
    inconclusive; the scalings are combined.
    """
    ranks = ranks[(ranks["among"] == "weightings") & (ranks["k"] == "mean")]
    answers, listed, better, worse = [], [], [], []
    for inputs, part in ranks.groupby("inputs", sort=False):
        rank, n = part.set_index("method")["mean_rank"], part["n_datasets"].iloc[0]
        m, ours, best = len(rank), rank["soft MDM"], rank.min()
        half = stats.norm.ppf(1 - LEVEL / 2) * np.sqrt((m**2 - 1) / (12 * n))
        answers.append(by_interval(-ours - half, -ours + half, -(m + 1) / 2))
        paired = tests[(tests["inputs"] == inputs) & tests["method"].isin(rank.index)]
        significant = paired.loc[paired["p_holm"] < LEVEL, "difference"]
        better.append(f"{(significant > 0).sum()}")
        worse.append(f"{(significant < 0).sum()}")
        listed.append(f"{ours:.1f} ± {half:.1f} with {SCALED[inputs]} inputs (best: {rank.idxmin()}, {best:.1f})")
    return Verdict(
        combine(answers),
        f"mean rank of soft MDM among {m} weightings on {n} sets, where {(m + 1) / 2:g} is the middle: "
        f"{', '.join(listed)}; significantly better in {', '.join(better)} and worse in {', '.join(worse)} of "
        f"{len(paired)} paired tests each",
    )


@claim("hocke2014", "M7", needs=["gene_expression"])
def few_genes_keep_their_weight(measured):
    """MDM keeps less than a tenth of the genes, and neither its error nor that of equal weights on them rises.

    Judged for hard and soft MDM by 95 % intervals (the usual level) of means over the data sets. Few: the interval of
    the share kept lies below 1/10, a threshold that was set before the experiment. No rise: the interval of the larger
    of the two errors, minus the error of equal weights on all genes given, lies below zero. Not replicated if an
    interval lies above its threshold, inconclusive if it contains it; all are combined.
    """
    registry = read_registry()
    generated = [name for name in measured["dataset"].unique() if _is_generated(registry.get(name))]
    measured = measured[~measured["dataset"].isin(generated)]
    if measured.empty:
        return Verdict("not testable here", f"gene expression data sets: 0 (generated: {', '.join(generated)})")
    given, kept, error, error_kept = (
        _measured(measured, metric, ["dataset", "method"]).unstack("method")
        for metric in ("n_given", "n_kept", "error", "error_kept")
    )
    answers, listed = [], []
    for method in ("hard MDM", "soft MDM"):
        share = kept[method] / given[method]
        rise = np.maximum(error[method], error_kept[method]) - error["none"]
        (low, high), (least, most) = mean_interval(share), mean_interval(rise)
        answers += [by_interval(-high, -low, -FEW), by_interval(-most, -least, 0)]
        listed.append(
            f"{method} kept {share.mean():.1%} (95 % interval {low:.1%} to {high:.1%}), and its error changed by "
            f"{100 * rise.mean():+.1f} points ({100 * least:+.1f} to {100 * most:+.1f}; {_sides(rise)})"
        )
    labels = {"none, all genes": "equal weights on all genes", "none": "equal weights on the genes given"}
    mean = ", ".join(
        f"{labels.get(method, method)} {error[method].mean():.1%}"
        for method in (*labels, "hard MDM", "soft MDM")
        if method in error
    )
    chosen = " (chosen by their Fisher scores)" if "none, all genes" in given else ""
    return Verdict(
        combine(answers),
        f"of the genes given{chosen}, on {len(given)} sets: {'; '.join(listed)}; mean errors: {mean}",
    )


def _sides(rise):
    test = sign_test(-rise.round(12))
    return f"lower on {test.wins} sets, higher on {test.losses}, sign test p = {test.p:.2g}"


def _is_generated(dataset):
    return dataset is not None and dataset.kind == "generated"


@claim("hocke2014", "M8", needs=["equivalence"], check=True)
def both_programs_are_one(equivalence):
    """Minimizing the maximum and maximizing the minimum give the same optimal ratio and the same shares of features.

    A theorem. Relative differences up to 1e-6 of the ratio and 1e-3 of the shares are errors of the solvers; the shares
    are less exact, as an optimum is flat in them.
    """
    ratio, weights = (_worst(equivalence, f"{what}_difference", "metric").iloc[0] for what in ("ratio", "weight"))
    return judge(
        ratio < ROUNDING and weights < 1e-3,
        f"solved on their own, the two programs differ by at most {ratio:.0e} in the optimal ratio and {weights:.0e} "
        "in the features' shares",
        partly=ratio < ROUNDING,
    )


@claim("hocke2014", "M9", needs=["size"], check=True)
def constraints_grow_with_the_square_of_the_samples(size):
    """The program has D + 1 unknowns and a constraint for each pair of samples, N (N - 1) / 2, at every size.

    True by construction, and exact: half of the N^2 rows in print repeat the others or compare a sample with itself.
    """
    full = size[size["solver"] == "full"]
    unknowns, rows = (full[full["metric"] == what] for what in ("unknowns", "constraints"))
    as_claimed = (unknowns["value"] == unknowns["n_features"] + 1).all()
    pairs = (rows["value"] == rows["n_samples"] * (rows["n_samples"] - 1) / 2).all()
    largest = rows.loc[rows["n_samples"].idxmax()]
    return judge(
        as_claimed and pairs,
        f"in {len(rows)} programs in full, as cvxpy counts them, the unknowns are {'' if as_claimed else 'not '}always "
        f"D + 1 and the rows {'' if pairs else 'not '}always N (N - 1) / 2, up to {largest['value']:.0f} rows for "
        f"{largest['n_samples']} samples",
        partly=pairs,
    )


@claim("hocke2014", "M10", needs=["scaling"])
def others_depend_on_the_scaling(scaling):
    """When the columns are rescaled, each weighting other than MDM changes predictions of k-NN on most data sets.

    A data set counts as changed if any prediction does. For each method: replicated if the exact 95 % interval (the
    usual level) of the share of data sets lies above 1/2 ("most"), not replicated if below, else inconclusive; the
    methods are combined. Relief is judged for each way of using its scores, because the paper states none.
    """
    judged = scaling[(scaling["metric"] == "prediction_change") & ~scaling["method"].isin(["none", "minmax", "zscore"])]
    changed = judged.groupby(["method", "dataset"], sort=False)["value"].max() > 0
    answers, listed = [], []
    for method, sets in changed.groupby(level="method", sort=False):
        low, high = share_interval(sets.sum(), len(sets))
        listed.append(f"{method} on {sets.sum()} of {len(sets)} ({low:.2f} to {high:.2f})")
        if not method.endswith("MDM"):
            answers.append(by_interval(low, high, 0.5))
    return Verdict(
        combine(answers),
        f"data sets with changed predictions (95 % interval of their share): {', '.join(listed)}",
    )
