"""The verbs of the command `euclio`; each imports what it needs when it runs, so that the command starts fast."""
