"""How long builds and tests take.

Here: time of builds and tests, here and with remote workers.
Not here: time of tfcarve's commands.
"""
