"""Plans of sessions as deployments: groups of machines alike, written in the formats of serving systems."""
