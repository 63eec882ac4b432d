"""What the bytes of a built library are for: attribution, marginal sizes, budgets, predictions, reports.

Here: attribution of bytes, marginal sizes, budgets, history.
Not here: time and memory of a run.
"""
