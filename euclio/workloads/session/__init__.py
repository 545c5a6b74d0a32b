"""Sessions to study: the five applications, the seeded protocol, random sessions and published profiles."""
