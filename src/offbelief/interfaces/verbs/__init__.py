"""The verbs of the command `obl`, one module each: its `Arguments`, and `run` that returns the exit code."""
