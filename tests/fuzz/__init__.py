"""Fuzzing of all readers: any input gives a value or an error, in bounded time and memory.

Here: the fuzzer, its corpus and its record.
Not here: tests of one input, which are in `tests/tools/`.
"""
