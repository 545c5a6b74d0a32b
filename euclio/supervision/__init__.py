"""Processes that are watched, limited and killed from outside: a solver that hangs cannot keep its own limits."""
