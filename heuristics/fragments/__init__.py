"""The systems that serve misaligned fragments: GSLICE and GSLICE+ (Graft §5.1, §5.3)."""
