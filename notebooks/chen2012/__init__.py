"""GMLVQ rankings against information gain, Fisher and ReliefF: the experiments of chapters 4 and 5 of Chen 2012.

The protocol and the settings that the experiments share are in `chen2012.protocol`.
"""
