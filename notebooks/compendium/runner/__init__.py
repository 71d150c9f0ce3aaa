"""The runner: finds outdated notebooks, executes them and publishes their results."""
