"""Checks that a built library registers what its selection requires, and nothing else."""
