"""From what models use and what TensorFlow registers to what must be compiled."""
