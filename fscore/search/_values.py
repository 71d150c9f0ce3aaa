"""Values of subsets, computed once: criteria bound to the data, and the memory of what they valued."""

import math
import time
from dis import get_instructions
from operator import itemgetter
from pickle import PicklingError
from types import CodeType, FunctionType, ModuleType

import numpy as np
from joblib.hashing import NumpyHasher

from fscore.criteria._cv import CVScore
from fscore.criteria._scorers import scoring_name
from fscore.search._cache import SubsetCache
from fscore.search._candidates import Valuer

__all__ = ["BoundData", "CriterionValues"]

SECONDS = 0.2  # that a batch should take
GROWTH = 8  # a batch has at most so many times the subsets of the one before it
# whose code a name identifies
LIBRARIES = {"builtins", "fscore", "joblib", "numpy", "pandas", "polars", "scipy", "sklearn"}


class CriterionValues(Valuer):
    """Values of subsets of units under one bound criterion, remembered. The empty set of columns has the value -inf.

    Parameters
    ----------
    name : str
        The criterion's name, for messages and counts.
    bound : BoundCriterion
    space : SearchSpace
    known : dict or None
        Values by subset of columns, read and extended; None remembers nothing.
    save : callable, optional
        ``save(columns, values)`` is called with each computed batch.
    of_numbers : bool, default=False
        Whether the values are scores of a regression, for messages.

    Attributes
    ----------
    n_computed : int
        How many values were computed, rather than remembered.
    """

    def __init__(self, name, bound, space, known, save=None, *, of_numbers=False):
        self.name, self.bound, self.space, self.known, self.save = name, bound, space, known, save
        self.of_numbers = of_numbers
        self.n_computed = 0
        self._sizes = {}  # kind of batch -> number of subsets that should take SECONDS

    def batches(self, candidates):
        """See `Valuer.batches`. A batch takes about `SECONDS`, unless the candidates of a step share their work."""
        known = {} if self.known is None else self.known
        keys = self.space.all_columns(candidates.subsets)
        first = {}  # each unknown subset of columns -> the first position that has it
        for q, key in enumerate(keys):
            if key and key not in known and key not in first:
                first[key] = q
        unknown = list(first)
        n_shared = 0 if candidates.base is None else len(self.space.columns(candidates.base))
        done = lo = 0
        while lo < len(unknown):
            part = self._next_batch(unknown, lo, n_shared)
            self._compute(part, candidates.at([first[key] for key in part]), known)
            lo += len(part)
            stop = first[unknown[lo]] if lo < len(unknown) else len(keys)
            yield _look_up(known, keys[done:stop])
            done = stop
        if not unknown:
            yield _look_up(known, keys)

    def _next_batch(self, keys, lo, n_shared):
        most = self.bound.batch or len(keys)
        if self.bound.batch is None or (n_shared and self.bound.shares_work(n_shared)):
            return keys[lo : lo + most]
        single = len(keys[lo]) == 1  # single columns are often much faster to value
        size = min(most, max(self.bound.least, self._sizes.get(single, 1)))
        hi = lo + 1
        while hi < min(lo + size, len(keys)) and (len(keys[hi]) == 1) == single:
            hi += 1
        return keys[lo:hi]

    def _note_time(self, keys, seconds):
        """Adapt the size of the next batch of this kind."""
        single = len(keys[0]) == 1
        fitting = len(keys) * SECONDS / max(seconds, 1e-9)
        self._sizes[single] = int(min(fitting, max(GROWTH * len(keys), self._sizes.get(single, 1)))) or 1

    def _compute(self, keys, candidates, known):
        begin = time.perf_counter()
        if candidates.base is None:
            values = self.bound.values(keys)
        else:
            base = self.space.columns(candidates.base)
            tuples = [self.space.columns_of(t) for t in candidates.tuples]
            values = (self.bound.add_values if candidates.adding else self.bound.remove_values)(base, tuples)
        self._note_time(keys, time.perf_counter() - begin)
        if np.isnan(values).any():
            raise self._undefined(keys, values)
        values = values.tolist()
        self.n_computed += len(keys)
        known.update(zip(keys, values, strict=True))
        if self.save is not None:
            self.save(keys, values)

    def _undefined(self, keys, values):
        """Every comparison with NaN is false, so a search would take NaN for the best value and never leave it."""
        columns = keys[int(np.argmax(np.isnan(values).reshape(len(keys), -1).any(axis=1)))]
        if self.of_numbers:
            example = (
                "R2, for example, needs two samples in every test fold: use fewer folds, or neg_mean_squared_error; "
                "scale numbers so large that scores overflow"
            )
        else:
            example = "roc_auc, for example, needs both classes in every test fold"
        return ValueError(
            f"{self.name} is NaN for the columns {columns}; its value must be defined for every subset ({example}; use "
            "-inf for a subset to be avoided)."
        )


def _scores_numbers(criterion):
    """Whether a criterion is the score of a regressor, or a classifier's R2."""
    if not isinstance(criterion, CVScore):
        return False
    return not criterion.needs_classes or scoring_name(criterion.compared_scoring, ("r2",)) == "r2"


def _look_up(known, keys):
    found = np.array([known[key] for key in keys if key])
    if len(found) == len(keys):
        return found
    values = np.full((len(keys), *found.shape[1:]), -math.inf)
    values[[bool(key) for key in keys]] = found
    return values


class BoundData:
    """The data of a search. Criteria are bound to it, and their values kept in its cache.

    Parameters
    ----------
    X, y : the data
    space : SearchSpace
    n_jobs : int, optional
    params : dict of dict, optional
        Metadata for estimator, splitter and scorer.
    cache : bool or SubsetCache, default=True
        Where values are kept: for this search, or in a cache that outlives it. False keeps nothing.
    """

    def __init__(self, X, y, space, *, n_jobs=None, params=None, cache=True):
        self.X, self.y, self.space, self.n_jobs, self.params, self.cache = X, y, space, n_jobs, params or {}, cache
        self._bound = []
        self._digest = None

    @property
    def is_shared(self):
        """Whether the cache outlives the search."""
        return isinstance(self.cache, SubsetCache)

    def values_of(self, criterion):
        """Bind a criterion to the data; None if it is a panel that cannot be bound."""
        bound = criterion.bind(self.X, self.y, n_jobs=self.n_jobs, params=self.params)
        if bound is None:
            return None
        known = save = None
        if self.is_shared:
            key = self._key(criterion, bound)
            known = self.cache.store(key)

            def save(columns, values):
                self.cache.write(key, columns, values)

        elif self.cache:
            known = {}
        name = type(criterion).__name__
        values = CriterionValues(name, bound, self.space, known, save, of_numbers=_scores_numbers(criterion))
        self._bound.append(values)
        return values

    def _key(self, criterion, bound):
        """What a remembered value belongs to: criterion, folds and data."""
        try:
            if self._digest is None:
                self._digest = _fingerprint((self.X, self.y))
            return _fingerprint((criterion.identity(), getattr(bound, "context", None), self._digest))
        except (PicklingError, TypeError, AttributeError) as error:
            raise ValueError(
                f"{type(criterion).__name__} cannot be identified in a shared cache or checkpoint, because a part of "
                f"it cannot be pickled ({error.args[0] if error.args else error}); define functions at module level, "
                "or do without cache and checkpoint."
            ) from error

    def forget(self):
        """Stop remembering values."""
        for values in self._bound:
            values.known = None

    def counts(self):
        """``(name, n_computed)`` of each bound criterion."""
        return [(values.name, values.n_computed) for values in self._bound]

    def open(self):
        """Open the file of a shared cache, if it has one."""
        if self.is_shared:
            self.cache.open()

    def close(self):
        """Shut down workers and close files."""
        for values in self._bound:
            values.bound.close()
        if self.is_shared:
            self.cache.close()


def _fingerprint(obj):
    """The hash of ``joblib.hash``, which depends on the user's code, too, and on the global values that it uses."""
    return _CodeHasher(hash_name="md5").hash(obj)


class _CodeHasher(NumpyHasher):
    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self._described = set()

    def save(self, obj):
        """Feed an object into the hash; functions and classes by their code, of which joblib takes the names only."""
        self._describe(obj)
        super().save(obj)

    def _describe(self, obj):
        """Feed what a function or class of the user does."""
        if not isinstance(obj, FunctionType | type) or not _is_users(obj) or id(obj) in self._described:
            return
        self._described.add(id(obj))
        if isinstance(obj, type):
            for cls in filter(_is_users, obj.__mro__):
                self._save_parts(_members(cls))
        else:
            super().save((_instructions(obj.__code__), obj.__defaults__, obj.__kwdefaults__))
            self._save_parts((name, obj.__globals__.get(name)) for name in _global_names(obj.__code__))
            self._save_parts((str(k), cell.cell_contents) for k, cell in enumerate(obj.__closure__ or ()))

    def _save_parts(self, parts):
        """Feed named parts; functions not as objects to be found by their names, which those of a property aren't."""
        for name, part in sorted(parts, key=itemgetter(0)):
            super().save(name)
            if isinstance(part, FunctionType):
                super().save((part.__module__, part.__qualname__))
                self._describe(part)
            elif not isinstance(part, ModuleType):
                self.save(part)


def _is_users(obj):
    """Whether a function or class is not from a library whose code is known by its name."""
    return (getattr(obj, "__module__", None) or "builtins").partition(".")[0] not in LIBRARIES


def _members(cls):
    """Names and values of what a class body defines, descriptors by their functions."""
    for name, member in vars(cls).items():
        if isinstance(member, FunctionType):
            yield name, member
        elif isinstance(member, staticmethod | classmethod):
            yield name, member.__func__
        elif isinstance(member, property):
            yield name, member.fget
        elif not name.startswith(("__", "_abc_")) and not _is_request(name):
            yield name, member


def _is_request(name):
    """Whether scikit-learn made this attribute of a class, for metadata routing."""
    return name.startswith("set_") and name.endswith("_request")


def _global_names(code):
    """Names that a function, or one inside it, looks up among the globals."""
    names = {step.argval for step in get_instructions(code) if step.opname == "LOAD_GLOBAL"}
    return names.union(*(_global_names(c) for c in code.co_consts if isinstance(c, CodeType)))


def _instructions(code):
    """What a function does, without the places of its source."""
    constants = tuple(_instructions(c) if isinstance(c, CodeType) else c for c in code.co_consts)
    return code.co_code, code.co_names, code.co_varnames, constants
