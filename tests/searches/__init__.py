"""Searches for whole classes of faults: each draws cases from a seed and holds what euclio does against a reference."""
