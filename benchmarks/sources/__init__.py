"""Size and speed of single sources: overrides and hot sources.

Here: bytes, speed and compile time of single sources: overrides and hot sources.
Not here: whole libraries.
"""
