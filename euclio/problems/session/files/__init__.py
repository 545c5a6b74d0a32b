"""Sessions and their plans in files."""
