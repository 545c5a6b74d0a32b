"""The benchmark set for people who do not install euclio: plain files, models, proofs, and two checkers (ours)."""
