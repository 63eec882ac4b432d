"""Which modules of tfcarve each module and each test file needs: the deps of their targets.

Here: which modules of tfcarve each module and each test needs.
Not here: the tables, and a small tree.
"""
