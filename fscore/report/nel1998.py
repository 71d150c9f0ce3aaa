"""Tables of Nel 1998: which printed masks can be used, and our selections laid out as in print."""

import pandas as pd

__all__ = ["outcomes", "top_five", "usable"]


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


def top_five(summary, method, n_top=5):
    """The best subsets of a method by the test accuracy of RANN, as the thesis chose them, and the full set.

    Parameters
    ----------
    summary : DataFrame
        As from :func:`fscore.studies.nel1998.summary`.
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
        row = {"sample": sample, "subset": subset, "rank": "full set" if full else f"{part['order'].iloc[0]}"}
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
        As from :func:`fscore.studies.nel1998.compare_searches`.

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
    wide["optimal"] = (wide["gap"] <= 1e-9).astype(float)
    groups = wide.groupby(["sample", "criterion", "search"], sort=False)
    return groups[["optimal", "gap", "n_evaluations", "n_features"]].mean().reset_index()
