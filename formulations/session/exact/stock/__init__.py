"""Where machines are limited over all modules: prices, and branching over which module has them."""
