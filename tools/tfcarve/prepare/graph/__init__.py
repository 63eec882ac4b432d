"""GraphDefs: their messages, files, nodes and tensors, and queries of their edges.

Here: a graph: its messages, file, nodes, tensors, functions and edges.
Not here: what needs TensorFlow.
"""
