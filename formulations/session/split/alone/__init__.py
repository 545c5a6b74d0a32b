"""Latency splitting alone, on a relaxation as a network flow."""
