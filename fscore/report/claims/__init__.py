"""One module per paper: its claims as functions of the tables that its notebooks produce."""
