"""The runtime rules: for each, a model that runs with the rule and fails without it.

Here: for each runtime-added op, a model that needs it.
Not here: the rules, which are in `third_party/tensorflow/releases/`.
"""
