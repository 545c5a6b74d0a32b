"""Drawing instances by kind and settings, whatever their family."""
