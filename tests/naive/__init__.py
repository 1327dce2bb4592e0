"""Slow judges: plain-Python twins of everything that is fast."""
