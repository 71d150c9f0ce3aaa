"""Tables of Nel 1998: which printed masks can be used, and our selections laid out as in print."""

import pandas as pd

__all__ = ["advice", "laid_out", "left_out", "outcomes", "top_five", "usable"]

QUANTITIES = {
    "train_acc_pct": "training",
    "test_acc_pct": "test",
    "avg_gamma_e-3": "Gamma",
    "gamma_rank_score": "score, eq. 7.1",
    "mean_of_per_split_correlation": "r per split",
    "correlation_of_means": "r of means",
    "n_samples": "samples",
    "n_features": "features",
    "majority_class_pct": "largest class",
}


def usable(rows):
    """Printed rows whose mask has the right number of bits, or that a twin table prints with the right number.

    Parameters
    ----------
    rows : DataFrame
        Rows of ``data/published/nel1998.csv``.

    Returns
    -------
    DataFrame
        The rows with ``subset`` put right where a twin has it; without all other rows with a damaged mask.
    """
    twin = rows["note"].str.extract(r"\bRESOLVED ([01]+)")[0]
    kept = rows.assign(subset=twin.fillna(rows["subset"]))
    return kept[~rows["note"].str.contains("BADLEN") | twin.notna()]


def left_out(rows, samples):
    """What of the printed numbers is not on a page, by table.

    Parameters
    ----------
    rows : DataFrame
        Rows of ``data/published/nel1998.csv``.
    samples : iterable of str
        The samples of the run.

    Returns
    -------
    DataFrame
        Numbers in print, those left out for a damaged mask, and the samples that are not in the run.
    """
    kept = usable(rows).index
    shown = []
    for table, part in rows.groupby("table", sort=False):
        absent = [name for name in part["dataset"].unique() if name not in set(samples)]
        row = {"table": table, "numbers": len(part), "with a damaged mask": int((~part.index.isin(kept)).sum())}
        shown.append({**row, "samples not in this run": ", ".join(absent) or "none"})
    return pd.DataFrame(shown)


def laid_out(comparison):
    """A comparison with print in few narrow columns.

    Parameters
    ----------
    comparison : DataFrame
        As from :func:`compendium.published.with_verdicts`, with a column ``metric`` and perhaps ``subset``.

    Returns
    -------
    DataFrame
        sample, subset, quantity, published, reproduced ("mean ± sd"), difference, verdict.
    """
    decimals = {"n_samples": 0, "n_features": 0, "avg_gamma_e-3": 1}
    digits = comparison["metric"].map(lambda metric: decimals.get(metric, 2))
    ours = [
        "–" if pd.isna(mean) else f"{mean:.{d}f}" + ("" if pd.isna(sd) else f" ± {sd:.{d}f}")
        for mean, sd, d in zip(comparison["reproduced"], comparison["sd"], digits, strict=True)
    ]
    shown = {
        "sample": comparison["dataset"],
        "subset": comparison["subset"].map(_in_tens) if "subset" in comparison else None,
        "quantity": comparison["metric"].map(QUANTITIES),
        "published": comparison["published"],
        "reproduced": ours,
        "difference": [
            "–" if pd.isna(x) else f"{x:+.{d}f}" for x, d in zip(comparison["difference"], digits, strict=True)
        ],
        "verdict": comparison["verdict"],
    }
    return pd.DataFrame({name: column for name, column in shown.items() if column is not None})


def _in_tens(mask):
    """A long mask in groups of ten bits, so that it can be read and a narrow column can break it."""
    return " ".join(mask[start : start + 10] for start in range(0, len(mask), 10)) if len(mask) > 15 else mask


def top_five(summary, method, n_top=5):
    """The best subsets of a method by the test accuracy of RANN, as the thesis chose them, and the full set.

    Parameters
    ----------
    summary : DataFrame
        As from :func:`nel1998.summary`.
    method : str
    n_top : int

    Returns
    -------
    DataFrame
        A row for each subset: its rank by the criterion, and mean and standard deviation of the correct answers of both
        classifiers on training and test parts.
    """
    top = summary[(summary["method"] == method) & (summary["place"] <= n_top) | (summary["method"] == "full")]
    shown = []
    for (sample, full, _, subset), part in top.groupby(["sample", top["method"] == "full", "place", "subset"]):
        row = {"sample": sample, "subset": _in_tens(subset), "rank": "full set" if full else f"{part['order'].iloc[0]}"}
        row["features"] = part["n_features"].iloc[0]
        for _, found in part.sort_values("classifier", ascending=False).iterrows():
            name = {"RANN": "RANN", "kNN": "k-NN"}[found["classifier"]]
            for what in "train", "test":
                row[f"{name} {what}"] = f"{found[what]:.2f} ± {found[f'{what}_sd']:.2f}"
        shown.append(row)
    columns = ["sample", "subset", "rank", "features", "RANN train", "RANN test", "k-NN train", "k-NN test"]
    return pd.DataFrame(shown, columns=columns)


def outcomes(table):
    """Searches against the optimum that exhaustive search found on the same training part.

    Parameters
    ----------
    table : DataFrame
        As from :func:`nel1998.compare_searches`.

    Returns
    -------
    DataFrame
        A row for each sample, criterion and search: share of runs that found the optimal value, mean distance from it,
        mean number of subsets valued, and mean size.
    """
    by = ["sample", "criterion", "search", "split", "run"]
    wide = table.pivot_table(index=by, columns="metric", values="value", sort=False).reset_index()
    optimum = wide[wide["search"] == "exhaustive"].set_index(["sample", "criterion", "split"])["value"]
    wide["gap"] = wide.join(optimum.rename("best"), on=["sample", "criterion", "split"])["best"] - wide["value"]
    wide["gap"] = wide["gap"].where(wide["gap"] > 1e-9, 0.0)  # rounding
    wide["optimal"] = (wide["gap"] == 0).astype(float)
    groups = wide.groupby(["sample", "criterion", "search"], sort=False)
    return groups[["optimal", "gap", "n_evaluations", "n_features"]].mean().reset_index()


def advice(found):
    """What the runs say of chapter 2's warning that greedy searches miss the optimum, and of its trust in PBIL.

    Parameters
    ----------
    found : DataFrame
        As from `outcomes`, with exhaustive and greedy searches and PBIL.

    Returns
    -------
    str
    """
    means = found.groupby("search", sort=False)[["optimal", "n_evaluations"]].mean()

    def said(name):
        share, valued = means.loc[name, ["optimal", "n_evaluations"]]
        return f"{name} found the optimum in {share:.0%} of its runs, valuing {valued:.0f}"

    greedy = ["SFS", "SBS", "SFFS"]
    missed = int((means.optimal[greedy] < 1).sum())
    return (
        f"Exhaustive search values {means.n_evaluations['exhaustive']:.0f} subsets on average over the samples. "
        f"{'; '.join(map(said, greedy))}. So {missed} of {len(greedy)} greedy searches missed it at least once. "
        f"{said('PBIL')}."
    )
