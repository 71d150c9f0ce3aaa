"""Maximum distance minimization for feature weighting: experiments on the claims of Hocke and Martinetz 2014."""
