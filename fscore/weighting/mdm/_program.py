"""What MDM's constraint generation asks of a solver."""

from abc import ABC, abstractmethod
from typing import NamedTuple

import numpy as np


class Solution(NamedTuple):
    """An optimum of a program: variables, a lower bound on its value, and the multipliers of its rows."""

    w: np.ndarray
    r: float
    slacks: np.ndarray
    bound: float
    same_duals: np.ndarray
    other_duals: np.ndarray


class Program(ABC):
    r"""MDM's linear program restricted to the constraints found so far.

    .. math:: \min_{w, r, \xi \ge 0} r + C \sum_i \xi_i \quad\text{s.t.}\quad
        \|x_i - x_j\|_w^2 \ge \text{margin} \;\; ((i, j) \in \text{other}), \qquad
        \|x_i - x_j\|_w^2 \le r + \xi_i \;\; ((i, j) \in \text{same})

    Without :math:`\xi` if ``C`` is None. :func:`~fscore.weighting.mdm._generation.generate_rows` alternates
    between :meth:`solve` and :meth:`add` until no pair violates the solution, then continues with the program that
    :meth:`refined` returns, if any. A path over several ``C`` calls :meth:`forget` and :meth:`set_C` in between.

    Attributes
    ----------
    name : str
        Reported as ``MDM.solver_``.
    first_accuracy : float
        The accuracy to ask of the first :meth:`solve`: coarse where early solutions only serve to find violated pairs.
    best_accuracy : float
        The finest accuracy worth asking for. Zero for a program that always solves exactly.
    sufficient_gap : float
        The relative gap at which constraint generation may stop even if its own tolerance is smaller, because
        :meth:`refined` closes the rest. Zero for a program that solves exactly.
    sample : Sample
    C : float or None
    margin : float
        Lower bound on the distances between classes.
    rows : Rows
        The constraints, in the order of the multipliers of a :class:`Solution`.
    """

    name: str
    first_accuracy = best_accuracy = sufficient_gap = 0.0

    @abstractmethod
    def add(self, rows):
        """Append constraints.

        Parameters
        ----------
        rows : Rows
            None of them known yet.
        """

    @abstractmethod
    def set_C(self, C):
        """Change the penalty of a soft program; the constraints stay. A hard program cannot become soft, nor back."""

    @abstractmethod
    def solve(self, accuracy=0.0):
        """Solve the program over all features and the constraints found so far.

        Parameters
        ----------
        accuracy : float, default=0.0
            Relative accuracy that suffices; the solution may be more accurate.

        Returns
        -------
        Solution
            With non-negative weights. Its ``bound`` is a lower bound on the value of the full program, to within the
            accuracy.

        Raises
        ------
        RuntimeError
            If the solver finds no optimum.
        """

    def forget(self, solution):  # noqa: B027 (not abstract: a program may keep everything)
        """Drop constraints that are far from tight, to make later solutions cheaper.

        Neither the optimum nor the multipliers of the constraints that stay may change. The default keeps all.

        Parameters
        ----------
        solution : Solution
            The last one of this program.
        """

    def refined(self, solution):
        """Return the program that continues from an approximate solution to an exact one.

        Parameters
        ----------
        solution : Solution
            The last one of this program.

        Returns
        -------
        Program or None
            Holds the same constraints. None (the default) if :meth:`solve` is exact: a vertex, in which irrelevant
            features have weight exactly zero.
        """
        return None
