"""tfcarve: builds a TensorFlow library with only the ops and kernels that an app's models use.

Here: the command line tool: the parser and small modules that several folders use.
Not here: what belongs in one of its folders.
"""

__version__ = "0.1.0"
