"""Partial machines of several modules on one machine."""
