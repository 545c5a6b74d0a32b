"""What papers print, and what is measured of plans to be set next to it; studies and settings both take it here."""
