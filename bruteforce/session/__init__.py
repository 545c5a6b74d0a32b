"""Enumeration of sessions' plans, and the brute-force references of the papers."""
