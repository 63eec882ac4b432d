"""The runtime rules: for each, a model that runs with the rule and fails without it."""
