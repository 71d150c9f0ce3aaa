"""Prototypes: features by the relevances that learning vector quantization gives them."""

from comparison.contestant import scoring
from fscore.lvq import ERLVQ, GMLVQ, GRLVQ, OWARLVQ, RLVQ


def _relevances(model):
    """A contestant that ranks by the relevances of a class of models."""
    return scoring(
        model.__name__,
        "prototypes",
        "fscore",
        lambda X, y, seed: model(random_state=seed).fit(X, y).feature_importances_,
    )


CONTESTANTS = {model.__name__.lower(): _relevances(model) for model in (ERLVQ, GMLVQ, GRLVQ, OWARLVQ, RLVQ)}
