"""Title of the paper: what it proposes, and what its experiments here measure."""
