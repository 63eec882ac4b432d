"""How fast a model runs in a carved library: measured, counted and shown."""
