"""Where things are kept: the journal, the archive, the log of all commits, the queues, keys."""
