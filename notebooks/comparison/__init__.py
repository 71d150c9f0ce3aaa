"""The comparison of methods on one footing: every method of fscore and those that users would pick elsewhere."""
