"""What all rooms stand on: settings, errors, metrics, private files."""
