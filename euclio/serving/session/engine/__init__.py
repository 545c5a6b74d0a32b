"""The compiled simulator: tables that stay between calls, and the loop over events (docs/model/serving.md)."""
