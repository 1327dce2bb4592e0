"""Off-belief learning for zero-shot coordination: exact on small games, deep on Hanabi."""

__version__ = "0.1.0"
