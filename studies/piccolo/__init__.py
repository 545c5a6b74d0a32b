"""Piccolo §IV reproduced: 663 workloads, its baselines and alternatives, both optima."""
