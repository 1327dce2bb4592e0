"""Room 3: how a seat chooses. Holds policies, never their training."""
