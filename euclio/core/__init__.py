"""Base of every family and every room: results, the registry, the checker's callers. Names no family."""
