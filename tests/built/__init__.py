"""Libraries that one nested build makes for many tests."""
