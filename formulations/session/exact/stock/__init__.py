"""Limits on machines over all modules: prices, and branching over the modules that have the machines."""
