"""Exact methods for pooled pipelines: PPipe's formulation, and columns."""
