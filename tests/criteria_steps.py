"""The candidates of a step, for tests of criteria: a base with tuples of columns added, or removed."""


def add(J, base, tuples):
    """Scores of the base with each tuple added."""
    return J.score([tuple(sorted((*base, *t))) for t in tuples], tuple(base), adding=True)


def remove(J, base, tuples):
    """Scores of the base without each tuple."""
    return J.score([tuple(c for c in base if c not in t) for t in tuples], tuple(base), adding=False)
