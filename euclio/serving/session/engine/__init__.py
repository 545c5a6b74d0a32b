"""The compiled simulator: tables that live on between calls, and the loop over events (docs/model/serving.md)."""
