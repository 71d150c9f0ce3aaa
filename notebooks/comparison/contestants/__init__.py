"""One contestant a module, found by `comparison.contestant`."""
