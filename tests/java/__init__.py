"""Java and Kotlin programs that call a carved library.

Here: the tests of the Java classes of an AAR.
Not here: the AAR's files.
"""
