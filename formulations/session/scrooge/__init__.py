"""Scrooge's own MILP (§3.3), in PuLP."""
