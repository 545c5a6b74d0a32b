"""Proofs as files that others' programs check: rational models, proofs of a cutoff, VIPR texts, a checker (ours)."""
