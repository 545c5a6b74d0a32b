"""Enumeration of clusters' plans."""
