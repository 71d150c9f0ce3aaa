"""Parses the verified files of registered data sets: one reader, and a table of the format of each."""

from dataclasses import dataclass, field

import numpy as np
import pandas as pd

from fscore._extras import extra

from .columns import label_array

__all__ = ["FORMATS", "Format", "read_parts"]


@dataclass
class _Content:
    """Content of one file; ``info`` holds the columns that are neither features nor labels."""

    data: np.ndarray
    target: np.ndarray | None
    names: list[str]
    info: dict = field(default_factory=dict)

    def take(self, rows):
        """Keep these rows only (indices or mask)."""
        info = {key: column[rows] for key, column in self.info.items()}
        return _Content(self.data[rows], self.target[rows], self.names, info)


@dataclass(frozen=True)
class Format:
    """How to read the files of one data set: separator, lines before the data, and the meaning of the columns.

    ``label``, ``drop`` and ``info`` hold positions among all columns. ``names`` are the names of the features in order;
    by default those in the line ``header``, counted from 0, or f1, f2, ... without one.
    """

    sep: str = ","
    header: int | None = None
    label: int | None = -1
    drop: tuple[int, ...] = ()
    info: dict = field(default_factory=dict)
    names: str = ""


def _read(path, form):
    """Read a text or R data file: features as float64 with "?" as NaN, labels as int64 or str."""
    if path.suffix == ".RData":
        return _read_rdata(path)
    frame = pd.read_csv(
        path,
        sep=form.sep,
        header=None,
        skiprows=0 if form.header is None else form.header + 1,
        skip_blank_lines=True,
        na_values="?",
        keep_default_na=False,
    )
    columns = list(range(frame.shape[1]))
    label = None if form.label is None else columns[form.label]
    features = [c for c in columns if c != label and c not in form.drop and c not in form.info.values()]
    names = form.names.split()
    if not names and form.header is not None:
        header = path.read_text().splitlines()[form.header].strip().split(form.sep)
        unnamed = len(columns) - len(header)  # segmentation's header omits the first column, the label
        names = [header[c - unnamed] for c in features]
    return _Content(
        data=np.ascontiguousarray(frame.iloc[:, features].to_numpy(dtype=np.float64)),
        target=None if label is None else label_array(frame.iloc[:, label]),
        names=names or [f"f{k}" for k in range(1, len(features) + 1)],
        info={key: frame.iloc[:, column].to_numpy() for key, column in form.info.items()},
    )


def _read_rdata(path):
    """Read x (samples x genes) and y (factor) from the list that has the name of the file."""
    with extra("data", f"Reading {path.name}"):
        import rdata

    content = rdata.read_rda(path, default_encoding="utf-8")[path.stem]
    x, y = content["x"], np.asarray(content["y"]).astype(str)
    if hasattr(x, "columns"):  # a data frame; otherwise a labelled or plain matrix
        rows, names = x.index, x.columns
    else:
        rows, names = (x.coords.get(dim) for dim in x.dims)
    data = np.ascontiguousarray(x, dtype=np.float64)
    if names is None:
        names = [f"f{k}" for k in range(1, data.shape[1] + 1)]
    info = {} if rows is None else {"row": np.asarray(rows).astype(str)}
    return _Content(data, y, [str(name) for name in np.asarray(names)], info)


_CELL = "radius texture perimeter area smoothness compactness concavity concave_points symmetry fractal_dimension"
_NUCLEUS = " ".join(f"{kind}_{name}" for kind in ("mean", "error", "worst") for name in _CELL.split())
_BLANKS = r"\s+"

_HOUSING = Format(sep=_BLANKS, names="CRIM ZN INDUS CHAS NOX RM AGE DIS RAD TAX PTRATIO B LSTAT")
_MUSK = Format(info={"groups": 0, "conformation": 1})
_DERMATOLOGY = Format(
    names="erythema scaling definite_borders itching koebner_phenomenon polygonal_papules follicular_papules "
    "oral_mucosal_involvement knee_and_elbow_involvement scalp_involvement family_history melanin_incontinence "
    "eosinophils_in_infiltrate pnl_infiltrate papillary_dermis_fibrosis exocytosis acanthosis hyperkeratosis "
    "parakeratosis rete_ridges_clubbing rete_ridges_elongation suprapapillary_epidermis_thinning spongiform_pustule "
    "munro_microabcess focal_hypergranulosis granular_layer_disappearance basal_layer_vacuolisation spongiosis "
    "retes_saw_tooth_appearance follicular_horn_plug perifollicular_parakeratosis mononuclear_infiltrate "
    "band_like_infiltrate age",
)

FORMATS = {
    "bupa": Format(names="mcv alkphos sgpt sgot gammagt drinks"),
    "dermatology": _DERMATOLOGY,
    "dermatology_358": _DERMATOLOGY,
    "house": _HOUSING,
    "house_10_20_30_40": _HOUSING,
    "house_equal_widths": _HOUSING,
    "housing": _HOUSING,
    "iris_uci": Format(names="sepal_length sepal_width petal_length petal_width"),
    "madelon": Format(sep=_BLANKS, label=None),
    "musk1": _MUSK,
    "musk2": _MUSK,
    "parkinsons": Format(header=0, label=17, info={"groups": 0}),
    "pima": Format(names="pregnancies glucose pressure skin insulin bmi pedigree age"),
    "satimage": Format(sep=_BLANKS),
    "seeds": Format(sep=_BLANKS, names="area perimeter compactness kernel_length kernel_width asymmetry groove_length"),
    "segment": Format(sep=_BLANKS),
    "segment_image": Format(header=3, label=0),
    "spectf": Format(label=0),
    "vowel": Format(sep=_BLANKS, info={"test": 0, "groups": 1, "sex": 2}),
    "wdbc_uci": Format(label=1, drop=(0,), names=_NUCLEUS),
    "wine_uci": Format(
        label=0,
        names="alcohol malic_acid ash alcalinity_of_ash magnesium total_phenols flavanoids nonflavanoid_phenols "
        "proanthocyanins color_intensity hue od280/od315_of_diluted_wines proline",
    ),
    "wpbc": Format(label=1, drop=(0,), names=f"time {_NUCLEUS} tumor_size lymph_nodes"),
    "wpbc_31": Format(label=1, drop=(0, 2, 34), names=f"{_NUCLEUS} tumor_size"),
}


# Changes to single data sets that a format cannot express. Each function takes the joined table and returns it changed.


def _price_classes(boundaries):
    """Five classes of the price; ``boundaries(price)`` gives the four limits, which belong to the class above."""

    def cut(table):
        table.target = np.searchsorted(boundaries(table.target), table.target, side="right")
        return table

    return cut


def _part_where(table, train):
    table.info["part"] = np.where(train, "train", "test")
    return table


def _persons(table):
    table.info["groups"] = np.array([name.rpartition("_")[0] for name in table.info["groups"]])  # phon_R01_S01_1
    return table


_SPECIAL = {
    "dermatology_358": lambda table: table.take(~np.isnan(table.data).any(axis=1)),
    "golub": lambda table: _part_where(table, table.info["row"].astype(int) <= 38),
    "house": _price_classes(lambda price: np.quantile(price, [0.2, 0.4, 0.6, 0.8])),
    "house_10_20_30_40": _price_classes(lambda price: [10, 20, 30, 40]),
    "house_equal_widths": _price_classes(lambda price: np.linspace(price.min(), price.max(), 6)[1:-1]),
    "ionosphere": lambda table: _part_where(table, np.arange(len(table.target)) < 200),
    "opt38": lambda table: table.take(np.isin(table.target, [3, 8])),
    "parkinsons": _persons,
    "vowel": lambda table: _part_where(table, table.info["test"] == 0),
    "waveform_pair": lambda table: table.take(np.isin(table.target, [0, 1])),
}


def read_parts(dataset, paths):
    """Read and join the files of a data set.

    Parameters
    ----------
    dataset : Dataset
    paths : list of Path
        Of its files, in the registry's order.

    Returns
    -------
    dict
        data, target, feature_names, split and groups, as `fscore.datasets.load` describes them.
    """
    form = FORMATS.get(dataset.name, Format())
    tables = []
    for file, path in zip(dataset.files, paths, strict=True):
        if file.part.endswith("labels"):  # of the features in the preceding file
            tables[-1].target = np.loadtxt(path, dtype=np.int64)
        else:
            tables.append(_read(path, form))
            tables[-1].info["part"] = np.full(len(tables[-1].data), file.part)
    table = _Content(
        data=np.concatenate([t.data for t in tables]),
        target=np.concatenate([t.target for t in tables]),
        names=tables[0].names,
        info={key: np.concatenate([t.info[key] for t in tables]) for key in tables[0].info},
    )
    if dataset.name in _SPECIAL:
        table = _SPECIAL[dataset.name](table)
    return {
        "data": table.data,
        "target": table.target,
        "feature_names": table.names,
        "split": _split(table.info["part"]),
        "groups": table.info.get("groups"),
    }


def _split(part):
    from sklearn.utils import Bunch

    if not (part == "test").any():
        return None
    return Bunch(train=np.flatnonzero(part == "train"), test=np.flatnonzero(part == "test"))
