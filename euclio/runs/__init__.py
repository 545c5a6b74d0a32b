"""Batches of runs: experiments, worker processes, records (architecture, Runs)."""
