"""The tables of what is tested on each platform, in docs/platforms.md and the README.

Here: the tables of platforms in `docs/platforms.md` and the README.
Not here: the tests that its rows name.
"""
