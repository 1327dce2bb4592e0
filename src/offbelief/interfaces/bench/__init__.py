"""Our hot paths beside their rivals, measured in one run on one machine: what `obl bench` prints.

Machines are noisy and shared, so the figure to read is the ratio. A rival that is not installed leaves nulls.
"""
