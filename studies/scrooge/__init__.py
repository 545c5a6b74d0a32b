"""Scrooge §4.3 reproduced: its MILP, greedy and brute force (Figures 10 and 11), and its worked example."""
