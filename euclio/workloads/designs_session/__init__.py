"""Designs of the benchmark set: which sessions it is made of."""
