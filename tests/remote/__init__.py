"""Remote caches and remote execution, with servers on this machine.

Here: remote caches and remote execution, with servers on this machine; they run by name only.
Not here: how actions are declared, which `tests/e2e/` checks.
"""
