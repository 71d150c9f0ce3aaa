"""One module per paper: its figures, drawn from the tables that its studies return."""
