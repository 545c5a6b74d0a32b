"""Exact methods for fragments: sets of fragments as columns."""
