"""What-if grids to move things on: an offline page, and a notebook widget of the same script and style."""
