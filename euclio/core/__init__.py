"""What every family and every room builds on: results, the registry, the checker's callers. Names no family."""
