"""RANN, a network with random first-layer weights: only the output layer is fitted, by linear least squares."""

from dataclasses import KW_ONLY
from functools import cache
from numbers import Integral, Real
from typing import ClassVar, Literal, Self

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.utils import check_random_state
from threadpoolctl import ThreadpoolController

from fscore._magnitudes import check_scale
from fscore._sklearn import Interval, StrOptions, estimator_dataclass, fit_context
from fscore._splits import check_splits
from fscore._typing import ArrayLike, Floats, Seed, Splits
from fscore._validation import check_labeled, check_new_samples
from fscore.neural._layers import (
    hidden_outputs,
    hidden_weights,
    largest_input,
    output_weights,
    predict_truncations,
    signed_targets,
    winners,
)

__all__ = ["RANNClassifier", "RANNClassifierCV"]

_libraries = cache(ThreadpoolController)  # looking for them takes as long as ten small networks


@estimator_dataclass
class _RANN(ClassifierMixin, BaseEstimator):
    """The network, and what its number of hidden neurons does not change."""

    _: KW_ONLY
    weights: Literal["sobol", "random"] = "sobol"
    scale: float = 1.0
    output_bias: bool = False
    tol: float = 1e-8
    random_state: Seed = None

    _parameter_constraints: ClassVar[dict] = {
        "weights": [StrOptions({"sobol", "random"})],
        "scale": [Interval(Real, 0, None, closed="neither")],
        "output_bias": ["boolean"],
        "tol": [Interval(Real, 0, 1, closed="left")],
        "random_state": ["random_state"],
    }

    def _labeled(self, X, y):
        X, codes, self.classes_ = check_labeled(X, y, estimator=self)
        check_scale(X, self, ranges=None, largest=largest_input(self.scale))
        return X, codes

    def _fit_network(self, X, codes, n_hidden):
        self.hidden_weights_ = hidden_weights(X.shape[1], n_hidden, self.weights, self.scale, self.random_state)
        O = hidden_outputs(X, self.hidden_weights_, self.output_bias)
        self.output_weights_, kept = output_weights(O, signed_targets(codes, len(self.classes_)), self.tol)
        self.n_dependent_ = int(np.sum(~kept))
        return self

    def decision_function(self, X: ArrayLike) -> Floats:
        """Output of the network.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,) for two classes, otherwise (n_samples, n_classes)
        """
        outputs = self._outputs(X)
        return outputs[:, 0] if len(self.classes_) == 2 else outputs

    def predict(self, X: ArrayLike) -> np.ndarray:
        """Class of each sample.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        ndarray of shape (n_samples,)
        """
        codes = winners(self._outputs(X))
        return self.classes_[codes]

    def _outputs(self, X):
        X = check_new_samples(self, X)
        check_scale(X, self, ranges=None, largest=largest_input(self.scale))
        return hidden_outputs(X, self.hidden_weights_, self.output_bias) @ self.output_weights_


@estimator_dataclass
class RANNClassifier(_RANN):
    """Random artificial neural network: tanh neurons with fixed random weights and a linear output layer.

    1. Draw the first-layer weights W, with an additional row for the bias input.
    2. ``O = tanh([X 1] W)`` (equations 6.1 and 6.2).
    3. Find output weights V by least squares, ``O V = Y`` with Y = +-1 (equations 6.3 and 6.4, transposed to conform).
    4. Predict the class by the sign of the output, or with several classes by the largest output. Of outputs that are
       equal to within 1e-9 (not stated in the thesis), the lower class has the larger.

    Parameters
    ----------
    n_hidden : int, default=20
        Number of hidden neurons H.
    weights : {"sobol", "random"}, default="sobol"
        Quasi-random (scrambled Sobol) or independent first-layer weights. The thesis says "random or quasi-random".
    scale : float, default=1.0
        The weights are uniform on [-scale, scale]. Not stated in the thesis.
    output_bias : bool, default=False
        Whether the output layer has a bias. Equation 6.3 has none.
    tol : float, default=1e-8
        A neuron whose outputs on the training sample depend linearly on those of earlier neurons, to within ``tol``,
        has weight zero. With few features this concerns many neurons; their weights would be huge, cancel each other
        and generalize badly.
    random_state : int, RandomState instance or None, default=None

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    hidden_weights_ : ndarray of shape (n_features + 1, n_hidden)
        The last row belongs to the bias input.
    output_weights_ : ndarray of shape (n_hidden, n_outputs)
        With ``output_bias`` there is an additional first row. One output for two classes, otherwise one per class.
    n_dependent_ : int
        Number of neurons with weight zero.
    n_features_in_ : int
    feature_names_in_ : ndarray of shape (n_features,)

    Notes
    -----
    Scale the inputs, because neurons saturate on large values. The thesis scales every feature to [-1, 1].

    References
    ----------
    Nel (1998), chapter 6; Anderson, Gaborski, Ge, Raghavendra, Lung, "Using quasirandom numbers in neural networks".

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import MinMaxScaler
    >>> from fscore.neural import RANNClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> rann = make_pipeline(MinMaxScaler((-1, 1)), RANNClassifier(random_state=0)).fit(X, y)
    >>> bool(rann.score(X, y) > 0.95)
    True
    """

    n_hidden: int = 20

    _parameter_constraints: ClassVar[dict] = {"n_hidden": [Interval(Integral, 1, None, closed="left")]}

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Draw the hidden layer and fit the output layer.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)

        Returns
        -------
        self
        """
        X, codes = self._labeled(X, y)
        return self._fit_network(X, codes, self.n_hidden)


@estimator_dataclass
class RANNClassifierCV(_RANN):
    """RANN whose number of hidden neurons is chosen on repeated splits of the training sample.

    For every split a network of ``max_hidden`` neurons is drawn, and all its truncations to the first h neurons are
    fitted from one factorization. The size with the best mean accuracy is chosen, the smallest among equals, and a
    network of that size is fitted to the whole training sample.

    Parameters
    ----------
    min_hidden, max_hidden : int, default=5 and 50
        Range of the number of hidden neurons.
    cv : int, splitter, iterable or None, default=None
        None means 30 stratified random splits with two thirds for training and one third for testing. (The thesis: 30
        partitions into 2/3 and 1/3; it does not say whether they were stratified.)
    weights, scale, output_bias, tol, random_state
        As in `RANNClassifier`. ``random_state`` determines both splits and networks.

    Attributes
    ----------
    n_hidden_ : int
        The chosen number of neurons.
    sizes_ : ndarray of shape (n_sizes,)
    scores_ : ndarray of shape (n_splits, n_sizes)
        Accuracy on the test part.
    classes_, hidden_weights_, output_weights_, n_dependent_, n_features_in_, feature_names_in_
        As in `RANNClassifier`.

    References
    ----------
    Nel (1998), sections 7.2.1 and 7.3.1 (footnote 8: 30 partitions, 5 to 50 neurons).

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.preprocessing import minmax_scale
    >>> from fscore.neural import RANNClassifierCV
    >>> X, y = load_iris(return_X_y=True)
    >>> rann = RANNClassifierCV(random_state=0).fit(minmax_scale(X, (-1, 1)), y)
    >>> rann.scores_.shape, rann.output_weights_.shape == (rann.n_hidden_, 3)
    ((30, 46), True)
    """

    min_hidden: int = 5
    max_hidden: int = 50
    _: KW_ONLY
    cv: Splits | None = None

    _parameter_constraints: ClassVar[dict] = {
        "min_hidden": [Interval(Integral, 1, None, closed="left")],
        "max_hidden": [Interval(Integral, 1, None, closed="left")],
        "cv": ["cv_object"],
    }

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Choose the number of neurons, then fit the network of that size.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)

        Returns
        -------
        self
        """
        if self.min_hidden > self.max_hidden:
            raise ValueError(f"min_hidden={self.min_hidden} exceeds max_hidden={self.max_hidden}. Lower it.")
        X, codes = self._labeled(X, y)
        rng = check_random_state(self.random_state)
        cv = self.cv
        if cv is None:
            cv = StratifiedShuffleSplit(30, test_size=1 / 3, random_state=rng.randint(2**31))
        self.sizes_ = np.arange(self.min_hidden, self.max_hidden + 1)
        targets = signed_targets(codes, len(self.classes_))
        hits, tested = [], []
        # numpy and scipy have separate threads for linear algebra. If small matrices alternate between them, the idle
        # threads of one still wait for work and keep the processors from those of the other.
        with _libraries().limit(limits=1, user_api="blas"):
            for train, test in check_splits(cv, X, self.classes_[codes]):
                W = hidden_weights(X.shape[1], self.max_hidden, self.weights, self.scale, rng)
                O, O_test = (hidden_outputs(X[rows], W, self.output_bias) for rows in (train, test))
                predicted = predict_truncations(O, targets[train], O_test, self.sizes_ + self.output_bias, self.tol)
                hits.append(np.sum(predicted == codes[test], axis=1))
                tested.append(len(test))
        self.scores_ = np.array(hits) / np.array(tested)[:, None]
        # compare counts if all test parts have one size, because means of equal counts may differ by rounding
        total = np.sum(hits, axis=0) if len(set(tested)) == 1 else self.scores_.mean(axis=0)
        self.n_hidden_ = int(self.sizes_[np.argmax(total)])
        return self._fit_network(X, codes, self.n_hidden_)
