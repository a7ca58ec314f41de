"""The processes, the command line and backups."""
