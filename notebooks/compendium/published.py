"""The printed numbers and claims of the papers."""

from decimal import ROUND_HALF_UP, Context, Decimal

import numpy as np
import pandas as pd
from scipy import stats

from compendium.papers import DATA, papers

LEVEL = 0.05  # share of equal numbers that differ by chance
REPETITIONS = ("repeat", "split", "fold")  # columns that number the repetitions of an experiment
FEWEST = 3  # repetitions from which a standard deviation is estimated
ROUNDING = 1e-12  # differences that binary floating point makes of equal decimals
CAUSES = ("misprint", "unstated setting", "other version of the data", "budget", "numerical", "shared splits")
UNEXPLAINED = "unexplained"
GRADES = ("identical", "close", "compatible", "differs, explained", "differs, unexplained")
NARROW = 0.05  # of a number: errors up to which one that agrees is close
POINTS = 2  # of a rate: the same
HIGH = 90  # percent correct, above which the errors are what matters; there two points are a fifth of them

# Printed names that differ from the registry's in more than case.
REGISTRY_NAMES = {"adrenaltumor": "adrenal_tumour"}


def published(name):
    """Printed numbers, each as the string that was printed.

    Parameters
    ----------
    name : str
        Name of a file in ``data/published`` without extension, for instance ``"andonie2004"``.

    Returns
    -------
    DataFrame of str
        Empty cells are empty strings.
    """
    return pd.read_csv(DATA / "published" / f"{name}.csv", dtype=str, keep_default_na=False)


def printed_table(paper, table):
    """One printed table, with the registry's names of the data sets.

    Parameters
    ----------
    paper : str
        Key of the paper.
    table : int or "text"

    Returns
    -------
    DataFrame of str
    """
    rows = published(paper)
    rows = rows[rows["table"] == str(table)].reset_index(drop=True)
    return rows.assign(dataset=rows["dataset"].str.lower().replace(REGISTRY_NAMES))


def all_claims():
    """Every claim of every paper: columns paper, claim_id, where, short, claim, quotation."""
    found = [claims_of(paper) for paper in papers()]
    return pd.concat([claims for claims in found if len(claims)], ignore_index=True)


def claims_of(paper):
    """The claims of one paper, in the order of its file; none if it has no file."""
    if not (DATA / "published" / f"{paper}_claims.csv").is_file():
        return pd.DataFrame(columns=["paper", "claim_id", "where", "short", "claim", "quotation"])
    claims = published(f"{paper}_claims")
    claims.insert(0, "paper", paper)
    return claims


def printed_tolerance(text):
    """Half a unit of the last printed digit: ``"91.33"`` gives 0.005."""
    decimals = len(text.partition(".")[2])
    return 0.5 * 10.0**-decimals


def compare(printed, measured, on, *, unprinted=False):
    """Compare published with reproduced values, each difference in units of its standard error.

    Parameters
    ----------
    printed : DataFrame
        Columns ``on`` and ``value`` (strings, which show the number of printed digits); if printed or known, ``spread``
        (the printed standard deviation, a string) and ``runs`` (the number of runs behind the printed mean).
    measured : DataFrame
        Columns ``on`` and ``value``, one row per repetition. Columns ``sd`` and ``n``, if present, replace the standard
        deviation and the number of rows, for values computed from all repetitions together, such as a percentage of
        wins; ``freedom``, if present, are the degrees of freedom of ``sd``, which may be pooled over several numbers.
        ``error``, if present, is the value's own standard error, such as a bootstrap estimate, and ``theirs`` the
        paper's, by default as large.
    on : list of str
        Columns that identify a number.
    unprinted : bool, default=False
        Whether to add what was measured on data sets of which nothing is printed, with ``published`` NaN.

    Returns
    -------
    DataFrame
        Columns ``on``, published, reproduced, sd, n, error, difference, errors, p, agrees, theirs, shared, repetitions,
        decimals, same. ``decimals`` are those of print; a whole number among numbers with decimals has lost its zeros.
        ``same`` is whether ours is one value, no mean over repetitions, and rounds to the printed digits. ``error`` is
        the standard error of the difference, ``theirs`` the part of it that is the paper's, and ``errors`` the
        difference in its units, both NaN if unknown. ``p`` is the probability, by Student's t, of a difference as large
        as what exceeds half a printed digit; for exact values it is 0 or 1. Values agree if p is at least 0.05;
        ``agrees`` is None and ``p`` NaN if we have no value, or no error to judge a difference by. ``shared`` is the
        covariance of ``errors`` with its mean over all numbers compared, which share our repetitions (and the paper's,
        in the same way); the mean of ``shared`` is the variance of that mean, estimated from so many ``repetitions``.
        NaN where ``measured`` has no column of `REPETITIONS`, or too few repetitions that all numbers have.

    Notes
    -----
    The standard error combines ours, ``sd / sqrt(n)``, with the paper's, ``spread / sqrt(runs)``, with degrees of
    freedom after Welch. A printed number without ``runs`` counts as one run. Without a printed spread ours estimates
    it, and the other way round, as both are spreads of the same experiment; then the degrees of freedom are its own.
    Two repetitions say too little about a spread: fewer than three count as none. A single value is exact unless
    ``measured`` has a column of `REPETITIONS`: then only rounding is allowed.
    """
    groups = measured.groupby(on, sort=False)
    ours = groups["value"].agg(reproduced="mean", sd="std", n="count")
    given = [column for column in ("sd", "n", "freedom", "theirs") if column in measured]
    ours[given] = groups[given].first()
    ours["own"] = groups["error"].first() if "error" in measured else np.nan
    texts = [column for column in ("spread", "runs") if column in printed]
    table = printed[[*on, "value", *texts]].merge(ours.reset_index(), on=on, how="left")
    table["exact"] = ~table["n"].gt(1 if _repetition(measured, on) is None else 0)
    table["difference"] = table["reproduced"] - pd.to_numeric(table["value"])
    table["error"], table["theirs"], freedom = _standard_error(table)
    table["errors"] = table["difference"] / table["error"].where(table["error"] > 0)
    table["decimals"] = _printed_decimals(printed)
    tolerance = 0.5 * 10.0 ** -table["decimals"] + ROUNDING
    beyond = (table["difference"].abs() - tolerance).clip(lower=0.0).astype(float)
    with np.errstate(invalid="ignore"):  # where an error is unknown
        by_chance = 2 * stats.t.sf(beyond / table["error"], freedom)
    judged = table["exact"] | table["error"].eq(0) | beyond.eq(0)
    table["shared"], table["repetitions"] = _shared(table, measured, on)
    numbers = zip(table["value"], table["reproduced"], table["decimals"], strict=True)
    rounded = [float(rounded_to(ours, decimals)) == float(text) for text, ours, decimals in numbers]
    table["same"] = ~table["n"].gt(1) & np.array(rounded, dtype=bool)
    table = _compared(table, on, np.where(table["error"] > 0, by_chance, beyond.eq(0).where(judged)))
    others = _unprinted(printed, ours.reset_index()) if unprinted else []
    return pd.concat([table, others[[*on, "reproduced", "sd", "n"]]], ignore_index=True) if len(others) else table


def _repetition(measured, on):
    """The column that numbers repetitions, if there is one."""
    return next((name for name in REPETITIONS if name in measured and name not in on), None)


def _unprinted(printed, ours):
    """What was measured on data sets of which nothing is printed."""
    return ours[~ours["dataset"].isin(printed["dataset"])]


def _standard_error(table):
    """Standard error of each difference, NaN where no spread is known, the paper's part, and the degrees of freedom."""
    n, own, sd = (table[name].astype(float) for name in ("n", "own", "sd"))
    spread, runs = _numbers(table, "spread"), _numbers(table, "runs").fillna(1.0)
    few = ~(n >= FEWEST)
    sd = sd.mask(few, spread.mask(table["exact"]))
    ours = (sd**2 / n).where(own.isna(), own**2).fillna(0.0)
    given = _numbers(table, "theirs").fillna(own)
    theirs = (spread.fillna(sd) ** 2 / runs).where(own.isna() | spread.notna(), given**2).fillna(0.0)
    freedom = (n - 1.0).mask(few, runs - 1.0).where(own.isna(), np.inf)
    freedom = _numbers(table, "freedom").fillna(freedom)
    welch = (ours + theirs) ** 2 / (ours**2 / freedom + theirs**2 / (runs - 1.0))
    freedom = welch.where(spread.notna() & (runs >= FEWEST) & ~few, freedom)  # one spread for both has its own alone
    known = sd.notna() | spread.notna() | (ours + theirs > 0)
    return np.sqrt(ours + theirs).where(known), np.sqrt(theirs).where(known), freedom.where(freedom >= 1, 1e9)


def _shared(table, measured, on):
    """Covariance of each difference, in standard errors, with the mean of all, and the repetitions; see `compare`."""
    column = _repetition(measured, on)
    known = table["error"].gt(0) & table["n"].ge(FEWEST)
    if column is None or not known.any():
        return np.nan, np.nan
    own = table.loc[known, [*on, "error"]].merge(measured[[*on, column, "value"]], on=on)
    own["value"] /= own["error"]
    wide = own.pivot_table(index=on, columns=column, values="value", sort=False).dropna(axis="columns")
    n = len(wide.columns)
    if n < FEWEST or wide.empty:
        return np.nan, np.nan
    apart = wide.sub(wide.mean(axis=1), axis=0)
    covariance = apart.mul(apart.mean(axis=0)).sum(axis=1) / (n - 1)
    found = table[on].merge(covariance.rename("shared").reset_index(), on=on, how="left")["shared"].to_numpy()
    first = table.assign(runs=_numbers(table, "runs").fillna(1.0)).groupby(on, sort=False, dropna=False)["runs"]
    return found * (1 / n + 1 / first.transform("first")), n  # a table may print a number twice


def _compared(table, on, p):
    """Common columns of all comparisons, from the probability of differences as large as these."""
    p = np.where(table["reproduced"].isna(), np.nan, p).astype(float)
    table["p"], table["agrees"] = p, np.where(np.isnan(p), None, p >= LEVEL)
    table["published"] = pd.to_numeric(table["value"])
    columns = ["published", "reproduced", "sd", "n", "error", "difference", "errors", "p", "agrees", "theirs", "shared"]
    return table[[*on, *columns, "repetitions", "decimals", "same"]]


def _printed_decimals(printed):
    """Decimals of each printed number; a whole number in a column of numbers with decimals has lost its zeros."""
    decimals = _decimals(printed["value"])
    frame = printed.reindex(columns=["table", "metric"]).assign(decimals=decimals.mask(decimals == 0))
    least = frame.groupby(["table", "metric"], dropna=False)["decimals"].transform("min")
    frame["usual"] = decimals.eq(least)
    lost = decimals.eq(0) & frame.groupby(["table", "metric"], dropna=False)["usual"].transform("mean").gt(0.5)
    return decimals.mask(lost, least).to_numpy()


def _decimals(texts):
    return texts.map(lambda text: len(text.partition(".")[2])).astype(int)


def rounded_to(value, decimals):
    """A number in print: with so many decimals, a half rounded up, and no negative zero.

    Parameters
    ----------
    value : float
    decimals : int

    Returns
    -------
    str
        "nan" of NaN, "inf" or "-inf" of infinite numbers.
    """
    if not np.isfinite(value):
        return str(float(value))
    unit, exact = Decimal(1).scaleb(-int(decimals)), Context(prec=400)  # digits enough for any float
    text = f"{Decimal(repr(round(float(value), 12))).quantize(unit, ROUND_HALF_UP, exact):f}"
    return text if float(text) else text.lstrip("-")


def _numbers(table, column):
    """A column of ``table`` as numbers, NaN where the text is empty or the column is missing."""
    if column not in table:
        return pd.Series(np.nan, table.index)
    return pd.to_numeric(table[column].replace("", np.nan)).astype(float)


def compare_spreads(printed, measured, on):
    """Compare printed standard deviations with ours by the F test.

    Parameters
    ----------
    printed : DataFrame
        Columns ``on`` and ``spread`` (strings, the printed standard deviations), and ``runs`` if known; otherwise the
        paper is taken to have as many runs as we.
    measured : DataFrame
        As for `compare`.
    on : list of str

    Returns
    -------
    DataFrame
        As from `compare`, of the standard deviations: ``errors`` is the logarithm of their ratio in units of its
        standard error, and ``p`` that of an F test, rounding considered. ``error`` and ``theirs`` are those of two
        estimates of one standard deviation, which is taken to be ours. ``agrees`` is None where we have fewer than
        three repetitions.
    """
    groups = measured.groupby(on, sort=False)
    ours = groups["value"].agg(reproduced="std", n="count")
    if "sd" in measured:
        ours["reproduced"], ours["n"] = groups["sd"].first(), groups["n"].first()
    ours.loc[ours["n"] < FEWEST, "reproduced"] = np.nan
    texts = ["runs"] if "runs" in printed else []
    table = printed.loc[printed["spread"] != "", [*on, "spread", *texts]].rename(columns={"spread": "value"})
    table = table.merge(ours.reset_index(), on=on, how="left")
    published, own, n = (pd.to_numeric(table[name]).astype(float) for name in ("value", "reproduced", "n"))
    runs = _numbers(table, "runs").fillna(n)
    rounding = table["value"].map(printed_tolerance)
    nearest = own.clip(published - rounding, published + rounding)  # the printed value before rounding, at best
    with np.errstate(invalid="ignore"):
        p = 2 * np.minimum(*(tail((own / nearest) ** 2, n - 1, runs - 1) for tail in (stats.f.cdf, stats.f.sf)))
    theirs = np.sqrt(1 / (2 * (runs - 1)))
    relative = np.sqrt(1 / (2 * (n - 1)) + theirs**2)
    table["errors"], table["error"] = np.log(own / published) / relative, own * relative
    table["difference"], table["theirs"] = own - published, own * theirs
    table["sd"], table["shared"], table["repetitions"], table["same"] = np.nan, np.nan, np.nan, False
    table["decimals"] = _decimals(table["value"])
    return _compared(table, on, np.where((own - nearest).abs() <= ROUNDING, 1.0, p))


def explained(comparison, paper, table):
    """Add to each number that differs the recorded cause and explanation.

    Parameters
    ----------
    comparison : DataFrame
        As from `compare`, with all columns that the matches of the explanations name.
    paper : str
        Key of the paper; its explanations are ``data/published/<paper>_explanations.csv``, with columns table, match (a
        pandas query on the comparison), cause, explanation.
    table : str
        Label of the comparison, for instance ``"Table 3"``.

    Returns
    -------
    DataFrame
        With columns ``cause`` and ``explanation``: empty where the values agree or are not compared, and the cause
        "unexplained" where no explanation matches. The first match counts.

    Raises
    ------
    ValueError
        If an explanation has an unknown cause.
    """
    comparison = comparison.assign(cause="", explanation="")
    differs = comparison["agrees"].eq(False)
    comparison.loc[differs, "cause"] = UNEXPLAINED
    if not (DATA / "published" / f"{paper}_explanations.csv").is_file():
        return comparison
    explanations = published(f"{paper}_explanations")
    for row in explanations[explanations["table"] == table].itertuples():
        if row.cause not in CAUSES:
            raise ValueError(f"unknown cause {row.cause!r} in {paper}_explanations.csv; causes: {', '.join(CAUSES)}.")
        matching = comparison.query(row.match) if row.match else comparison
        unexplained = matching.index[matching["cause"].eq(UNEXPLAINED)]
        comparison.loc[unexplained, ["cause", "explanation"]] = [row.cause, row.explanation]
    return comparison


def graded(comparison):
    """Add to each number the grade of its agreement.

    Parameters
    ----------
    comparison : DataFrame
        As from `explained`, with a column ``point`` that is the size of one point for a rate, else NaN.

    Returns
    -------
    DataFrame
        With a column ``attainable``, whether the number could be close if all of the error were the paper's, and a
        column ``grade``: "identical" to the printed digit, which a mean over repetitions never is; "close" if it
        agrees within its error, and two standard errors are at most 5% of the number or 2 points of a rate, or of a
        rate above 90% correct a fifth of its errors; "compatible" if the error is wider than that, so that agreement
        is weak evidence; "differs, explained" and "differs, unexplained"; empty where nothing is compared.
    """
    agrees, differs = comparison["agrees"].eq(True), comparison["agrees"].eq(False)
    wide = 2 * comparison["error"].astype(float)
    limit = np.fmax(NARROW * comparison["published"].abs(), POINTS * comparison["point"])
    wrong = 100 - comparison["published"] / comparison["point"]  # percent, of a rate
    limit = limit.mask(wrong < 100 - HIGH, POINTS * comparison["point"] * wrong / (100 - HIGH))
    exact = comparison["error"].isna() & ~comparison["n"].gt(1) if "n" in comparison else comparison["error"].isna()
    narrow, own = (wide <= limit) | exact, 2 * comparison["theirs"].astype(float)
    same = comparison["reproduced"].eq(comparison["published"])
    if "same" in comparison:
        same = same.where(comparison["same"].isna(), comparison["same"].eq(True))
    identical = agrees & same
    explained = comparison["cause"].ne(UNEXPLAINED)
    cases = [identical, agrees & narrow, agrees, differs & explained, differs]
    attainable = comparison["agrees"].notna() & (identical | own.isna() | (own <= limit))
    return comparison.assign(grade=np.select(cases, GRADES, ""), attainable=attainable)


def compare_lists(printed, measured, on, *, unprinted=False):
    """Compare published with reproduced lists of features, ignoring their order.

    Parameters
    ----------
    printed : DataFrame
        Columns ``on`` and ``value``, numbers separated by semicolons.
    measured : DataFrame
        Columns ``on`` and ``value``, lists of int.
    on : list of str
        Columns that identify a list.
    unprinted : bool, default=False
        As for `compare`.

    Returns
    -------
    DataFrame
        Columns ``on``, published, reproduced, shared (number of features in both); None for a list that is missing.
    """
    ours = measured[[*on, "value"]].rename(columns={"value": "value_ours"})
    table = printed[[*on, "value"]].merge(ours, on=on, how="left")
    if unprinted:
        table = pd.concat([table, _unprinted(printed, ours)], ignore_index=True)
    ours = [set(value) if isinstance(value, list) else None for value in table.pop("value_ours")]
    theirs = [set(map(int, text.split(";"))) if isinstance(text, str) else None for text in table["value"]]
    for column, found in ("published", theirs), ("reproduced", ours):
        table[column] = [None if numbers is None else ", ".join(map(str, sorted(numbers))) for numbers in found]
    table["shared"] = [
        None if own is None or numbers is None else f"{len(numbers & own)} of {len(numbers)}"
        for numbers, own in zip(theirs, ours, strict=True)
    ]
    return table.drop(columns="value")
