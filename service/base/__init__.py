"""The base of all rooms: settings, errors, metrics, private files."""
