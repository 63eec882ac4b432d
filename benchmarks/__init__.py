"""Benchmarks of tfcarve against other tools: `python -m benchmarks`."""
