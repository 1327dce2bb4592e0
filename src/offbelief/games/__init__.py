"""Room 1: worlds. NumPy and numba only; knows no policy and no torch."""
