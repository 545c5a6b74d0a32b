"""What the checker asks of a plan's machines: their limits, their changes, and the rates that follow from them."""
