"""Claims of Hocke and Martinetz 2014, each a function of the tables of ``fscore.studies.hocke2014``."""

import numpy as np

from fscore.report.verdicts import claim, judge

ROUNDING = 1e-6  # relative: an optimum that moves by less has not moved


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
    optimal = feasibility[feasibility["metric"].isin(["optimal_full", "optimal_mdm"])]
    twins = optimal["case"] == "one label flipped twin"
    usual, exception = optimal[~twins]["value"], optimal[twins]["value"]
    evidence = (
        f"an optimum was found in {usual.sum():.0f} of {len(usual)} programs on data as they are, and in "
        f"{exception.sum():.0f} of {len(exception)} once a sample had a twin of another class"
    )
    return judge(usual.all() and exception.all(), evidence, partly=usual.all())


@claim("hocke2014", "M3", needs=["noise"])
def noise_gets_weight_zero(noise):
    zero = _measured(noise, "zero_share", ["dataset", "method", "column_kind"]).unstack()
    often = (zero["noise"] >= 0.5) & (zero["noise"] >= 2 * zero["own"])
    return judge(
        often.mean() > 0.5,
        f"{zero['noise'].mean():.0%} of the appended noise columns got weight zero, and {zero['own'].mean():.0%} of "
        f"the sets' own columns; noise clearly more often in {often.sum()} of {len(zero)} cases",
        partly=zero["noise"].mean() > zero["own"].mean(),
    )


@claim("hocke2014", "M4", needs=["outliers"])
def slack_lowers_the_influence_of_outliers(outliers):
    by = ["dataset", "kind", "nu"]
    change = _measured(outliers, "weight_change", by).unstack("nu")
    damage = (_measured(outliers, "error_spoilt", by) - _measured(outliers, "error_clean", by)).unstack("nu")
    hard = change.columns.isna()
    calmer = change.loc[:, ~hard].lt(change.loc[:, hard].iloc[:, 0], axis=0).to_numpy()
    hard_damage, soft_damage = damage.loc[:, hard].to_numpy().mean(), damage.loc[:, ~hard].to_numpy().mean()
    return judge(
        calmer.mean() >= 0.75 and soft_damage <= hard_damage,
        f"the weights of soft MDM moved less than those of hard MDM in {calmer.sum()} of {calmer.size} cases; the test "
        f"error rose by {100 * soft_damage:.2f} points with soft and {100 * hard_damage:.2f} with hard weights",
        partly=calmer.mean() >= 0.75 or soft_damage < hard_damage,
    )


@claim("hocke2014", "M5", needs=["gain"])
def weights_improve_knn(gain):
    error = _measured(gain, "error", ["inputs", "dataset", "method"]).unstack("method")
    better = (error["soft MDM"] < error["none"]).groupby("inputs").agg(["sum", "size"])
    mean = (error["soft MDM"] - error["none"]).groupby("inputs").mean()
    most = better["sum"] > better["size"] / 2
    said = "; ".join(
        f"{inputs} inputs: lower error on {row['sum']} of {row['size']} sets, mean {100 * mean[inputs]:+.1f} points"
        for inputs, row in better.iterrows()
    )
    return judge(most.all(), f"soft MDM against equal weights, {said}", partly=most.any())


@claim("hocke2014", "M6", needs=["uci_ranks", "uci_tests"])
def soft_version_is_competitive(ranks, tests):
    """Within the critical difference of the best weighting, and not behind their middle, whatever the inputs."""
    ranks = ranks[(ranks["among"] == "weightings") & (ranks["k"] == "mean")]
    holds, said = [], []
    for inputs, part in ranks.groupby("inputs", sort=False):
        rank = part.set_index("method")["mean_rank"]
        best, ours, reach = rank.min(), rank["soft MDM"], part["critical_difference"].iloc[0]
        holds.append(ours - best < reach and ours <= (len(rank) + 1) / 2)
        n_tests = (len(rank) - 1) * part["n_datasets"].iloc[0]
        against = tests[(tests["inputs"] == inputs) & tests["method"].isin(rank.index) & (tests["p_holm"] < 0.05)]
        lost, won = (against["difference"] < 0).sum(), (against["difference"] > 0).sum()
        said.append(
            f"{inputs} inputs: soft MDM's mean rank {ours:.1f} of {len(rank)} (best: {rank.idxmin()}, {best:.1f}; "
            f"critical difference {reach:.1f}), significantly better in {won} and worse in {lost} of "
            f"{n_tests} paired tests"
        )
    sets = ranks["n_datasets"].iloc[0]
    return judge(all(holds), f"data sets: {sets}; {'; '.join(said)}", partly=any(holds))


@claim("hocke2014", "M7", needs=["gene_expression"])
def few_genes_keep_their_weight(measured):
    """At most a tenth of the genes that MDM was given, and an error not above that of equal weights on most sets."""
    by = ["dataset", "method"]
    share = (_measured(measured, "n_kept", by) / _measured(measured, "n_given", by)).unstack("method")
    error = _measured(measured, "error", by).unstack("method")
    ours = ["hard MDM", "soft MDM"]
    few, fine = share[ours] <= 0.1, error[ours].le(error["none"] + ROUNDING, axis=0)
    kept = _measured(measured, "n_kept", by).unstack("method")[ours].stack()
    shares, mean = share[ours].stack(), error.mean()
    return judge(
        few.to_numpy().all() and fine.to_numpy().mean() > 0.5,
        f"data sets: {len(share)}; MDM kept {kept.min():.0f} to {kept.max():.0f} genes (means over folds), "
        f"{shares.min():.1%} to {shares.max():.1%} of those given; its error was not above that of equal weights in "
        f"{fine.to_numpy().sum()} of {fine.size} cases (means: hard {mean['hard MDM']:.1%}, soft "
        f"{mean['soft MDM']:.1%}, equal weights {mean['none']:.1%})",
        partly=few.to_numpy().mean() > 0.5,
    )


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
    full = size[(size["solver"] == "full") & (size["varied"] == "N")]
    rows, seconds = _measured(full, "rows", "n_samples"), _measured(full, "seconds", "n_samples")
    growth, slower = (np.polyfit(np.log(m.index), np.log(m), 1)[0] for m in (rows, seconds))
    everything = size.pivot_table(index=["n_samples", "n_features"], columns="metric", values="value")
    unknowns = (everything["columns"] == everything.index.get_level_values("n_features") + 1).all()
    return judge(
        unknowns and abs(growth - 2) < 0.1,
        f"rows grow with the samples to the power {growth:.2f}, seconds with the power {slower:.1f}; the unknowns are "
        f"{'always' if unknowns else 'not always'} D + 1",
        partly=abs(growth - 2) < 0.1,
    )


@claim("hocke2014", "M10", needs=["scaling"])
def others_depend_on_the_scaling(scaling):
    unsupervised, ours = ("none", "minmax", "zscore"), scaling["method"].str.endswith("MDM")
    kin = scaling[~ours & ~scaling["method"].isin(unsupervised)]
    changed = _measured(kin, "prediction_change", "method")
    worst = _worst(scaling[ours], "prediction_change", "method").max()
    moved = changed > 0
    said = ", ".join(f"{method} {share:.0%}" for method, share in changed.items())
    return judge(
        moved.all() and worst == 0,
        f"share of k-NN predictions that changed with the scaling: {said}; MDM {worst:.0%}",
        partly=moved.any() and worst == 0,
    )
