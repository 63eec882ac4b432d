"""What a built library's bytes are for: attribution, prices, budgets, reports."""
