"""The runner: which notebooks are out of date, their execution, and what a run leaves."""
