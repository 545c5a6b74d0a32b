"""Graft's evaluation: what realigning fragments saves, and how far from the optimum it stays."""
