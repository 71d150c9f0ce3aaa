"""Solvers for the cost of generalized LVQ: waypoint averaging, normalized gradient descent, L-BFGS.

A solver's ``minimize(cost, theta, report, max_iter)`` starts at ``theta`` and calls ``report(theta, value, steps)``
after each iteration; the caller can raise ``StopIteration`` there to stop. ``cost`` has the methods ``value``,
``value_and_gradient``, ``blocks`` (prototypes, metric) and ``project``, which restores the constraint after each step.
"""

from collections import deque
from collections.abc import Callable, Sequence
from numbers import Real
from typing import ClassVar, Literal, TypeAlias

import numpy as np
from sklearn.base import BaseEstimator

from fscore._sklearn import Interval, StrOptions, check_parameters, estimator_dataclass
from fscore._typing import Floats
from fscore.lvq._base import COUNT, NOT_NEGATIVE, POSITIVE
from fscore.lvq._cost import RelativeDistanceCost

Report: TypeAlias = Callable[[Floats, float, Sequence[float]], None]


@estimator_dataclass
class NormalizedGradient(BaseEstimator):
    """Batch gradient descent with steps of fixed length, ``x <- x - a grad F / |grad F|`` (Chen 2012, equation 62).

    Parameters
    ----------
    step_prototypes : float, default=0.5
        Step length of all prototypes together, in the unit of the features.
    step_metric : float, default=0.1
        Step length of the metric's parameters (Omega has norm one).
    normalize : {"block", "prototype"}, default="block"
        Whether the gradient is normalized over all prototypes, or for each prototype (as in sklvq).
    """

    step_prototypes: float = 0.5
    step_metric: float = 0.1
    normalize: Literal["block", "prototype"] = "block"

    _parameter_constraints: ClassVar[dict] = {
        "step_prototypes": [POSITIVE],
        "step_metric": [POSITIVE],
        "normalize": [StrOptions({"block", "prototype"})],
    }

    def minimize(self, cost: RelativeDistanceCost, theta: Floats, report: Report, max_iter: int) -> None:
        steps = self._initial_steps(cost)
        for _ in range(max_iter):
            theta = self._step(cost, theta, cost.value_and_gradient(theta)[1], steps)
            report(theta, cost.value(theta), steps)

    def _initial_steps(self, cost):
        check_parameters(self)
        return [self.step_prototypes, self.step_metric][: len(cost.blocks())]

    def _step(self, cost, theta, gradient, steps):
        moved = theta.copy()
        for block, step in zip(cost.blocks(), steps, strict=True):
            direction = gradient[block]
            if block.start == 0 and self.normalize == "prototype":
                direction = direction.reshape(cost.prototype_shape)
                norms = np.linalg.norm(direction, axis=1, keepdims=True)
                direction = (direction / np.where(norms > 0, norms, 1)).ravel()
            else:
                direction = direction / (np.linalg.norm(direction) or 1)
            moved[block] -= step * direction
        return cost.project(moved)


@estimator_dataclass
class WaypointAveraging(NormalizedGradient):
    """Normalized gradient descent that moves to the mean of its last positions if the mean is better.

    After ``n_waypoints`` plain steps, each step ``x*`` is compared with the mean of the last ``n_waypoints``
    positions. If the mean has the lower cost, the path oscillates: continue from the mean with a shorter step (Chen
    2012, section 4.2; Papari, Bunte & Biehl 2011). This is decided separately for prototypes and metric (equations 73
    and 74). The thesis does not say at which position the other block is then evaluated; we use its step ``x*``.

    Parameters
    ----------
    step_prototypes, step_metric : float, default=0.5, 0.1
        Initial step lengths; the thesis gives none.
    n_waypoints : int, default=3
        Called k and j in the thesis.
    loss : float, default=2/3
        Factor of the step length if the mean is used (lambda in the thesis).
    gain : float, default=1.0
        Factor otherwise; 1 in the thesis, 1.1 in later toolboxes.
    joint : bool, default=False
        One decision for all parameters (equation 66) instead of one for each block.
    normalize : {"block", "prototype"}, default="block"
        See :class:`NormalizedGradient`.
    tol : float, default=1e-4
        Stop when all step lengths are below this.
    """

    n_waypoints: int = 3
    loss: float = 2 / 3
    gain: float = 1.0
    joint: bool = False
    tol: float = 1e-4

    _parameter_constraints: ClassVar[dict] = {
        "n_waypoints": [COUNT],
        "loss": [Interval(Real, 0, 1, closed="neither")],
        "gain": [Interval(Real, 1, None, closed="left")],
        "joint": ["boolean"],
        "tol": [NOT_NEGATIVE],
    }

    def minimize(self, cost: RelativeDistanceCost, theta: Floats, report: Report, max_iter: int) -> None:
        steps = self._initial_steps(cost)
        blocks = cost.blocks()
        decisions = [range(len(blocks))] if self.joint else [[b] for b in range(len(blocks))]
        path = deque([theta], maxlen=self.n_waypoints)
        value, gradient = cost.value_and_gradient(theta)
        for t in range(max_iter):
            ahead = theta = self._step(cost, theta, gradient, steps)
            value, gradient = cost.value_and_gradient(ahead)
            if t >= self.n_waypoints:
                mean = cost.project(np.mean(path, axis=0))
                for decision in decisions:
                    trial = ahead.copy()
                    for b in decision:
                        trial[blocks[b]] = mean[blocks[b]]
                    better = cost.value(trial) < value
                    for b in decision:
                        steps[b] *= self.loss if better else self.gain
                        if better:
                            theta = theta.copy() if theta is ahead else theta
                            theta[blocks[b]] = mean[blocks[b]]
                if theta is not ahead:
                    value, gradient = cost.value_and_gradient(theta)
            path.append(theta)
            report(theta, value, steps)
            if max(steps) < self.tol:
                break


@estimator_dataclass
class LBFGS(BaseEstimator):
    """scipy's L-BFGS-B. The cost does not depend on the scale of the metric, so no constraint on it is needed.

    Prototypes are measured in the standard deviation of all values, so the result does not depend on their unit.

    Parameters
    ----------
    tol : float, default=1e-6
        Stop when the projected gradient, or the relative decrease of the cost, is smaller.
    """

    tol: float = 1e-6

    _parameter_constraints: ClassVar[dict] = {"tol": [POSITIVE]}

    def minimize(self, cost: RelativeDistanceCost, theta: Floats, report: Report, max_iter: int) -> None:
        from scipy.optimize import Bounds, minimize

        check_parameters(self)
        lower = np.full_like(theta, -np.inf)
        if cost.metric.nonnegative:
            lower[cost.blocks()[1]] = 0
        unit = np.ones_like(theta)
        unit[cost.blocks()[0]] = cost.X.std() or 1.0

        def scaled(parameters):
            value, gradient = cost.value_and_gradient(parameters * unit)
            return value, gradient * unit

        minimize(
            scaled,
            theta / unit,
            jac=True,
            method="L-BFGS-B",
            bounds=Bounds(lower),
            callback=lambda intermediate_result: report(
                cost.project(intermediate_result.x * unit), intermediate_result.fun, []
            ),
            options={"maxiter": max_iter, "gtol": self.tol, "ftol": self.tol * 1e-2},
        )
