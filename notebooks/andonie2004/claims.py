"""The claims of Andonie and Cataron 2004: their statements, and sentences of what was found."""

import numpy as np
import pandas as pd

from compendium.inference import resampled_interval, welch_interval
from compendium.statements import INDEX, POINT, Statement, fact, mean_of, means_of, over_sets, share_of, share_of_means
from compendium.verdicts import Check, Claim

ORDER = ["LVQ", "RLVQ", "OWA-RLVQ", "ERLVQ"]
SETS = {"iris": "Iris", "vowel": "Vowel", "ionosphere": "Ionosphere"}
CODEBOOKS = "sets of codebooks"
ROUNDING = 1e-9


def _rates(recognition):
    """Recognition rates in percent, the mean over protocols: by data set, a frame of repetitions and methods."""
    table = recognition[recognition["metric"] == "rate"]
    rates = table.pivot_table(index=["dataset", "protocol", "repeat"], columns="method", values="value")
    means = rates.reindex(columns=ORDER).dropna().groupby(level=["dataset", "repeat"]).mean()
    return {dataset: part.droplevel("dataset") for dataset, part in means.groupby(level="dataset")}


class A1(Claim):
    """From the same codebooks, ERLVQ's mean recognition rate exceeds another method's in most comparisons.

    "Generally": in more than half of the comparisons with three methods on each data set. The initial codebooks are the
    part of chance, since the paper starts all methods from the same ones; the test samples are fixed, as in print. On
    Iris a rate is the mean over both protocols. The interval is a bootstrap over the codebooks. Each lead, and the mean
    lead over data sets in general, are secondary.
    """

    def statements(self, recognition):
        rates = _rates(recognition)
        leads = {
            f"{SETS.get(dataset, dataset)}, lead of ERLVQ on {rival}": part["ERLVQ"] - part[rival]
            for dataset, part in rates.items()
            for rival in ORDER[:3]
        }
        if not leads:
            return []
        n = min(len(lead) for lead in leads.values())
        cube = np.column_stack([lead.to_numpy()[:n] for lead in leads.values()])

        mean = pd.concat(
            {name: part["ERLVQ"] - part[ORDER[:3]].mean(axis=1) for name, part in rates.items()}, names=["dataset"]
        )
        more = {"above": 0, "margin": POINT, "unit": "points"}
        return [
            share_of_means("comparisons that ERLVQ leads", cube, CODEBOOKS, above=50),
            *over_sets("mean lead on the others", mean, secondary=True, **more),
            *means_of("{}", leads, CODEBOOKS, **more),
        ]

    def sentence(self, share, general, here, *each):
        worst = min(each, key=lambda row: row.estimate)
        dataset, _, against = worst.what.partition(", lead of ERLVQ on ")
        n_led = round(share.estimate / 100 * len(each))
        return (
            f"ERLVQ leads in {n_led} of {len(each)} comparisons; its worst is {worst.change} against {against} on "
            f"{dataset}"
        )


class A2(Claim):
    """The mean gain of RLVQ, OWA-RLVQ and ERLVQ over LVQ is positive, on average over Iris and Ionosphere.

    Read off Table 1, of which the paper says no more than that ERLVQ is better. Gains are over sets of initial
    codebooks; on Iris they are the mean over both protocols. Each data set, and that the gains are larger than on
    Vowel, are secondary.
    """

    def statements(self, recognition):
        rates = _rates(recognition)
        if not set(SETS) <= set(rates):
            return []
        gain = {name: (part[ORDER[1:]].mean(axis=1) - part["LVQ"]).to_numpy() for name, part in rates.items()}
        small, more = gain["vowel"], {"above": 0, "margin": POINT, "unit": "points"}
        clear = {name: gain[name] for name in ("iris", "ionosphere")}
        n = min(map(len, clear.values()))
        both = np.mean([values[:n] for values in clear.values()], axis=0)
        return [
            mean_of("gain over LVQ on Iris and Ionosphere", both, CODEBOOKS, **more),
            *means_of("gain over LVQ on {}", {SETS[name]: gain[name] for name in (*clear, "vowel")}, CODEBOOKS, **more),
            *(
                Statement(
                    f"gain on {SETS[name]} minus gain on Vowel",
                    values.mean() - small.mean(),
                    lambda level, values=values: welch_interval(values, small, level),
                    len(values),
                    CODEBOOKS,
                    secondary=True,
                    **more,
                )
                for name, values in clear.items()
            ),
        ]

    def sentence(self, both, iris, ionosphere, vowel, *_):
        return (
            f"relevances changed LVQ's accuracy by {iris.change} on Iris, {ionosphere.change} on Ionosphere and "
            f"{vowel.change} on Vowel"
        )


class A3(Claim):
    """On Iris, feature 1 has the largest relevance in ERLVQ, and feature 4 in RLVQ, in most repetitions.

    Opposite rankings are two rankings, so both are stated; OWA-RLVQ, of which the paper says the same as of RLVQ, is
    secondary. More than half is what "puts first" means if the initial codebooks are chosen at random.
    """

    def statements(self, relevances):
        iris = relevances[relevances["dataset"] == "iris"].set_index(["method", "feature"])
        return [
            share_of(
                f"{method} puts feature {feature} first",
                *iris.loc[(method, feature), ["first", "n"]],
                CODEBOOKS,
                above=50,
                secondary=method == "OWA-RLVQ",
            )
            for method, feature in (("ERLVQ", 1), ("RLVQ", 4), ("OWA-RLVQ", 4))
            if (method, feature) in iris.index
        ]

    def sentence(self, erlvq, rlvq, owa):
        return (
            f"RLVQ ranked feature 4 first in {rlvq.number} of starts, OWA-RLVQ in {owa.number}, and ERLVQ feature 1 in "
            f"{erlvq.number}"
        )


class A4(Claim):
    """Classes 1 and 2 of Iris are told apart better on features 1 and 2 than on features 3 and 4.

    "Discriminating the borders" means the accuracy of k-NN. The smallest distance between the classes, and that their
    centers are farther apart on 3 and 4, are secondary. The threshold is zero, because no size is printed. Each
    interval covers the central 95% of the differences over random halves of the flowers: a statistic varies between
    random halves about as it does between samples of full size.
    """

    def statements(self, borders):
        part = borders[borders["classes"] == "1 and 2"]
        wide = part.set_index(["metric", "repeat", "features"])["value"].unstack("features")
        apart = wide["1 and 2"] - wide["3 and 4"]
        names = {"accuracy": "k-NN accuracy", "gap": "gap", "centres": "distance of centers"}
        sides = {"accuracy": {"above": 0}, "gap": {"above": 0}, "centres": {"below": 0}}
        return [
            mean_of(
                f"{name} on features 1, 2 minus 3, 4",
                apart[metric],
                "random halves",
                interval=_middle,
                secondary=metric != "accuracy",
                **sides[metric],
            )
            for metric, name in names.items()
        ]

    def sentence(self, accuracy, gap, _):
        return (
            f"on features 1 and 2 instead of 3 and 4, k-NN was {abs(100 * accuracy.estimate):.1f} points "
            f"{'less' if accuracy.estimate < 0 else 'more'} accurate, the gap {gap.difference('larger', 'smaller')}"
        )


def _middle(values, level):
    """The middle of the values themselves: halves of the same samples are not independent units."""
    return np.quantile(values, [(1 - level) / 2, (1 + level) / 2])


class A5(Check):
    """On random tables o is not negative and at most 1 - E, zero under independence, 1 - E where X depends on Y alone.

    A theorem. Rounding errors up to 1e-9 are allowed; tables that are neither independent nor determined must lie
    farther than that from both bounds.
    """

    def statements(self, bounds):
        table = bounds.groupby(["kind", "metric"])["value"]
        least, largest = table.min(), table.apply(lambda values: values.abs().max())
        return [
            fact("smallest o", least.xs("o", level="metric").min(), above=-ROUNDING),
            fact("smallest 1 - E - o", least.xs("slack", level="metric").min(), above=-ROUNDING),
            fact("largest o under independence", largest["independent", "o"], below=ROUNDING),
            fact("largest 1 - E - o where X is determined", largest["determined", "slack"], below=ROUNDING),
            fact("smallest distance from the bounds otherwise", least["random"].min(), above=ROUNDING),
        ]

    def sentence(self, *rows):
        beyond = max(abs(row.estimate) for row in rows[:4])
        return f"on random tables the measure o stays within its bounds, up to rounding errors of {beyond:.1g}"


class A6(Claim):
    """Learning from pairs raises the estimate of o on held-out samples, relative to equal relevances.

    The mean over these data sets; each, and data sets in general, are secondary. The paper does not say so in a
    sentence: it uses pairs. A gain within the margin of an index is none. Learning and held-out halves of different
    repetitions overlap, so the variance of the mean is (1/J + 1) times that of the J gains (Nadeau and Bengio 2003),
    not 1/J times.
    """

    def statements(self, dependence):
        gain = dependence[(dependence["norm"] == "softmax") & (dependence["metric"] == "gain")]
        wide = gain.pivot_table(index="repeat", columns="dataset", values="value", sort=False)
        more = {"interval": resampled_interval, "above": 0, "margin": INDEX}
        return [
            mean_of("mean relative gain of o", wide.mean(axis=1), "random halves", **more),
            *over_sets("mean relative gain of o, in general", wide.mean(), above=0, margin=INDEX, secondary=True),
            *means_of("relative gain of o on {}", wide.rename(columns=SETS), "random halves", **more),
        ]

    def sentence(self, mean, *_):
        reach = 100 * max(abs(mean.low), abs(mean.high))
        change = f"{100 * mean.estimate:+.1g}%"
        return (
            f"learning from pairs changed the dependence on held-out samples by {change}, at most by {reach:.1g}% "
            "either way"
        )


class A7(Check):
    """At every step all relevances lie between zero and one and sum to one, also if raw updates are negative.

    True of any softmax of two or more features; the relevance of a single one is one and left out. Rounding errors
    of the sum up to 1e-9 are allowed.
    """

    def statements(self, normalization):
        alone = normalization.loc[(normalization["metric"] == "least") & (normalization["value"] == 1), "dataset"]
        several = normalization[~normalization["dataset"].isin(alone) & (normalization["norm"] == "softmax")]
        if several.empty:
            return []
        measured = several.groupby("metric")["value"]
        least, greatest = measured.min(), measured.max()
        return [
            fact("smallest relevance at any step", least["least"], above=0),
            fact("largest relevance at any step", greatest["greatest"], below=1),
            fact("largest deviation of the sum from one", greatest["sum_error"], below=ROUNDING),
            fact("smallest relevance after negative raw updates", least["negative"], above=-ROUNDING),
        ]

    def sentence(self, least, greatest, *_):
        ends = f"{least.number} and {greatest.number}"
        return f"at every step of a training all relevances lie between {ends} and sum to one"


class A8(Check):
    """The operations of a step grow linearly with the features and with the codebook vectors, at most twice RLVQ's.

    Counted, not timed, so it holds or fails exactly: the counts lie on a straight line (up to rounding errors of 1e-9).
    Twice, because a step of RLVQ finds the winner, moves it and updates the relevances, too.
    """

    def statements(self, cost):
        counts = cost.set_index(["varied", "n_features", "n_codebooks", "method"])["value"].unstack("method")
        axes = {"features": "n_features", "codebooks": "n_codebooks"}
        return [
            fact(
                f"relative deviation from a straight line in the {varied}",
                _deviation(counts.loc[varied].index.get_level_values(column), counts.loc[varied]["ERLVQ"]),
                below=ROUNDING,
            )
            for varied, column in axes.items()
        ] + [fact("operations divided by those of RLVQ, at most", (counts["ERLVQ"] / counts["RLVQ"]).max(), below=2)]

    def sentence(self, features, codebooks, ratio):
        return (
            f"operations of a step grow linearly with features and codebook vectors, up to {ratio.number} times those "
            "of RLVQ"
        )


def _deviation(numbers, operations):
    """Largest deviation from the line of least squares, relative to the largest count; 1 if the counts don't grow."""
    x, y = np.asarray(numbers, dtype=float), np.asarray(operations, dtype=float)
    if np.diff(y).min() <= 0:
        return 1.0
    return np.abs(np.polyval(np.polyfit(x, y, 1), x) - y).max() / y.max()
