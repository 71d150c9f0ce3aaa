"""The pipeline from text to prediction that a report recommends."""

from sklearn.pipeline import Pipeline, make_pipeline

from fscore.dossier.models import encoder, model
from fscore.dossier.types import ColumnTypes

__all__ = ["final_kinds", "final_model", "final_steps"]


def final_model(problem, found):
    """The pipeline from text to prediction with the recommended columns, fitted on all rows in use.

    Parameters
    ----------
    problem : Problem
    found : Findings

    Returns
    -------
    Pipeline
    """
    kinds, codes = final_kinds(problem, found)
    made = make_pipeline(ColumnTypes(kinds, codes or None), encoder(kinds), *final_steps(problem, found))
    return made.fit(problem.X[list(kinds)], problem.labels())


def final_kinds(problem, found):
    """Kind, and numbers that stand for a missing value, of each column that the model needs."""
    names = [name for unit in sorted(found.recommended) for name in problem.units[unit].columns]
    codes = {name: problem.codes[name] for name in names if name in problem.codes}
    return {name: problem.kinds[name] for name in names}, codes


def final_steps(problem, found):
    """What follows the encoder, not fitted."""
    name = found.models[0] if found.recommended == found.units else found.models[1]
    kinds, _ = final_kinds(problem, found)
    # The encoded width of the rows that were scored decided on the solver.
    scored = problem.X[list(kinds)].iloc[problem.drawn]
    n_encoded = encoder(kinds).fit_transform(scored).shape[1]
    made = model(name, problem.target.task, len(problem.y), n_encoded, max(len(problem.target.classes), 1))
    return [step for _, step in made.steps] if isinstance(made, Pipeline) else [made]
