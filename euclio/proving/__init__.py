"""Certificates: an independent prover tries what a result claims."""
