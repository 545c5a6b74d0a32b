"""The page of an experiment: its results frame as one HTML page and as Markdown (`euclio report`)."""
