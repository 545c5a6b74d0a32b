"""Batches of runs: experiments, worker processes, records (docs/architecture.md)."""
