"""Data with a known answer, for testing the rules.

Our copy of the paper has no results, so there is no printed size of an effect: where chance matters, the effect is one
that a reader would call clear, and it is stated with each function.
"""

from itertools import product

import numpy as np
import pandas as pd

from compendium.simulations import simulation

SETS = ("iris", "wine", "wdbc", "pima", "parkinsons", "seeds", "ionosphere", "sonar")
GENES = ("golub", "alon", "shipp", "singh", "gordon")
OTHERS = ("Relief", "Relief, scores as weights", "Relief, no ranges", "Simba", "I-Relief", "diagonal LMNN")
WEIGHTINGS = ("none", "Relief", "ReliefF", "Simba", "I-Relief", "LMBA (reconstructed)", "diagonal LMNN", "hard MDM")


def _frame(rows, columns):
    return pd.DataFrame(rows, columns=columns.split())


@simulation("hocke2014", "M1")
def invariance(rng, effect):
    """Changes as large as rounding errors, or weights that do not absorb the factors."""
    size = 1e-12 if effect == 1 else 0.5
    rows = [
        (dataset, method, repeat, metric, size * rng.uniform() * (metric != "prediction_change" or effect != 1))
        for dataset, method, repeat in product(SETS, ("hard MDM", "soft MDM"), range(5))
        for metric in ("distance_change", "prediction_change", "objective_change")
    ]
    return {"scaling": _frame(rows, "dataset method repeat metric value")}


@simulation("hocke2014", "M2")
def feasibility(rng, effect):
    """Every program has an optimum, or none has."""
    rows = [
        (dataset, case, repeat, metric, value)
        for dataset, (case, identical), repeat in product(SETS, (("as is", 0.0), ("twin", 1.0)), range(3))
        for metric, value in {
            "identical_pairs": identical,
            "optimal_full": float(effect == 1),
            "optimal_mdm": float(effect == 1),
        }.items()
    ]
    return {"feasibility": _frame(rows, "dataset case repeat metric value")}


@simulation("hocke2014", "M3")
def noise(rng, effect):
    """Half of the noise columns get weight zero and a fifth of the others, with a spread of a tenth between draws."""
    sets = [(False, dataset) for dataset in SETS] + [(True, "40 x 400"), (True, "40 x 2000")]
    share = {"noise": 0.35 + 0.15 * effect, "own": 0.35 - 0.15 * effect}
    rows = [
        (dataset, wide, method, kind, repeat, "zero_share", float(np.clip(rng.normal(share[kind], 0.1), 0, 1)))
        for (wide, dataset), method, kind, repeat in product(sets, ("hard MDM", "soft MDM"), share, range(5))
    ]
    return {"noise": _frame(rows, "dataset wide method column_kind repeat metric value")}


@simulation("hocke2014", "M4")
def outliers(rng, effect):
    """With slack the weights move less by 0.05 (sd 0.03 over the sets), the error rises less by 1 point (sd 0.6)."""
    change, tests = [], []
    for dataset in SETS:
        less, spared = rng.normal(0.05 * effect, 0.03), rng.normal(0.01 * effect, 0.006)
        for kind in ("moved", "flipped"):
            hard = rng.uniform(0.3, 0.5)
            change.append((dataset, kind, np.nan, "weight_change", hard))
            for nu in (0.1, 0.3):
                change.append((dataset, kind, nu, "weight_change", hard - less + rng.normal(0, 0.01)))
                tests.append((dataset, kind, nu, -spared + rng.normal(0, 0.002)))
    columns = "dataset kind nu metric value", "dataset kind nu difference"
    return dict(zip(("outliers", "outlier_tests"), map(_frame, (change, tests), columns), strict=True))


@simulation("hocke2014", "M5")
def gain(rng, effect):
    """The weights lower the error by 3 points, with a standard deviation of 2 over the data sets."""
    rows = []
    for inputs, dataset in product(("raw", "zscore"), SETS):
        level = rng.uniform(0.05, 0.3)
        lower = rng.normal(0.03 * effect, 0.02)
        rows += [(inputs, dataset, "none", "error", level), (inputs, dataset, "soft MDM", "error", level - lower)]
    return {"gain": _frame(rows, "inputs dataset method metric value")}


@simulation("hocke2014", "M6")
def ranks(rng, effect):
    """Soft MDM's error is lower by two standard deviations of the errors of the other methods on a data set."""
    rows = []
    for inputs in ("raw", "minmax", "zscore"):
        errors = pd.DataFrame(rng.normal(size=(9, 8)), columns=WEIGHTINGS).assign(**{"soft MDM": rng.normal(size=9)})
        errors["soft MDM"] -= 2 * effect
        mean = errors.rank(axis=1).mean()
        rows += [("weightings", inputs, "mean", method, rank, 4.0, 9) for method, rank in mean.items()]
    tests = [("iris", "raw", method, 0.0, 1.0) for method in WEIGHTINGS]
    return {
        "uci_ranks": _frame(rows, "among inputs k method mean_rank critical_difference n_datasets"),
        "uci_tests": _frame(tests, "dataset inputs method difference p_holm"),
    }


@simulation("hocke2014", "M7")
def genes(rng, effect):
    """MDM keeps 5 % of the genes and lowers the error by 4 points (sd over the five sets: 3 % and 2 points).

    Without the effect it keeps a tenth of the genes, with the same error; reversed, three tenths, with a higher error.
    """
    rows = []
    for dataset in GENES:
        equal = rng.uniform(0.1, 0.3)
        share = {1: 0.05, 0: 0.1, -1: 0.3}[effect] + rng.normal(0, 0.03)
        error = equal - 0.04 * effect + rng.normal(0, 0.02)
        rows += [(dataset, "none", "error", equal), (dataset, "none", "n_given", 2000.0)]
        for method in ("hard MDM", "soft MDM"):
            measured = {"n_given": 2000.0, "n_kept": 2000 * max(share, 0.001), "error": error, "error_kept": error}
            rows += [(dataset, method, metric, value) for metric, value in measured.items()]
    return {"gene_expression": _frame(rows, "dataset method metric value")}


@simulation("hocke2014", "M8")
def equivalence(rng, effect):
    """Differences as large as the solvers' errors, or two programs with different solutions."""
    size = 1e-9 if effect == 1 else 0.5
    rows = [(d, f"{what}_difference", size * rng.uniform()) for d, what in product(SETS, ("ratio", "weight"))]
    return {"equivalence": _frame(rows, "dataset metric value")}


@simulation("hocke2014", "M9")
def size(rng, effect):
    """A constraint for each pair of samples, or one for each sample."""
    rows = []
    for n, d, repeat in product((50, 100, 200, 400), (5, 10), range(3)):
        constraints = n * (n - 1) / 2 if effect == 1 else float(n)
        rows += [(n, d, "full", repeat, "unknowns", d + 1.0), (n, d, "full", repeat, "constraints", constraints)]
    return {"size": _frame(rows, "n_samples n_features solver repeat metric value")}


@simulation("hocke2014", "M10")
def dependence(rng, effect):
    """On each data set a fifth of the predictions changes; on half of them; on none."""
    probability = {1: 1.0, 0: 0.5, -1: 0.0}[effect]
    rows = []
    for method, dataset in product((*OTHERS, "soft MDM"), SETS):
        changes = method != "soft MDM" and rng.uniform() < probability
        rows += [(dataset, method, r, "prediction_change", float(changes * rng.uniform(0.1, 0.3))) for r in range(5)]
    return {"scaling": _frame(rows, "dataset method repeat metric value")}
