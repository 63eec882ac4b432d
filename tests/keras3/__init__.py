"""Models of Keras 3, which a process with Keras 3 saves, and their runs in a carved library."""
