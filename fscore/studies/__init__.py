"""One module per paper: its protocol, from parameters to tidy tables."""
