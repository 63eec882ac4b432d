"""Works out what must be compiled, from what models use and what TensorFlow registers."""
