"""Benchmarks against the peers, as ratios of one run: `python -m benchmarks`."""
