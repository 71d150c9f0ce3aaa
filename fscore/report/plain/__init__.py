"""One module per paper: what the tables of a run say in plain words."""
