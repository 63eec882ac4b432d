"""Full TensorFlow in a child process, through its C API: values, types and shapes.

Here: full TensorFlow in a child process: values, types and shapes; the nodes that it can compute beforehand.
Not here: importing tensorflow.
"""
