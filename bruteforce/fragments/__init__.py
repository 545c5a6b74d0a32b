"""Plain enumeration of the plans of a fleet."""
