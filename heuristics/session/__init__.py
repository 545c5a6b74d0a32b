"""The systems that serve sessions: Harpagon with its baselines and ablations, and Scrooge's algorithms."""
