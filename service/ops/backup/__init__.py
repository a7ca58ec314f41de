"""Files from a journal: backups and their restoration, dumps, records and tables."""
