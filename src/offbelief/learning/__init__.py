"""Room 4: how policies and beliefs are found."""
