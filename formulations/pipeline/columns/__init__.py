"""Exact method for pooled pipelines: feasible pipelines as columns, packed into the cluster by their losses (ours)."""
