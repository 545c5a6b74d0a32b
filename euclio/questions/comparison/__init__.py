"""Every system next to the optimum, on one instance or on many: gaps, and what they are made of."""
