"""Subsets of features as the thesis writes them: a string of zeros and ones, the first feature leftmost."""


def columns_of(mask):
    """Columns of a mask: ``"0110"`` is ``[1, 2]``."""
    return [f for f, bit in enumerate(mask) if bit == "1"]


def mask_of(columns, n_features):
    """Mask of a set of columns; the inverse of `columns_of`."""
    chosen = set(columns)
    return "".join("1" if f in chosen else "0" for f in range(n_features))


def bits(numbers, n_features):
    """Masks of the subset numbers of ``gamma_all_subsets``, in which feature f has the bit ``1 << f``."""
    return [f"{number:0{n_features}b}"[::-1] for number in numbers]
