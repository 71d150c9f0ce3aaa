"""Data with a known answer, for testing the rules.

Spreads are about those that the experiment finds. Where the paper prints no number, each function states the effect.
"""

from functools import cache
from itertools import product

import numpy as np
import pandas as pd

from andonie2004.claims import ORDER
from andonie2004.printed import N_TESTED
from compendium.published import printed_table
from compendium.simulations import simulation

# Standard deviation of a recognition rate over sets of initial codebooks, in points.
SPREAD = {
    ("iris", "resubstitution"): 0.9,
    ("iris", "cross-validation"): 0.6,
    ("vowel", "own split"): 3.0,
    ("ionosphere", "own split"): 2.5,
}
N_REPEATS = 100


def _recognition(rng, rates):
    """Recognition rates around the means ``rates`` (data sets by methods), as the experiment measures them."""
    cases = [
        (*case, repeat, method) for case, repeat, method in product(SPREAD, range(N_REPEATS), [*ORDER, "n_tested"])
    ]
    table = pd.DataFrame(cases, columns=["dataset", "protocol", "repeat", "method"])
    values = []
    for (dataset, _), sd in SPREAD.items():
        drawn = rng.normal(rates.loc[dataset, ORDER], sd, (N_REPEATS, len(ORDER)))
        values.append(np.column_stack([drawn, np.full(N_REPEATS, N_TESTED[dataset])]).ravel())
    metric = np.where(table["method"] == "n_tested", "n_tested", "rate")
    return {"recognition": table.assign(metric=metric, value=np.concatenate(values))}


@cache
def _printed_rates():
    table = printed_table("andonie2004", 1)
    return table.assign(value=table["value"].astype(float)).pivot(index="dataset", columns="method", values="value")


@simulation("andonie2004", "A1")
def leads(rng, effect):
    """ERLVQ's printed lead over each other method, none, or as far behind."""
    rates = _printed_rates()
    leads = -effect * rates[ORDER[:3]].rsub(rates["ERLVQ"], axis=0)
    return _recognition(rng, rates.assign(**leads.add(rates["ERLVQ"], axis=0)))


@simulation("andonie2004", "A2")
def gains(rng, effect):
    """The printed gains over LVQ, none, or losses of the printed size, the smallest of which is that on Vowel."""
    rates = _printed_rates()
    gain = effect * rates[ORDER[1:]].sub(rates["LVQ"], axis=0)
    return _recognition(rng, rates.assign(**gain.add(rates["LVQ"], axis=0)))


@simulation("andonie2004", "A3")
def rankings(rng, effect):
    """As printed in nine of ten repetitions; every feature first equally often; or the opposite order."""
    rows = []
    for method in ORDER[1:]:
        leading = 1 if (method == "ERLVQ") == (effect == 1) else 4
        shares = np.full(4, 0.25) if effect == 0 else np.full(4, 0.1 / 3)
        shares[leading - 1] += effect**2 * (0.9 - 0.1 / 3)
        first = rng.multinomial(N_REPEATS, shares)
        places = (-first).argsort(kind="stable").argsort() + 1
        rows += [
            ("iris", method, f + 1, 0.25 + 1e-5 * n, N_REPEATS, n, p)
            for f, (n, p) in enumerate(zip(first, places, strict=True))
        ]
    return {"relevances": pd.DataFrame(rows, columns=["dataset", "method", "feature", "mean", "n", "first", "place"])}


@simulation("andonie2004", "A4")
def borders(rng, effect):
    """Differences of four standard deviations between random halves, which also separate the sample from the truth."""
    spread = {"accuracy": 0.01, "gap": 0.1, "centres": 0.1}
    middle = {"accuracy": 0.9, "gap": 1.0, "centres": 2.0}
    rows = []
    for metric, sd in spread.items():
        sign = -1 if metric == "centres" else 1
        found = rng.normal(sign * effect * 4 * sd, sd) + rng.normal(0, sd, 200)
        for repeat, difference in enumerate(found):
            rows += [
                ("1 and 2", features, repeat, metric, middle[metric] + half * difference)
                for features, half in (("1 and 2", 0.5), ("3 and 4", -0.5))
            ]
    return {"borders": pd.DataFrame(rows, columns=["classes", "features", "repeat", "metric", "value"])}


@simulation("andonie2004", "A5")
def bounds(rng, effect):
    """Values within the bounds, or a measure that is negative."""
    rows = []
    for repeat in range(200):
        o, slack = rng.uniform(0.01, 0.2, 2) * effect
        rows += [("random", repeat, "o", o), ("random", repeat, "slack", slack)]
        rows += [("independent", repeat, "o", 0.0), ("independent", repeat, "slack", slack)]
        rows += [("determined", repeat, "o", o), ("determined", repeat, "slack", 0.0)]
    return {"bounds": pd.DataFrame(rows, columns=["kind", "repeat", "metric", "value"])}


@simulation("andonie2004", "A6")
def dependence(rng, effect):
    """A gain of four standard deviations between overlapping halves, which share half of their variance.

    The shared half is what separates all repetitions from the truth: the correlation that Nadeau and Bengio assume.
    """
    rows = []
    for dataset, norm in product(("iris", "vowel", "ionosphere"), ("softmax", "l1")):
        gain = 4e-3 * effect + rng.normal(0, np.sqrt(0.5)) * 1e-3 + rng.normal(0, np.sqrt(0.5), 20) * 1e-3
        rows += [(dataset, norm, repeat, "gain", value) for repeat, value in enumerate(gain)]
        rows += [(dataset, norm, repeat, "cosine", rng.uniform(-1, 1)) for repeat in range(20)]
    return {"dependence": pd.DataFrame(rows, columns=["dataset", "norm", "repeat", "metric", "value"])}


@simulation("andonie2004", "A7")
def normalization(rng, effect):
    """Relevances within bounds, or negative ones."""
    rows = []
    for dataset, norm, repeat in product(("iris", "vowel", "ionosphere"), ("softmax", "l1"), range(5)):
        least = effect * rng.uniform(0.02, 0.1)
        measured = {"least": least, "greatest": 0.3, "sum_error": 1e-16, "ratio": 2.0, "negative": least}
        rows += [(dataset, norm, repeat, metric, value) for metric, value in measured.items()]
    return {"normalization": pd.DataFrame(rows, columns=["dataset", "norm", "repeat", "metric", "value"])}


@simulation("andonie2004", "A8")
def cost(rng, effect):
    """Operations that grow linearly, or with the square, of the features and of the codebook vectors."""
    power = 1 if effect == 1 else 2
    sizes = [("features", d, 4) for d in (10, 20, 40, 80, 160)] + [("codebooks", 20, m) for m in (4, 8, 16, 32, 64)]
    rows = [
        (varied, d, m, method, "operations", 4.0 * (d * m) ** power + extra * d + 7)
        for varied, d, m in sizes
        for method, extra in (("RLVQ", 12), ("ERLVQ", 20))
    ]
    return {"cost": pd.DataFrame(rows, columns=["varied", "n_features", "n_codebooks", "method", "metric", "value"])}
