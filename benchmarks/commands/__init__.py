"""Time and memory of tfcarve's commands: `python -m benchmarks.commands`.

Here: time and memory of tfcarve's commands on TensorFlow's sources and on models.
Not here: running models.
"""
