"""Claims of Somol et al. 2011, each a function of the tables of its experiments."""

import pandas as pd

from compendium.verdicts import Verdict, claim, judge
from somol2011 import printed

BLOCK = ["dataset", "search", "criterion", "scaling", "repeat"]
LOW_LAMBDA = 0.3  # the paper speaks of low values without stating a number
NO_TAU = Verdict("not tested yet", "the claim compares tau = 0 with larger values, which are not both in this run")


def _wide(table, by):
    """One row per case, one column per metric: means over repetitions, rounded to remove noise in the last bits."""
    return table.pivot_table(index=by, columns="metric", values="value", sort=False).round(12)


@claim("somol2011", "S1", needs=["near"])
def near_ties_differ_in_size_and_content(near):
    floating = near[near["search"] == "SFFS"]
    if floating.empty:
        return Verdict("not tested yet", "the claim is about SFFS, which is not in this run")
    blocks = _wide(floating, BLOCK)
    size = blocks["largest"] >= 2 * blocks["smallest"]
    content = blocks["ati"] <= 0.65  # printed 0.551: "differ almost in half of their contents"
    return judge(
        size.mean() > 0.5 and content.mean() > 0.5,
        f"among the subsets of SFFS near the maximum the largest is at least twice the smallest in {size.sum()} of "
        f"{len(blocks)} searches, and the Tanimoto index is 0.65 or less in {content.sum()} (median "
        f"{blocks['ati'].median():.3f}; printed for spambase: sizes 8 to 17, index 0.551)",
        partly=(size | content).mean() > 0.5,
    )


def _against_standard(selected):
    """Every case of tau > 0 joined with the result of the same search at tau = 0; empty if either is missing."""
    cases = _wide(selected, [*BLOCK, "tau"]).reset_index("tau")
    standard = cases[cases["tau"] == 0]
    return cases[cases["tau"] > 0].join(standard[["size", "test"]].add_suffix("_standard"), how="inner")


def printed_bullets():
    """Share of the printed cases with tau > 0 that have a bullet."""
    table = printed.fragility()
    return (table[(table["metric"] == "improved") & (table["tau"] > 0)]["value"] == "1").mean()


@claim("somol2011", "S2", needs=["selected"])
def smaller_near_ties_are_often_no_worse(selected):
    cases = _against_standard(selected)
    if cases.empty:
        return NO_TAU
    better, smaller = cases["improved"].mean(), (cases["size"] < cases["size_standard"]).mean()
    return judge(
        better >= 0.25,
        f"{better:.0%} of the {len(cases)} cases with tau > 0 have a smaller subset that is not worse on the test half "
        f"(printed: {printed_bullets():.0%}); {smaller:.0%} have a smaller one",
        partly=better >= 0.1,
    )


@claim("somol2011", "S3", needs=["selected"])
def less_than_half_of_the_features_may_do(selected):
    cases = _against_standard(selected)
    if cases.empty:
        return NO_TAU
    cases["share"] = (cases["size"] / cases["size_standard"]).where(cases["test"] >= cases["test_standard"], 1.0)
    best = cases.groupby(BLOCK, sort=False)["share"].min()
    half = best < 0.5
    return judge(
        half.mean() >= 0.25,
        f"in {half.sum()} of {len(half)} searches less than half of the standard features did no worse on the test "
        f"half (printed: 4 of 12); the smallest such share was {best.min():.2f}",
        partly=half.any(),
    )


@claim("somol2011", "S4", needs=["one_run"])
def one_run_answers_all_tau(one_run):
    cases = _wide(one_run, ["dataset", "search", "tau"])
    calls = cases["evaluations"].groupby(["dataset", "search"]).nunique() == 1
    order, subset = cases["same_order"].all(), cases["same_subset"].all()
    forgets = (cases["size_printed"] != cases["size"]).sum()
    return judge(
        calls.all() and order and subset,
        f"{calls.sum()} of {len(calls)} searches made equally many evaluations at every tau; the order was the same in "
        f"{cases['same_order'].sum():.0f} and the subset in {cases['same_subset'].sum():.0f} of {len(cases)} cases; "
        f"the rule as printed chose another size in {forgets}",
        partly=calls.all() and order,
    )


def gains(ensembles, method, than="single"):
    """Differences in rate, CW_rel and ATI between two methods, one row per data set."""
    means = _wide(ensembles, ["dataset", "method"])[["rate", "cw_rel", "ati"]]
    return (means.xs(method, level="method") - means.xs(than, level="method")).round(12)


def _counts(difference):
    return ", ".join(
        f"{name} {(column > 0).sum()} better, {(column < 0).sum()} worse"
        for name, column in difference.rename(columns={"cw_rel": "CW_rel", "ati": "ATI"}).items()
    )


@claim("somol2011", "S5", needs=["ensembles"])
def order_voting_helps(ensembles):
    gain = gains(ensembles, "order")
    most = (gain > 0).mean() > 0.5
    return judge(
        most.all(),
        f"order voting against the single criterion on {len(gain)} sets: {_counts(gain)}",
        partly=most["rate"] or (most["cw_rel"] and most["ati"]),
    )


@claim("somol2011", "S6", needs=["ensembles"])
def weighted_voting_helps_but_not_everywhere(ensembles):
    gain, against_order = gains(ensembles, "weighted"), gains(ensembles, "weighted", "order")
    helps = ((gain > 0).mean() > 0.5).all()
    hurts = (gain["rate"] < 0).any()
    undecided = ((against_order > 0).any() & (against_order < 0).any()).all()
    return judge(
        helps and hurts and undecided,
        f"weighted voting against the single criterion on {len(gain)} sets: {_counts(gain)}; against order voting: "
        f"{_counts(against_order)}",
        partly=helps + hurts + undecided >= 2,
    )


@claim("somol2011", "S7", needs=["ensembles"])
def ensembles_cost_a_few_times_more(ensembles):
    cost = _wide(ensembles, ["dataset", "method"])[["evaluations", "seconds"]]
    ratio = pd.concat(
        [cost.xs(method, level="method") / cost.xs("single", level="method") for method in ("order", "weighted")]
    )
    work, time = ratio["evaluations"], ratio["seconds"]
    return judge(
        1.5 <= work.median() <= 8,
        f"ensembles needed {work.median():.1f} times the k-NN evaluations of a single criterion (median; "
        f"{work.min():.1f} to {work.max():.1f}), and {time.median():.1f} times the time",
        partly=work.median() > 1,
    )


def _by_lambda(hybrid):
    return _wide(hybrid, ["dataset", "search", "lambda"])


def _rank_correlations(table, first, second):
    """Spearman's correlation over lambda for each search; NaN where one of the two columns is constant."""
    return pd.Series(
        {
            key: part[first].corr(part[second], method="spearman")
            if part[[first, second]].nunique().min() > 1
            else None
            for key, part in table.reset_index("lambda").groupby(["dataset", "search"], sort=False)
        },
        dtype=float,
    )


@claim("somol2011", "S8", needs=["hybrid"])
def small_lambda_saves_time_and_is_no_worse(hybrid):
    cases = _by_lambda(hybrid)
    grid = cases.index.get_level_values("lambda")
    if grid.nunique() < 2 or grid.min() > LOW_LAMBDA:
        return Verdict("not tested yet", f"no lambda up to {LOW_LAMBDA} and a larger one are in this run")
    trend = _rank_correlations(cases.assign(grid=grid), "grid", "wrapper_evaluations")
    pure = cases["test"].sort_index().groupby(["dataset", "search"]).transform("last")  # the largest lambda
    low = cases["test"][grid <= LOW_LAMBDA]
    no_worse = (low >= pure[low.index]).mean()
    cheaper = (trend > 0.5).mean()
    return judge(
        cheaper > 0.5 and no_worse >= 0.5,
        f"wrapper evaluations rise with lambda (rank correlation above 0.5) in {(trend > 0.5).sum()} of {len(trend)} "
        f"searches; with lambda up to {LOW_LAMBDA} the test accuracy was at least the pure wrapper's in "
        f"{no_worse:.0%} of {len(low)} cases",
        partly=cheaper > 0.5 or no_worse >= 0.5,
    )


@claim("somol2011", "S9", needs=["hybrid"])
def dos_leads_in_the_criterion_more_than_on_the_test(hybrid):
    cases = _by_lambda(hybrid)[["train", "test"]]
    lead = (cases.xs("DOS", level="search") - cases.xs("OS", level="search")).round(12)
    higher = lead["train"].groupby("dataset").mean() > 0
    consistent = (lead > 0).mean()
    return judge(
        higher.mean() > 0.5 and consistent["test"] < consistent["train"],
        f"DOS reached a higher criterion value than OS in {consistent['train']:.0%} of {len(lead)} cases (mean lead "
        f"{lead['train'].mean():+.4f}) and a higher test accuracy in {consistent['test']:.0%} "
        f"({lead['test'].mean():+.4f})",
        partly=higher.mean() > 0.5,
    )


@claim("somol2011", "S10", needs=["hybrid"])
def criterion_does_not_tell_which_lambda_is_best(hybrid):
    cases = _by_lambda(hybrid)
    correlation = _rank_correlations(cases, "train", "test").dropna()
    if correlation.empty:
        return Verdict("not testable here", f"criterion or test accuracy never changed in {len(cases)} cases")
    best = {
        metric: cases[metric].eq(cases[metric].groupby(["dataset", "search"]).transform("max"))
        for metric in ("train", "test")
    }
    together = (best["train"] & best["test"]).groupby(["dataset", "search"], sort=False).any()
    agree = together.reindex(correlation.index).mean()
    return judge(
        agree <= 0.5 and abs(correlation.mean()) < 0.5,
        f"the lambda with the best criterion value was among those with the best test accuracy in {agree:.0%} of "
        f"{len(correlation)} searches; the mean rank correlation of the two over lambda is {correlation.mean():+.2f}",
        partly=agree <= 0.5 or abs(correlation.mean()) < 0.5,
    )
