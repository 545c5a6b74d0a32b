"""Splitting and allocation of sessions for CP-SAT (OR-Tools), in whole numbers with proven rounding."""
