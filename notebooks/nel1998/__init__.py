"""Feature selection for pattern recognition: the experiments of Nel's thesis of 1998.

Samples have the thesis' names: LIVER (bupa), PIMA, ION (ionosphere), WDBC and its halves WDBC1 and WDBC2. Subsets are
written as there, as strings of zeros and ones with the first feature leftmost. Accuracies are in percent.
"""
