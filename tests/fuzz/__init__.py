"""Fuzzing of all readers: any input gives a value or an error, in bounded time and memory."""
