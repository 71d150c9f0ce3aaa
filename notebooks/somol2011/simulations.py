"""Tables with a known answer for the rules of Somol et al. 2011, of the size that the paper profile has."""

import numpy as np
import pandas as pd

from compendium.simulations import simulation
from compendium.units import tidy

SETS = 12  # of Tables 3 and 4
TAUS = (0.0, 0.001, 0.005, 0.01, 0.02, 0.03, 0.04, 0.05)
LAMBDAS = tuple(round(0.1 * step, 1) for step in range(11))
SFFS = [
    (name, "SFFS", criterion) for name in ("spambase", "dermatology_358", "spectf") for criterion in ("SVM", "3-NN")
]
SEARCHES = [*SFFS, ("madelon", "DOS", "SVM"), ("madelon", "DOS", "3-NN")]  # of Tables 1 and 2


@simulation("somol2011", "S1")
def near(rng, effect):
    """Near ties: as different as printed (1), rarely so (0), nearly the same (-1)."""
    ratio, ati = {1: (2.6, 0.5), 0: (1.8, 0.66), -1: (1.1, 0.95)}[effect]
    rows = []
    for dataset, search, criterion in SFFS:
        what = {"dataset": dataset, "search": search, "criterion": criterion, "scaling": "raw", "repeat": 0}
        measured = {"smallest": 8, "largest": 8 * ratio * rng.uniform(0.8, 1.2), "ati": ati + rng.normal(0, 0.03)}
        rows += tidy(what, measured)
    return {"near": pd.DataFrame(rows)}


def _selected(rng, change):
    """Sizes that shrink, and test accuracies whose mean change is ``change``; their sd is the printed one."""
    rows = []
    for dataset, search, criterion in SEARCHES:
        what = {"dataset": dataset, "search": search, "criterion": criterion, "scaling": "raw", "repeat": 0}
        size, test, own = 16, 0.85, rng.normal(change, 0.014)
        for step, tau in enumerate(TAUS):
            smaller = max(1, size - 2 * step)
            accuracy = test + (own + rng.normal(0, 0.003)) * (step > 0)
            improved = smaller < size and accuracy >= test
            rows += tidy({**what, "tau": tau}, {"size": smaller, "test": accuracy, "improved": improved})
    return {"selected": pd.DataFrame(rows)}


@simulation("somol2011", "S2")
@simulation("somol2011", "S3")
def selected(rng, effect):
    """Smaller subsets cost nothing (1, as on average in print), one point of accuracy (0), five points (-1)."""
    return _selected(rng, {1: 0.0, 0: -0.01, -1: -0.05}[effect])


@simulation("somol2011", "S4")
def one_run(rng, effect):
    """A search whose path does not depend on tau (1), or does (-1)."""
    rows = []
    for search in "SFFS", "DOS":
        for tau in TAUS:
            other = effect < 0 and tau > 0 and rng.random() < 0.5
            measured = {"evaluations": 1000 + other, "same_order": not other, "same_subset": not other}
            rows += tidy(
                {"dataset": "spectf", "search": search, "tau": tau}, {**measured, "size": 5, "size_printed": 5}
            )
    return {"one_run": pd.DataFrame(rows)}


def _ensembles(rng, **mean_gains):
    """Rates and stabilities of each data set; ``mean_gains`` over the single criterion in units of the sd."""
    sd = {"rate": 0.022, "cw_rel": 0.05, "ati": 0.05}  # of the printed gains over the data sets
    rows = []
    for number in range(SETS):
        single = {"rate": rng.uniform(0.7, 0.97), "cw_rel": rng.uniform(0.2, 0.6), "ati": rng.uniform(0.2, 0.6)}
        for method, gain in {"single": None, **mean_gains}.items():
            measured = {
                name: value + (sd[name] * rng.normal(gain[name]) if gain else 0.0) for name, value in single.items()
            }
            cost = {"evaluations": 1000 if gain is None else 4000 * rng.lognormal(0, 0.2), "seconds": 1.0}
            rows += tidy({"dataset": f"set {number}", "method": method}, {**measured, **cost})
    return {"ensembles": pd.DataFrame(rows)}


def _gain(rate, stability):
    return {"rate": rate, "cw_rel": stability, "ati": stability}


@simulation("somol2011", "S5")
def order_voting(rng, effect):
    """Order voting gains as much as printed (1), nothing (0), loses as much (-1), in units of the sd over data sets."""
    return _ensembles(rng, order=_gain(0.6 * effect, 1.2 * effect), weighted=_gain(0, 0))


@simulation("somol2011", "S6")
def weighted_voting(rng, effect):
    """Weighted voting gains as much as printed (1), nothing (0); or loses, and order voting is better (-1)."""
    order = _gain(0.6, 1.2) if effect >= 0 else _gain(3.0, 3.0)
    weighted = {1: _gain(0.5, 1.0), 0: _gain(0, 0), -1: _gain(-3.0, -3.0)}[effect]
    return _ensembles(rng, order=order, weighted=weighted)


@simulation("somol2011", "S7")
def cost(rng, effect):
    """Ensembles cost four times a single criterion (1), or a quarter (-1)."""
    table = _ensembles(rng, order=_gain(0, 0), weighted=_gain(0, 0))["ensembles"]
    if effect < 0:
        evaluations = table["metric"] == "evaluations"
        table.loc[evaluations, "value"] = 1e6 / table["value"]
    return {"ensembles": table}


def _hybrid(measured):
    """A table ``hybrid`` from a function of data set, search and lambda."""
    rows = []
    for dataset in "wdbc", "waveform_pair", "madelon", "musk2":
        for search in "DOS", "OS":
            draw = measured(search)
            for lam in LAMBDAS:
                rows += tidy({"dataset": dataset, "search": search, "lambda": lam}, draw(lam))
    return {"hybrid": pd.DataFrame(rows)}


@simulation("somol2011", "S8")
def small_lambda(rng, effect):
    """Work rises with lambda, nothing is lost (1); unrelated, a point lost (0); falls, 8 points lost (-1)."""
    slope, loss = {1: (1.0, 0.0), 0: (0.0, 0.01), -1: (-1.0, 0.08)}[effect]

    def of_search(search):
        change = rng.normal(-loss, 0.014)  # of a low lambda: its sd over searches is about that of tau > 0
        return lambda lam: {
            "wrapper_evaluations": 1000 * np.exp(slope * lam + rng.normal(0, 0.3)),
            "test": 0.85 + change * (lam <= 0.3) + rng.normal(0, 0.005),
            "train": 0.9,
        }

    return _hybrid(of_search)


@simulation("somol2011", "S9")
def dos_and_os(rng, effect):
    """DOS leads by one sd in the criterion and not on the test half (1), in neither (0), the other way round (-1)."""
    train, test = {1: (1.0, 0.0), 0: (0.0, 0.0), -1: (-1.5, 1.5)}[effect]

    def of_search(search):
        lead = search == "DOS"
        return lambda lam: {
            "train": 0.9 + 0.01 * rng.normal(train * lead, np.sqrt(0.5)),
            "test": 0.85 + 0.01 * rng.normal(test * lead, np.sqrt(0.5)),
        }

    return _hybrid(of_search)


@simulation("somol2011", "S10")
def criterion_and_test(rng, effect):
    """Criterion and test accuracy correlate over lambda by 0.05 as printed (1), by 0.5 (0), by 0.95 (-1)."""
    r = {1: 0.05, 0: 0.57, -1: 0.95}[effect]  # 0.57: the ranks of eleven values then correlate by 0.5 on average

    def of_search(search):
        def draw(lam):
            shared = rng.normal()
            return {"train": 0.9 + 0.01 * shared, "test": 0.85 + 0.01 * (r * shared + np.sqrt(1 - r**2) * rng.normal())}

        return draw

    return _hybrid(of_search)
