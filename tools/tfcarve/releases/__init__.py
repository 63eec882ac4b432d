"""TensorFlow releases as data: what is true of one release and of no other."""
