"""What the bytes of a built library are for: attribution, marginal sizes, budgets, predictions, reports."""
