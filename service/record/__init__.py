"""What anyone can check offline: commits, records, proofs of the log, ratings."""
