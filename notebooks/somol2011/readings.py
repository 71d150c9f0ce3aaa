"""Settings that Somol et al. 2011 leave open, varied: which of them bring the printed numbers back?"""

from functools import partial
from itertools import chain, product

import numpy as np
import pandas as pd

from compendium.experiment import Experiment, Schema, parameter, table
from compendium.readings import sweep
from compendium.units import crossed, name_of, run_units, seed_for, tidy
from fscore.criteria import CVAccuracy
from fscore.search import SFFS, regularize
from somol2011.ensembles import METHODS, Ensembles
from somol2011.fragility import Fragility
from somol2011.hybrid import SEARCHES, FilterWrapper
from somol2011.protocol import FOLDS, ORDERS, SCALINGS, classifier, halves, hits, inner_folds, prepared, sample

TABLE_1 = ("dermatology_358", "spectf")
TABLE_1_RAW = ("spambase",)  # so large that it is searched by 3-NN on raw inputs alone
TABLES_3_4 = ("wine", "ionosphere", "wpbc_31", "sonar", "spectf", "house_10_20_30_40", "house", "house_equal_widths")
LARGE = ("segment_image",)
TABLES_5_6 = ("madelon", "musk2")
SMALLEST = [0.0, 0.1]  # lambda for the data sets of Tables 5 and 6
TABLE_7 = ("wdbc",)
SVM = {"svm_C", "svm_gamma"}


def _grid(**values):
    """Every combination of some parameters' values, the last one varying fastest."""
    return crossed({}, **values)


def _readings(experiment, *settings):
    """Readings of an experiment, named by the parameters that differ from its defaults."""
    defaults, readings = experiment().values, {}
    for setting in settings:
        changed = {name: value for name, value in setting.items() if value != defaults[name]}
        readings[", ".join(f"{name}={value}" for name, value in changed.items()) or "default"] = changed
    return readings


FRAGILITY = _readings(
    Fragility,
    *_grid(scaling=("raw", "minmax_all"), order=ORDERS, folds=("blocks", "stratified")),
    {"n_repeats": 2},
    *_grid(svm_gamma=(0.1, 0.5)),
    {"svm_C": 10.0},
)
HYBRID = _readings(
    FilterWrapper,
    *_grid(
        rounding=("floor", "nearest"),
        pure_wrapper=(False, True),
        folds=("blocks", "stratified"),
        scaling=("raw", "minmax_all"),
    ),
    {"ddof": 0},
    {"n_repeats": 2},
    *_grid(order=ORDERS),
)
HYBRID_LARGE = _readings(
    FilterWrapper,
    *_grid(folds=("blocks", "stratified", "interleaved"), scaling=("raw", "minmax_all")),
    {"n_repeats": 2},
)


class Readings(Experiment):
    """Tables 1, 3, 4 and 5 to 7 under other settings than those of the papers' pages.

    A reading is a combination of settings, written ``name=value, ...`` with only those that differ from the defaults of
    `Fragility`, `Ensembles` and `FilterWrapper`; the defaults themselves are "default". Each table takes its part of
    the data sets, or the first if there is none; those of Tables 5 and 6 are searched at lambda 0 and 0.1 alone.

    Tables
    ------
    readings_of_fragility
        reading, and the columns of ``selected`` of `Fragility`: SFFS under every scaling, order of the samples and kind
        of folds (the SVM, which ranks no distances, in one order, and with other C and gamma), and with the halves
        exchanged; spambase by 3-NN on raw inputs alone.
    readings_of_ensembles
        reading, and the columns of ``ensembles`` of `Ensembles`: all methods with one setting changed, the single
        criterion also under every combination of Delta, scaling and kind of folds.
    readings_of_hybrid
        reading, and the columns of ``hybrid`` of `FilterWrapper`.
    column_orders
        dataset, criterion, draw, tau, metric (``size``, ``train``, ``test``), value: SFFS as in Table 1 with the
        features in random order, which decides between features of equal value.
    starts_of_fragility, starts_of_ensembles, starts_of_hybrid
        As ``selected``, ``ensembles`` and ``hybrid``: every number of Tables 1 to 6 with halves and outer folds that
        start at several samples of each class, see `somol2011.protocol.divided`.
    """

    schema = Schema(
        readings_of_fragility=table("reading dataset search criterion scaling tau cut metric", repetition="repeat"),
        readings_of_ensembles=table("reading dataset method scaling folds metric", repetition="fold"),
        readings_of_hybrid=table("reading dataset search scaling lambda metric", repetition="repeat"),
        column_orders=table("dataset criterion draw tau metric"),
        starts_of_fragility=table("dataset search criterion scaling tau cut metric", repetition="repeat"),
        starts_of_ensembles=table("dataset method scaling folds metric", repetition="fold"),
        starts_of_hybrid=table("dataset search scaling lambda metric", repetition="repeat"),
    )

    dataset: list[str] = parameter(
        [
            "wdbc",
            "wine",
            "ionosphere",
            "wpbc_31",
            "sonar",
            "spectf",
            "dermatology_358",
            "spambase",
            "house_10_20_30_40",
            "house",
            "house_equal_widths",
            "opt38",
            "segment_image",
            "madelon",
            "musk2",
        ],
        "data sets of the tables",
        "data sets",
    )
    depth: list[int] = parameter([5, 10, 15], "Delta of DOS in Tables 3 and 4", "[1, 100]")
    lam: list[float] = FilterWrapper.lam
    n_splits: int = parameter(10, "folds of Tables 3, 4 and 7", "[2, 50]")
    n_draws: int = parameter(10, "random orders of the features", "[1, 1000]")
    n_starts: int = parameter(4, "starts of the halves of Tables 1, 2, 5 and 6", "[1, 100]")
    n_starts_of_folds: int = parameter(8, "starts of the outer folds of Tables 3 and 4", "[1, 100]")
    n_starts_of_large: int = parameter(4, "the same for segment_image, which takes longest", "[1, 100]")
    max_samples: int | None = Fragility.max_samples

    def measure(self):
        """See the class."""
        return {
            "readings_of_fragility": self.fragility(self._among(TABLE_1 + TABLE_1_RAW)),
            "readings_of_ensembles": self.ensembles(self._among(TABLES_3_4)),
            "readings_of_hybrid": self.hybrid(self._among(TABLE_7)),
            "column_orders": self.column_orders(self._among(TABLE_1)),
            **self.starts(),
        }

    def _among(self, names):
        return [name for name in self.dataset if name in names] or self.dataset[:1]

    def fragility(self, dataset):
        """Table ``readings_of_fragility`` for these data sets."""

        def selected(**changed):
            experiment = Fragility(**changed, **self.pick("max_samples", "seed"))
            criterion = ["SVM"] if SVM & changed.keys() else ["3-NN"] if "order" in changed else ["3-NN", "SVM"]
            searched = [
                (name, "SFFS", model, experiment.scaling)
                for name, model in product(dataset, criterion)
                if name not in TABLE_1_RAW or (model, experiment.scaling) == ("3-NN", "raw")
            ]
            return {"selected": experiment.selections(searched)["selected"]} if searched else {}

        return _swept(selected, FRAGILITY)

    def ensembles(self, dataset):
        """Table ``readings_of_ensembles`` for these data sets."""

        def votes(methods, **changed):
            experiment = Ensembles(**changed, **self.pick("n_splits", "max_samples", "seed"))
            return {"votes": experiment.votes(product(dataset, methods, [experiment.scaling], [experiment.folds]))[0]}

        one_change = [_grid(depth=self.depth), _grid(scaling=SCALINGS), _grid(folds=FOLDS), _grid(order=ORDERS)]
        for_all = _readings(Ensembles, *chain(*one_change), {"main": "mean"})
        combined = _readings(Ensembles, *_grid(depth=self.depth, scaling=SCALINGS, folds=FOLDS))
        for_one = {reading: changed for reading, changed in combined.items() if reading not in for_all}
        return pd.concat(
            [_swept(partial(votes, METHODS), for_all), _swept(partial(votes, METHODS[:1]), for_one)], ignore_index=True
        )

    def hybrid(self, dataset):
        """Table ``readings_of_hybrid``: every lambda for these data sets, 0 and 0.1 for those of Tables 5 and 6."""

        def selected(names, lam, **changed):
            experiment = FilterWrapper(lam=lam, **changed, **self.pick("n_splits", "max_samples", "seed"))
            return {"hybrid": experiment.selections(names, SEARCHES, [experiment.scaling])[0]}

        tables = [_swept(partial(selected, dataset, self.lam), HYBRID)]
        if large := [name for name in self.dataset if name in TABLES_5_6]:
            tables.append(_swept(partial(selected, large, SMALLEST), HYBRID_LARGE))
        return pd.concat(tables, ignore_index=True)

    def column_orders(self, dataset):
        """Table ``column_orders`` for these data sets."""
        shared = Fragility(**self.pick("max_samples", "seed")).pick(
            "tau", "n_splits", "scaling", "order", "folds", "max_samples", "seed"
        )
        units = crossed(shared, dataset=dataset, criterion=("3-NN", "SVM"), draw=range(self.n_draws))
        return run_units(_in_random_order, units, label="orders of the features")

    def starts(self):
        """Tables ``starts_of_fragility``, ``starts_of_ensembles`` and ``starts_of_hybrid``."""
        shared = self.pick("max_samples", "seed")
        fragility = Fragility(dataset=self._among(Fragility().dataset), n_repeats=self.n_starts, **shared)
        ensembles = Ensembles(**self.pick("n_splits"), **shared)
        how = METHODS, [ensembles.scaling], [ensembles.folds]
        votes = [
            ensembles.votes(product([name], *how), self.n_starts_of_large if name in LARGE else self.n_starts_of_folds)[
                0
            ]
            for name in self._among(ensembles.dataset)
        ]
        hybrid = FilterWrapper(lam=self.lam, n_repeats=self.n_starts, **self.pick("n_splits"), **shared)
        return {
            "starts_of_fragility": fragility.selections(fragility.cases)["selected"],
            "starts_of_ensembles": pd.concat(votes, ignore_index=True),
            "starts_of_hybrid": hybrid.selections(self._among(TABLES_5_6), SEARCHES, [hybrid.scaling])[0],
        }


def _swept(measure, readings):
    """The one table of a sweep, with a first column ``reading``."""
    (table,) = sweep(measure, {"reading": readings}).values()
    return table[["reading", *table.columns.drop("reading")]]


def _in_random_order(dataset, criterion, draw, tau, n_splits, scaling, order, folds, max_samples, seed):
    X, y = sample(dataset, None, max_samples, seed, order)
    rng = np.random.default_rng(seed_for(seed, "features", name_of(dataset), draw))
    X = X[:, rng.permutation(X.shape[1])]
    first, second = halves(X, y, folds, dataset, 0, seed)
    A, B = prepared(scaling, X, first, second)
    model = classifier(criterion)
    trace = SFFS(CVAccuracy(model, cv=inner_folds(n_splits, folds))).fit(A, y[first]).trace_
    rows = []
    for threshold in tau:
        chosen = trace.iloc[regularize(trace, threshold)]
        test = hits(model, A, y[first], B, y[second], chosen["features"]).mean()
        measured = {"size": chosen["size"], "train": chosen["value"], "test": test}
        rows += tidy({"dataset": dataset, "criterion": criterion, "draw": draw, "tau": threshold}, measured)
    return rows
