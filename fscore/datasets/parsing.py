"""Parses the verified files of registered data sets: one reader, and a table of the format of each."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace

import numpy as np
import pandas as pd
from sklearn.utils import Bunch

from fscore._extras import extra

from .columns import label_array

__all__ = ["FORMATS", "read_files"]

_ROLES = ["target", "part", "groups", "test"]  # names of columns that are not features


@dataclass(frozen=True)
class Format:
    """How to read the files of one data set: separator, lines before the data, and the meaning of the columns.

    ``label``, ``drop`` and ``info`` hold positions among all columns. ``names`` are the names of the features in order;
    by default those in the line ``header``, counted from 0, or f1, f2, ... without one. ``change`` does what the rest
    can't express: it takes the table of all parts and returns it changed.
    """

    sep: str = ","
    header: int | None = None
    label: int | None = -1
    drop: tuple[int, ...] = ()
    info: dict[str, int] = field(default_factory=dict)
    names: str = ""
    change: Callable[[pd.DataFrame], pd.DataFrame] = lambda table: table


def _read_file(path, form):
    """Read a text or R data file: a table of features, with "?" as NaN, and of `_ROLES`."""
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
    ).copy()  # in one block; pandas warns of adding to hundreds of columns that are apart
    roles = dict(form.info) if form.label is None else {**form.info, "target": frame.columns[form.label]}
    features = frame.drop(columns=[*form.drop, *roles.values()])
    names = form.names.split()
    if not names and form.header is not None:
        header = path.read_text().splitlines()[form.header].strip().split(form.sep)
        unnamed = frame.shape[1] - len(header)  # segmentation's header omits the first column, the label
        names = [header[column - unnamed] for column in features]
    return _named(features, names).assign(**{role: frame[column] for role, column in roles.items()})


def _read_rdata(path):
    """Read x (samples x genes) and y (factor) from the list that has the name of the file."""
    with extra("data", f"Reading {path.name}"):
        import rdata

    content = rdata.read_rda(path, default_encoding="utf-8")[path.stem]
    frame = content["x"]
    if not isinstance(frame, pd.DataFrame):
        frame = frame.to_pandas()  # a labeled or plain matrix
    names = [] if isinstance(frame.columns, pd.RangeIndex) else [str(name) for name in frame]
    return _named(frame, names).assign(target=np.asarray(content["y"]).astype(str))


def _named(features, names):
    return features.set_axis(names or [f"f{k}" for k in range(1, features.shape[1] + 1)], axis=1)


def _price_classes(boundaries):
    """Five classes of the price; ``boundaries(price)`` gives the four limits, which belong to the class above."""
    return lambda table: table.assign(
        target=np.searchsorted(boundaries(table["target"]), table["target"], side="right")
    )


def _part_where(is_train):
    return lambda table: table.assign(part=np.where(is_train(table), "train", "test"))


def _classes(*labels):
    return lambda table: table[table["target"].isin(labels)]


_CELL = "radius texture perimeter area smoothness compactness concavity concave_points symmetry fractal_dimension"
_NUCLEUS = " ".join(f"{kind}_{name}" for kind in ("mean", "error", "worst") for name in _CELL.split())
_BLANKS = r"\s+"

_HOUSING = Format(sep=_BLANKS, names="CRIM ZN INDUS CHAS NOX RM AGE DIS RAD TAX PTRATIO B LSTAT")
_MUSK = Format(drop=(1,), info={"groups": 0})
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
    "dermatology_358": replace(_DERMATOLOGY, change=pd.DataFrame.dropna),
    "golub": Format(change=_part_where(lambda table: table.index.astype(int) <= 38)),
    "house": replace(_HOUSING, change=_price_classes(lambda price: np.quantile(price, [0.2, 0.4, 0.6, 0.8]))),
    "house_10_20_30_40": replace(_HOUSING, change=_price_classes(lambda price: [10, 20, 30, 40])),
    "house_equal_widths": replace(
        _HOUSING, change=_price_classes(lambda price: np.linspace(price.min(), price.max(), 6)[1:-1])
    ),
    "housing": _HOUSING,
    "ionosphere": Format(change=_part_where(lambda table: np.arange(len(table)) < 200)),
    "iris_uci": Format(names="sepal_length sepal_width petal_length petal_width"),
    "madelon": Format(sep=_BLANKS, label=None),
    "musk1": _MUSK,
    "musk2": _MUSK,
    "opt38": Format(change=_classes(3, 8)),
    "parkinsons": Format(
        header=0,
        label=17,
        info={"groups": 0},  # phon_R01_S01_1, of which the last number counts the recordings of a person
        change=lambda table: table.assign(groups=table["groups"].str.rpartition("_")[0]),
    ),
    "pima": Format(names="pregnancies glucose pressure skin insulin bmi pedigree age"),
    "satimage": Format(sep=_BLANKS),
    "seeds": Format(sep=_BLANKS, names="area perimeter compactness kernel_length kernel_width asymmetry groove_length"),
    "segment": Format(sep=_BLANKS),
    "segment_image": Format(header=3, label=0),
    "spectf": Format(label=0),
    "vowel": Format(
        sep=_BLANKS,
        drop=(2,),
        info={"test": 0, "groups": 1},
        change=_part_where(lambda table: table["test"] == 0),
    ),
    "waveform_pair": Format(change=_classes(0, 1)),
    "wdbc_uci": Format(label=1, drop=(0,), names=_NUCLEUS),
    "wine_uci": Format(
        label=0,
        names="alcohol malic_acid ash alcalinity_of_ash magnesium total_phenols flavanoids nonflavanoid_phenols "
        "proanthocyanins color_intensity hue od280/od315_of_diluted_wines proline",
    ),
    "wpbc": Format(label=1, drop=(0,), names=f"time {_NUCLEUS} tumor_size lymph_nodes"),
    "wpbc_31": Format(label=1, drop=(0, 2, 34), names=f"{_NUCLEUS} tumor_size"),
}


def read_files(dataset, paths):
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
            tables[-1]["target"] = np.loadtxt(path, dtype=np.int64)
        else:
            tables.append(_read_file(path, form).assign(part=file.part))
    table = form.change(pd.concat(tables))
    features, part = table.drop(columns=_ROLES, errors="ignore"), table["part"]
    return {
        "data": features.to_numpy(dtype=np.float64),
        "target": label_array(table["target"]),
        "feature_names": list(features),
        "split": Bunch(train=np.flatnonzero(part == "train"), test=np.flatnonzero(part == "test"))
        if (part == "test").any()
        else None,
        "groups": label_array(table["groups"]) if "groups" in table else None,
    }
