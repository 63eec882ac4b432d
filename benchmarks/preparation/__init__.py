"""What the preparation of models changes: nodes, bytes and outputs.

Here: nodes, bytes and outputs of prepared and quantized models.
Not here: time of a run in a library.
"""
