"""Old names work, with a warning that says what to write instead, until a version removes them."""

import warnings

import pytest
from sklearn.base import BaseEstimator, clone

from fscore import stability
from fscore._deprecation import DEPRECATED, renamed_function, renamed_parameter

VERSIONS = {"since": "0.2", "removal": "0.3"}


class Model(BaseEstimator):
    """An estimator whose parameter ``n_iter`` is called ``max_iter`` now."""

    def __init__(self, max_iter=100, *, n_iter=DEPRECATED):
        self.max_iter = max_iter
        self.n_iter = n_iter

    def fit(self):
        self.used_ = renamed_parameter(
            self.n_iter, self.max_iter, names=("n_iter", "max_iter"), default=100, **VERSIONS
        )
        return self


def used_silently(model):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        return model.fit().used_


def test_the_new_name_gives_no_warning():
    assert used_silently(Model()) == 100
    assert used_silently(Model(5)) == 5
    assert used_silently(clone(Model(max_iter=7))) == 7


@pytest.mark.parametrize("value", [5, 100, None])
def test_the_old_name_works_and_warns(value):
    said = f"^n_iter is called max_iter since version 0.2, and 0.3 removes it; write max_iter={value}.$"
    with pytest.warns(FutureWarning, match=said) as caught:
        assert clone(Model(n_iter=value)).fit().used_ == value
    assert caught[0].filename == __file__


def test_both_names_are_refused():
    with pytest.raises(ValueError, match=r"^n_iter=5 and max_iter=6 are the same parameter; give max_iter"):
        Model(6, n_iter=5).fit()
    with pytest.raises(ValueError, match="the same parameter"):
        Model(None, n_iter=5).fit()


def test_a_function_under_its_old_name_works_and_warns():
    old = renamed_function(stability.average_tanimoto_index, "tanimoto", **VERSIONS)
    said = "^tanimoto is called average_tanimoto_index since version 0.2, and 0.3 removes it; write average_tani"
    with pytest.warns(FutureWarning, match=said) as caught:
        assert old([[1, 0], [1, 1]], both_empty=0.0) == 0.5
    assert caught[0].filename == __file__
    assert old.__name__ == "tanimoto"
    assert old.__doc__ == "Old name of `average_tanimoto_index`, which version 0.3 removes."
