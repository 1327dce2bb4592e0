"""Room 6: doors for people and other software."""
