"""What-if grids with sliders: an offline page, and a notebook widget with the same script and style."""
