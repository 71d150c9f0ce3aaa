"""Sentences for the pages, with numbers computed from the tables."""

__all__ = ["searches"]


def searches(outcomes):
    """Whether greedy searches miss the optimum, as chapter 2 warns, and whether PBIL finds it.

    Parameters
    ----------
    outcomes : DataFrame
        Table ``searches`` of `nel1998.searches.Searches`.

    Returns
    -------
    list of str
    """
    means = outcomes.groupby("search", sort=False)[["optimal", "n_evaluations"]].mean()

    def of(name):
        share, evaluated = means.loc[name, ["optimal", "n_evaluations"]]
        return f"{name} found the optimum in {share:.0%} of its runs and evaluated {evaluated:.0f}"

    greedy = ["SFS", "SBS", "SFFS"]
    missed = int((means.optimal[greedy] < 1).sum())
    return [
        f"Exhaustive search evaluates {means.n_evaluations['exhaustive']:.0f} subsets on average over the samples.",
        f"{'; '.join(map(of, greedy))}.",
        f"So {missed} of {len(greedy)} greedy searches missed it at least once.",
        f"{of('PBIL')}.",
    ]
