"""Commits, records, proofs of the log and ratings. Anyone can check them offline."""
