"""Ties decided in exact arithmetic."""
