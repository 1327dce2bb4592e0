"""Trained agents that come with the package: weights as safetensors, each with a JSON card."""
