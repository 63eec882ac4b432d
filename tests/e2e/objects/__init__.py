"""What objects and compilers say: symbols, build attributes, comparisons of addresses.

Here: readers of object files and of a compiler's output.
Not here: parsers that tfcarve has, in `tools/tfcarve/objfile/`.
"""
