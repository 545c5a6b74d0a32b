"""Exact methods for sessions: formulations for engines, and our own search."""
