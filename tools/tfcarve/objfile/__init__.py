"""Readers of object files: ELF, Mach-O, static archives, universal files, and the table of CPUs.

Here: ELF, Mach-O, static archives, universal files; the table of CPUs.
Not here: what a library should contain.

Files are untrusted: readers raise InvalidInput for damaged files, and use time and memory in proportion to a file's size.
"""
