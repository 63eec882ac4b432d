"""What a built library's bytes are for: attribution, marginal_sizes, budgets, reports."""
