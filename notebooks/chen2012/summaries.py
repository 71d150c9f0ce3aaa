"""Tables of our runs of Chen 2012, arranged to be read."""

__all__ = ["places_of_copies"]


def places_of_copies(redundant):
    """Figure 17, below: mean rank of every copied feature, and of the last of its copies.

    Parameters
    ----------
    redundant : DataFrame
        Table of `chen2012.irrelevant_redundant.IrrelevantRedundant`.

    Returns
    -------
    DataFrame
        dataset, feature (from 1), what ("original", "copies"), and one column per method.
    """
    part = redundant[redundant["metric"].str.match(r"(original|copies) \d+")]
    what = part["metric"].str.split(" ", expand=True)
    part = part.assign(what=what[0], feature=what[1].astype(int))
    by = ["dataset", "feature", "what"]
    return part.pivot_table(index=by, columns="method", values="value", sort=False).reset_index()
