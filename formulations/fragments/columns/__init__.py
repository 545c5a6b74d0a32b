"""Column generation for fragments: realigned sets as columns, priced exactly (ours)."""
