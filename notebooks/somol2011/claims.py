"""The claims of Somol et al. 2011: their statements, and sentences of what was found.

The unit of an interval is a data set: searches by several methods or criteria, and at several lambda, share its
samples.
"""

import numpy as np
import pandas as pd

from compendium.statements import INDEX, POINT, fact, over_sets, secondary
from compendium.verdicts import Check, Claim
from somol2011.printed import by_division

BLOCK = ["dataset", "search", "criterion", "scaling", "repeat"]
MEASURES = {"rate": "rate", "cw_rel": "CW_rel", "ati": "ATI"}
GAINS = ("gain in accuracy", "gain in stability (CW_rel)", "gain in stability (ATI)")
PERCENT = {"unit": "%", "possible": (0, 100)}
VOTES = ("order", "weighted")
LOW_LAMBDA = 0.3  # the paper speaks of low values without stating a number
SEVERAL = 2  # searches; the paper speaks of "several" and of "many" cases
FEWEST = 4  # values of lambda from which a correlation is computed
WEAK = 0.5  # rank correlation below which one column explains less than a quarter of the other's ranks


def _wide(table, by):
    """One row per case, one column per metric: means over repetitions, rounded to remove noise in the last bits."""
    return table.pivot_table(index=by, columns="metric", values="value", sort=False).round(12)


def _by_set(values):
    """The mean for each data set."""
    return values.groupby("dataset", sort=False).mean()


class S1(Claim):
    """The subsets of SFFS near the maximum differ twofold in size on spambase.

    The paper prints sizes from 8 to 17. It says "can" and shows spambase, so one data set with such subsets is enough.
    It adds that their Tanimoto index is 0.551, so that almost half of their contents differ; at 0.65, a third would. An
    index of 1 is that of a single subset, which has nothing to compare.
    """

    def statements(self, near):
        floating = near[near["search"] == "SFFS"]
        blocks = _wide(floating, BLOCK) if len(floating) else pd.DataFrame({"ati": []})
        blocks = blocks[blocks["ati"] < 1]
        if "spambase" not in blocks.index.get_level_values("dataset" if len(blocks) else None):
            return []
        ratio = 2 ** _by_set(np.log2(blocks["largest"] / blocks["smallest"]))["spambase"]
        alike = _by_set(blocks["ati"])["spambase"]
        return [
            fact("largest size divided by the smallest on spambase", ratio, above=2),
            fact("Tanimoto index of the subsets on spambase", alike, below=0.65, secondary=True),
        ]

    def sentence(self, ratio, alike):
        return (
            f"near-best subsets on spambase differ {ratio.number}-fold in size, and their mean similarity is "
            f"{alike.number}"
        )


def against_standard(selected):
    """Every case of tau > 0 with the result of the same search at tau = 0 beside it; empty if either is missing."""
    cases = _wide(selected, [*BLOCK, "tau"]).reset_index("tau")
    standard = cases[cases["tau"] == 0]
    cases = cases[cases["tau"] > 0].join(standard[["size", "test"]].add_suffix("_standard"), how="inner")
    return cases.assign(gain=(cases["test"] - cases["test_standard"]).round(12))


class S2(Claim):
    """Where tau > 0 gives a smaller subset, the test accuracy falls by less than one point on average.

    The paper counts a case as improved if the subset is smaller and the accuracy better or equal; it says that their
    number is notable and does not give it. We ask for more than half, which is stricter. The share of cases without a
    loss is not stated: a subset as good as the standard one has it in half of the cases by chance.
    """

    def statements(self, selected):
        cases = against_standard(selected)
        if cases.empty:
            return []
        smaller = cases["size"] < cases["size_standard"]
        change = cases["gain"][smaller].groupby(BLOCK, sort=False).mean()
        return [
            *over_sets("change in test accuracy", 100 * _by_set(change), above=-POINT, unit="points"),
            *over_sets("cases with a smaller subset", 100 * _by_set(smaller), above=50, secondary=True, **PERCENT),
        ]

    def sentence(self, change, smaller):
        return (
            f"choosing among near-ties gave smaller subsets in {smaller.number} of cases; test accuracy changed by "
            f"{change.change}"
        )


class S3(Claim):
    """Three or more searches keep less than half of the features at some tau and lose less than a point of accuracy.

    "Many cases", of the cases shown as improved. The tau of a search is the smallest with less than half of the
    standard features, so that the test half does not choose it. Fewer than five searches can't show three. That they
    lose nothing on average, on data sets in general, is stricter.
    """

    def statements(self, selected):
        cases = against_standard(selected)
        if cases.groupby(BLOCK).ngroups <= 2 * SEVERAL:
            return []
        halved = cases[2 * cases["size"] < cases["size_standard"]].groupby(BLOCK, sort=False).first()
        harmless = (halved["gain"] > -POINT / 100).sum()
        return [
            fact("searches with under half of the features at no loss", harmless, above=SEVERAL),
            *over_sets(
                "change in their test accuracy",
                100 * _by_set(halved["gain"]),
                above=-POINT,
                unit="points",
                secondary=True,
            ),
        ]

    def sentence(self, harmless, change):
        return (
            f"{harmless.number} searches lost less than a point with under half of the features; with so few, accuracy "
            f"changed by {change.change}"
        )


class S4(Check):
    """The order of evaluations is the same at every tau, and the trace of one search gives the subset for each.

    It follows from the algorithm, which consults tau only when it reports: any exception is an error of ours.
    """

    def statements(self, one_run):
        cases = _wide(one_run, ["dataset", "search", "tau"])
        counts = cases["evaluations"].groupby(["dataset", "search"]).nunique()
        return [
            fact("searches whose number of evaluations varies with tau", (counts > 1).sum(), below=1),
            fact("cases with another order of evaluations", (cases["same_order"] == 0).sum(), below=1),
            fact("cases with another subset", (cases["same_subset"] == 0).sum(), below=1),
        ]

    def sentence(self, evaluations, order, subset):
        exceptions = f"with {subset.number} exceptions" if subset.estimate else "without exception"
        return f"1 run of the search gave the subset for every tau, {exceptions}"


def gains(ensembles, method, than="single"):
    """Differences in rate, CW_rel and ATI between two methods, one row per data set and division into folds."""
    table = by_division(ensembles, ["dataset", "method", "metric"])
    means = _wide(table, ["dataset", "repeat", "method"])[list(MEASURES)]
    return (means.xs(method, level="method") - means.xs(than, level="method")).round(12)


def _gain_of(method, ensembles, divisions):
    """Statements about the gains of a method over the single criterion: each in general and on these data sets."""
    found = gains(ensembles if divisions is None else divisions, method)
    return {
        "rate": over_sets(GAINS[0], 100 * found["rate"], above=0, margin=POINT, unit="points"),
        "cw_rel": over_sets(GAINS[1], found["cw_rel"], above=0, margin=INDEX),
        "ati": over_sets(GAINS[2], found["ati"], above=0, margin=INDEX),
    }


class S5(Claim):
    """Over data sets in general, order voting beats the single criterion in accuracy and in stability.

    The sentence has two halves, "the potential to improve both": the mean gain in each is above zero. Each data set is
    divided into folds eight times, so that a random-effects model tells data sets from divisions; a run without these
    divisions has one. The threshold is zero, because the paper names no size. ATI is a second measure of stability.
    """

    def statements(self, ensembles, starts_of_ensembles=None):
        found = _gain_of("order", ensembles, starts_of_ensembles)
        (rate, *rate_here), (stable, *stable_here), second = found.values()
        return [rate, stable, *secondary([*rate_here, *stable_here, *second])]

    def sentence(self, rate, stable, *_):
        return f"voting changed accuracy by {rate.change} and stability (CW_rel) by {stable.change} over {rate.sets}"


class S6(Claim):
    """Weighted voting is as accurate as order voting over data sets in general: neither is better by a point.

    "None of the presented schemes can be identified as the universally better choice". The same on these data sets, and
    that weighted voting beats the single criterion, are secondary. Losses on single data sets are not stated: chance
    makes some of the differences negative.
    """

    def statements(self, ensembles, starts_of_ensembles=None):
        against_order = (
            100 * gains(ensembles if starts_of_ensembles is None else starts_of_ensembles, "weighted", "order")["rate"]
        )
        equal, *here = over_sets(
            "rate minus that of order voting", against_order, above=-POINT, below=POINT, unit="points"
        )
        gain = [general for general, *_ in _gain_of("weighted", ensembles, starts_of_ensembles).values()]
        return [equal, *secondary([*gain, *here])]

    def sentence(self, equal, rate, stable, *_):
        return (
            f"weighted voting changed accuracy by {equal.change} against order voting and {rate.change} against one "
            f"criterion, stability by {stable.change}"
        )


class S7(Check):
    """The median number of evaluations of an ensemble is 1.5 to 8 times that of the single criterion.

    A vote scores every candidate by four criteria in place of one, so it follows from how evaluations are counted as
    long as the searches are about equally long. 1.5 to 8 are the printed ratios of durations; the paper reports these
    and claims nothing about them.
    """

    def statements(self, ensembles):
        cost = _wide(ensembles, ["dataset", "method"])["evaluations"].unstack("method")
        ratio = pd.concat([cost[method] / cost["single"] for method in VOTES])
        return [fact("evaluations of an ensemble by those of one criterion", ratio.median(), above=1.5, below=8)]

    def sentence(self, ratio):
        return f"an ensemble of four criteria needs {ratio.number} times the evaluations of one, as it must"


def _by_lambda(hybrid):
    return _wide(hybrid, ["dataset", "search", "lambda"])


def _correlation(table, first, second):
    """Spearman's correlation of two columns over lambda; NaN if it is undefined or there are too few values."""
    columns = table.reindex(columns=[first, second])
    if len(columns) < FEWEST or columns.nunique().min() < 2:
        return np.nan
    return columns[first].corr(columns[second], method="spearman")


class S8(Claim):
    """With a small lambda the test accuracy is less than one point below that of the pure wrapper, on average.

    "Low values often lead to results performing equally or better": the mean over lambda up to 0.3. The paper gives no
    number for "low". That wrapper evaluations rise with lambda follows from the search and is secondary.
    """

    def statements(self, hybrid):
        cases = _by_lambda(hybrid)
        grid = cases.index.get_level_values("lambda")
        if grid.nunique() < 2 or grid.min() > LOW_LAMBDA:
            return []
        searches = cases.assign(grid=grid).groupby(["dataset", "search"], sort=False)
        trend = searches.apply(_correlation, "grid", "wrapper_evaluations")
        pure = cases["test"].sort_index().groupby(["dataset", "search"]).transform("last")  # the largest lambda
        change = (cases["test"] - pure)[(grid <= LOW_LAMBDA) & (grid < grid.max())]
        what = "rank correlation of lambda and wrapper evaluations"
        return [
            *over_sets("change in accuracy at low lambda", 100 * _by_set(change), above=-POINT, unit="points"),
            *over_sets(what, _by_set(trend), above=0, possible=(-1, 1), secondary=True),
        ]

    def sentence(self, change, _):
        return f"prefiltering with lambda up to {LOW_LAMBDA} changed accuracy by {change.measured} on {change.sets}"


class S9(Claim):
    """DOS has the higher criterion value at most lambda, and the higher test accuracy at fewer.

    The sentence has two halves, and both are stated. The share of lambda at which DOS leads, ties counting half, is
    above one half by the criterion: "tends to". "Less notable and consistent": by the criterion it is above the share
    on the test half.
    """

    def statements(self, hybrid):
        cases = _by_lambda(hybrid)[["train", "test"]]
        lead = np.sign((cases.xs("DOS", level="search") - cases.xs("OS", level="search")).round(12))
        share = 50 + 50 * _by_set(lead)
        lead_more = share["train"] - share["test"]
        return [
            *over_sets("lambda at which DOS leads by the criterion", share["train"], above=50, **PERCENT),
            *over_sets("lead of DOS by criterion minus that by accuracy", lead_more, above=0, unit="points"),
        ]

    def sentence(self, leads, more):
        return (
            f"DOS had the better criterion at {leads.number} of the lambdas, the better test accuracy at "
            f"{leads.estimate - more.estimate:.0f}%"
        )


class S10(Claim):
    """Over lambda, the test accuracies of DOS and OS are weakly correlated in rank.

    "The same holds" of criterion values, which are secondary. The paper calls the best lambda impossible to predict
    because DOS and OS have it at different places. We correlate the whole curves, because the place of a maximum moves
    with noise. Weak is below 0.5, which would explain a quarter of the ranks. A data set on which the values of a
    search are equal for all lambda says nothing.
    """

    def statements(self, hybrid):
        cases = _by_lambda(hybrid)[["test", "train"]].unstack("search")
        named = {
            "test": "rank correlation of their test accuracies",
            "train": "rank correlation of their criterion values",
        }
        found = {
            what: cases[metric].groupby("dataset", sort=False).apply(_correlation, "DOS", "OS").dropna()
            for metric, what in named.items()
        }
        if any(values.empty for values in found.values()):
            return []
        test, train = (over_sets(what, values, below=WEAK, possible=(-1, 1)) for what, values in found.items())
        return [*test, *secondary(train)]

    def sentence(self, test, train):
        return (
            f"across lambda, the correlation of DOS and OS is {test.number} in test accuracy and {train.number} in the "
            f"criterion ({test.sets})"
        )
