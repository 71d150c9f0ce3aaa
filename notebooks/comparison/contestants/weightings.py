"""Weightings: features by the weights of a learned distance."""

from comparison.contestant import scoring
from fscore.weighting import LMBA, MDM, DiagonalLMNN, IRelief, Simba


def _weights(name, make):
    """A contestant that ranks by the weights of ``make(seed)``."""
    return scoring(name, "weighting", "fscore", lambda X, y, seed: make(seed).fit(X, y).weights_)


CONTESTANTS = {
    "irelief": _weights("I-Relief", lambda seed: IRelief(random_state=seed)),
    "lmba": _weights("LMBA", lambda seed: LMBA(random_state=seed)),
    "lmnn_diagonal": _weights("diagonal LMNN", lambda seed: DiagonalLMNN()),
    "mdm": _weights("soft MDM", lambda seed: MDM(nu=0.2, duplicates="drop")),  # a fifth of the samples may take slack
    "simba": _weights("Simba", lambda seed: Simba(random_state=seed)),
}
