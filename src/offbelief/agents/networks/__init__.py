"""Q-networks: what values a seat gives to its moves. Weights only; how they are trained is in `learning`."""
