"""Searches over more rows than memory: one pass over generated batches, then a search, with peak memory."""

import sys
import time

import numpy as np
from common import Row, peak_megabytes, run_in_subprocess


def batches(n_rows, n_columns, size=50_000):
    """Rows as a file would yield them."""
    for seed in range(n_rows // size):
        rng = np.random.default_rng(seed)
        X = rng.standard_normal((size, n_columns), dtype=np.float32).astype(np.float64)
        yield X, X[:, 2] - X[:, 5] + 0.1 * X[:, 8] + rng.standard_normal(size)


def rows(quick=False):
    """Rows of the table, in processor seconds; the pass includes the generation of the batches."""
    for n_rows, n_columns in [(200_000, 50)] if quick else [(10_000_000, 50), (1_000_000, 300)]:
        base, peak, seconds, of_search, is_right = run_in_subprocess(__file__, str(n_rows), str(n_columns))
        data = 8 * n_rows * n_columns / 2**20
        ours = f"pass {seconds:.3g} s, SFS(Ridge(), 10) {of_search:.2g} s, {'right' if is_right else 'WRONG'}"
        share = (peak - base) / data
        memory = f"{peak - base:.0f} MB for {data:.0f} MB of data"
        holds = None if quick else bool(is_right) and share <= 0.25
        yield Row(f"Moments of {n_rows:,} x {n_columns}", "-", f"{ours}, {memory}", f"{share:.2g}", "<= 0.25", holds)


if __name__ == "__main__":
    from sklearn.linear_model import Ridge

    from fscore.criteria import Moments
    from fscore.search import SFS

    n_rows, n_columns = map(int, sys.argv[1:])
    warm = Moments.from_batches(batches(50_000, n_columns, 1000))
    SFS(warm.criterion(Ridge()), 3).fit(*warm.rows)
    base, start = peak_megabytes(), time.process_time()
    moments = Moments.from_batches(batches(n_rows, n_columns))
    middle = time.process_time()
    search = SFS(moments.criterion(Ridge()), 10).fit(*moments.rows)
    end = time.process_time()
    is_right = {2, 5, 8} <= set(search.get_support(indices=True).tolist())
    print(base, peak_megabytes(), middle - start, end - middle, int(is_right))
