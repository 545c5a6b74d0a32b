"""Fleets that can be drawn."""
