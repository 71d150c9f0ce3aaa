"""The skeleton of a new paper."""


def write(key):
    raise NotImplementedError(key)
