"""What a subset of features is worth."""
