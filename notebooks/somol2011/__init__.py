"""Feature selection against the curse of dimensionality: the experiments of Somol, Grim, Novovicova and Pudil 2011.

Every function returns tidy tables, one measured value per row: the columns that say what was measured, then ``metric``
and ``value``. ``dataset`` is a name for :func:`fscore.datasets.load` or a CSV file, whose label is in ``target``.

What the paper leaves open is a parameter: scaling, how folds are drawn, the SVM's C and gamma, and Delta of Tables 3
and 4.
"""
