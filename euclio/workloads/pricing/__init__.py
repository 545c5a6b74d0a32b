"""Prices of machines from the price lists of clouds (docs/howto/prices.md)."""
