"""Graft's evaluation: the savings from realigning fragments, and the distance from the optimum."""
