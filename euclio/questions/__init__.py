"""Questions about a session and its cheapest plan: what if, changes, differences, bought whole."""
