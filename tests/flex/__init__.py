"""Carved Flex delegates in interpreters of TensorFlow Lite from packages."""
