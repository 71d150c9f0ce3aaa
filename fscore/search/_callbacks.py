"""scikit-learn's callbacks (experimental since 1.9); without effect in earlier versions."""

from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

try:
    from sklearn.callback import CallbackSupportMixin
    from sklearn.callback import with_callbacks as _with_callbacks
except ImportError:  # scikit-learn < 1.9

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Does nothing: there are no callbacks to set."""

    def _with_callbacks(method):
        """Return the method unchanged: there are no callbacks to tear down."""
        return method


__all__ = ["CallbackSupportMixin", "step_callback", "with_callbacks"]

F = TypeVar("F", bound=Callable[..., Any])


def with_callbacks(method: F) -> F:
    """Decorate a ``fit`` that calls back; unlike scikit-learn's decorator, this keeps its type."""
    return _with_callbacks(method)


def step_callback(estimator, X, y):
    """A function to call after each step of a search, true if a callback asks to stop; None without callbacks."""
    if not hasattr(estimator, "_init_callback_context"):
        return None
    context = estimator._init_callback_context(max_subtasks=None)
    context.call_on_fit_task_begin(estimator=estimator, X=X, y=y)
    if not getattr(estimator, "_skl_callbacks", None):
        return None

    def step(evaluator):
        task = context.subcontext(task_name="step")
        task.call_on_fit_task_begin(estimator=estimator, X=X, y=y)
        support = np.zeros(X.shape[1], dtype=bool)
        support[list(evaluator.columns(evaluator.best()))] = True
        return task.call_on_fit_task_end(
            estimator=estimator, X=X, y=y, reconstruction_attributes=lambda: {"support_": support}
        )

    step.context = context
    return step
