"""The problems: instance, plan, plan space and checker of sessions, clusters, fleets and days."""
