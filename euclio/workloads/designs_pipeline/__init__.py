"""Designs of the benchmark set: which clusters it is made of."""
