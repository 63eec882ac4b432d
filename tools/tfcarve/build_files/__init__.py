"""TensorFlow's BUILD files read as data: which sources make the core, and what a kernel needs to link."""
