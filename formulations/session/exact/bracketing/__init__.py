"""Dummy rule `continuous`: modules' budgets bracketed in floating point."""
