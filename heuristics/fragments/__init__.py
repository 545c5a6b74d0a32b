"""The systems that serve misaligned fragments: Graft, GSLICE and GSLICE+ (Graft §4, §5.1, §5.3)."""
