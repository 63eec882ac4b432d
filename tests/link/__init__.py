"""Link fragments for phones, linked with tools that are available without an NDK or Xcode.

Here: link fragments for phones.
Not here: link fragments for Linux, which `tests/e2e/` tests.
"""
