"""Claims of Somol et al. 2011, each a function of the tables of its experiments."""

import numpy as np
import pandas as pd

from compendium.inference import bootstrap_interval, equivalent, mean_interval, share_interval, sign_test
from compendium.verdicts import Verdict, by_interval, claim, combine, judge

BLOCK = ["dataset", "search", "criterion", "scaling", "repeat"]
MEASURES = {"rate": "rate", "cw_rel": "CW_rel", "ati": "ATI"}
LOW_LAMBDA = 0.3  # the paper speaks of low values without stating a number
NEGLIGIBLE = 0.01  # of accuracy: the paper's Fig. 3 counts subsets within one percent of the maximum as near it
WEAK = 0.5  # rank correlation below which one column explains less than a quarter of the other's ranks
NO_TAU = Verdict("not tested yet", "the claim compares tau = 0 with larger values, which are not both in this run")


def _wide(table, by):
    """One row per case, one column per metric: means over repetitions, rounded to remove noise in the last bits."""
    return table.pivot_table(index=by, columns="metric", values="value", sort=False).round(12)


def _points(low, high):
    """An interval of accuracies in points."""
    return f"{100 * low:+.1f} to {100 * high:+.1f} points" if np.isfinite(low) else "unbounded: too few searches"


def _searches(n):
    return f"{n} search" if n == 1 else f"{n} searches"


@claim("somol2011", "S1", needs=["near"])
def near_ties_differ_in_size_and_content(near):
    """In most searches by SFFS the subsets near the maximum differ twofold in size and in a third of their features.

    Replicated if the 95 % interval (exact) of the share of searches, one for each data set and criterion, lies above
    1/2, not replicated if below, else inconclusive. Twofold: printed are sizes 8 to 17. Tanimoto index at most 0.65:
    printed is 0.551, and the paper says that such subsets differ in almost half of their contents.
    """
    floating = near[near["search"] == "SFFS"]
    if floating.empty:
        return Verdict("not tested yet", "the claim is about SFFS, which is not in this run")
    blocks = _wide(floating, BLOCK)
    size, content = blocks["largest"] >= 2 * blocks["smallest"], blocks["ati"] <= 0.65
    both = int((size & content).sum())
    low, high = share_interval(both, len(blocks))
    return Verdict(
        by_interval(low, high, 0.5),
        f"among the subsets of SFFS near the maximum the largest is at least twice the smallest in {size.sum()} of "
        f"{_searches(len(blocks))}, the Tanimoto index is 0.65 or less in {content.sum()} (median "
        f"{blocks['ati'].median():.3f}), both hold in {both} (share {low:.2f} to {high:.2f}); printed for "
        "spambase: sizes 8 to 17, index 0.551",
    )


def against_standard(selected):
    """Every case of tau > 0 with the result of the same search at tau = 0 beside it; empty if either is missing."""
    cases = _wide(selected, [*BLOCK, "tau"]).reset_index("tau")
    standard = cases[cases["tau"] == 0]
    cases = cases[cases["tau"] > 0].join(standard[["size", "test"]].add_suffix("_standard"), how="inner")
    return cases.assign(gain=(cases["test"] - cases["test_standard"]).round(12))


@claim("somol2011", "S2", needs=["selected"])
def smaller_near_ties_are_often_no_worse(selected):
    """Most searches find a smaller subset at some tau > 0, and these subsets are no worse on the test half on average.

    The 95 % interval (exact) of the share of searches with a smaller subset must lie above 1/2. If it does, accuracy
    decides: replicated if the 95 % interval (Student's t) of the change in test accuracy lies above -1 point, not
    replicated if below, else inconclusive; its unit is a search, with the mean over the tau that gave a smaller subset.
    The share of cases without a loss is not judged: a subset as good as the standard one has it in half of the cases by
    chance. One point: the paper calls subsets within one percent equal.
    """
    cases = against_standard(selected)
    if cases.empty:
        return NO_TAU
    smaller = cases["size"] < cases["size_standard"]
    searches = smaller.groupby(BLOCK, sort=False).any()
    change = cases["gain"][smaller].groupby(BLOCK, sort=False).mean()
    size, test = share_interval(searches.sum(), len(searches)), mean_interval(change)
    shrinks = by_interval(*size, 0.5)
    return Verdict(
        by_interval(*test, -NEGLIGIBLE) if shrinks == "replicated" else shrinks,
        f"{searches.sum()} of {_searches(len(searches))} found a smaller subset at some tau > 0 (share {size[0]:.2f} "
        f"to {size[1]:.2f}); their test accuracy changed by {100 * change.mean():+.1f} points on average "
        f"({_points(*test)}); {cases['improved'].mean():.0%} of the {len(cases)} cases are smaller and not worse",
    )


@claim("somol2011", "S3", needs=["selected"])
def less_than_half_of_the_features_may_do(selected):
    """Several searches keep less than half of the features at some tau, and lose no test accuracy by that on average.

    The tau of a search is the smallest with less than half of the standard features, so that the test half does not
    choose it. Not replicated if there are fewer than three such searches ("several"). Otherwise replicated if the 95 %
    interval (Student's t) of their change in test accuracy lies above -1 point, not replicated if below, else
    inconclusive. One point: the paper calls subsets within one percent equal.
    """
    cases = against_standard(selected)
    if cases.empty:
        return NO_TAU
    n_searches = _searches(len(cases.groupby(BLOCK, sort=False)))
    halved = cases[2 * cases["size"] < cases["size_standard"]].groupby(BLOCK, sort=False).first()
    if len(halved) < 3:
        return Verdict("not replicated", f"only {len(halved)} of {n_searches} kept less than half at some tau")
    test = mean_interval(halved["gain"])
    return Verdict(
        by_interval(*test, -NEGLIGIBLE),
        f"{len(halved)} of {n_searches} kept less than half of the standard features at some tau; at the "
        f"smallest such tau the test accuracy changed by {100 * halved['gain'].mean():+.1f} points on average "
        f"({_points(*test)}), and did not fall in {(halved['gain'] >= 0).sum()}",
    )


@claim("somol2011", "S4", needs=["one_run"], check=True)
def one_run_answers_all_tau(one_run):
    """The order of evaluations is the same at every tau, and the trace of one search gives the subset for each.

    It follows from the algorithm, which consults tau only when it reports: any exception is an error of ours.
    """
    cases = _wide(one_run, ["dataset", "search", "tau"])
    calls = cases["evaluations"].groupby(["dataset", "search"]).nunique() == 1
    order, subset = cases["same_order"].all(), cases["same_subset"].all()
    forgets = (cases["size_printed"] != cases["size"]).sum()
    return judge(
        calls.all() and order and subset,
        f"{calls.sum()} of {_searches(len(calls))} made equally many evaluations at every tau; the order was the same "
        f"in {cases['same_order'].sum():.0f} and the subset in {cases['same_subset'].sum():.0f} of {len(cases)} cases; "
        f"the rule as printed chose another size in {forgets}",
    )


def gains(ensembles, method, than="single"):
    """Differences in rate, CW_rel and ATI between two methods, one row per data set."""
    means = _wide(ensembles, ["dataset", "method"])[list(MEASURES)]
    return (means.xs(method, level="method") - means.xs(than, level="method")).round(12)


def _signs(difference):
    """A sign test for each measure over the data sets, their answers, and a sentence."""
    tests = {name: sign_test(difference[name]) for name in MEASURES}
    answers = [by_interval(test.low, test.high, 0.5) for test in tests.values()]
    return answers, "; ".join(f"{MEASURES[name]} {test}" for name, test in tests.items())


@claim("somol2011", "S5", needs=["ensembles"])
def order_voting_helps(ensembles):
    """Order voting beats the single criterion on most data sets in rate, CW_rel and ATI.

    Each measure by a sign test over the data sets: replicated if the 95 % interval (exact) of the share of data sets
    won lies above 1/2, not replicated if below, else inconclusive; the three answers are combined. "Usually" is read
    as more than half.
    """
    gain = gains(ensembles, "order")
    answers, sentence = _signs(gain)
    return Verdict(combine(answers), f"order voting against the single criterion on {len(gain)} sets: {sentence}")


@claim("somol2011", "S6", needs=["ensembles"])
def weighted_voting_helps_but_not_everywhere(ensembles):
    """Weighted voting beats the single criterion on most data sets, and is as accurate as order voting.

    Four answers, combined. Rate, CW_rel and ATI against the single criterion by sign tests over the data sets, as for
    order voting. Neither scheme wins everywhere: replicated if the 90 % interval (Student's t) of the mean difference
    in rate lies within 1 point, not replicated if a sign test at 5 % prefers one of them, else inconclusive. Losses on
    single data sets are reported and not judged: chance makes some of the differences negative.
    """
    gain, against_order = gains(ensembles, "weighted"), gains(ensembles, "weighted", "order")["rate"]
    answers, sentence = _signs(gain)
    low, high = mean_interval(against_order, 0.9)
    test = sign_test(against_order)
    equal = "replicated" if equivalent(low, high, NEGLIGIBLE) else "inconclusive"
    worst = gain["rate"].idxmin()
    return Verdict(
        combine([*answers, "not replicated" if test.p < 0.05 else equal]),
        f"weighted voting against the single criterion on {len(gain)} sets: {sentence}, largest loss of rate "
        f"{100 * min(0, gain['rate'].min()):.1f} points ({worst}); against order voting: rate {test}, mean difference "
        f"{_points(low, high)}",
    )


@claim("somol2011", "S7", needs=["ensembles"], check=True)
def ensembles_cost_a_few_times_more(ensembles):
    """The median number of evaluations of an ensemble is 1.5 to 8 times that of the single criterion.

    A vote values every candidate by four criteria in place of one, so it follows from how evaluations are counted as
    long as the searches are about equally long. 1.5 to 8 are the printed ratios of durations.
    """
    cost = _wide(ensembles, ["dataset", "method"])[["evaluations", "seconds"]]
    ratio = pd.concat(
        [cost.xs(method, level="method") / cost.xs("single", level="method") for method in ("order", "weighted")]
    )
    work, time = ratio["evaluations"], ratio["seconds"]
    return judge(
        1.5 <= work.median() <= 8,
        f"ensembles needed {work.median():.1f} times the k-NN evaluations of a single criterion (median; "
        f"{work.min():.1f} to {work.max():.1f}), and {time.median():.1f} times the time",
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
    """Wrapper evaluations rise with lambda, and with a small lambda the test accuracy is as with the largest.

    Two parts, combined; their unit is a search: a data set with DOS or OS. Cost: sign test of the rank correlation of
    lambda and wrapper evaluations; the 95 % interval (exact) of the share of positive ones lies above 1/2. Accuracy:
    the 95 % interval (Student's t) of the change in test accuracy, for each search the mean over lambda up to 0.3,
    lies above -1 point; not replicated if below, else inconclusive. The paper gives no number for "low", nor for
    "equally".
    """
    cases = _by_lambda(hybrid)
    grid = cases.index.get_level_values("lambda")
    if grid.nunique() < 2 or grid.min() > LOW_LAMBDA:
        return Verdict("not tested yet", f"no lambda up to {LOW_LAMBDA} and a larger one are in this run")
    trend = sign_test(_rank_correlations(cases.assign(grid=grid), "grid", "wrapper_evaluations"))
    pure = cases["test"].sort_index().groupby(["dataset", "search"]).transform("last")  # the largest lambda
    change = (cases["test"] - pure)[(grid <= LOW_LAMBDA) & (grid < grid.max())].groupby(["dataset", "search"]).mean()
    test = mean_interval(change)
    return Verdict(
        combine([by_interval(trend.low, trend.high, 0.5), by_interval(*test, -NEGLIGIBLE)]),
        f"wrapper evaluations rise with lambda in {trend.wins} and fall in {trend.losses} of {_searches(len(change))} "
        f"(share rising {trend.low:.2f} to {trend.high:.2f}); with lambda up to {LOW_LAMBDA} the test accuracy changed "
        f"by {100 * change.mean():+.1f} points on average ({_points(*test)})",
    )


@claim("somol2011", "S9", needs=["hybrid"])
def dos_leads_in_the_criterion_more_than_on_the_test(hybrid):
    """DOS has the higher criterion value at most lambda, and the higher test accuracy at fewer.

    Two parts, combined; their unit is a data set at one lambda. Criterion: sign test, the 95 % interval (exact) of the
    share of cases that DOS wins lies above 1/2. Less clear on the test half: the 95 % interval (bootstrap) of the
    share of wins by the criterion minus that on the test half lies above zero, ties counting half. Not replicated if
    an interval lies below, else inconclusive. It is about these data sets: more values of lambda tell nothing about
    others.
    """
    cases = _by_lambda(hybrid)[["train", "test"]]
    lead = (cases.xs("DOS", level="search") - cases.xs("OS", level="search")).round(12)
    train, test = sign_test(lead["train"]), sign_test(lead["test"])
    low, high = bootstrap_interval((np.sign(lead["train"]) - np.sign(lead["test"])) / 2)
    return Verdict(
        combine([by_interval(train.low, train.high, 0.5), by_interval(low, high, 0.0)]),
        f"criterion of DOS against OS in {len(lead)} cases: {train}, mean lead {100 * lead['train'].mean():+.1f} "
        f"points; test accuracy: {test}, mean lead {100 * lead['test'].mean():+.1f} points; difference of the shares "
        f"of wins {low:+.2f} to {high:+.2f}",
    )


@claim("somol2011", "S10", needs=["hybrid"])
def criterion_does_not_tell_which_lambda_is_best(hybrid):
    """Over lambda, the rank correlation of criterion value and test accuracy is weak.

    The unit is a search: a data set with DOS or OS. Replicated if the 95 % interval (Student's t) of the mean
    correlation lies below 0.5, not replicated if it lies above, else inconclusive. A correlation of 0.5 would explain
    a quarter of the ranks. Whether the two best lambda coincide is reported only: noise
    rarely lets them.
    """
    cases = _by_lambda(hybrid)
    correlation = _rank_correlations(cases, "train", "test").dropna()
    if correlation.empty:
        return Verdict("not testable here", f"criterion or test accuracy never changed in {len(cases)} cases")
    best = {
        metric: cases[metric].eq(cases[metric].groupby(["dataset", "search"]).transform("max"))
        for metric in ("train", "test")
    }
    together = (best["train"] & best["test"]).groupby(["dataset", "search"], sort=False).any()
    low, high = mean_interval(correlation)
    return Verdict(
        by_interval(-high, -low, -WEAK),
        f"the mean rank correlation of criterion value and test accuracy over lambda is {correlation.mean():+.2f} ("
        f"{low:+.2f} to {high:+.2f}, {_searches(len(correlation))}); the lambda with the best criterion value was "
        f"among those with the best test accuracy in {together.reindex(correlation.index).sum()}",
    )
