"""Two models run on the same inputs, and their outputs compared."""
