"""Machines that are charged whole: cheapest plans of modules whose machines dummies fill for nothing (ours)."""
