"""tfcarve: builds the smallest TensorFlow library that runs an app's models.

Here: the command line tool: the parser and small modules that several folders use.
Not here: what belongs in one of its folders.
"""

__version__ = "0.1.0"
