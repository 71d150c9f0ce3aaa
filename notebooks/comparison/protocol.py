"""The protocol: every contestant selects on the training part of the same splits, and three classifiers judge it."""

import ctypes
import threading
import time
import warnings
from contextlib import contextmanager, suppress
from functools import cache, lru_cache, partial

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import balanced_accuracy_score
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.svm import SVC

from comparison.contestant import OWN, contestants
from comparison.fields import generated_field, observed_field
from compendium.units import seed_for
from fscore.lvq.generalized import area

CLASSIFIERS = ("3-NN", "RBF-SVM", "random forest")


class OverTimeError(BaseException):
    """The processor time of a fit is spent. Not an Exception, so that no library takes it for a failed fold."""


def thread_clock():
    """A clock of this thread's processor time that any thread can read; the process's where threads have none."""
    if not hasattr(time, "pthread_getcpuclockid"):
        return time.process_time
    return partial(time.clock_gettime, time.pthread_getcpuclockid(threading.get_ident()))


@contextmanager
def time_limit(seconds):
    """Interrupt the block with `OverTimeError` after some seconds of its thread's processor time.

    Works in every thread, hence also in those of a cluster's workers. A compiled call is interrupted when it returns.
    """
    thread, clock, done = ctypes.c_ulong(threading.get_ident()), thread_clock(), threading.Event()
    end = clock() + seconds

    def watch():
        while not done.wait(0.02):
            if clock() > end:
                ctypes.pythonapi.PyThreadState_SetAsyncExc(thread, ctypes.py_object(OverTimeError))
                done.wait(1.0)  # again each second, in case a library swallowed it

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        # An exception that was sent while the block was ending is raised in here: it must not reach later code. To take
        # it back by sending None would leave the interpreter looking for it at every step.
        while True:
            with suppress(OverTimeError):
                done.set()
                watcher.join()
                break


def field_of(unit, max_samples, seed):
    """The field of a unit.

    Parameters
    ----------
    unit : dict
        ``{"known": text}``, or ``{"dataset": name, "target": label column, "planted": what}``.
    max_samples, seed : int

    Returns
    -------
    comparison.fields.Field
    """
    if "known" in unit:
        return generated_field(unit["known"], seed)
    return observed_field(unit["dataset"], unit["target"], unit["planted"], max_samples, seed)


def splits(field, n_splits, repeat, seed):
    """The (train, test) splits that all contestants share: stratified, groups kept together, equal for one data set."""
    folds = StratifiedKFold if field.groups is None else StratifiedGroupKFold
    folds = folds(n_splits, shuffle=True, random_state=seed_for(seed, "split", field.origin, repeat))
    return list(folds.split(field.X, field.y, field.groups))


def _parts(field, split, n_splits, seed):
    """Training and test part of a split, counted over repetitions."""
    repeat, fold = divmod(split, n_splits)
    return splits(field, n_splits, repeat, seed)[fold]


def sizes_of(sizes, n_features):
    """Numbers of features to select, by label.

    Parameters
    ----------
    sizes : sequence of str
        Numbers, or "sqrt" for the root of the number of features. Sizes that would select every feature are left out,
        unless all would: then the root remains.
    n_features : int

    Returns
    -------
    dict of str to int
    """
    root = round(np.sqrt(n_features))
    wanted = {size: root if size == "sqrt" else int(size) for size in sizes}
    return {size: k for size, k in wanted.items() if k < n_features} or {"sqrt": root}


def classifiers(n_trees, seed):
    """The final classifiers by name."""
    models = KNeighborsClassifier(3), SVC(random_state=seed), RandomForestClassifier(n_trees, random_state=seed)
    return dict(zip(CLASSIFIERS, models, strict=True))


def compete(key, version, split, sizes, max_samples, n_splits, n_trees, limit, seed, **field_unit):
    """One contestant on one split of one field.

    Parameters
    ----------
    key : str
        That of the contestant.
    version : int
        The contestant's, so that cached units of a changed one are not used.
    split : int
        Number of the split, counted over repetitions.
    sizes : tuple of str
        As in `sizes_of`.
    max_samples, n_splits, n_trees, seed : int
    limit : float
        Seconds of processor time for the selection.
    **field_unit
        As in `field_of`.

    Returns
    -------
    list of dict
        One row for each size: field, contestant, split, size, status ("done", "time limit" or "failed"), reason, chosen
        (indices of the columns), seconds, evaluations, balanced accuracy of each classifier, and auc (their mean).
    """
    field = field_of(field_unit, max_samples, seed)
    _, player = contestants()[key]
    train, _ = _parts(field, split, n_splits, seed)
    what = {"field": field.name, "contestant": player.name, "split": split}
    (A,) = standardized(field.X[train])
    wanted = {} if player.own_size else sizes_of(sizes, A.shape[1])
    subsets, told = select(player, A, field.y[train], wanted, limit, seed_for(seed, field.name, player.name, split))
    if len(missing := np.setdiff1d(field.y, field.y[train])):
        subsets = dict.fromkeys(subsets)
        told |= {"status": "failed", "reason": f"the training part has no sample of class {missing[0]}"}
    rows = []
    for size, chosen in subsets.items():
        scores = {} if chosen is None else _judged(field, split, n_splits, n_trees, seed, chosen)
        rows.append({**what, "size": size, **told, "chosen": chosen, **scores})
    return rows


@lru_cache(maxsize=2000)
def _judged(field, split, n_splits, n_trees, seed, chosen):
    """What the classifiers make of some columns; contestants that choose the same ones share it."""
    train, test = _parts(field, split, n_splits, seed)
    A, B = standardized(field.X[train], field.X[test])
    models = classifiers(n_trees, seed_for(seed, "classifiers", field.name, split))
    return judge(models, A[:, chosen], field.y[train], B[:, chosen], field.y[test])


def standardized(train, *others):
    """Samples with mean 0 and variance 1 in the training part; columns constant there are zero everywhere."""
    shift, unit = train.mean(axis=0), train.std(axis=0)
    varying = unit > 1e-12 * np.maximum(np.abs(train).max(axis=0), 1e-300)
    return [np.where(varying, (Z - shift) / np.where(varying, unit, 1.0), 0.0) for Z in (train, *others)]


def select(player, X, y, wanted, limit, seed):
    """Let a contestant select on a training part.

    Returns
    -------
    subsets : dict of str to tuple of int, or None
        The sorted indices of the chosen columns by label of size; None where there is no answer.
    told : dict
        status, reason, seconds (of processor time) and evaluations (of the criterion).
    """
    _warm_up(player)
    labels = list(wanted) or [OWN]
    told = {"status": "done", "reason": "", "seconds": np.nan, "evaluations": np.nan}
    clock = thread_clock()
    start = clock()
    try:
        with warnings.catch_warnings(), time_limit(limit):
            warnings.simplefilter("ignore")
            by_size, told["evaluations"] = player.choose(X, y, sorted(set(wanted.values())), seed)
        subsets = {label: _checked(by_size[wanted.get(label, OWN)], wanted.get(label), X.shape[1]) for label in labels}
    except OverTimeError:
        subsets = {}
    except Exception as error:
        subsets = {}
        told |= {"status": "failed", "reason": f"{type(error).__name__}: {error}"[:200]}
    told["seconds"] = clock() - start
    if told["status"] == "done" and (not subsets or told["seconds"] > limit):
        told |= {"status": "time limit", "reason": f"no answer within {limit:g} s of processor time"}
        subsets = {}
    return {label: subsets.get(label) for label in labels}, told


def _checked(chosen, size, n_features):
    """The chosen columns as a sorted tuple; a ValueError if they are not a subset of the size asked for."""
    chosen = tuple(sorted(int(j) for j in chosen))
    if len(set(chosen)) != len(chosen) or not all(0 <= j < n_features for j in chosen):
        raise ValueError(f"the columns {chosen} are not a subset of the {n_features} there are")
    if size is not None and len(chosen) != size:
        raise ValueError(f"{len(chosen)} features were selected instead of {size}")
    return chosen


@cache
def _warm_up(player):
    """Load compiled code before the first fit that is timed."""
    rng = np.random.default_rng(0)
    y = np.arange(24) % 2
    X = rng.standard_normal((24, 5)) + y[:, None]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            player.choose(X, y, [] if player.own_size else [2], 0)
        except Exception:
            return  # a contestant that fails tells its reason in its rows


def judge(models, A, a, B, b):
    """Balanced accuracy of each classifier, and the mean of their areas under the curve.

    Parameters
    ----------
    models : dict of str to classifier
    A, B : ndarray of shape (n_train, n_chosen), (n_test, n_chosen)
    a, b : ndarray
        Classes 0, 1, ..., all of which are in ``a``.

    Returns
    -------
    dict of str to float
        One entry for each classifier, and "auc": of more than two classes, the mean over each against the rest.
        Without features, the most frequent class is predicted.
    """
    classes = np.unique(b)
    if A.shape[1] == 0:
        guess = balanced_accuracy_score(b, np.full(len(b), np.bincount(a).argmax())) if len(classes) > 1 else 1.0
        return {**dict.fromkeys(models, guess), "auc": 0.5}
    measured, areas = {}, []
    for name, model in models.items():
        model.fit(A, a)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # classes that only the training part has
            measured[name] = balanced_accuracy_score(b, model.predict(B))
        scores = model.decision_function(B) if hasattr(model, "decision_function") else model.predict_proba(B)
        if len(classes) > 1:
            areas.append(area(scores, b, model.classes_))
    return {**measured, "auc": float(np.mean(areas)) if areas else np.nan}
