"""The records that a `Family` is made of, one file per matter; what works on them is in the rooms above."""
