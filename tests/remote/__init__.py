"""Remote caches and remote execution, with servers on this machine."""
