"""Benchmarks of models in carved libraries: time, memory, multiply-adds, and instructions under qemu."""
