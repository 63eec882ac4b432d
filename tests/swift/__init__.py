"""Tests of the Swift interface with a carved library.

Here: a Swift toolchain, and programs in Swift that call a library for Linux.
Not here: the files of a Swift package, which tests/ios reads.
"""
