"""One latency per module: modes, their relaxation, and searches over steps, lines and frontiers."""
