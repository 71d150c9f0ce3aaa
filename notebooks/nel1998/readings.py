"""Which of the settings that Nel's thesis leaves open bring its numbers back, and do the verdicts depend on them?"""

import numpy as np
import pandas as pd

from compendium.experiment import parameter
from compendium.published import compare
from compendium.verdicts import claims_needing
from nel1998 import printed
from nel1998.accuracy import accuracies
from nel1998.candidates import prefixes
from nel1998.correlation import Correlation
from nel1998.full_search import FullSearch
from nel1998.protocol import SampleExperiment, samples_of, scaled_sample
from nel1998.published_settings import FULL_SEARCH_TABLES, PBIL_TABLES, rows_of, usable

# Changes to the pages' parameters, by the name of the reading.
READINGS = {
    "as on the pages": {},
    "one density per class": {"mode": "class_conditional", "bandwidth": "normal_reference"},
    "one density per class, adaptive": {"mode": "class_conditional", "bandwidth": "adaptive"},
    "joint density, fixed kernels": {"mode": "joint2d", "bandwidth": "normal_reference"},
    "no output bias": {"output_bias": False},
    "scale 1, no output bias": {"scale": 1.0, "output_bias": False},
    "independent weights": {"weights": "random"},
}
# Tables that the defaults were chosen on, each by the readings that change it; the others were not used.
CHOSEN_ON = ("Table 7.1", "Table 7.5", "Table 7.11")
INFORMATION = [name for name, values in READINGS.items() if not values or "mode" in values]

# Settings of the network and of the splits: scale and bias together, then the others one at a time.
SETTINGS = {
    f"scale {scale:g}, {name}": {"scale": scale, "output_bias": name == "output bias"}
    for name in ("output bias", "no output bias")
    for scale in (0.25, 0.5, 1.0, 2.0)
}
SETTINGS |= {
    "independent weights": {"weights": "random"},
    "at most 20 neurons": {"max_hidden": 20},
    "splits not stratified": {"stratified": False},
}
N_LARGEST = 20  # features of the samples on which all subsets are evaluated


class Readings(SampleExperiment):
    """Printed numbers and verdicts under the readings of mutual information, of the network and of the splits.

    Tables
    ------
    agreement
        reading, table, comparable, agree, chosen_on: printed numbers of Tables 7.1 to 7.10 that we measure and that
        agree with ours, and whether the defaults were chosen on this table.
    verdicts
        reading, claim, answer, evidence: the claims judged on the tables of sections 7.2 and 7.3.
    settings
        setting, table, dataset (the sample), classifier, metric, chosen_on, comparable, agree, difference (mean over
        the printed subsets, in points), errors (root mean square of the differences in standard errors).
    expected
        dataset (the sample), subset, classifier, metric, value, sd and n over ``n_expected`` splits: what the printed
        subsets give in the mean over far more splits than the thesis had.
    support
        reading, sample, subset, share: how many splits propose the printed subsets of mutual information; and with an
        empty subset ``count``, the number of different subsets that all splits propose.
    """

    tables = ("agreement", "verdicts", "settings", "expected", "support")

    dataset: list[str] = parameter(
        ["wdbc", "bupa", "pima", "ionosphere"], "data sets, or paths of CSV files", "data sets"
    )
    n_splits: int = parameter(10, "partitions into two thirds to train and one third to test", "[2, 1000]")
    n_inner_splits: int = parameter(
        10, "partitions of the training part to choose the size of the network", "[1, 1000]"
    )
    n_networks: int = parameter(1, "networks of this size, which differ in their random weights", "[1, 100]")
    n_expected: int = parameter(50, "partitions for the expected accuracy of LIVER and PIMA", "[2, 10000]")

    def measure(self):
        """See the class."""
        pages = {name: self.pages(values) for name, values in READINGS.items()}
        return {
            "agreement": agreement(pages),
            "verdicts": verdicts(pages),
            "settings": self.settings(),
            "expected": self.expected(),
            "support": self.support(),
        }

    @property
    def small(self):
        """Data sets with few enough features (after halving wdbc) to evaluate all subsets."""
        return [
            dataset
            for dataset in self.dataset
            if all(
                scaled_sample(sample, dataset, self.target)[0].shape[1] <= N_LARGEST for sample in samples_of([dataset])
            )
        ]

    def pages(self, values):
        """Tables of sections 7.2 and 7.3 under a reading."""
        shared = self.pick("n_splits", "n_inner_splits", "n_networks", "target", "seed")
        experiments = [kind(dataset=self.small, **shared, **values) for kind in (Correlation, FullSearch)]
        return {name: table for experiment in experiments for name, table in experiment.run().items()}

    def settings(self):
        """Table ``settings``."""
        rows = usable(rows_of([*FULL_SEARCH_TABLES, *PBIL_TABLES])).rename(columns={"std": "spread"})
        rows = rows[rows["metric"].isin(["train_acc_pct", "test_acc_pct"])].assign(runs="10")
        samples = samples_of(self.dataset, ["WDBC1", "WDBC2", "WDBC"])
        network = rows[rows["classifier"] == "RANN"]
        tables = []
        for setting, values in SETTINGS.items():
            measured = self.classified(samples, network, self.n_splits, **values)
            for table, part in rows.groupby("table", sort=False):
                found = compare(part, measured, ["dataset", "subset", "classifier", "metric"])
                found = found[found["agrees"].notna()]
                tables.append(found.assign(setting=setting, table=f"Table {table}"))
        found = pd.concat(tables, ignore_index=True)
        found["chosen_on"] = found["table"].isin(CHOSEN_ON)
        by = ["setting", "table", "dataset", "classifier", "metric", "chosen_on"]
        return (
            found.assign(agrees=found["agrees"].astype(bool))
            .groupby(by, sort=False)
            .agg(
                comparable=("agrees", "size"),
                agree=("agrees", "sum"),
                difference=("difference", "mean"),
                errors=("errors", lambda errors: np.sqrt(np.mean(errors**2))),
            )
            .reset_index()
        )

    def classified(self, samples, rows, n_splits, **values):
        """Accuracy of printed subsets under settings of the network and of the splits."""
        settings = {name: value for name, value in values.items() if name != "stratified"}
        page = FullSearch(**self.pick("n_inner_splits", "n_networks", "target", "seed"), **settings)
        subsets = {sample: list(part["subset"]) for sample, part in rows.groupby("dataset")}
        return accuracies(
            samples,
            subsets,
            n_splits=n_splits,
            stratified=values.get("stratified", True),
            **page.classification,
            **page.pick("target", "seed"),
        ).rename(columns={"sample": "dataset"})

    def expected(self):
        """Table ``expected``."""
        samples = {name: dataset for name, dataset in samples_of(self.dataset).items() if name in ("LIVER", "PIMA")}
        rows = usable(rows_of(FULL_SEARCH_TABLES))
        columns = ["dataset", "subset", "classifier", "metric"]
        if not samples:
            return pd.DataFrame(columns=[*columns, "value", "sd", "n"])
        measured = self.classified(samples, rows[rows["classifier"] == "kNN"], self.n_expected)
        return printed.single_network_spreads(measured)[[*columns, "value", "sd", "n"]]

    def support(self):
        """Table ``support``."""
        rows = usable(rows_of(["7.7", "7.13"]))
        rows = rows[rows["subset"].str.contains("0")].drop_duplicates(["dataset", "subset"])
        samples = samples_of(self.dataset, ["WDBC1", "WDBC2", "WDBC"])
        tables = []
        for reading in INFORMATION:
            page = FullSearch(**self.pick("n_splits", "target", "seed"), **READINGS[reading])
            found = prefixes(samples, **page.pick("alpha", "mode", "bandwidth", "n_splits", "target", "seed"))
            share = found.groupby(["sample", "subset"]).size() / self.n_splits
            wanted = pd.MultiIndex.from_frame(rows.loc[rows["dataset"].isin(samples), ["dataset", "subset"]])
            shares = (
                share.reindex(wanted, fill_value=0.0).rename_axis(["sample", "subset"]).rename("share").reset_index()
            )
            counts = found.groupby("sample")["subset"].nunique().rename("count").reset_index().assign(subset="")
            tables.append(pd.concat([shares, counts], ignore_index=True).assign(reading=reading))
        return pd.concat(tables, ignore_index=True)[["reading", "sample", "subset", "share", "count"]]


def agreement(pages):
    """Table ``agreement`` of `Readings`.

    Parameters
    ----------
    pages : dict of str to dict
        Tables by reading.

    Returns
    -------
    DataFrame
    """
    rows = []
    for reading, tables in pages.items():
        for table, found in printed.comparisons(tables).items():
            comparable = found["agrees"].notna()
            agree = int(found.loc[comparable, "agrees"].astype(bool).sum())
            what = {"reading": reading, "table": table, "comparable": int(comparable.sum()), "agree": agree}
            rows.append({**what, "chosen_on": table in CHOSEN_ON})
    return pd.DataFrame(rows)


def verdicts(pages):
    """Table ``verdicts`` of `Readings`; ``pages`` as in `agreement`."""
    rows = [
        {"reading": reading, "claim": claim, "answer": verdict.answer, "evidence": verdict.evidence}
        for reading, tables in pages.items()
        for claim, verdict in claims_needing("nel1998", tables).items()
    ]
    return pd.DataFrame(rows, columns=["reading", "claim", "answer", "evidence"])
