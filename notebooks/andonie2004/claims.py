"""Claims of Andonie and Cataron 2004, each a function of tables of `andonie2004.erlvq.EnergyRelevance`."""

import numpy as np

from compendium.verdicts import Verdict, claim, judge

ORDER = ["LVQ", "RLVQ", "OWA-RLVQ", "ERLVQ"]
ROUNDING = 1e-9


def _rates(recognition):
    """Mean recognition rate by data set and protocol (rows) and method (columns)."""
    table = recognition[recognition["metric"] == "rate"]
    return table.groupby(["dataset", "protocol", "method"], sort=False)["value"].mean().unstack("method")


@claim("andonie2004", "A1", needs=["recognition"])
def erlvq_recognizes_best(recognition):
    rates = _rates(recognition)[ORDER]
    ordered = (rates.diff(axis=1).iloc[:, 1:] > 0).all(axis=1)
    best = rates["ERLVQ"] > rates[ORDER[:3]].max(axis=1)
    listed = "; ".join(
        f"{dataset} ({protocol}) " + ", ".join(f"{rate:.2f}" for rate in row)
        for (dataset, protocol), row in zip(rates.index, rates.to_numpy(), strict=True)
    )
    return judge(
        ordered.all(),
        f"mean rates of {', '.join(ORDER)}: {listed}; in this order in {ordered.sum()} of {len(ordered)} cases",
        partly=best.mean() >= 0.5,
    )


@claim("andonie2004", "A2", needs=["recognition"])
def relevances_help_on_two_sets(recognition):
    rates = _rates(recognition)[ORDER].groupby("dataset", sort=False).mean()
    missing = sorted({"iris", "ionosphere", "vowel"} - set(rates.index))
    if missing:
        return Verdict("not tested yet", f"{len(missing)} of the 3 data sets not in this run: {', '.join(missing)}")
    gain = rates[ORDER[1:]].mean(axis=1) - rates["LVQ"]
    clear = {dataset: gain[dataset] >= 2 for dataset in ("iris", "ionosphere")}
    small = 0 < gain["vowel"] < min(gain["iris"], gain["ionosphere"])
    listed = ", ".join(f"{dataset} {value:+.2f}" for dataset, value in gain.items())
    return judge(
        all(clear.values()) and small,
        f"mean gain of the three relevance methods over LVQ, in points: {listed}",
        partly=any(clear.values()),
    )


@claim("andonie2004", "A3", needs=["relevances"])
def rankings_of_iris_are_opposite(relevances):
    iris = relevances[relevances["dataset"] == "iris"]
    if iris.empty:
        return Verdict("not tested yet", "1 data set that the claim is about not in this run: iris")
    orders = {
        method: part.sort_values("place")["feature"].tolist() for method, part in iris.groupby("method", sort=False)
    }
    others = orders["RLVQ"][0] == 4 and orders["OWA-RLVQ"][0] == 4
    ours, last = orders["ERLVQ"][0] == 1, orders["ERLVQ"][-1] == 4
    listed = "; ".join(f"{method} {', '.join(map(str, orders[method]))}" for method in ORDER[1:])
    means = iris[iris["method"] == "ERLVQ"]["mean"]
    return judge(
        others and ours,
        f"features of Iris by mean relevance: {listed}; those of ERLVQ lie between {means.min():.5f} and "
        f"{means.max():.5f}",
        partly=others and last,
    )


@claim("andonie2004", "A4", needs=["borders"])
def the_first_two_features_delimit(borders):
    part = borders[borders["classes"] == "1 and 2"]
    table = part.groupby(["features", "metric"])["value"].mean().unstack("metric")
    first, last = table.loc["1 and 2"], table.loc["3 and 4"]
    delimits = first["accuracy"] > last["accuracy"] and first["gap"] > last["gap"]
    distanced = last["centres"] > first["centres"]
    return judge(
        delimits and distanced,
        f"classes 1 and 2 of Iris on features 1, 2 against 3, 4: k-NN accuracy {first['accuracy']:.3f} against "
        f"{last['accuracy']:.3f}, gap {first['gap']:.2f} against {last['gap']:.2f}, distance of the centres "
        f"{first['centres']:.2f} against {last['centres']:.2f}",
        partly=delimits or distanced,
    )


@claim("andonie2004", "A5", needs=["bounds"])
def the_measure_keeps_its_bounds(bounds):
    table = bounds.groupby(["kind", "metric"])["value"].agg(["min", "max"])
    least, slack = table.xs("o", level="metric")["min"].min(), table.xs("slack", level="metric")["min"].min()
    independent, determined = table.loc["independent", "o"].abs().max(), table.loc["determined", "slack"].abs().max()
    apart = table.loc[("random", "o"), "min"] > ROUNDING and table.loc[("random", "slack"), "min"] > ROUNDING
    return judge(
        min(least, slack) > -ROUNDING and max(independent, determined) < ROUNDING and apart,
        f"over {bounds['repeat'].nunique()} tables of each kind o is at least {least:.0e}, at most {independent:.0e} "
        f"under independence, and within {determined:.0e} of 1 - E where X is determined by Y",
        partly=min(least, slack) > -ROUNDING,
    )


@claim("andonie2004", "A6", needs=["dependence"])
def pairs_raise_the_dependence(dependence):
    ours = dependence[dependence["norm"] == "softmax"]
    gain, cosine = (ours[ours["metric"] == metric]["value"] for metric in ("gain", "cosine"))
    plain = dependence[(dependence["norm"] == "l1") & (dependence["metric"] == "gain")]["value"]
    rose = (gain > 0).mean()
    return judge(
        rose >= 0.9 and cosine.mean() > 0,
        f"the estimate on held-out samples rose in {rose:.0%} of the runs with the softmax, by {gain.mean():.1e} of "
        f"its value (with division by the sum in {(plain > 0).mean():.0%}, by {plain.mean():.1e}); the pairs' steps "
        f"had cosine {cosine.mean():+.2f} with the gradient over all samples, positive in {(cosine > 0).mean():.0%}",
        partly=rose >= 0.9 or cosine.mean() > 0,
    )


@claim("andonie2004", "A7", needs=["normalization"])
def softmax_keeps_relevances_in_bounds(normalization):
    ours = normalization[normalization["norm"] == "softmax"].groupby("metric")["value"]
    least, greatest = ours.min(), ours.max()
    bounded = least["least"] > 0 and greatest["greatest"] < 1 and greatest["sum_error"] < ROUNDING
    plain = normalization[(normalization["norm"] == "l1") & (normalization["metric"] == "ratio")]["value"]
    return judge(
        bounded and least["negative"] >= 0,
        f"at every step all relevances lay in [{least['least']:.4f}, {greatest['greatest']:.4f}] and their sum was one "
        f"up to {greatest['sum_error']:.0e}; the largest is at most {greatest['ratio']:.4f} times the smallest (with "
        f"division by the sum {plain.max():.1f} times)",
        partly=bounded,
    )


@claim("andonie2004", "A8", needs=["cost"])
def a_step_costs_little(cost):
    medians = cost.groupby(["varied", "n_features", "n_codebooks", "method"])["value"].median().unstack("method")
    powers, lines, growth = [], [], []
    for varied, column in (("features", "n_features"), ("codebooks", "n_codebooks")):
        number = medians.loc[varied].index.get_level_values(column).to_numpy(dtype=float)
        time = medians.loc[varied]["ERLVQ"].to_numpy()
        power = np.polyfit(np.log(number), np.log(time), 1)[0]
        # If time is linear in the size, its increase over that of the smallest size has exponent one.
        more, longer = number[1:] - number[0], time[1:] - time[0]
        grows = longer.min() > 0 and time[-1] > 2 * time[0]
        on_top = np.polyfit(np.log(more), np.log(longer), 1)[0] if grows else 0.0
        powers.append(power)
        lines.append(0.9 < on_top < 1.1)
        growth.append(
            f"it grows with the {varied} to the power {power:.2f}, its increase over the smallest number to the power "
            f"{on_top:.2f}"
        )
    ratio = (medians["ERLVQ"] / medians["RLVQ"]).median()
    at_most = max(powers) < 1.1
    kind = "linear in both" if at_most and all(lines) else "at most linear" if at_most else "more than linear"
    return judge(
        at_most and all(lines) and ratio < 1.5,
        f"time of a step is {kind}: {'; '.join(growth)}; it is {ratio:.2f} times that of RLVQ",
        partly=at_most,
    )
