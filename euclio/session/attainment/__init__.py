"""Plans of sessions that keep a chosen SLO attainment under random arrivals (docs/findings/cost-of-randomness.md)."""
