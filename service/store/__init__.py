"""Stores: the journal, the archive, the log of all commits, the queues, and the keys."""
