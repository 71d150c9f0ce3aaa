"""Rules that judge the claims of Hocke and Martinetz 2014, each a function of the experiments' tables."""

import numpy as np

from compendium.verdicts import Verdict, claim, judge
from fscore.datasets.registry import read_registry

ROUNDING = 1e-6  # smaller relative changes are rounding errors


def _measured(table, metric, by):
    """Mean of a metric, indexed by the columns ``by``."""
    return table[table["metric"] == metric].groupby(by, sort=False, dropna=False)["value"].mean()


def _worst(table, metric, by):
    return table[table["metric"] == metric].groupby(by, sort=False)["value"].max()


@claim("hocke2014", "M1", needs=["scaling"])
def scaling_does_not_matter(scaling):
    ours = scaling[scaling["method"].str.endswith("MDM")]
    distance, objective = (_worst(ours, f"{what}_change", "method").max() for what in ("distance", "objective"))
    predictions = _worst(ours, "prediction_change", "method").max()
    return judge(
        max(distance, objective) < ROUNDING and predictions == 0,
        f"after random factors the largest relative change was {objective:.0e} for the optimum and {distance:.0e} for "
        f"a weighted distance; {predictions:.1%} of the k-NN predictions changed",
        partly=objective < ROUNDING,
    )


@claim("hocke2014", "M2", needs=["feasibility"])
def hard_program_is_feasible(feasibility):
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
    zero = _measured(noise, "zero_share", ["wide", "dataset", "method", "column_kind"]).unstack()
    often = ((zero["noise"] >= 0.5) & (zero["noise"] >= 2 * zero["own"])).groupby("wide").agg(["sum", "size"])
    most = often["sum"] > often["size"] / 2
    mean = zero.groupby("wide").mean()
    details = "; ".join(
        f"{'more' if wide else 'fewer'} features than samples: {mean.loc[wide, 'noise']:.0%} of the noise columns got "
        f"weight zero, and {mean.loc[wide, 'own']:.0%} of the others, noise clearly more often in {row['sum']} of "
        f"{row['size']} cases"
        for wide, row in often.iterrows()
    )
    return judge(most.all(), details, partly=most.any())


@claim("hocke2014", "M4", needs=["outliers", "outlier_tests"])
def slack_lowers_the_influence_of_outliers(outliers, tests):
    change = _measured(outliers, "weight_change", ["dataset", "kind", "nu"]).unstack("nu")
    hard = change.columns.isna()
    less = change.loc[:, ~hard].lt(change.loc[:, hard].iloc[:, 0], axis=0).to_numpy()
    significant = tests.loc[tests["p_holm"] < 0.05, "difference"]
    better, worse = (significant < 0).sum(), (significant > 0).sum()
    mean, sd = 100 * tests["difference"].mean(), 100 * tests["difference"].std()
    return judge(
        less.mean() >= 0.75 and better > worse,
        f"the weights of soft MDM moved less than those of hard MDM in {less.sum()} of {less.size} cases; the test "
        f"error rose by {mean:+.2f} ± {sd:.2f} points more (sd over the cases), significantly less in {better} and "
        f"significantly more in {worse}",
        partly=less.mean() >= 0.75 or better > worse,
    )


@claim("hocke2014", "M5", needs=["gain"])
def weights_improve_knn(gain):
    error = _measured(gain, "error", ["inputs", "dataset", "method"]).unstack("method")
    better = (error["soft MDM"] < error["none"]).groupby("inputs").agg(["sum", "size"])
    mean = (error["soft MDM"] - error["none"]).groupby("inputs").mean()
    most = better["sum"] > better["size"] / 2
    details = "; ".join(
        f"{inputs} inputs: lower error on {row['sum']} of {row['size']} sets, mean {100 * mean[inputs]:+.1f} points"
        for inputs, row in better.iterrows()
    )
    return judge(most.all(), f"soft MDM against equal weights, {details}", partly=most.any())


@claim("hocke2014", "M6", needs=["uci_ranks", "uci_tests"])
def soft_version_is_competitive(ranks, tests):
    """Mean rank within the critical difference of the best, and not behind the middle, for every scaling."""
    ranks = ranks[(ranks["among"] == "weightings") & (ranks["k"] == "mean")]
    holds, details = [], []
    for inputs, part in ranks.groupby("inputs", sort=False):
        rank, reach = part.set_index("method")["mean_rank"], part["critical_difference"].iloc[0]
        ours, best = rank["soft MDM"], rank.min()
        holds.append(ours - best < reach and ours <= (len(rank) + 1) / 2)
        details.append(f"{ours:.1f} with {inputs} inputs (best: {rank.idxmin()}, {best:.1f})")
    paired = tests[tests["method"].isin(rank.index)]
    significant = paired.loc[paired["p_holm"] < 0.05, "difference"]
    return judge(
        all(holds),
        f"mean rank of soft MDM among {len(rank)} weightings on {ranks['n_datasets'].iloc[0]} sets: "
        f"{', '.join(details)}; critical difference {reach:.1f}; significantly better in {(significant > 0).sum()} and "
        f"worse in {(significant < 0).sum()} of {len(paired)} paired tests",
        partly=any(holds),
    )


@claim("hocke2014", "M7", needs=["gene_expression"])
def few_genes_keep_their_weight(measured):
    """MDM keeps at most a tenth of the genes given; and on most sets neither its error nor that of equal weights on
    the genes kept is above that of equal weights on all genes given.
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
    ours = ["hard MDM", "soft MDM"]
    numbers, shares = kept[ours].stack(), (kept[ours] / given[ours]).stack()
    few = (shares <= 0.1).groupby("dataset").all()
    fine = np.maximum(error[ours], error_kept[ours]).le(error["none"] + ROUNDING, axis=0)
    mean = ", ".join(
        f"{method} {error[method].mean():.1%}" for method in ("none, all genes", "none", *ours) if method in error
    )
    chosen = " (chosen by their Fisher scores)" if "none, all genes" in given else ""
    return judge(
        few.all() and fine.all(axis=1).mean() > 0.5,
        f"on {len(few)} sets MDM kept {numbers.min():.0f} to {numbers.max():.0f} genes (means over folds), "
        f"{shares.min():.1%} to {shares.max():.1%} of those given{chosen}; its error, and that of equal weights on the "
        f"genes kept, was not above that of equal weights on those given on {fine['hard MDM'].sum()} (hard) and "
        f"{fine['soft MDM'].sum()} (soft) sets (mean errors: {mean})",
        partly=few.mean() > 0.5,
    )


def _is_generated(dataset):
    return dataset is not None and dataset.kind == "generated"


@claim("hocke2014", "M8", needs=["equivalence"])
def both_programs_are_one(equivalence):
    ratio, weights = (_worst(equivalence, f"{what}_difference", "metric").iloc[0] for what in ("ratio", "weight"))
    return judge(
        ratio < ROUNDING and weights < 1e-3,
        f"solved on their own, the two programs differ by at most {ratio:.0e} in the optimal ratio and {weights:.0e} "
        "in the features' shares",
        partly=ratio < ROUNDING,
    )


@claim("hocke2014", "M9", needs=["size"])
def constraints_grow_with_the_square_of_the_samples(size):
    full = size[size["solver"] == "full"]
    rows, seconds = (_measured(full[full["varied"] == "N"], what, "n_samples") for what in ("constraints", "seconds"))
    growth, slower = (np.polyfit(np.log(m.index), np.log(m), 1)[0] for m in (rows, seconds))
    unknowns = full[full["metric"] == "unknowns"]
    as_claimed = (unknowns["value"] == unknowns["n_features"] + 1).all()
    return judge(
        as_claimed and abs(growth - 2) < 0.1,
        f"of the program in full, as cvxpy counts it, the rows grow with the samples to the power {growth:.2f}; the "
        f"unknowns are {'always' if as_claimed else 'not always'} D + 1; seconds to solve it grow with the power "
        f"{slower:.1f}",
        partly=abs(growth - 2) < 0.1,
    )


@claim("hocke2014", "M10", needs=["scaling"])
def others_depend_on_the_scaling(scaling):
    unsupervised, ours = ("none", "minmax", "zscore"), scaling["method"].str.endswith("MDM")
    others = scaling[~ours & ~scaling["method"].isin(unsupervised)]
    changed = _measured(others, "prediction_change", "method")
    worst = _worst(scaling[ours], "prediction_change", "method").max()
    moved = changed > 0
    details = ", ".join(f"{method} {share:.0%}" for method, share in changed.items())
    return judge(
        moved.all() and worst == 0,
        f"share of k-NN predictions that changed with the scaling: {details}; MDM {worst:.0%}",
        partly=moved.any() and worst == 0,
    )
