"""Feature weights for k-nearest-neighbour classification."""
