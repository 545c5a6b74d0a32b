"""Designs of the benchmark set: which fleets it is made of."""
