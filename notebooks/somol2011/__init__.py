"""Feature selection against the curse of dimensionality: the experiments of Somol, Grim, Novovicova and Pudil 2011.

Most tables have one measured value per row: columns that say what was measured, then ``metric`` and ``value``.

What the paper leaves open is a parameter: scaling, how folds are drawn, the SVM's C and gamma, and Delta of Tables 3
and 4.
"""
