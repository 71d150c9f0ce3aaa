"""The comparison of methods on an equal footing: every method of fscore and those that users would pick elsewhere."""
