"""Every system next to the optimum, on one instance or on many: gaps and their causes."""
