"""Title of the paper: what it proposes, and what the experiments measure."""
