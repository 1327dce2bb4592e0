"""Hanabi in a terminal: games drawn move by move (`obl watch`), and games with a person (`obl play --terminal`)."""
