"""Why a session has no plan, and what looks odd about it: conflicts, least latencies, restrictions, words."""
