"""Adversarial testing: nasty legal instances, plain exact references, and a campaign of all solvers over both."""
