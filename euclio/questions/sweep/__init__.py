"""A session over a grid of rates, objectives, prices, stocks: a plan at each point, and its limits."""
