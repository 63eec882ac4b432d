"""Readers of model files: each gives the same frozen NodeUses."""
