"""The parts of the independent prover of loads over time; they share no code with any solver."""
