"""Which sources of the runtime a library needs in addition to the core: those that define what its objects refer to."""
