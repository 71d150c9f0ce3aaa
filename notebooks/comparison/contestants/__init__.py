"""Contestants by family: every module has ``CONTESTANTS``, found by `comparison.contestant`."""
