"""Benchmarks of models in carved libraries: time, memory, multiply-adds, and instructions under qemu.

Here: running a model in a library and reporting time and memory.
Not here: comparing outputs with goldens.
"""
