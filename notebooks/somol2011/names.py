"""How pages name what the tables abbreviate."""

__all__ = ["NAMES"]

NAMES = {
    "pure_wrapper=True": "pure wrapper at lambda = 1",
    "rounding=nearest": "lambda T rounded to the nearest",
    "folds=stratified": "stratified folds",
    "folds=shuffled": "shuffled folds",
    "folds=interleaved": "inner folds interleaved",
    "scaling=raw": "raw inputs",
    "scaling=minmax": "inputs scaled by the training part",
    "scaling=minmax_all": "inputs scaled by all rows",
    "minmax": "by the training part",
    "minmax_all": "by all rows",
    "order=file": "samples in the file's order",
    "order=appearance": "classes as they appear",
    "order=ascending": "classes in ascending order",
    "order=descending": "classes in descending order",
    "main=mean": "the search compares the mean of the voters",
    "svm_gamma=0.1": "gamma of the SVM 0.1",
    "svm_gamma=0.5": "gamma of the SVM 0.5",
    "svm_C=10.0": "C of the SVM 10",
    "n_repeats=2": "both halves select",
    "cw_rel": "relative CW",
    "ati": "ATI",
}
