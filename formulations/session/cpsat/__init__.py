"""The same models for CP-SAT (OR-Tools), in whole numbers with proven rounding."""
