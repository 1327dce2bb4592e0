"""Batched Hanabi for 2-5 players, with the rules of DeepMind's Hanabi Learning Environment."""
