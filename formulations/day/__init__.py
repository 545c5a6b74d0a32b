"""Loads over time: the rules that people use, and the least cost (docs/model/load-over-time.md)."""
