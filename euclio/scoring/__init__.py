"""Scores of a user's program: it runs confined, the checker prices its plans, proven optima set the scale."""
