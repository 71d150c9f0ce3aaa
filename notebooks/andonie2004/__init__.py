"""Energy relevance LVQ against LVQ, RLVQ and OWA-RLVQ: the experiments of Andonie and Cataron 2004.

The paper states no learning rate, window width, number of codebook vectors or epochs, scaling, or split; all are
parameters here. Its percentages are counts of 150, 462 and 151 samples: all of Iris (so it tests on the training
samples, or cross-validates), and the test parts that Vowel and Ionosphere come with.
"""
