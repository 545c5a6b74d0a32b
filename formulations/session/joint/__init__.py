"""What every joint model of splitting and allocation shares, whichever engine solves it."""
